package io.millrace.control.session;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import javax.crypto.KDF;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.spec.HKDFParameterSpec;

/**
 * Shows that one end of a session has the shared secret: HMAC-SHA-256 under it over a label that names protocol,
 * purpose and side, then session id, role asked for, response stream, key name, client name, response channel, nonce
 * of the data plane, nonce of the client, the name of the data plane if the client gave one, and the public keys of
 * client and data plane if there are any. Integers have eight bytes, little-endian; texts are UTF-8; what has no fixed
 * length follows its length.
 *
 * <p>Keys of an encrypted session: HKDF-SHA-256 (RFC 5869) of the shared secret followed by what the two agreed on by
 * X25519, with the HMAC-SHA-256 of the same under a label of its own as salt, expanded to 32 bytes with a label that
 * names the side that sends. Stateless; any thread may use it.
 */
public final class SessionProof
{
    /** Of a nonce, in bytes. */
    public static final int NONCE_LENGTH = 32;
    /** Of a proof, in bytes. */
    public static final int PROOF_LENGTH = 32;

    private static final String PROOF_LABEL = "millrace control 1 proof of the ";
    private static final String SEAL_LABEL = "millrace control 1 seal of the ";
    private static final String SALT_LABEL = "millrace control 2 salt";
    private static final String CIPHER_LABEL = "millrace control 2 encryption of the ";
    private static final String KEY_DERIVATION = "HKDF-SHA256";
    private static final int CIPHER_KEY_LENGTH = 32;

    private SessionProof()
    {
    }

    /**
     * Makes a number that is used once.
     *
     * @param random source.
     * @return {@link #NONCE_LENGTH} bytes.
     */
    public static byte[] newNonce(final SecureRandom random)
    {
        final byte[] nonce = new byte[NONCE_LENGTH];
        random.nextBytes(nonce);
        return nonce;
    }

    /**
     * Proves.
     *
     * @param secret     that is shared.
     * @param transcript of the opening.
     * @param prover     side that sends the proof.
     * @return {@link #PROOF_LENGTH} bytes.
     */
    public static byte[] prove(final SharedSecret secret, final SessionTranscript transcript, final Side prover)
    {
        return derive(secret, transcript, PROOF_LABEL + prover.label());
    }

    /**
     * Checks a proof, in a time that does not tell where it is wrong.
     *
     * @param secret     that is shared.
     * @param transcript of the opening, as this side saw it.
     * @param prover     side that sent the proof.
     * @param proof      that came; any length.
     * @return whether the prover has the secret and saw the same opening.
     */
    public static boolean verify(
        final SharedSecret secret, final SessionTranscript transcript, final Side prover, final byte[] proof)
    {
        return MessageDigest.isEqual(prove(secret, transcript, prover), proof);
    }

    /**
     * Makes the seal of a session whose ends have proven themselves.
     *
     * @param secret     that is shared.
     * @param transcript of the opening.
     * @param self       side that will use it.
     * @param keys       of that side; null when the session is not encrypted.
     * @return a seal at its first counter; null when the other side's public key cannot be used.
     */
    public static MessageSeal seal(
        final SharedSecret secret, final SessionTranscript transcript, final Side self, final KeyAgreementPair keys)
    {
        if (!transcript.isEncrypted())
        {
            return new AuthenticatedSeal(
                transcript.sessionId(),
                derive(secret, transcript, SEAL_LABEL + self.label()),
                derive(secret, transcript, SEAL_LABEL + self.other().label()));
        }
        final SecretKey agreed = keys.agree(
            Side.CLIENT == self ? transcript.dataPlaneKey() : transcript.request().publicKey());
        return null == agreed ? null : new EncryptedSeal(
            transcript.sessionId(),
            expand(secret, agreed, transcript, self),
            expand(secret, agreed, transcript, self.other()));
    }

    private static SecretKey expand(
        final SharedSecret secret, final SecretKey agreed, final SessionTranscript transcript, final Side sender)
    {
        try
        {
            return KDF.getInstance(KEY_DERIVATION).deriveKey("AES", HKDFParameterSpec.ofExtract()
                .addIKM(secret.key())
                .addIKM(agreed)
                .addSalt(derive(secret, transcript, SALT_LABEL))
                .thenExpand((CIPHER_LABEL + sender.label()).getBytes(StandardCharsets.US_ASCII), CIPHER_KEY_LENGTH));
        }
        catch (final GeneralSecurityException e)
        {
            throw new IllegalStateException("this JVM has no " + KEY_DERIVATION + ", which every JVM must have", e);
        }
    }

    private static byte[] derive(final SharedSecret secret, final SessionTranscript transcript, final String label)
    {
        final Mac mac = secret.mac();
        final byte[] bytes = label.getBytes(StandardCharsets.US_ASCII);
        SessionTranscript.update(mac, bytes.length);
        mac.update(bytes);
        transcript.update(mac);
        return mac.doFinal();
    }
}
