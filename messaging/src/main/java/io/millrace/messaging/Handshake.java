package io.millrace.messaging;

import io.millrace.bindings.NativeMemory;
import io.millrace.messaging.transport.JoinProof;
import io.millrace.messaging.wire.Hello;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.BitSet;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Proves by a shared secret who is at the other end. Each side's hello has a nonce that the other has to answer: the
 * proof is the HMAC-SHA-256 of both hellos and the role of the prover. The connecting side proves first, so that nobody
 * learns a proof of the accepting one without the secret. One connection's, at set-up.
 */
final class Handshake implements JoinProof
{
    /** Length of a proof. */
    static final int PROOF_BYTES = 32;
    private static final String ALGORITHM = "HmacSHA256";
    /** A key is needed without a secret, too. */
    private static final byte[] NO_SECRET = {0};

    private final Mac mac;
    /** Signed, since HMAC fills keys with zeros: a secret of zeros would have the proofs of no secret. */
    private final boolean hasSecret;
    private final byte[] hellos = new byte[2 * Hello.SIZE_BYTES];
    private final BitSet joined = new BitSet();

    /**
     * Makes one.
     *
     * @param secret          shared by both sides; empty for none.
     * @param connectingHello address of the hello of the side that connects.
     * @param acceptingHello  address of that of the other.
     */
    Handshake(final byte[] secret, final long connectingHello, final long acceptingHello)
    {
        for (int i = 0; i < Hello.SIZE_BYTES; i++)
        {
            hellos[i] = NativeMemory.getByte(connectingHello + i);
            hellos[Hello.SIZE_BYTES + i] = NativeMemory.getByte(acceptingHello + i);
        }
        hasSecret = secret.length > 0;
        try
        {
            mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(hasSecret ? secret : NO_SECRET, ALGORITHM));
        }
        catch (final GeneralSecurityException e)
        {
            throw new IllegalStateException(ALGORITHM + " is part of each JDK", e);
        }
    }

    private byte[] proof(final String role, final int number)
    {
        mac.update(role.getBytes(StandardCharsets.US_ASCII));
        mac.update((byte)number);
        mac.update((byte)(hasSecret ? 1 : 0));
        return mac.doFinal(hellos);
    }

    private static String role(final boolean isConnecting)
    {
        return isConnecting ? "millrace messaging connect" : "millrace messaging accept";
    }

    /** Writes the proof of this side. */
    void write(final boolean isConnecting, final long to)
    {
        copy(proof(role(isConnecting), 0), PROOF_BYTES, to);
    }

    /** {@return whether the peer's proof is right} */
    boolean isRight(final boolean isPeerConnecting, final long at)
    {
        return matches(proof(role(isPeerConnecting), 0), PROOF_BYTES, at);
    }

    @Override
    public void write(final int stream, final long to)
    {
        copy(proof("millrace messaging join", stream), Hello.NONCE_BYTES, to);
    }

    @Override
    public boolean takes(final int stream, final long at)
    {
        if (0 == stream || joined.get(stream) ||
            !matches(proof("millrace messaging join", stream), Hello.NONCE_BYTES, at))
        {
            return false;
        }
        joined.set(stream);
        return true;
    }

    private static void copy(final byte[] proof, final int bytes, final long to)
    {
        for (int i = 0; i < bytes; i++)
        {
            NativeMemory.putByte(to + i, proof[i]);
        }
    }

    private static boolean matches(final byte[] proof, final int bytes, final long at)
    {
        final byte[] expected = Arrays.copyOf(proof, bytes);
        final byte[] received = new byte[bytes];
        for (int i = 0; i < bytes; i++)
        {
            received[i] = NativeMemory.getByte(at + i);
        }
        return MessageDigest.isEqual(expected, received);
    }
}
