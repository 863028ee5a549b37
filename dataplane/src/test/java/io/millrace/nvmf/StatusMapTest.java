package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
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
    @CsvSource({
        // Errors of the medium are final, with or without the bit.
        "0x0281, MEDIA_ERROR, 0x4281", "0x4280, MEDIA_ERROR, 0x4280", "0x0286, DEVICE_ERROR, 0x0286",
        // States that pass, without the retry delay (1800h) and the more bit (2000h).
        "0x0006, DEVICE_ERROR, 0x0006", "0x4006, DEVICE_ERROR, 0x4006", "0x1821, DEVICE_ERROR, 0x0021",
        "0x0882, DEVICE_ERROR, 0x0082", "0x2084, DEVICE_ERROR, 0x0084", "0x6084, DEVICE_ERROR, 0x4084",
        "0x0300, DEVICE_ERROR, 0x0300", "0x4360, DEVICE_ERROR, 0x4360",
        // What is about our commands, our path, our memory, or is not the host's to know.
        "0x4002, DEVICE_ERROR, 0x0006", "0x4001, NOT_SUPPORTED, 0x4001", "0x0004, DEVICE_ERROR, 0x0006",
        "0x0007, DEVICE_ERROR, 0x0006", "0x0008, ABORTED, 0x0007", "0x0083, DEVICE_ERROR, 0x0006",
        "0x4182, WRITE_PROTECTED, 0x4020", "0x0302, DEVICE_ERROR, 0x0006", "0x0370, DEVICE_ERROR, 0x0006",
        "0x4282, MEDIA_ERROR, 0x4281", "0x4700, DEVICE_ERROR, 0x0006",
    })
    void shouldPassOnWhatMeansTheSameToTheHost(
        final String nvmeStatus, final BlockStatus status, final String expected)
    {
        final BlockRequest request = new BlockRequest(null, (done) ->
        {
        });
        request.reset(BlockOperation.READ, 0, 1).failedWithNvme(Integer.decode(nvmeStatus));
        request.complete(status);
        assertEquals(Integer.decode(expected), StatusMap.of(request));
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
