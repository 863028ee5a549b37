package io.millrace.block.file;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.bindings.Errno;
import io.millrace.block.BlockStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ErrnoStatusTest
{
    @ParameterizedTest
    @CsvSource({
        "28, CAPACITY_EXCEEDED", "122, CAPACITY_EXCEEDED", "27, CAPACITY_EXCEEDED",
        "5, MEDIA_ERROR", "61, MEDIA_ERROR", "121, MEDIA_ERROR", "84, MEDIA_ERROR",
        "30, WRITE_PROTECTED", "1, WRITE_PROTECTED",
        "125, ABORTED", "95, NOT_SUPPORTED",
        "19, DEVICE_ERROR", "6, DEVICE_ERROR", "110, DEVICE_ERROR", "22, DEVICE_ERROR", "14, DEVICE_ERROR"})
    void shouldTellWhatAnErrnoMeans(final int errno, final BlockStatus status)
    {
        assertEquals(status, ErrnoStatus.of(errno));
    }

    @Test
    void shouldTryAgainOnlyWhatPasses()
    {
        for (int errno = 1; errno < 134; errno++)
        {
            assertEquals(Errno.EAGAIN == errno || Errno.EINTR == errno, ErrnoStatus.isTransient(errno));
        }
    }
}
