package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class StatusMapTest
{
    @ParameterizedTest
    @CsvSource({
        "SUCCESS, READ, 0",
        "MEDIA_ERROR, READ, 0x4281",
        "MEDIA_ERROR, COMPARE, 0x4281",
        "MEDIA_ERROR, VERIFY, 0x4281",
        "MEDIA_ERROR, WRITE, 0x4280",
        "MEDIA_ERROR, FLUSH, 0x4280",
        "MEDIA_ERROR, WRITE_ZEROES, 0x4280",
        "MEDIA_ERROR, DEALLOCATE, 0x4280",
        "DEVICE_ERROR, READ, 0x0006",
        "CAPACITY_EXCEEDED, WRITE, 0x4081",
        "COMPARE_FAILURE, COMPARE, 0x4285",
        "NOT_SUPPORTED, DEALLOCATE, 0x4001",
        "WRITE_PROTECTED, WRITE, 0x4020",
        "OUT_OF_RANGE, READ, 0x4080",
        "ABORTED, READ, 0x0007",
    })
    void shouldTellTheHostWhatHappened(final BlockStatus status, final BlockOperation operation, final String expected)
    {
        assertEquals(Integer.decode(expected), StatusMap.of(status, operation));
    }

    @ParameterizedTest
    @EnumSource(BlockStatus.class)
    void shouldCallNothingButSuccessASuccess(final BlockStatus status)
    {
        for (final BlockOperation operation : BlockOperation.values())
        {
            assertEquals(BlockStatus.SUCCESS == status, 0 == StatusMap.of(status, operation));
        }
    }
}
