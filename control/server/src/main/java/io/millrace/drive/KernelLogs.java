package io.millrace.drive;

import io.millrace.bindings.Errno;
import io.millrace.bindings.linux.Files;
import io.millrace.bindings.linux.NvmeAdminCommand;
import io.millrace.nvme.AdminOpcode;
import io.millrace.pci.PciException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Asks a drive that the kernel drives for its log pages, through the kernel ({@code linux/nvme_ioctl.h}). Takes root.
 */
final class KernelLogs
{
    private static final int NSID_ALL = -1;
    private static final int TIMEOUT_MS = 10_000;
    private static final int DWORD_COUNT_SHIFT = 16;

    private KernelLogs()
    {
    }

    /**
     * Reads the begin of a log page.
     *
     * @param controller  the kernel's name of it.
     * @param page        of the specification.
     * @param lengthBytes wanted; a multiple of 4, at most 4096.
     * @return its bytes.
     * @throws PciException when it cannot be read.
     */
    static UnsafeBuffer read(final String controller, final int page, final int lengthBytes)
    {
        final String path = "/dev/" + controller;
        try (Arena arena = Arena.ofConfined())
        {
            final MemorySegment data = arena.allocate(lengthBytes, Long.BYTES);
            final int fd = Files.open(arena.allocateFrom(path).address(), Files.O_RDONLY | Files.O_CLOEXEC, 0);
            if (fd < 0)
            {
                throw new PciException(path + " cannot be opened, " + Errno.describe(-fd) + ": it takes root");
            }
            final long command = arena.allocate(NvmeAdminCommand.SIZE_BYTES, Long.BYTES).address();
            NvmeAdminCommand.command(command, AdminOpcode.GET_LOG_PAGE, NSID_ALL, TIMEOUT_MS);
            NvmeAdminCommand.data(command, data.address(), lengthBytes);
            NvmeAdminCommand.dword(command, 10, page | lengthBytes / Integer.BYTES - 1 << DWORD_COUNT_SHIFT);
            final int result = Files.ioctl(fd, NvmeAdminCommand.NVME_IOCTL_ADMIN_CMD, command);
            Files.close(fd);
            if (0 != result)
            {
                throw new PciException("log page " + page + " of " + controller + " cannot be read: " +
                    (result < 0 ? Errno.describe(-result) : "NVMe status 0x" + Integer.toHexString(result)));
            }
            final byte[] bytes = new byte[lengthBytes];
            MemorySegment.copy(data, ValueLayout.JAVA_BYTE, 0, bytes, 0, lengthBytes);
            return new UnsafeBuffer(bytes);
        }
    }
}
