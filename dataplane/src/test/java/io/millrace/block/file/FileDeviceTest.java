package io.millrace.block.file;

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
import io.millrace.lock.LockHolder;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryDomain;
import io.millrace.memory.MemoryRegion;
import io.millrace.memory.MemoryRegistry;
import io.millrace.memory.MemoryRole;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileDeviceTest
{
    private static final int MIB = 1 << 20;

    @TempDir
    private Path directory;

    @Test
    void shouldMakeAndAllocateAFileThatIsMissing() throws IOException
    {
        final Path path = directory.resolve("new.img");
        try (FileDevice device = FileDevice.open(config(path, 4 * MIB)))
        {
            assertEquals(4 * MIB, device.geometry().sizeBytes());
            assertEquals(4 * MIB, Files.size(path));
            assertTrue(allocatedBytes(path) >= 4 * MIB, () -> "allocated " + allocatedBytes(path));
        }
    }

    @Test
    void shouldAllocateNothingWhenNotAskedTo() throws IOException
    {
        final Path path = directory.resolve("sparse.img");
        try (FileDevice device = FileDevice.open(config(path, 64 * MIB).withPreallocate(false)))
        {
            assertEquals(64 * MIB, device.geometry().sizeBytes());
            assertTrue(allocatedBytes(path) < MIB, () -> "allocated " + allocatedBytes(path));
        }
    }

    @Test
    void shouldKeepWhatWasWrittenWhenItGrows()
    {
        final Path path = directory.resolve("growing.img");
        try (DmaMemory arena = DmaMemory.map(4096))
        {
            NativeMemory.fill(arena.address(), 4096, (byte)0x42);
            try (FileDevice device = FileDevice.open(config(path, MIB));
                Initiator initiator = new Initiator("a", device))
            {
                assertEquals(BlockStatus.SUCCESS,
                    initiator.run(BlockOperation.WRITE, 255, 1, true, arena.address(), 4096));
            }
            NativeMemory.fill(arena.address(), 4096, (byte)0);
            try (FileDevice device = FileDevice.open(config(path, 2 * MIB));
                Initiator initiator = new Initiator("b", device))
            {
                assertEquals(2 * MIB, device.geometry().sizeBytes());
                initiator.run(BlockOperation.READ, 255, 1, false, arena.address(), 4096);
                assertEquals(0x4242424242424242L, NativeMemory.getLong(arena.address() + 4088));
                initiator.run(BlockOperation.READ, 256, 1, false, arena.address(), 4096);
                assertEquals(0, NativeMemory.getLong(arena.address() + 4088));
            }
            try (FileDevice device = FileDevice.open(config(path, 0)))
            {
                assertEquals(2 * MIB, device.geometry().sizeBytes());
            }
        }
    }

    @Test
    void shouldSayThatAFileWasTruncatedUnderIt() throws IOException
    {
        final Path path = directory.resolve("truncated.img");
        try (DmaMemory arena = DmaMemory.map(4096);
            FileDevice device = FileDevice.open(config(path, MIB));
            Initiator initiator = new Initiator("t", device))
        {
            try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE))
            {
                file.truncate(MIB / 2);
            }
            assertEquals(BlockStatus.DEVICE_ERROR,
                initiator.run(BlockOperation.READ, 200, 1, false, arena.address(), 4096));
            assertEquals(DeviceHealth.DEGRADED, device.status().health());
            assertEquals(path + " was truncated below the 1048576 bytes of the device: enlarge it again",
                device.status().reason());
            assertEquals(BlockStatus.SUCCESS,
                initiator.run(BlockOperation.READ, 100, 1, false, arena.address(), 4096));
        }
    }

    @Test
    void shouldRefuseToCutAFile() throws IOException
    {
        final Path path = existing("large.img", 2 * MIB);
        assertRefused(config(path, MIB), "device f: size 1048576 is below the 2097152 bytes that " + path +
            " has, and data is never truncated: give size 2097152 or none");
        assertEquals(2 * MIB, Files.size(path));
    }

    @Test
    void shouldRefuseAFileThatAnotherDeviceHas()
    {
        final Path path = directory.resolve("shared.img");
        try (FileDevice device = FileDevice.open(config(path, MIB)))
        {
            assertEquals("f", device.name());
            assertRefused(config(path, MIB), "device f: path " + path +
                " is in use by another process or another device, locked by " + LockHolder.describe(path) +
                ": stop that one or name another file");
        }
        FileDevice.open(config(path, MIB)).close();
    }

    @Test
    void shouldLetReadersShareAndRefuseTheirWrites() throws IOException
    {
        final Path path = existing("image.img", MIB);
        try (FileDevice one = FileDevice.open(config(path, 0).withReadOnly(true));
            FileDevice two = FileDevice.open(config(path, 0).withReadOnly(true));
            Initiator initiator = new Initiator("reader", two);
            DmaMemory arena = DmaMemory.map(4096))
        {
            assertTrue(one.geometry().readOnly());
            assertFalse(one.geometry().supportsWriteZeroes());
            assertFalse(one.geometry().volatileWriteCache());
            final long buffer = arena.address();
            assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.READ, 0, 1, false, buffer, 4096));
            assertEquals(BlockStatus.WRITE_PROTECTED, initiator.run(BlockOperation.WRITE, 0, 1, false, buffer, 4096));
            assertEquals(BlockStatus.WRITE_PROTECTED, initiator.run(BlockOperation.WRITE_ZEROES, 0, 1, false));
            assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.FLUSH, 0, 0, false));
        }
    }

    @Test
    void shouldNameValueAndRemedyWhenThePathWillNotDo() throws IOException
    {
        final Path missing = directory.resolve("missing.img");
        assertRefused(config(missing, 0),
            "device f: path " + missing + " does not exist: give a size to have it made");
        assertRefused(config(missing, MIB).withReadOnly(true),
            "device f: path " + missing + " does not exist: a read-only device needs an existing file");
        final Path nowhere = directory.resolve("none/volume.img");
        assertRefused(config(nowhere, MIB), "device f: path " + nowhere +
            " cannot be opened: No such file or directory (errno 2): make its directory first");
        assertRefused(config(directory, MIB),
            "device f: path " + directory + " is neither a regular file nor a block device: name one");
        final Path tiny = existing("tiny.img", 100);
        assertRefused(config(tiny, 0),
            "device f: path " + tiny + " has 100 bytes, less than one block of 4096: give a size");
    }

    @Test
    void shouldNameValueAndRemedyWhenSettingsDoNotFit()
    {
        final Path path = directory.resolve("settings.img");
        assertRefused(config(path, 4097),
            "device f: size 4097 bytes is not a positive multiple of block-size 4096: use 4096 or another multiple");
        assertRefused(FileDeviceConfig.of("f", path, 0, 100),
            "device f: block-size 100 is not supported: use 512 or 4096");
        assertRefused(config(path, MIB).withQueueDepth(0),
            "device f: queue-depth 0 is outside 1 to 4096: choose one inside");
        assertFalse(Files.exists(path));
    }

    @Test
    void shouldLeaveNoFileBehindWhenTheDiskIsTooSmall()
    {
        final Path path = directory.resolve("vast.img");
        final BlockDeviceException refused = assertThrows(BlockDeviceException.class,
            () -> FileDevice.open(config(path, 1L << 50)).close());
        assertTrue(refused.getMessage().startsWith(
            "device f: size 1125899906842624 of " + path + " cannot be allocated: "),
            refused::getMessage);
        assertTrue(refused.getMessage().endsWith(
            "free space, give a smaller size, or set preallocate: false"), refused::getMessage);
        assertFalse(Files.exists(path));
    }

    @Test
    void shouldNotUseTheRestOfAFileThatIsNoWholeNumberOfBlocks() throws IOException
    {
        try (FileDevice device = FileDevice.open(config(existing("odd.img", 10_000), 0)))
        {
            assertEquals(2, device.geometry().blockCount());
            assertTrue(device.notes().contains("the last 1808 bytes are less than a block and are not used"),
                () -> device.notes().toString());
        }
    }

    @Test
    void shouldReportAnErrorWhenSomebodyCutsTheFile() throws IOException
    {
        final Path path = directory.resolve("cut.img");
        try (FileDevice device = FileDevice.open(config(path, MIB));
            Initiator initiator = new Initiator("cut", device);
            DmaMemory arena = DmaMemory.map(64 << 10))
        {
            try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw"))
            {
                file.setLength(MIB / 2 + 4096);
            }
            final long buffer = arena.address();
            assertEquals(BlockStatus.DEVICE_ERROR, initiator.run(BlockOperation.READ, 200, 1, false, buffer, 4096));
            assertEquals(BlockStatus.DEVICE_ERROR, initiator.run(BlockOperation.READ, 127, 4, false, buffer, 16384));
            assertEquals(BlockStatus.DEVICE_ERROR, initiator.run(BlockOperation.COMPARE, 127, 4, false, buffer, 16384));
            assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.READ, 127, 2, false, buffer, 8192));
        }
    }

    @Test
    void shouldReportExceededCapacityWhenTheFileCannotTakeMore() throws IOException
    {
        final Path path = existing("full.img", 2 * MIB);
        // The limit is in units of 512 bytes; a write across it is cut short first and then refused.
        final List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", "ulimit -f \"$0\" && exec \"$@\"",
            Integer.toString(CapacityWriter.LIMIT_BYTES / 512)));
        command.addAll(ChildJvm.command(CapacityWriter.class, path.toString()));
        final Process writer =
            new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        assertEquals(
            "SUCCESS NONE 0\nCAPACITY_EXCEEDED ERRNO 27 of full\nCAPACITY_EXCEEDED ERRNO 27 of full\nSUCCESS\n",
            new String(writer.getInputStream().readAllBytes(), StandardCharsets.US_ASCII));
    }

    @Test
    void shouldGoOnWithoutRegisteredBuffersWhenTheKernelRefuses()
    {
        // Larger than anything that may be mapped in its place.
        final DmaMemory gone = DmaMemory.map(256 * MIB);
        gone.close();
        final MemoryRegistry registry = new MemoryRegistry();
        registry.add(MemoryRegion.imported(
            MemoryRole.BUFFERS, MemoryDomain.HOST, gone.address(), gone.lengthBytes(), 4096));
        try (FileDevice device = FileDevice.open(config(directory.resolve("plain.img"), MIB), registry);
            Initiator initiator = new Initiator("plain", device);
            DmaMemory arena = DmaMemory.map(4096))
        {
            assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.WRITE, 0, 1, false, arena.address(), 4096));
            assertTrue(device.notes().stream().anyMatch((note) ->
                note.startsWith("buffers are not registered with io_uring (Bad address (errno 14))")),
                () -> device.notes().toString());
        }
    }

    @Test
    void shouldSayWhyADriveCannotBePolled()
    {
        final Path path = Path.of("/dev/shm/millrace-" + ProcessHandle.current().pid() + ".img");
        assertTrue(assertThrows(BlockDeviceException.class, () -> FileDevice.open(
            config(path, MIB).withPolling(FileDeviceConfig.Polling.ON)).close()).getMessage()
            .startsWith("device f: polling on is not possible with " + path));
        assertFalse(Files.exists(path));
    }

    private static FileDeviceConfig config(final Path path, final long size)
    {
        return FileDeviceConfig.of("f", path, size, 4096);
    }

    private Path existing(final String name, final long size) throws IOException
    {
        final Path path = directory.resolve(name);
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw"))
        {
            file.setLength(size);
        }
        return path;
    }

    private static long allocatedBytes(final Path path)
    {
        try
        {
            final Process du = new ProcessBuilder("du", "--block-size=1", path.toString()).start();
            return Long.parseLong(new String(du.getInputStream().readAllBytes()).split("\\s")[0]);
        }
        catch (final IOException e)
        {
            throw new AssertionError(e);
        }
    }

    private static void assertRefused(final FileDeviceConfig config, final String message)
    {
        assertEquals(message,
            assertThrows(BlockDeviceException.class, () -> FileDevice.open(config).close()).getMessage());
    }
}
