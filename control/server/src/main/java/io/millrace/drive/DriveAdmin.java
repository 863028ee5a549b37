package io.millrace.drive;

import io.millrace.pci.IommuMode;
import io.millrace.pci.PciException;

/**
 * Admin commands to a drive, whoever drives it. Takes root, or permission for the drive's file. One thread.
 */
interface DriveAdmin extends AutoCloseable
{
    /**
     * A way to a drive: through the kernel where its driver has it, else by taking the drive from VFIO for as long as
     * this is open.
     *
     * @param drive to ask.
     * @param mode  whether it may be taken without an IOMMU.
     * @return the way.
     * @throws PciException                            when somebody else has the drive, nobody drives it, or it cannot
     *                                                 be opened.
     * @throws io.millrace.block.BlockDeviceException when it was taken and does not work.
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
            throw new PciException(drive.address() + " is " + drive.uses().getFirst() + ", and only that can ask it: " +
                "stop that process first; a data plane says itself what its drives report, see 'millrace events'");
        }
        return VfioAdmin.take(drive, mode);
    }

    /**
     * {@return what to say of a drive that has no driver, or one that is not known}
     *
     * @param drive that nobody can ask.
     */
    static PciException notDriven(final Drive drive)
    {
        final String driver = drive.device().driver();
        return new PciException(drive.address() + " is driven by " + (driver.isEmpty() ? "no driver" : driver) +
            ", which cannot be asked: give it to VFIO, as root, millrace drive bind " + drive.address());
    }

    /**
     * Asks the controller what it or one of its namespaces is.
     *
     * @param cns  what is asked for, see {@link io.millrace.nvme.IdentifyCns}.
     * @param nsid that it is about, or 0.
     * @return the data.
     * @throws PciException                            when the kernel passes on a refusal.
     * @throws io.millrace.block.BlockDeviceException when the drive refuses, or does not answer.
     */
    byte[] identify(int cns, int nsid);

    /**
     * Reads the begin of a log page.
     *
     * @param page        see {@link io.millrace.nvme.LogPageId}.
     * @param lengthBytes wanted; a multiple of 4.
     * @return its bytes; fewer where the drive cannot give so many.
     * @throws PciException when it cannot be read.
     */
    byte[] logPage(int page, int lengthBytes);

    /**
     * Stops the controller and starts it again.
     *
     * @throws PciException when it does not come back.
     */
    void reset();

    @Override
    void close();
}
