package io.millrace.control.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.codec.Role;
import io.millrace.control.message.SessionRequest;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class SessionTest
{
    private static final SharedSecret SECRET = SharedSecret.of(new byte[16]);
    private static final byte[] NONCE = new byte[SessionProof.NONCE_LENGTH];
    private static final byte[] OTHER = "n".repeat(32).getBytes(StandardCharsets.US_ASCII);
    private static final SessionTranscript TRANSCRIPT =
        transcript(7, Role.READ, "key", "client", "aeron:ipc", 9, "", NONCE, OTHER);
    private static final byte[] MESSAGE = "header and body of a message".getBytes(StandardCharsets.US_ASCII);

    private static SessionTranscript transcript(
        final long sessionId,
        final Role role,
        final String keyName,
        final String clientName,
        final String responseChannel,
        final int responseStreamId,
        final String dataPlane,
        final byte[] dataPlaneNonce,
        final byte[] clientNonce)
    {
        return new SessionTranscript(sessionId,
            new SessionRequest(role, responseChannel, responseStreamId, clientName, keyName, dataPlane),
            dataPlaneNonce, clientNonce);
    }

    private static byte[] proof(final SessionTranscript transcript)
    {
        return SessionProof.prove(SECRET, transcript, Side.CLIENT);
    }

    private static UnsafeBuffer sealed(final MessageSeal seal)
    {
        final byte[] bytes = new byte[MessageSeal.HEADROOM_LENGTH + MESSAGE.length];
        final UnsafeBuffer buffer = new UnsafeBuffer(bytes);
        buffer.putBytes(MessageSeal.HEADROOM_LENGTH, MESSAGE);
        assertEquals(bytes.length, seal.seal(buffer, 0, MESSAGE.length));
        return buffer;
    }

    private static MessageSeal seal(final Side side)
    {
        return SessionProof.seal(SECRET, TRANSCRIPT, side, null);
    }

    @Test
    void shouldProveAsWritten()
    {
        // Computed by another implementation (Python's hmac) from the description of SessionProof.
        assertEquals("bca71010a4d9e65b9ff35b0bb4f1d3403c90f847adc64e11d10e4ab9fd604f57",
            HexFormat.of().formatHex(proof(TRANSCRIPT)));
    }

    @Test
    void shouldProveTheNameOfADataPlaneAsWritten()
    {
        // Likewise.
        assertEquals("535dd7dd1ebacd7496346fc030851c953b8a87df53303584dcf45bfb4c0c0188",
            HexFormat.of().formatHex(proof(
                transcript(7, Role.READ, "key", "client", "aeron:ipc", 9, "plane", NONCE, OTHER))));
    }

    @Test
    void shouldVerifyItsOwnProofAndNoOther()
    {
        final byte[] proof = proof(TRANSCRIPT);
        assertTrue(SessionProof.verify(SECRET, TRANSCRIPT, Side.CLIENT, proof));
        assertFalse(SessionProof.verify(SECRET, TRANSCRIPT, Side.DATA_PLANE, proof));
        assertFalse(SessionProof.verify(SharedSecret.of(OTHER), TRANSCRIPT, Side.CLIENT, proof));
        assertFalse(SessionProof.verify(SECRET, TRANSCRIPT, Side.CLIENT, new byte[0]));
        assertFalse(SessionProof.verify(SECRET, TRANSCRIPT, Side.CLIENT, Arrays.copyOf(proof, 31)));
        assertFalse(SessionProof.verify(SECRET, TRANSCRIPT, Side.CLIENT, Arrays.copyOf(proof, 33)));
        for (int bit = 0; bit < 256; bit++)
        {
            final byte[] wrong = proof.clone();
            wrong[bit / 8] ^= (byte)(1 << bit % 8);
            assertFalse(SessionProof.verify(SECRET, TRANSCRIPT, Side.CLIENT, wrong));
        }
    }

    @Test
    void shouldBindEverythingThatWasSaid()
    {
        final SessionTranscript[] others = {
            transcript(8, Role.READ, "key", "client", "aeron:ipc", 9, "", NONCE, OTHER),
            transcript(7, Role.ADMIN, "key", "client", "aeron:ipc", 9, "", NONCE, OTHER),
            transcript(7, Role.READ, "kez", "client", "aeron:ipc", 9, "", NONCE, OTHER),
            transcript(7, Role.READ, "key", "clienu", "aeron:ipc", 9, "", NONCE, OTHER),
            transcript(7, Role.READ, "keyc", "lient", "aeron:ipc", 9, "", NONCE, OTHER),
            transcript(7, Role.READ, "key", "client", "aeron:ipd", 9, "", NONCE, OTHER),
            transcript(7, Role.READ, "key", "client", "aeron:ipc", 8, "", NONCE, OTHER),
            transcript(7, Role.READ, "key", "client", "aeron:ipc", 9, "", OTHER, NONCE),
            transcript(7, Role.READ, "key", "client", "aeron:ipc", 9, "", OTHER, OTHER),
            transcript(7, Role.READ, "key", "client", "aeron:ipc", 9, "", NONCE, NONCE),
            transcript(7, Role.READ, "key", "client", "aeron:ipc", 9, "a", NONCE, OTHER)};
        for (final SessionTranscript other : others)
        {
            assertFalse(SessionProof.verify(SECRET, other, Side.CLIENT, proof(TRANSCRIPT)), other.toString());
        }
    }

    @Test
    void shouldOpenWhatTheOtherSideSealed()
    {
        final MessageSeal client = seal(Side.CLIENT);
        final MessageSeal dataPlane = seal(Side.DATA_PLANE);
        for (int i = 0; i < 3; i++)
        {
            final UnsafeBuffer buffer = sealed(client);
            assertTrue(MessageSeal.isSealed(buffer, 0, buffer.capacity()));
            assertEquals(7, MessageSeal.sessionId(buffer, 0));
            assertTrue(dataPlane.open(buffer, 0, buffer.capacity()));
            final byte[] inside = new byte[dataPlane.messageLength()];
            dataPlane.messageBuffer().getBytes(dataPlane.messageOffset(), inside);
            assertArrayEquals(MESSAGE, inside);
        }
        assertEquals(0, dataPlane.refusedCount());
    }

    @Test
    void shouldRefuseWhatWasHereBeforeCameLateOrIsReflected()
    {
        final MessageSeal client = seal(Side.CLIENT);
        final MessageSeal dataPlane = seal(Side.DATA_PLANE);
        final UnsafeBuffer first = sealed(client);
        final UnsafeBuffer second = sealed(client);
        assertFalse(client.open(first, 0, first.capacity()));
        assertTrue(dataPlane.open(second, 0, second.capacity()));
        assertFalse(dataPlane.open(second, 0, second.capacity()));
        assertFalse(dataPlane.open(first, 0, first.capacity()));
        assertEquals(2, dataPlane.refusedCount());
        final MessageSeal other = SessionProof.seal(
            SECRET, transcript(7, Role.READ, "key", "client", "aeron:ipc", 9, "", OTHER, OTHER), Side.CLIENT, null);
        final UnsafeBuffer foreign = sealed(other);
        assertFalse(seal(Side.DATA_PLANE).open(foreign, 0, foreign.capacity()));
    }

    @Test
    void shouldRefuseAMessageOfWhichAnyBitWasChanged()
    {
        final UnsafeBuffer buffer = sealed(seal(Side.CLIENT));
        final MessageSeal dataPlane = seal(Side.DATA_PLANE);
        for (int bit = 0; bit < buffer.capacity() * 8; bit++)
        {
            final int index = bit / 8;
            // Schema version: says nothing about this message. Its layout is that of all versions.
            if (6 == index || 7 == index)
            {
                continue;
            }
            buffer.putByte(index, (byte)(buffer.getByte(index) ^ 1 << bit % 8));
            assertFalse(dataPlane.open(buffer, 0, buffer.capacity()), "bit " + bit);
            buffer.putByte(index, (byte)(buffer.getByte(index) ^ 1 << bit % 8));
        }
        assertTrue(dataPlane.open(buffer, 0, buffer.capacity()));
    }

    @Property(tries = 2000)
    void shouldRefuseAnyBytes(@ForAll @Size(max = 200) final byte[] bytes, @ForAll final boolean looksSealed)
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(bytes);
        if (looksSealed && bytes.length >= 24)
        {
            buffer.putBytes(0, sealed(seal(Side.CLIENT)), 0, 24);
        }
        assertFalse(seal(Side.DATA_PLANE).open(buffer, 0, bytes.length));
    }

    @Test
    void shouldTakeRisingCountersOnly()
    {
        final ReplayWindow window = new ReplayWindow();
        assertFalse(window.accept(0));
        assertFalse(window.accept(-1));
        assertTrue(window.accept(1));
        assertTrue(window.accept(5));
        assertFalse(window.accept(4));
        assertFalse(window.accept(5));
        assertTrue(window.accept(Long.MAX_VALUE));
        assertFalse(window.accept(Long.MIN_VALUE));
        assertEquals(Long.MAX_VALUE, window.highest());
    }
}
