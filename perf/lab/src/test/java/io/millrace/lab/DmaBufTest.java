package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Memory of another driver, imported as a dma-buf and used for I/O through io_uring. The driver maps it without pages
 * that the kernel could pin: I/O through the page cache works, direct I/O fails and is reported.
 */
@LabTest
final class DmaBufTest
{
    @Test
    void shouldReadAndWriteInAnImportedDmaBuf() throws Exception
    {
        final List<String> jvm = GuestJvm.command();
        final LabResult result =
            Lab.withJvms("dma-buf").drives(1).run(480, "dma-buf.sh", String.join(" ", jvm));
        result.assertPassed();
        final String unpinned = "buffers are not registered with io_uring (Bad address (errno 14)): " +
            "the kernel cannot pin them, so only I/O through the page cache works]";
        assertEquals(List.of(
            "region 1044480 of dma-buf at offset 4096",
            "/tmp/buffered/volume buffered notes [the file system has no direct I/O: data goes through the page " +
                "cache, " + unpinned,
            "/tmp/buffered/volume buffered write SUCCESS",
            "/tmp/buffered/volume buffered read SUCCESS, equal",
            "/dev/nvme0n1 direct notes [" + unpinned,
            "/dev/nvme0n1 direct write DEVICE_ERROR",
            "/dev/nvme0n1 direct read DEVICE_ERROR, different",
            "end"), result.lines("DMABUF"), result::description);
    }
}
