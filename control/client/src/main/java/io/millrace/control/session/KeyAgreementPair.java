package io.millrace.control.session;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.HexFormat;
import javax.crypto.KeyAgreement;
import javax.crypto.SecretKey;

/**
 * One side's X25519 keys of one session (RFC 7748). They are forgotten with it, so that who learns the shared secret
 * later cannot read what was recorded. Immutable.
 */
public final class KeyAgreementPair
{
    /** Bytes of a public key. */
    public static final int PUBLIC_KEY_LENGTH = 32;

    private static final String ALGORITHM = "X25519";
    /** What X.509 puts before the bytes of a key (RFC 8410). */
    private static final byte[] PREFIX = HexFormat.of().parseHex("302a300506032b656e032100");

    private final KeyPair pair;
    private final byte[] publicKey;

    private KeyAgreementPair(final KeyPair pair)
    {
        this.pair = pair;
        final byte[] encoded = pair.getPublic().getEncoded();
        publicKey = Arrays.copyOfRange(encoded, encoded.length - PUBLIC_KEY_LENGTH, encoded.length);
    }

    /**
     * {@return a pair that nobody had before}
     */
    public static KeyAgreementPair generate()
    {
        try
        {
            return new KeyAgreementPair(KeyPairGenerator.getInstance(ALGORITHM).generateKeyPair());
        }
        catch (final GeneralSecurityException e)
        {
            throw new IllegalStateException("this JVM has no " + ALGORITHM + ", which every JVM must have", e);
        }
    }

    /**
     * {@return whether bytes have the length of a public key, or are none, when a side does not encrypt}
     *
     * @param bytes of the other side.
     */
    public static boolean isPublicKey(final byte[] bytes)
    {
        return 0 == bytes.length || PUBLIC_KEY_LENGTH == bytes.length;
    }

    /**
     * {@return the bytes to send; a copy}
     */
    public byte[] publicKey()
    {
        return publicKey.clone();
    }

    /** What only the two sides know; null when the other's key is none that can be used. */
    SecretKey agree(final byte[] otherKey)
    {
        final byte[] encoded = Arrays.copyOf(PREFIX, PREFIX.length + PUBLIC_KEY_LENGTH);
        System.arraycopy(otherKey, 0, encoded, PREFIX.length, PUBLIC_KEY_LENGTH);
        try
        {
            final KeyAgreement agreement = KeyAgreement.getInstance(ALGORITHM);
            agreement.init(pair.getPrivate());
            agreement.doPhase(KeyFactory.getInstance(ALGORITHM).generatePublic(new X509EncodedKeySpec(encoded)), true);
            return agreement.generateSecret("Generic");
        }
        catch (final GeneralSecurityException | IllegalStateException _)
        {
            // A point of small order, which gives everybody the same result.
            return null;
        }
    }
}
