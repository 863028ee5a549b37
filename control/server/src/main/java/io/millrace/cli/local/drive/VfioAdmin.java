package io.millrace.cli.local.drive;

import io.millrace.block.nvme.ControllerSettings;
import io.millrace.block.nvme.NvmeController;
import io.millrace.block.nvme.NvmeListener;
import io.millrace.memory.MemoryRegistry;
import io.millrace.pci.IommuMode;
import io.millrace.pci.VfioFunction;

/**
 * Admin commands through VFIO, to a drive that is not in use.
 */
final class VfioAdmin implements DriveAdmin
{
    private static final long TIMEOUT_NS = 10_000_000_000L;
    private static final long WATCH_NS = 100_000_000L;

    private final NvmeController controller;

    private VfioAdmin(final NvmeController controller)
    {
        this.controller = controller;
    }

    static VfioAdmin take(final Drive drive, final IommuMode mode)
    {
        return new VfioAdmin(NvmeController.start(VfioFunction.open(drive.address(), mode), new MemoryRegistry(),
            new ControllerSettings(TIMEOUT_NS, 1, WATCH_NS), NvmeListener.NONE));
    }

    @Override
    public byte[] identify(final int cns, final int nsid)
    {
        return controller.identify(cns, nsid);
    }

    @Override
    public byte[] logPage(final int page, final int lengthBytes)
    {
        return controller.logPage(page, lengthBytes);
    }

    @Override
    public void reset()
    {
        controller.reset();
    }

    @Override
    public void close()
    {
        controller.close();
    }
}
