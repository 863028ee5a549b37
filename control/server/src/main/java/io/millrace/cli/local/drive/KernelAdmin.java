package io.millrace.cli.local.drive;

import io.millrace.bindings.Errno;
import io.millrace.bindings.linux.Files;
import io.millrace.bindings.linux.NvmeAdminCommand;
import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.LogPageId;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.identify.IdentifyCns;
import io.millrace.pci.PciException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Admin commands through the kernel's driver ({@code linux/nvme_ioctl.h}). Requires root.
 */
final class KernelAdmin implements DriveAdmin
{
    private static final int NSID_ALL = -1;
    private static final int TIMEOUT_MS = 10_000;

    private final String controller;
    private final int fd;

    /**
     * Opens it.
     *
     * @param controller the kernel's name of it.
     * @throws PciException when it cannot be opened.
     */
    KernelAdmin(final String controller)
    {
        this.controller = controller;
        final String path = "/dev/" + controller;
        try (Arena arena = Arena.ofConfined())
        {
            fd = Files.open(arena.allocateFrom(path).address(), Files.O_RDONLY | Files.O_CLOEXEC, 0);
        }
        if (fd < 0)
        {
            throw new PciException(path + " cannot be opened, " + Errno.describe(-fd) + ": run this as root");
        }
    }

    @Override
    public byte[] identify(final int cns, final int nsid)
    {
        return ask("Identify (CNS " + Integer.toHexString(cns) + "h)", AdminOpcode.IDENTIFY, nsid, cns, 0,
            IdentifyCns.DATA_BYTES);
    }

    @Override
    public byte[] logPage(final int page, final int lengthBytes)
    {
        return ask("log page " + page, AdminOpcode.GET_LOG_PAGE, NSID_ALL,
            LogPageId.dword10(page, false, lengthBytes), LogPageId.dword11(lengthBytes), lengthBytes);
    }

    private byte[] ask(
        final String what,
        final int opcode,
        final int nsid,
        final int dword10,
        final int dword11,
        final int lengthBytes)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final MemorySegment data = arena.allocate(lengthBytes, Long.BYTES);
            final long command = arena.allocate(NvmeAdminCommand.SIZE_BYTES, Long.BYTES).address();
            NvmeAdminCommand.command(command, opcode, nsid, TIMEOUT_MS);
            NvmeAdminCommand.data(command, data.address(), lengthBytes);
            NvmeAdminCommand.dword(command, 10, dword10);
            NvmeAdminCommand.dword(command, 11, dword11);
            final int result = Files.ioctl(fd, NvmeAdminCommand.NVME_IOCTL_ADMIN_CMD, command);
            if (0 != result)
            {
                throw new PciException(what + " of " + controller + " cannot be read: " +
                    (result < 0 ? Errno.describe(-result) : NvmeStatus.name(result)));
            }
            return data.toArray(ValueLayout.JAVA_BYTE);
        }
    }

    @Override
    public void reset()
    {
        final int result = Files.ioctl(fd, NvmeAdminCommand.NVME_IOCTL_RESET, 0);
        if (result < 0)
        {
            throw new PciException("the kernel did not reset " + controller + ", " + Errno.describe(-result) +
                ": run this as root; see the kernel's log (dmesg)");
        }
    }

    @Override
    public void close()
    {
        Files.close(fd);
    }
}
