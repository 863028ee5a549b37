package io.millrace.block.raid.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where checksums of blocks are, and how much room they leave. */
class ChecksumAreaTest
{
    @ParameterizedTest
    @CsvSource({"0,2", "1,3", "2,2", "-1,-1", "3,3"})
    void shouldNotStoreAChecksumThatMeansThatThereIsNone(final int crc, final int entry)
    {
        assertEquals(entry, ChecksumArea.entry(crc));
        assertTrue(ChecksumArea.isKnown(entry));
        assertFalse(ChecksumArea.isKnown(0));
        assertFalse(ChecksumArea.isKnown(1));
    }

    @ParameterizedTest
    @CsvSource({"1048576,4096,4096", "1056768,4096,4096", "1060864,4096,4096", "1064960,4096,512",
        "5246976,4096,4096", "5251072,4096,4096", "107374182400,65536,4096", "107374182400,65536,512",
        "1099511627776,1048576,4096", "2097152,65536,512", "34359738368,4096,512"})
    void shouldLeaveRoomForChecksumsAndNoStripMore(final long deviceBytes, final int stripBytes, final int blockBytes)
    {
        final long bytes = ChecksumArea.dataBytes(deviceBytes, stripBytes, blockBytes);
        final long end = MemberArea.secondSuperblockOffset(deviceBytes);
        assertEquals(0, bytes % stripBytes);
        assertTrue(0 == bytes || areaEnd(bytes, blockBytes) <= end, () -> bytes + " bytes are too many");
        assertTrue(areaEnd(bytes + stripBytes, blockBytes) > end, () -> bytes + " bytes are too few");
    }

    private static long areaEnd(final long bytes, final int blockBytes)
    {
        return ChecksumArea.offset(bytes) +
            (long)ChecksumArea.pageCount(bytes, blockBytes) * ChecksumArea.PAGE_BYTES;
    }
}
