package io.millrace.cli.local.drive;

import io.millrace.pci.IommuMode;
import io.millrace.pci.PciException;

/**
 * Admin commands to a drive, with the kernel's driver or vfio-pci. Requires root, or permission for the drive's file.
 * One thread.
 */
interface DriveAdmin extends AutoCloseable
{
    /**
     * Opens a drive: through the kernel's driver if that is bound, else through VFIO for as long as this is open.
     *
     * @param drive to ask.
     * @param mode  whether it may be taken without an IOMMU.
     * @return admin access.
     * @throws PciException                            if the drive is in use, has no supported driver, or cannot be
     *     opened.
     * @throws io.millrace.block.BlockDeviceException if the drive fails.
     */
    static DriveAdmin open(final Drive drive, final IommuMode mode)
    {
        if (!drive.controller().isEmpty())
        {
            return new KernelAdmin(drive.controller());
        }
        if (!drive.device().isVfio())
        {
            throw notDriven(drive);
        }
        if (!drive.isFree())
        {
            throw new PciException(drive.address() + " is " + drive.uses().getFirst() + ", which has exclusive " +
                "access: stop that process first; a data plane reports errors of its drives itself, see 'millrace " +
                "events'");
        }
        return VfioAdmin.take(drive, mode);
    }

    /**
     * {@return the error for a drive without a supported driver}
     *
     * @param drive without a supported driver.
     */
    static PciException notDriven(final Drive drive)
    {
        final String driver = drive.device().driver();
        return new PciException(drive.address() + " is driven by " + (driver.isEmpty() ? "no driver" : driver) +
            ", which does not support admin commands: bind it to vfio-pci, as root: millrace drive bind " +
            drive.address());
    }

    /**
     * Sends Identify for the controller or a namespace.
     *
     * @param cns  what is asked for, see {@link io.millrace.nvme.identify.IdentifyCns}.
     * @param nsid that it is about, or 0.
     * @return the data.
     * @throws PciException                            when the kernel passes on a refusal.
     * @throws io.millrace.block.BlockDeviceException when the drive refuses, or does not answer.
     */
    byte[] identify(int cns, int nsid);

    /**
     * Reads the beginning of a log page.
     *
     * @param page        see {@link io.millrace.nvme.LogPageId}.
     * @param lengthBytes wanted; a multiple of 4.
     * @return its bytes; fewer where the drive cannot give so many.
     * @throws PciException when it cannot be read.
     */
    byte[] logPage(int page, int lengthBytes);

    /**
     * Resets the controller.
     *
     * @throws PciException when it does not come back.
     */
    void reset();

    @Override
    void close();
}
