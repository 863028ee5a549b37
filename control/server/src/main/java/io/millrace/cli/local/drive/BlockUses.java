package io.millrace.cli.local.drive;

import io.millrace.pci.OpenFiles;
import io.millrace.pci.Sysfs;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Users of a block device: mounts, swap, md, LVM, device mapper, exports and open files of the device, its partitions
 * and devices stacked on them, as the kernel reports them. Other users, such as ZFS or file systems of another mount
 * namespace, are detected by opening the device exclusively, see {@link BlockClaim}.
 */
final class BlockUses
{
    private static final String BLOCK = "/sys/class/block/";
    /** Mounted here, a file system is the machine's own. */
    private static final Set<String> SYSTEM = Set.of("/", "/boot", "/boot/efi", "/usr", "/var", "/home", "/etc");
    private static final int DEPTH_MAX = 8;
    private static final int MOUNT_NUMBERS = 2;
    private static final int MOUNT_POINT = 4;

    private final Sysfs files;
    private final OpenFiles openFiles;

    BlockUses(final Sysfs files, final OpenFiles openFiles)
    {
        this.files = files;
        this.openFiles = openFiles;
    }

    /**
     * {@return each use as half a sentence, such as {@code nvme0n1p1 is mounted on /mnt}; none when nobody uses it}
     *
     * @param disk name of the block device.
     */
    List<String> of(final String disk)
    {
        final List<String> uses = new ArrayList<>();
        collect(disk, 0, uses);
        for (final String part : files.list(BLOCK + disk))
        {
            if (files.exists(BLOCK + disk + "/" + part + "/partition"))
            {
                collect(part, 0, uses);
            }
        }
        return uses;
    }

    private void collect(final String name, final int depth, final List<String> uses)
    {
        final String label = label(name);
        final int before = uses.size();
        mounts(name, label, uses);
        swap(name, label, uses);
        exports(name, label, uses);
        for (final String holder : files.list(BLOCK + name + "/holders"))
        {
            uses.add(label + " is " + part(holder));
            if (depth < DEPTH_MAX)
            {
                collect(holder, depth + 1, uses);
            }
        }
        if (before == uses.size())
        {
            final String holder = openFiles.holder(files.at("/dev/" + name).toString());
            if (!holder.isEmpty())
            {
                uses.add(label + " is open" + holder);
            }
        }
    }

    private String label(final String name)
    {
        final String mapped = files.read(BLOCK + name + "/dm/name");
        return mapped.isEmpty() ? name : mapped;
    }

    private String part(final String holder)
    {
        final String mapped = files.read(BLOCK + holder + "/dm/name");
        final String kind = files.read(BLOCK + holder + "/dm/uuid");
        if (kind.startsWith("LVM-"))
        {
            return "part of the LVM volume " + mapped;
        }
        if (kind.startsWith("CRYPT-"))
        {
            return "under the encrypted " + mapped;
        }
        return mapped.isEmpty() ? "part of " + holder : "under the mapped device " + mapped;
    }

    private void mounts(final String name, final String label, final List<String> uses)
    {
        final String numbers = files.read(BLOCK + name + "/dev");
        final Set<String> sources = Set.of("/dev/" + name, "/dev/mapper/" + label);
        for (final String line : files.read("/proc/self/mountinfo").lines().toList())
        {
            final String[] words = line.split(" ");
            final int dash = line.indexOf(" - ");
            if (words.length > MOUNT_POINT && dash >= 0)
            {
                // Some file systems have numbers of their own and name the device only behind the dash.
                final String[] source = line.substring(dash + 3).split(" ");
                if (words[MOUNT_NUMBERS].equals(numbers) || source.length > 1 && sources.contains(source[1]))
                {
                    final String point = words[MOUNT_POINT].replace("\\040", " ");
                    uses.add(label + " is mounted on " + point + (SYSTEM.contains(point) ? ", this system's own" : ""));
                }
            }
        }
        for (final String fileSystem : files.list("/sys/fs/btrfs"))
        {
            if (files.exists("/sys/fs/btrfs/" + fileSystem + "/devices/" + name) &&
                uses.stream().noneMatch((use) -> use.startsWith(label + " is mounted")))
            {
                uses.add(label + " is part of the mounted Btrfs " + fileSystem);
            }
        }
    }

    private void swap(final String name, final String label, final List<String> uses)
    {
        final boolean isSwap = files.read("/proc/swaps").lines()
            .map((line) -> line.split("\\s")[0])
            .anyMatch((device) -> ("/dev/" + name).equals(device));
        if (isSwap)
        {
            uses.add(label + " is swap");
        }
    }

    private void exports(final String name, final String label, final List<String> uses)
    {
        final String subsystems = "/sys/kernel/config/nvmet/subsystems/";
        for (final String subsystem : files.list(subsystems))
        {
            for (final String namespace : files.list(subsystems + subsystem + "/namespaces"))
            {
                final String path = subsystems + subsystem + "/namespaces/" + namespace;
                if (("/dev/" + name).equals(files.read(path + "/device_path")) &&
                    "1".equals(files.read(path + "/enable")))
                {
                    uses.add(label + " is exported as a namespace of " + subsystem);
                }
            }
        }
        for (final String loop : files.list("/sys/block"))
        {
            if (loop.startsWith("loop") &&
                ("/dev/" + name).equals(files.read("/sys/block/" + loop + "/loop/backing_file")))
            {
                uses.add(label + " is under " + loop);
            }
        }
    }
}
