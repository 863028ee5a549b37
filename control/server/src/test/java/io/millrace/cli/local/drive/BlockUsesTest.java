package io.millrace.cli.local.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.pci.OpenFiles;
import io.millrace.pci.Sysfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the kernel's files tell of a block device, from files like them; the emulated machine has the kernel's own.
 */
class BlockUsesTest
{
    private static final String MOUNTS = """
        22 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw
        31 22 0:27 /sub /data\\040here rw,relatime shared:2 - btrfs /dev/nvme0n1p3 rw
        32 22 253:0 / /srv rw,relatime shared:3 - xfs /dev/mapper/vg-srv rw
        33 22 0:5 / /proc rw - proc
        """;

    @TempDir
    private Path root;

    private void file(final String path, final String text) throws IOException
    {
        final Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text + "\n");
    }

    private void partition(final int number) throws IOException
    {
        final String name = "nvme0n1p" + number;
        file("sys/class/block/nvme0n1/" + name + "/partition", Integer.toString(number));
        file("sys/class/block/" + name + "/dev", "259:" + number);
    }

    private List<String> uses()
    {
        return new BlockUses(new Sysfs(root), OpenFiles.below(root)).of("nvme0n1");
    }

    @Test
    void shouldFindNothingWhenNobodyUsesIt() throws IOException
    {
        file("sys/class/block/nvme0n1/dev", "259:0");
        file("proc/self/mountinfo", MOUNTS);
        partition(1);

        assertEquals(List.of(), uses());
    }

    @Test
    void shouldFindMountsByNumbersAndByName() throws IOException
    {
        file("sys/class/block/nvme0n1/dev", "259:0");
        file("proc/self/mountinfo", MOUNTS);
        partition(2);
        partition(3);

        assertEquals(List.of(
            "nvme0n1p2 is mounted on /, this system's own", "nvme0n1p3 is mounted on /data here"), uses());
    }

    @Test
    void shouldFollowWhatWasMadeOfIt() throws IOException
    {
        file("proc/self/mountinfo", MOUNTS);
        file("sys/class/block/nvme0n1/dev", "259:0");
        file("sys/class/block/nvme0n1/holders/md0/dev", "9:0");
        file("sys/class/block/md0/dev", "9:0");
        file("sys/class/block/md0/holders/dm-0/dev", "253:0");
        file("sys/class/block/dm-0/dev", "253:0");
        file("sys/class/block/dm-0/dm/name", "vg-srv");
        file("sys/class/block/dm-0/dm/uuid", "LVM-abc");

        assertEquals(List.of("nvme0n1 is part of md0", "md0 is part of the LVM volume vg-srv",
            "vg-srv is mounted on /srv"), uses());
    }

    @Test
    void shouldFindSwapExportsAndLoops() throws IOException
    {
        partition(1);
        file("proc/swaps", "Filename\tType\tSize\n/dev/nvme0n1p1 partition 1024 0 -2");
        file("sys/kernel/config/nvmet/subsystems/nqn.x/namespaces/1/device_path", "/dev/nvme0n1");
        file("sys/kernel/config/nvmet/subsystems/nqn.x/namespaces/1/enable", "1");
        file("sys/block/loop3/loop/backing_file", "/dev/nvme0n1");

        assertEquals(List.of("nvme0n1 is exported as a namespace of nqn.x", "nvme0n1 is under loop3",
            "nvme0n1p1 is swap"), uses());
    }
}
