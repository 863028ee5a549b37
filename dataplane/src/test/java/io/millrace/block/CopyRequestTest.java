package io.millrace.block;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Requests that copy.
 */
class CopyRequestTest
{
    private final BlockRequest request = new BlockRequest(null, null);

    @ParameterizedTest
    @CsvSource({"10, 10, 1", "10, 12, 3", "12, 10, 3", "0, 1048575, 1048576"})
    void shouldRefuseRangesThatOverlap(final long source, final long lba, final int blocks)
    {
        assertEquals("copy of " + blocks + " blocks from " + source + " to " + lba +
            " overwrites part of its source: use ranges that do not overlap",
            assertThrows(IllegalArgumentException.class, () -> request.resetCopy(source, lba, blocks)).getMessage());
    }

    @ParameterizedTest
    @CsvSource({"10, 11, 1", "10, 13, 3", "13, 10, 3", "0, 9223372036854775806, 1"})
    void shouldTakeRangesThatDoNot(final long source, final long lba, final int blocks)
    {
        request.resetCopy(source, lba, blocks);
        assertEquals(BlockOperation.COPY, request.operation());
        assertEquals(source, request.sourceLba());
        assertEquals(lba, request.lba());
        assertEquals(blocks, request.blocks());
    }

    @Test
    void shouldForgetItsSourceAfterwards()
    {
        assertEquals(0, request.resetCopy(7, 100, 3).reset(BlockOperation.READ, 0, 1).sourceLba());
    }
}
