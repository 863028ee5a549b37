package io.millrace.block.raid.format;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bytes of a page of checksums, by numbers. */
class ChecksumPageTest
{
    private static final UUID MEMBER = UUID.fromString("00010203-0405-4607-8809-0a0b0c0d0e0f");
    private static final int NUMBER = 0x1234_5678;

    private final byte[] bytes = expected();
    private final ChecksumPage page = new ChecksumPage().wrap(new UnsafeBuffer(bytes), 0);

    private static byte[] expected()
    {
        final ByteBuffer bytes = ByteBuffer.allocate(4096).order(ByteOrder.LITTLE_ENDIAN);
        bytes.put("MILLSUMS".getBytes(StandardCharsets.US_ASCII)).putInt(1).putInt(0);
        bytes.order(ByteOrder.BIG_ENDIAN).putLong(0x0001020304054607L).putLong(0x88090a0b0c0d0e0fL);
        bytes.order(ByteOrder.LITTLE_ENDIAN).putLong(NUMBER);
        for (int entry = 0; entry < 1008; entry++)
        {
            bytes.putInt(64 + 4 * entry, 7 * entry);
        }
        final CRC32C crc = new CRC32C();
        crc.update(bytes.array());
        return bytes.putInt(12, (int)crc.getValue()).array();
    }

    @Test
    void shouldWriteWhatTheFormatSays()
    {
        assertEquals(1008, ChecksumArea.PAGE_ENTRIES);
        assertEquals(64, ChecksumPage.ENTRIES_OFFSET);
        final byte[] written = expected();
        for (int i = 0; i < 64; i++)
        {
            written[i] = (byte)0xAA;
        }
        final int crc = new ChecksumPage().wrap(new UnsafeBuffer(written), 0).seal(MEMBER, NUMBER);
        assertArrayEquals(bytes, written);
        assertEquals(page.crc(), crc);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 8, 12, 16, 31, 32, 39, 40, 63, 64, 511, 512, 4095})
    void shouldNotTakeAPageThatIsDamaged(final int offset)
    {
        assertTrue(page.isValid(MEMBER, NUMBER));
        bytes[offset] ^= 4;
        assertFalse(page.isValid(MEMBER, NUMBER));
    }

    @Test
    void shouldNotTakeAPageOfAnotherMemberOrAnotherPlace()
    {
        assertFalse(page.isValid(UUID.randomUUID(), NUMBER));
        assertFalse(page.isValid(MEMBER, NUMBER + 1));
    }

    /** Of another version, whatever that has there. */
    @Test
    void shouldNotTakeAPageOfAnotherVersion()
    {
        bytes[8] = 2;
        bytes[12] = bytes[13] = bytes[14] = bytes[15] = 0;
        final CRC32C crc = new CRC32C();
        crc.update(bytes);
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(12, (int)crc.getValue());
        assertFalse(page.isValid(MEMBER, NUMBER));
    }
}
