package io.millrace.control.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.codec.Role;
import io.millrace.control.message.SessionRequest;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class EncryptionTest
{
    private static final SharedSecret SECRET = SharedSecret.of(new byte[16]);
    private static final SharedSecret OTHER_SECRET = SharedSecret.of(new byte[17]);
    private static final byte[] NONCE = new byte[SessionProof.NONCE_LENGTH];
    private static final byte[] MESSAGE = "header and body of a message".getBytes(StandardCharsets.US_ASCII);

    private final KeyAgreementPair client = KeyAgreementPair.generate();
    private final KeyAgreementPair dataPlane = KeyAgreementPair.generate();
    private final SessionTranscript transcript = transcript(client.publicKey(), dataPlane.publicKey());
    private final MessageSeal clientSeal = SessionProof.seal(SECRET, transcript, Side.CLIENT, client);
    private final MessageSeal dataPlaneSeal = SessionProof.seal(SECRET, transcript, Side.DATA_PLANE, dataPlane);

    private static SessionTranscript transcript(final byte[] clientKey, final byte[] dataPlaneKey)
    {
        return new SessionTranscript(7,
            new SessionRequest(Role.READ, "aeron:ipc", 9, "client", "key", "", clientKey), NONCE, NONCE, dataPlaneKey);
    }

    private static UnsafeBuffer sealed(final MessageSeal seal)
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[MessageSeal.HEADROOM_LENGTH + MESSAGE.length]);
        buffer.putBytes(MessageSeal.HEADROOM_LENGTH, MESSAGE);
        final byte[] exact = new byte[seal.seal(buffer, 0, MESSAGE.length)];
        buffer.getBytes(0, exact);
        return new UnsafeBuffer(exact);
    }

    private static boolean opens(final MessageSeal seal, final UnsafeBuffer buffer)
    {
        return seal.open(buffer, 0, buffer.capacity());
    }

    @Test
    void shouldHideAMessageAndGiveItBack()
    {
        for (int i = 0; i < 3; i++)
        {
            final UnsafeBuffer buffer = sealed(clientSeal);
            assertFalse(new String(buffer.byteArray(), StandardCharsets.ISO_8859_1).contains("body"));
            assertTrue(opens(dataPlaneSeal, buffer));
            final byte[] inside = new byte[dataPlaneSeal.messageLength()];
            dataPlaneSeal.messageBuffer().getBytes(dataPlaneSeal.messageOffset(), inside);
            assertArrayEquals(MESSAGE, inside);
            assertTrue(opens(clientSeal, sealed(dataPlaneSeal)));
        }
    }

    @Test
    void shouldLookDifferentEachTimeAndInEachSession()
    {
        final String first = HexFormat.of().formatHex(sealed(clientSeal).byteArray(), 28, 28 + MESSAGE.length);
        assertFalse(first.equals(HexFormat.of().formatHex(sealed(clientSeal).byteArray(), 28, 28 + MESSAGE.length)));
        final KeyAgreementPair again = KeyAgreementPair.generate();
        final MessageSeal other = SessionProof.seal(
            SECRET, transcript(again.publicKey(), dataPlane.publicKey()), Side.CLIENT, again);
        assertFalse(first.equals(HexFormat.of().formatHex(sealed(other).byteArray(), 28, 28 + MESSAGE.length)));
    }

    @Test
    void shouldRefuseAMessageOfWhichAnyBitWasChanged()
    {
        final UnsafeBuffer buffer = sealed(clientSeal);
        for (int bit = 0; bit < buffer.capacity() * 8; bit++)
        {
            buffer.putByte(bit / 8, (byte)(buffer.getByte(bit / 8) ^ 1 << bit % 8));
            assertFalse(opens(dataPlaneSeal, buffer), "bit " + bit);
            buffer.putByte(bit / 8, (byte)(buffer.getByte(bit / 8) ^ 1 << bit % 8));
        }
        assertTrue(opens(dataPlaneSeal, buffer));
        assertEquals(buffer.capacity() * 8L, dataPlaneSeal.refusedCount());
    }

    @Test
    void shouldRefuseWhatWasHereBeforeCameLateOrIsReflected()
    {
        final UnsafeBuffer first = sealed(clientSeal);
        final UnsafeBuffer second = sealed(clientSeal);
        assertFalse(opens(clientSeal, first));
        assertTrue(opens(dataPlaneSeal, second));
        assertFalse(opens(dataPlaneSeal, second));
        assertFalse(opens(dataPlaneSeal, first));
    }

    /** Who has the secret and what was sent still lacks what the two agreed on. */
    @Test
    void shouldNotBeOpenedWithTheSecretAlone()
    {
        final UnsafeBuffer buffer = sealed(clientSeal);
        final MessageSeal reader =
            SessionProof.seal(SECRET, transcript, Side.DATA_PLANE, KeyAgreementPair.generate());
        assertFalse(opens(reader, buffer));
        final MessageSeal withoutSecret = SessionProof.seal(OTHER_SECRET, transcript, Side.DATA_PLANE, dataPlane);
        assertFalse(opens(withoutSecret, buffer));
        final MessageSeal authenticated = SessionProof.seal(
            SECRET, transcript(SessionRequest.NO_KEY, SessionRequest.NO_KEY), Side.DATA_PLANE, null);
        assertFalse(opens(authenticated, buffer));
        assertTrue(opens(dataPlaneSeal, buffer));
    }

    @Test
    void shouldNotTakeASealThatOnlyAuthenticates()
    {
        final UnsafeBuffer buffer = sealed(SessionProof.seal(
            SECRET, transcript(SessionRequest.NO_KEY, SessionRequest.NO_KEY), Side.CLIENT, null));
        assertFalse(opens(dataPlaneSeal, buffer));
    }

    @Test
    void shouldProveTheKeysOfBoth()
    {
        final byte[] other = KeyAgreementPair.generate().publicKey();
        final SessionTranscript[] forged = {
            transcript(other, dataPlane.publicKey()),
            transcript(client.publicKey(), other),
            transcript(client.publicKey(), SessionRequest.NO_KEY),
            transcript(SessionRequest.NO_KEY, dataPlane.publicKey()),
            transcript(SessionRequest.NO_KEY, SessionRequest.NO_KEY)};
        for (final SessionTranscript each : forged)
        {
            assertFalse(SessionProof.verify(
                SECRET, each, Side.CLIENT, SessionProof.prove(SECRET, transcript, Side.CLIENT)));
        }
    }

    @Test
    void shouldRefuseAKeyThatGivesEverybodyTheSame()
    {
        // Points of small order (RFC 7748, section 6.1): 0, 1, and one of order 8.
        final String[] points = {
            "00".repeat(32), "01" + "00".repeat(31),
            "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"};
        for (final String point : points)
        {
            assertNull(SessionProof.seal(
                SECRET, transcript(HexFormat.of().parseHex(point), dataPlane.publicKey()), Side.DATA_PLANE, dataPlane));
        }
        assertNotNull(SessionProof.seal(
            SECRET, transcript(HexFormat.of().parseHex("09" + "00".repeat(31)), dataPlane.publicKey()),
            Side.DATA_PLANE, dataPlane));
    }

    @Property(tries = 2000)
    void shouldRefuseAnyBytes(@ForAll @Size(max = 200) final byte[] bytes, @ForAll final boolean looksSealed)
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(bytes);
        if (looksSealed && bytes.length >= 24)
        {
            buffer.putBytes(0, sealed(clientSeal), 0, 24);
        }
        assertFalse(opens(dataPlaneSeal, buffer));
    }
}
