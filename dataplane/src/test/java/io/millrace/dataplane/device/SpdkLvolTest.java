package io.millrace.dataplane.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.DeviceProperties;
import io.millrace.block.GrowableDevice;
import io.millrace.block.Initiator;
import io.millrace.block.file.FileBounds;
import io.millrace.block.file.FileRecords;
import io.millrace.block.spdk.FileOfBdev;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import io.millrace.spdk.SpdkTesting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Logical volumes of SPDK: made, found again, not made again, snapshots and clones, growth, deletion.
 */
@Tag("spdk")
class SpdkLvolTest
{
    private static final int BLOCK = 4096;
    private static final long MIB = 1 << 20;
    private static final long BASE_BYTES = 64 * MIB;

    @TempDir
    private Path directory;

    private final SpdkLvolFactory factory = new SpdkLvolFactory(new SpdkAccess());
    private final List<String> warnings = new ArrayList<>();
    private DmaMemory memory;
    private MemoryRegistry registry;
    private FileRecords records;
    private String base;
    private String store;

    @BeforeEach
    void makeStore() throws Exception
    {
        memory = DmaMemory.map(1 << 20);
        registry = new MemoryRegistry();
        records = FileRecords.in(directory.resolve("records"));
        base = SpdkTesting.name("Aio");
        store = SpdkTesting.name("lvs");
        SpdkTesting.rpc("bdev_aio_create", "{'name':'" + base + "','filename':'" +
            FileOfBdev.make(directory, BASE_BYTES) + "','block_size':4096}");
        SpdkTesting.rpc("bdev_lvol_create_lvstore",
            "{'bdev_name':'" + base + "','lvs_name':'" + store + "','cluster_sz':1048576}");
    }

    @AfterEach
    void removeStore()
    {
        SpdkTesting.rpc("bdev_lvol_delete_lvstore", "{'lvs_name':'" + store + "'}");
        SpdkTesting.rpc("bdev_aio_delete", "{'name':'" + base + "'}");
        memory.close();
    }

    private DeviceDependencies dependencies(final FileRecords known)
    {
        return new DeviceDependencies(registry, List.of(), List::of, List::of,
            new FileAccess(FileBounds.ANYWHERE, known), null, SpdkTesting::runtime, warnings::add);
    }

    private DeviceProperties settings(final String name, final Object... keysAndValues)
    {
        final Map<String, Object> settings = new HashMap<>(Map.of("lvol", store + '/' + name));
        for (int i = 0; i < keysAndValues.length; i += 2)
        {
            settings.put((String)keysAndValues[i], keysAndValues[i + 1]);
        }
        return DeviceProperties.of(settings);
    }

    private BlockDevice open(final String name, final Object... keysAndValues)
    {
        return open(records, name, keysAndValues);
    }

    private BlockDevice open(final FileRecords known, final String name, final Object... keysAndValues)
    {
        return factory.open(name, settings(name, keysAndValues), dependencies(known));
    }

    private String refusal(final FileRecords known, final String name, final Object... keysAndValues)
    {
        return assertThrows(BlockDeviceException.class, () -> open(known, name, keysAndValues).close()).getMessage();
    }

    private boolean isThere(final String name)
    {
        return SpdkTesting.rpc("bdev_get_bdevs", "").contains(store + '/' + name + '"');
    }

    private void write(final BlockDevice device, final long lba, final long value)
    {
        try (Initiator host = new Initiator("writer", device))
        {
            write(host, lba, value);
        }
    }

    private void write(final Initiator host, final long lba, final long value)
    {
        NativeMemory.putLong(memory.address(), value);
        assertEquals(BlockStatus.SUCCESS, host.run(BlockOperation.WRITE, lba, 1, true, memory.address(), BLOCK));
    }

    private long read(final BlockDevice device, final long lba)
    {
        try (Initiator host = new Initiator("reader", device))
        {
            return read(host, lba);
        }
    }

    private long read(final Initiator host, final long lba)
    {
        final long address = memory.address() + BLOCK;
        NativeMemory.putLong(address, -1);
        assertEquals(BlockStatus.SUCCESS, host.run(BlockOperation.READ, lba, 1, false, address, BLOCK));
        return NativeMemory.getLong(address);
    }

    /** With an SPDK that passes it on, volumes are to say that they have a cache as the base has. */
    @Test
    void shouldHaveNoCacheThatAFlushWouldReach()
    {
        assertTrue(flushes(base));
        assertEquals(BlockStatus.SUCCESS, flush("vol0"));
        assertFalse(flushes(store + "/vol0"));
    }

    private boolean flushes(final String bdev)
    {
        return SpdkTesting.rpc("bdev_get_bdevs", "{'name':'" + bdev + "'}").replace(" ", "").contains("\"flush\":true");
    }

    private BlockStatus flush(final String name)
    {
        try (BlockDevice device = open(name, "size", 8 * MIB); Initiator host = new Initiator("flusher", device))
        {
            assertFalse(device.geometry().volatileWriteCache());
            return host.run(BlockOperation.FLUSH, 0, 0, false);
        }
    }

    @Test
    void shouldMakeAVolumeOnceAndFindItAgain()
    {
        final BlockDevice made = open("v", "size", 8 * MIB);
        assertEquals(8 * MIB, made.geometry().sizeBytes());
        assertEquals(0, read(made, 5));
        write(made, 5, 1234);
        made.close();
        final BlockDevice found = open("v", "size", 8 * MIB);
        assertEquals(1234, read(found, 5));
        found.close();
        // Larger than it was asked for: served as it is.
        final BlockDevice larger = open("v", "size", 4 * MIB);
        assertEquals(8 * MIB, larger.geometry().sizeBytes());
        larger.close();
        // No size: as it is.
        final BlockDevice asItIs = open("v");
        assertEquals(1234, read(asItIs, 5));
        asItIs.close();
        final BlockDevice grown = open("v", "size", 12 * MIB);
        assertEquals(12 * MIB, grown.geometry().sizeBytes());
        assertEquals(1234, read(grown, 5));
        grown.close();
        assertEquals(List.of(), warnings);
    }

    @Test
    void shouldSayWhyItCannotBeMade()
    {
        final String full = refusal(records, "v", "size", 2 * BASE_BYTES);
        assertTrue(full.contains("lvol " + store + "/v cannot be made") && full.contains("No space left on device") &&
            full.contains("bdev_lvol_get_lvstores"), full);
        assertFalse(isThere("v"));
        final String none = assertThrows(BlockDeviceException.class, () -> factory.open("v",
            DeviceProperties.of(Map.of("lvol", "nil/v", "size", MIB)), dependencies(records))).getMessage();
        // SPDK's message about the call before must not be in it.
        assertTrue(none.contains("SPDK says: No such device:") && !none.contains("No space"), none);
        assertTrue(refusal(records, "v").contains("give a size to make it, or snapshot-of or clone-of"));
        assertTrue(refusal(records, "v", "clone-of", "nil").contains("cannot be made"));
        assertTrue(refusal(records, "v", "snapshot-of", "nil").contains("cannot be made"));
        for (final String name : List.of("v", "/v", "a/", "a/b/c", "a/v\"", "a/v}"))
        {
            final String bad = assertThrows(BlockDeviceException.class, () -> factory.open("v",
                DeviceProperties.of(Map.of("lvol", name, "size", MIB)), dependencies(records))).getMessage();
            assertTrue(bad.contains("is not STORE/NAME"), bad);
        }
        // Nothing of these was recorded.
        open("v", "size", 2 * MIB).close();
    }

    @Test
    void shouldNotMakeAVolumeAgainThatADeviceHad()
    {
        open("v", "size", 2 * MIB).close();
        SpdkTesting.rpc("bdev_lvol_delete", "{'name':'" + store + "/v'}");
        final String had = refusal(FileRecords.in(directory.resolve("records")), "v", "size", 2 * MIB);
        assertTrue(had.contains("SPDK has no logical volume " + store + "/v, though device v had it since "), had);
        assertFalse(isThere("v"));
        final String told =
            refusal(FileRecords.NONE.expecting("v", FileRecords.pathOfLvol(store + "/v")), "v", "size", 2 * MIB);
        assertTrue(told.contains("though device v had it before"), told);
        assertFalse(isThere("v"));
        factory.onDeleted("v", settings("v"), dependencies(records));
        open("v", "size", 2 * MIB).close();
        assertTrue(isThere("v"));
    }

    @Test
    void shouldKeepWhatASnapshotHasAndCloneIt()
    {
        final BlockDevice volume = open("v", "size", 8 * MIB);
        write(volume, 0, 1);
        write(volume, 2047, 2);
        final BlockDevice snapshot = open("s", "snapshot-of", "v");
        write(volume, 0, 3);
        write(volume, 9, 4);
        assertEquals(8 * MIB, snapshot.geometry().sizeBytes());
        assertTrue(snapshot.geometry().readOnly());
        final BlockDevice clone = open("c", "clone-of", "s", "size", 10 * MIB);
        assertEquals(10 * MIB, clone.geometry().sizeBytes());
        write(clone, 2047, 5);
        write(clone, 2559, 6);
        assertEquals(1, read(snapshot, 0));
        assertEquals(0, read(snapshot, 9));
        assertEquals(2, read(snapshot, 2047));
        assertEquals(1, read(clone, 0));
        assertEquals(5, read(clone, 2047));
        assertEquals(6, read(clone, 2559));
        assertEquals(3, read(volume, 0));
        assertEquals(4, read(volume, 9));
        assertEquals(2, read(volume, 2047));
        List.of(volume, snapshot, clone).forEach(BlockDevice::close);
    }

    /** A second snapshot of the same name would be the first one. */
    @Test
    void shouldNotTakeAnotherVolumeForANewSnapshot()
    {
        open("v", "size", 2 * MIB).close();
        open("s", "snapshot-of", "v").close();
        final FileRecords later = FileRecords.in(directory.resolve("records"));
        assertTrue(refusal(later, "s", "snapshot-of", "v").contains("already, which may have other data"));
        assertTrue(refusal(later, "v", "clone-of", "s").contains("already, which may have other data"));
        // It is declared in a file, and had it before; or who restores it knows.
        open(later.permanent(), "s", "snapshot-of", "v").close();
        open(later.expecting("s", FileRecords.pathOfLvol(store + "/s")), "s", "snapshot-of", "v").close();
        final FileRecords others = FileRecords.in(directory.resolve("others"));
        assertTrue(refusal(others.permanent(), "s", "snapshot-of", "v").contains("may have other data"));
        // As it is.
        open(others, "s").close();
    }

    /** Each block is written when the one before is stable, so a snapshot has those of the last round up to one. */
    @Test
    void shouldSnapshotOneMomentOfAVolumeUnderLoad() throws Exception
    {
        final int blocks = 64;
        final BlockDevice volume = open("v", "size", 4 * MIB);
        final Thread writer;
        final boolean[] isStopped = new boolean[1];
        try (DmaMemory payload = DmaMemory.map(1 << 16); Initiator host = new Initiator("load", volume))
        {
            final List<BlockStatus> failures = new ArrayList<>();
            writer = Thread.ofPlatform().start(() ->
            {
                for (long i = blocks; !isStopped(isStopped); i++)
                {
                    NativeMemory.putLong(payload.address(), i / blocks);
                    final BlockStatus status =
                        host.run(BlockOperation.WRITE, i % blocks, 1, false, payload.address(), BLOCK);
                    if (BlockStatus.SUCCESS != status)
                    {
                        failures.add(status);
                    }
                }
            });
            for (int round = 0; round < 8; round++)
            {
                final BlockDevice snapshot = open("s" + round, "snapshot-of", "v");
                try (Initiator reader = new Initiator("reader", snapshot))
                {
                    final long first = read(reader, 0);
                    long last = first;
                    for (int lba = 1; lba < blocks; lba++)
                    {
                        final long value = read(reader, lba);
                        assertTrue(value == last || value == first - 1 && last == first,
                            "block " + lba + " has " + value + " behind " + last + ", the first " + first);
                        last = value;
                    }
                }
                snapshot.close();
            }
            synchronized (isStopped)
            {
                isStopped[0] = true;
            }
            writer.join();
            assertEquals(List.of(), failures);
        }
        volume.close();
    }

    private static boolean isStopped(final boolean[] flag)
    {
        synchronized (flag)
        {
            return flag[0];
        }
    }

    @Test
    void shouldGrowTheVolume()
    {
        final GrowableDevice volume = (GrowableDevice)open("v", "size", 2 * MIB);
        write(volume, 3, 7);
        volume.grow(4 * MIB);
        assertEquals(4 * MIB, volume.geometry().sizeBytes());
        write(volume, 1023, 8);
        final BlockDeviceException odd = assertThrows(BlockDeviceException.class, () -> volume.grow(4 * MIB + BLOCK));
        assertTrue(odd.getMessage().contains("not a multiple of 1 MiB"), odd.getMessage());
        final BlockDeviceException large = assertThrows(BlockDeviceException.class, () -> volume.grow(2 * BASE_BYTES));
        assertTrue(large.getMessage().contains("cannot be made larger: ") &&
            large.getMessage().contains("No space left on device"), large.getMessage());
        assertEquals(4 * MIB, volume.geometry().sizeBytes());
        assertEquals(7, read(volume, 3));
        assertEquals(8, read(volume, 1023));
        volume.close();
    }

    @Test
    void shouldDeleteDataOnlyWhenToldTo() throws Exception
    {
        open("v", "size", 2 * MIB).close();
        assertNotNull(factory.apply(null, settings("v"), settings("v", "delete-data", true, "size", MIB),
            dependencies(records)));
        assertNull(factory.apply(null, settings("v"), settings("w", "delete-data", true), dependencies(records)));
        factory.onDeleted("v", settings("v"), dependencies(records));
        assertTrue(isThere("v"));
        open("s", "snapshot-of", "v").close();
        open("c", "clone-of", "s").close();
        final BlockDeviceException used = assertThrows(BlockDeviceException.class, () ->
            factory.onDeleted("s", settings("s", "delete-data", true), dependencies(records)));
        assertTrue(used.getMessage().contains("lvol " + store + "/s cannot be deleted"), used.getMessage());
        assertTrue(isThere("s"));
        for (final String name : List.of("c", "v", "s"))
        {
            factory.onDeleted(name, settings(name, "delete-data", true), dependencies(records));
            assertFalse(isThere(name), name);
        }
        try (var left = Files.list(directory.resolve("records")))
        {
            assertEquals(0, left.count());
        }
    }

    @Test
    void shouldWarnWhenItCannotRecord()
    {
        final FileRecords broken = FileRecords.in(Path.of("/proc/nonexistent/records"));
        open(broken, "v", "size", 2 * MIB).close();
        assertEquals(1, warnings.size(), warnings::toString);
        assertTrue(warnings.getFirst().contains("cannot be recorded"), warnings::toString);
    }
}
