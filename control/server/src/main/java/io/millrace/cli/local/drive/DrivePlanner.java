package io.millrace.cli.local.drive;

import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.cli.local.drive.Drive.DriveNamespace;
import io.millrace.pci.IommuMode;
import io.millrace.pci.PciBus;
import io.millrace.pci.PciDevice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * Plans the steps that bind a drive to a driver or reset it, and refuses drives in use.
 */
final class DrivePlanner
{
    private static final String KERNEL_DRIVER = "nvme";
    private static final Path MODPROBE = Path.of("/sbin/modprobe");
    /** State of a working controller of the kernel's driver. */
    private static final String LIVE = "live";
    private static final int NAMESPACE_WAITS = 100;
    private static final long WAIT_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private final DriveScan scan;
    private final PciBus bus;

    DrivePlanner(final DriveScan scan)
    {
        this.scan = scan;
        bus = scan.bus();
    }

    /**
     * Plans binding a drive to vfio-pci.
     *
     * @param address  of the drive.
     * @param isUnsafe whether an IOMMU is not required.
     * @param isGroup  whether to bind the other NVMe drives of its group, too.
     * @param owner    user who may open the drive; empty: root only.
     * @return the steps; none if it is bound to vfio-pci already.
     * @throws CommandException                when it is refused.
     * @throws io.millrace.pci.PciException when there is no such drive.
     */
    DrivePlan bind(final String address, final boolean isUnsafe, final boolean isGroup, final String owner)
    {
        final Drive drive = scan.find(address);
        final PciDevice device = drive.device();
        final DrivePlan move = new DrivePlan(drive.address(), device.driver(), PciBus.VFIO_DRIVER);
        if (device.isVfio())
        {
            return move;
        }
        checkFree(drive, "bound");
        if (device.iommuGroup() < 0 && !isUnsafe)
        {
            throw refused(drive.address() + " has no IOMMU, which prevents wrong memory accesses: enable one " +
                "(VT-d or AMD-Vi in the firmware, intel_iommu=on on the kernel's command line), or accept the risk " +
                "with --unsafe-noiommu");
        }
        final List<Drive> along = along(drive, isGroup);
        if (!bus.hasDriver(PciBus.VFIO_DRIVER))
        {
            move.add("load the module vfio-pci", () -> load("vfio-pci"));
        }
        if (device.iommuGroup() < 0)
        {
            move.add("allow VFIO without an IOMMU (enable_unsafe_noiommu_mode)", DrivePlanner::allowNoIommu);
        }
        along.addFirst(drive);
        for (final Drive each : along)
        {
            move.add(each.address() + ": from " + name(each.device().driver()) + " to " + PciBus.VFIO_DRIVER +
                goes(each), () -> take(each));
        }
        if (!owner.isEmpty())
        {
            move.add("let " + owner + " open the drive's file in /dev/vfio", () -> give(drive.address(), owner));
        }
        return move;
    }

    /**
     * Plans binding a drive to the kernel's driver.
     *
     * @param address of the drive.
     * @return the steps; none if it is bound already.
     * @throws CommandException                when it is in use.
     * @throws io.millrace.pci.PciException when there is no such drive.
     */
    DrivePlan unbind(final String address)
    {
        final Drive drive = scan.find(address);
        final DrivePlan move = new DrivePlan(drive.address(), drive.device().driver(), KERNEL_DRIVER);
        if (KERNEL_DRIVER.equals(drive.device().driver()))
        {
            return move;
        }
        if (!drive.isFree())
        {
            throw refused(drive.address() + " is " + drive.uses().getFirst() + ": stop that process first");
        }
        if (!bus.hasDriver(KERNEL_DRIVER))
        {
            move.add("load the module nvme", () -> load("nvme"));
        }
        move.add(drive.address() + ": from " + name(drive.device().driver()) + " back to the kernel",
            () -> giveBack(drive));
        return move;
    }

    /**
     * Plans the reset of a drive's controller.
     *
     * @param name of the drive.
     * @param mode whether a drive that VFIO has may be without an IOMMU.
     * @return the steps.
     * @throws CommandException                when it is in use.
     * @throws io.millrace.pci.PciException when there is no such drive, or no driver has it.
     */
    DrivePlan reset(final String name, final IommuMode mode)
    {
        final Drive drive = scan.find(name);
        final String driver = drive.device().driver();
        final DrivePlan move = new DrivePlan(drive.address(), driver, driver);
        if (driver.isEmpty())
        {
            throw DriveAdmin.notDriven(drive);
        }
        checkFree(drive, "reset");
        final String what = drive.model().isEmpty() ? drive.address() :
            drive.address() + " (" + drive.model() + ", serial " + drive.serial() + ")";
        move.add(drive.device().isVfio() ? what + ": open it through VFIO, reset its controller and close it" :
            what + ": have the kernel reset " + drive.controller() + "; I/O to its namespaces waits meanwhile",
            () -> reset(drive, mode));
        return move;
    }

    private void reset(final Drive drive, final IommuMode mode)
    {
        try (BlockClaim claim = claim(drive); DriveAdmin admin = DriveAdmin.open(drive, mode))
        {
            checkClaim(drive, claim);
            admin.reset();
        }
        final String state = drive.controller().isEmpty() ? LIVE : scan.state(drive.controller());
        if (!LIVE.equals(state))
        {
            throw refused(drive.controller() + " did not come back, it is " + (state.isEmpty() ? "gone" : state) +
                ": the kernel's log says more (dmesg)");
        }
    }

    private static void checkFree(final Drive drive, final String participle)
    {
        if (!drive.isFree())
        {
            throw refused(drive.address() + " cannot be " + participle + ": " + String.join(", ", drive.uses()) +
                "; end that first" + (drive.device().isVfio() ? "" : " (umount, swapoff, mdadm --stop, vgchange -an)"));
        }
        try (BlockClaim claim = claim(drive))
        {
            if (!claim.refused().isEmpty())
            {
                throw refused(drive.address() + " cannot be " + participle + ": " +
                    String.join(", ", claim.refused()) + " is claimed by a file system that is not seen here (ZFS, " +
                    "another mount namespace) or by a process with exclusive access; end that first");
            }
        }
    }

    private static void checkClaim(final Drive drive, final BlockClaim claim)
    {
        if (!claim.refused().isEmpty())
        {
            throw refused(drive.address() + " is in use now: " + String.join(", ", claim.refused()));
        }
    }

    private static BlockClaim claim(final Drive drive)
    {
        return new BlockClaim(drive.namespaces().stream().map(DriveNamespace::name).toList());
    }

    /** The others of the group that the kernel drives. */
    private List<Drive> along(final Drive drive, final boolean isGroup)
    {
        final List<Drive> along = new ArrayList<>();
        final List<PciDevice> others = bus.groupOthers(drive.device()).stream()
            .filter((other) -> !other.isBridge() && !other.isVfio() && !other.driver().isEmpty()).toList();
        if (others.isEmpty())
        {
            return along;
        }
        final String named = others.stream().map((other) -> other.address() + " (" + other.driver() + ")")
            .collect(Collectors.joining(", "));
        if (!others.stream().allMatch(PciDevice::isNvme))
        {
            throw refused(drive.address() + " shares IOMMU group " + drive.device().iommuGroup() + " with " + named +
                ", which would be bound, too: move the drive to another slot");
        }
        if (!isGroup)
        {
            throw refused(drive.address() + " shares IOMMU group " + drive.device().iommuGroup() + " with " + named +
                ", which has to be bound, too: add --group");
        }
        for (final PciDevice other : others)
        {
            final Drive each = scan.read(other);
            checkFree(each, "bound");
            along.add(each);
        }
        return along;
    }

    private static String goes(final Drive drive)
    {
        return drive.namespaces().isEmpty() ? "" : drive.namespaces().stream()
            .map((namespace) -> "/dev/" + namespace.name() + " (" + DriveView.size(namespace.sizeBytes()) + ")")
            .collect(Collectors.joining(", ", "; removes ", ""));
    }

    private static String name(final String driver)
    {
        return driver.isEmpty() ? "no driver" : driver;
    }

    private void take(final Drive drive)
    {
        // Claimed meanwhile, so that it cannot be mounted in between.
        try (BlockClaim claim = claim(drive))
        {
            checkClaim(drive, claim);
            bus.bind(drive.device().address(), PciBus.VFIO_DRIVER);
        }
    }

    private void giveBack(final Drive drive)
    {
        final PciDevice after = bus.release(drive.device().address());
        if (after.driver().isEmpty())
        {
            throw refused("no driver took " + drive.address() + " back: as root, modprobe nvme; the kernel's log " +
                "says more (dmesg)");
        }
        // Its namespaces appear a moment later.
        for (int i = 0; i < NAMESPACE_WAITS && !scan.hasNamespace(after); i++)
        {
            LockSupport.parkNanos(WAIT_NS);
        }
    }

    private void give(final String address, final String owner)
    {
        final PciDevice device = scan.find(address).device();
        give(Path.of(bus.vfioFile(device)), owner);
        if (!bus.vfioDeviceFile(device).isEmpty())
        {
            give(Path.of(bus.vfioDeviceFile(device)), owner);
        }
    }

    private static void give(final Path node, final String owner)
    {
        try
        {
            Files.setOwner(node, node.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(owner));
        }
        catch (final IOException e)
        {
            throw new CommandException(ExitCode.FAILURE, node + " cannot be given to " + owner + ": " + e.getMessage() +
                "; the drive is bound, as root: chown " + owner + " " + node, e);
        }
    }

    private static void allowNoIommu()
    {
        final Path parameter = Path.of("/sys/module/vfio/parameters/enable_unsafe_noiommu_mode");
        try
        {
            Files.writeString(parameter, "1");
        }
        catch (final IOException e)
        {
            throw new CommandException(ExitCode.FAILURE, parameter +
                " cannot be written: this kernel was built without CONFIG_VFIO_NOIOMMU, or this is not root", e);
        }
    }

    private static void load(final String module)
    {
        final String command = Files.isExecutable(MODPROBE) ? MODPROBE.toString() : "modprobe";
        try
        {
            final Process process = new ProcessBuilder(command, module).redirectErrorStream(true).start();
            final String said = new String(process.getInputStream().readAllBytes()).strip();
            if (0 != process.waitFor())
            {
                throw new CommandException(ExitCode.FAILURE, "modprobe " + module + " failed: " +
                    said.replace('\n', ' ') + "; install the kernel's extra modules, or run this as root");
            }
        }
        catch (final IOException e)
        {
            throw new CommandException(
                ExitCode.FAILURE, "modprobe cannot be run: " + e.getMessage() + "; install kmod", e);
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
            throw new CommandException(ExitCode.FAILURE, "interrupted while modprobe " + module + " ran", e);
        }
    }

    private static CommandException refused(final String message)
    {
        return new CommandException(ExitCode.FAILURE, message);
    }
}
