package io.millrace.block.raid.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MemberAreaTest
{
    @Test
    void shouldHaveEachPartAtItsOffset()
    {
        assertEquals(0, MemberArea.FIRST_SUPERBLOCK_BYTES);
        assertEquals(8192, MemberArea.bitmapOffset(0));
        assertEquals(12288, MemberArea.bitmapOffset(1));
        assertEquals(16384, MemberArea.lostBlocksOffset(0));
        assertEquals(20480, MemberArea.lostBlocksOffset(1));
        assertEquals(1048576, MemberArea.DATA_OFFSET_BYTES);
        assertThrows(IllegalArgumentException.class, () -> MemberArea.lostBlocksOffset(-1));
        assertThrows(IllegalArgumentException.class, () -> MemberArea.lostBlocksOffset(2));
        assertThrows(IllegalArgumentException.class, () -> MemberArea.bitmapOffset(-1));
        assertThrows(IllegalArgumentException.class, () -> MemberArea.bitmapOffset(2));
    }

    @ParameterizedTest
    @CsvSource({
        "0, -4096", "4095, -4096", "4096, 0", "8191, 0", "8192, 4096",
        "1073741824, 1073737728", "1073745919, 1073737728", "1073745920, 1073741824"})
    void shouldHaveTheSecondCopyInTheLastWholePage(final long deviceBytes, final long offset)
    {
        assertEquals(offset, MemberArea.secondSuperblockOffset(deviceBytes));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 4096, 0", "1048576, 4096, 0", "1052672, 4096, 0", "1056767, 4096, 0", "1056768, 4096, 4096",
        "1060863, 4096, 4096", "1118207, 65536, 0", "1118208, 65536, 65536", "1073741824, 65536, 1072627712",
        "1073741824, 1048576, 1071644672"})
    void shouldHaveWholeStripsOfData(final long deviceBytes, final int stripBytes, final long dataBytes)
    {
        assertEquals(dataBytes, MemberArea.dataBytes(deviceBytes, stripBytes));
    }
}
