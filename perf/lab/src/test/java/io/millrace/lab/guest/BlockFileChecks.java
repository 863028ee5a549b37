package io.millrace.lab.guest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.DeviceHealth;
import io.millrace.block.Initiator;
import io.millrace.block.file.FileDevice;
import io.millrace.block.file.FileDeviceConfig;
import io.millrace.memory.DmaMemory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What happens to a file device on a block device of the kernel that fails in part, shrinks, grows, is in use,
 * read-only or removed, and what of its operations arrives at the drive. Drives are named by system properties.
 */
public class BlockFileChecks
{
    /** Block device of a drive of 16 MiB with blocks of 512 bytes that nobody uses. */
    static final String SPARE = "millrace.lab.spare";
    /** One with blocks of 4096 bytes. */
    static final String LARGE_BLOCKS = "millrace.lab.large-blocks";
    /** One that is mounted. */
    static final String MOUNTED = "millrace.lab.mounted";
    /** A loop device of 8 MiB, and the file below it. */
    static final String LOOP = "millrace.lab.loop";
    static final String LOOP_FILE = "millrace.lab.loop-file";
    /** One that may be removed. */
    static final String REMOVED = "millrace.lab.removed";

    private static final int BLOCK = 4096;
    private static final int SECTOR = 512;
    private static final int MIB = 1 << 20;
    private static final String TRACE = "/sys/kernel/tracing";

    private final String spare = System.getProperty(SPARE);
    private final DmaMemory arena = DmaMemory.map(MIB);
    private FileDevice device;
    private Initiator initiator;

    @AfterEach
    void close()
    {
        closeDevice();
        arena.close();
    }

    private void closeDevice()
    {
        if (null != initiator)
        {
            initiator.close();
            device.close();
            initiator = null;
        }
    }

    private void open(final String path)
    {
        open(FileDeviceConfig.of("checked", Path.of(path), 0, BLOCK));
    }

    private void open(final FileDeviceConfig config)
    {
        device = FileDevice.open(config);
        initiator = new Initiator("checked", device);
    }

    private static void assertRefused(final FileDeviceConfig config, final String reason)
    {
        final BlockDeviceException refusal =
            assertThrows(BlockDeviceException.class, () -> FileDevice.open(config).close());
        assertTrue(refusal.getMessage().contains(reason), refusal.getMessage());
    }

    private BlockStatus read(final long lba, final int blocks)
    {
        NativeMemory.fill(arena.address(), (long)blocks * BLOCK, (byte)0x55);
        return initiator.run(BlockOperation.READ, lba, blocks, false, arena.address(), (long)blocks * BLOCK);
    }

    private BlockStatus write(final long lba, final int blocks, final int content)
    {
        NativeMemory.fill(arena.address(), (long)blocks * BLOCK, (byte)content);
        return initiator.run(BlockOperation.WRITE, lba, blocks, false, arena.address(), (long)blocks * BLOCK);
    }

    private void assertContent(final long lba, final int content)
    {
        assertEquals(BlockStatus.SUCCESS, read(lba, 1));
        for (int i = 0; i < BLOCK; i++)
        {
            assertEquals((byte)content, NativeMemory.getByte(arena.address() + i), "byte " + i + " of block " + lba);
        }
    }

    private static void load(final String mapped, final String table) throws Exception
    {
        Shell.run("dmsetup suspend " + mapped + "; dmsetup reload " + mapped + " --table '" + table +
            "'; dmsetup resume " + mapped);
    }

    @Test
    void shouldReportErrorsOfThePartThatFailsAndServeTheRest() throws Exception
    {
        Shell.retry("printf '0 2048 linear " + spare + " 0\\n2048 2048 error\\n4096 4096 linear " + spare +
            " 4096\\n' | dmsetup create partly");
        open("/dev/mapper/partly");
        for (final long good : new long[]{0, 255, 512, 1023})
        {
            assertEquals(BlockStatus.SUCCESS, write(good, 1, (int)good + 1));
        }
        assertEquals(DeviceHealth.ONLINE, device.status().health());
        for (final long bad : new long[]{256, 300, 511})
        {
            assertEquals(BlockStatus.MEDIA_ERROR, read(bad, 1), "block " + bad);
            assertEquals(BlockStatus.MEDIA_ERROR, write(bad, 1, 7), "block " + bad);
            assertEquals(BlockStatus.MEDIA_ERROR, initiator.run(BlockOperation.VERIFY, bad, 1, false));
            assertEquals(BlockStatus.MEDIA_ERROR, initiator.run(BlockOperation.WRITE_ZEROES, bad, 1, false));
            assertEquals(BlockStatus.MEDIA_ERROR,
                initiator.run(BlockOperation.COMPARE, bad, 1, false, arena.address(), BLOCK));
        }
        assertEquals(BlockStatus.MEDIA_ERROR, read(254, 4));
        assertEquals(BlockStatus.MEDIA_ERROR, write(510, 2, 8));
        for (final long good : new long[]{0, 255, 512, 1023})
        {
            assertContent(good, (int)good + 1);
        }
        assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.FLUSH, 0, 0, false));
        assertEquals(DeviceHealth.DEGRADED, device.status().health());
        assertEquals("the drive below /dev/mapper/partly failed an operation: Input/output error (errno 5)",
            device.status().reason());
        closeDevice();
        Shell.retry("dmsetup remove partly");
    }

    @Test
    void shouldSayThatTheBlockDeviceHasShrunkAndServeWhatIsLeft() throws Exception
    {
        Shell.retry("dmsetup create shrinking --table '0 8192 linear " + spare + " 0'");
        open("/dev/mapper/shrinking");
        assertEquals(BlockStatus.SUCCESS, write(1000, 1, 3));
        assertEquals(BlockStatus.SUCCESS, write(511, 1, 4));
        load("shrinking", "0 4096 linear " + spare + " 0");
        assertEquals(BlockStatus.DEVICE_ERROR, write(600, 1, 9));
        assertEquals(DeviceHealth.DEGRADED, device.status().health());
        assertEquals("/dev/mapper/shrinking has 2097152 bytes now, less than the 4194304 of the device: " +
            "enlarge it again", device.status().reason());
        assertEquals(BlockStatus.DEVICE_ERROR, read(600, 1));
        assertEquals(BlockStatus.DEVICE_ERROR, read(510, 4));
        assertEquals(BlockStatus.DEVICE_ERROR, initiator.run(BlockOperation.WRITE_ZEROES, 600, 1, false));
        assertContent(511, 4);
        // The kernel cuts such a range to what is left, and says that it was successful.
        assertEquals(BlockStatus.DEVICE_ERROR, initiator.run(BlockOperation.WRITE_ZEROES, 511, 500, false));
        load("shrinking", "0 8192 linear " + spare + " 0");
        assertContent(1000, 3);
        closeDevice();
        Shell.retry("dmsetup remove shrinking");
    }

    @Test
    void shouldGrowToWhatTheBlockDeviceHas() throws Exception
    {
        Shell.retry("dmsetup create growing --table '0 4096 linear " + spare + " 0'");
        open("/dev/mapper/growing");
        assertEquals(2 * MIB, device.geometry().sizeBytes());
        final BlockDeviceException refusal = assertThrows(BlockDeviceException.class, () -> device.grow(4 * MIB));
        assertEquals("device checked: size 4194304 is above the 2097152 bytes that /dev/mapper/growing has: " +
            "enlarge it with its own tools first", refusal.getMessage());
        assertEquals(2 * MIB, device.geometry().sizeBytes());
        load("growing", "0 8192 linear " + spare + " 0");
        device.grow(4 * MIB);
        assertEquals(4 * MIB, device.geometry().sizeBytes());
        assertEquals(BlockStatus.SUCCESS, write(1023, 1, 5));
        assertContent(1023, 5);
        closeDevice();
        Shell.retry("dmsetup remove growing");
    }

    @Test
    void shouldHaveABlockDeviceForItselfOrRefuse() throws Exception
    {
        final String busy = " cannot be opened: Device or resource busy (errno 16): unmount it or take it out of use";
        final String mounted = System.getProperty(MOUNTED);
        assertRefused(FileDeviceConfig.of("m", Path.of(mounted), 0, BLOCK), "path " + mounted + busy);
        Shell.retry("dmsetup create holder --table '0 8192 linear " + spare + " 0'");
        assertRefused(FileDeviceConfig.of("h", Path.of(spare), 0, BLOCK), "path " + spare + busy);
        Shell.retry("dmsetup remove holder");
        open(spare);
        assertFalse(Shell.passes("dmsetup create holder --table '0 8192 linear " + spare + " 0'"));
        assertFalse(Shell.passes("mount " + spare + " /mnt"));
    }

    @Test
    void shouldRefuseToWriteToAReadOnlyBlockDevice() throws Exception
    {
        final FileDeviceConfig config = FileDeviceConfig.of("r", Path.of(spare), 0, BLOCK);
        open(config);
        assertEquals(BlockStatus.SUCCESS, write(3, 1, 6));
        Shell.run("blockdev --setro " + spare);
        try
        {
            assertEquals(BlockStatus.WRITE_PROTECTED, write(3, 1, 7));
            assertEquals(BlockStatus.WRITE_PROTECTED, initiator.run(BlockOperation.WRITE_ZEROES, 3, 1, false));
            assertEquals(BlockStatus.WRITE_PROTECTED, initiator.run(BlockOperation.DEALLOCATE, 3, 1, false));
            assertContent(3, 6);
            closeDevice();
            assertRefused(config, "device r: path " + spare + " is a read-only block device: set read-only, or make");
            open(config.withReadOnly(true));
            assertContent(3, 6);
            assertEquals(BlockStatus.WRITE_PROTECTED, write(3, 1, 7));
        }
        finally
        {
            Shell.run("blockdev --setrw " + spare);
        }
    }

    @Test
    void shouldRefuseBlocksSmallerThanTheDrives()
    {
        final String path = System.getProperty(LARGE_BLOCKS);
        assertRefused(FileDeviceConfig.of("b", Path.of(path), 0, SECTOR), "device b: block-size 512 is below the " +
            "4096 bytes that direct I/O on " + path + " needs: use block-size 4096");
    }

    @Test
    void shouldStayInItsPartition() throws Exception
    {
        Shell.run("head -c 16M /dev/zero | tr '\\0' '\\252' | dd of=" + spare + " bs=1M oflag=direct status=none");
        Shell.retry("addpart " + spare + " 1 2048 8192");
        open(spare + "p1");
        assertEquals(4 * MIB, device.geometry().sizeBytes());
        assertTrue(device.geometry().supportsDeallocate() && device.geometry().deallocatedReadsZero());
        assertEquals(BlockStatus.SUCCESS, write(0, 1, 1));
        assertEquals(BlockStatus.SUCCESS, write(1023, 1, 2));
        assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.DEALLOCATE, 1, 1022, false));
        assertContent(500, 0);
        closeDevice();
        Shell.retry("delpart " + spare + " 1");
        open(spare);
        assertContent(255, 0xAA);
        assertContent(256, 1);
        assertContent(257, 0);
        assertContent(1278, 0);
        assertContent(1279, 2);
        assertContent(1280, 0xAA);
    }

    @Test
    void shouldHaveTheDriveZeroAndDeallocate() throws Exception
    {
        open(spare);
        assertEquals(BlockStatus.SUCCESS, write(0, 64, 0x11));
        Shell.run("echo 1 > " + TRACE + "/events/nvme/nvme_setup_cmd/enable; echo > " + TRACE + "/trace");
        assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.WRITE_ZEROES, 8, 4, false));
        assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.DEALLOCATE, 32, 2, false));
        Shell.run("echo 0 > " + TRACE + "/events/nvme/nvme_setup_cmd/enable");
        final List<String> commands = Shell.run("cat " + TRACE + "/trace").lines()
            .filter((line) -> line.contains("nvme_setup_cmd") && line.contains("disk=" + Path.of(spare).getFileName()))
            .map((line) -> line.substring(line.indexOf("cmd=(") + 5)).toList();
        assertEquals(2, commands.size(), commands::toString);
        assertTrue(commands.get(0).startsWith("nvme_cmd_write_zeroes slba=64, len=31,"), commands::toString);
        assertTrue(commands.get(1).startsWith("nvme_cmd_write_zeroes slba=256, len=15,"), commands::toString);
        assertContent(7, 0x11);
        assertContent(8, 0);
        assertContent(11, 0);
        assertContent(12, 0x11);
        assertContent(31, 0x11);
        assertContent(32, 0);
        assertContent(33, 0);
        assertContent(34, 0x11);
    }

    /** The file below a loop device shows what was deallocated by the space that it takes. */
    @Test
    void shouldGiveBackWhatIsDeallocatedAndKeepWhatIsZeroed() throws Exception
    {
        open(System.getProperty(LOOP));
        for (int lba = 0; lba < 2048; lba += MIB / BLOCK)
        {
            assertEquals(BlockStatus.SUCCESS, write(lba, MIB / BLOCK, 0x77));
        }
        assertEquals(8 * MIB, allocatedBytes());
        assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.WRITE_ZEROES, 0, 512, false));
        assertEquals(8 * MIB, allocatedBytes());
        assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.DEALLOCATE, 1024, 512, false));
        assertEquals(6 * MIB, allocatedBytes());
        assertContent(511, 0);
        assertContent(512, 0x77);
        assertContent(1023, 0x77);
        assertContent(1024, 0);
        assertContent(1535, 0);
        assertContent(1536, 0x77);
    }

    private long allocatedBytes() throws Exception
    {
        assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.FLUSH, 0, 0, false));
        final String file = System.getProperty(LOOP_FILE);
        return SECTOR * Long.parseLong(Shell.run("sync " + file + "; stat -c %b " + file).strip());
    }

    @Test
    void shouldFailWhenTheDriveIsRemovedUnderLoad() throws Exception
    {
        final String removed = System.getProperty(REMOVED);
        open(removed);
        final List<Initiator.Io> ios = new ArrayList<>();
        for (int i = 0; i < 600; i++)
        {
            final Initiator.Io io = initiator.io();
            Initiator.fill(io.request(), 0 == i % 2 ? BlockOperation.READ : BlockOperation.WRITE, i, 1, false,
                arena.address() + (long)(i % 256) * BLOCK, BLOCK);
            ios.add(io);
        }
        initiator.send(ios);
        Shell.run("echo 1 > /sys/block/" + Path.of(removed).getFileName() + "/device/device/remove");
        for (final Initiator.Io io : ios)
        {
            final BlockStatus status = initiator.await(io);
            assertTrue(Set.of(BlockStatus.SUCCESS, BlockStatus.DEVICE_ERROR).contains(status), status::toString);
        }
        assertEquals(BlockStatus.DEVICE_ERROR, write(1, 1, 1));
        assertEquals(DeviceHealth.FAILED, device.status().health());
        assertEquals("the drive below " + removed + " is gone: requests end with errors until the device is created " +
            "again", device.status().reason());
        for (final BlockOperation operation : new BlockOperation[]{BlockOperation.WRITE_ZEROES,
            BlockOperation.DEALLOCATE, BlockOperation.VERIFY})
        {
            assertEquals(BlockStatus.DEVICE_ERROR, initiator.run(operation, 1, 1, false), operation::name);
        }
        assertEquals(BlockStatus.DEVICE_ERROR, read(1, 1));
        assertEquals(BlockStatus.DEVICE_ERROR, initiator.run(BlockOperation.FLUSH, 0, 0, false));
    }
}
