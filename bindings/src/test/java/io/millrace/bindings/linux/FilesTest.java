package io.millrace.bindings.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeException;
import io.millrace.bindings.NativeMemory;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FilesTest
{
    private static final int MODE = 0600;
    private static final int O_APPEND = 02000;
    private static final int O_NONBLOCK = 04000;

    @TempDir
    private Path folder;
    private final Arena arena = Arena.ofConfined();
    private final long scratch = arena.allocate(8192, 4096).address();

    @AfterEach
    void close()
    {
        arena.close();
    }

    @Test
    void shouldReachTheSameFileByADuplicateWhenTheFirstIsClosed()
    {
        final int fd = NativeException.check("eventfd", Files.eventfd(5, Files.EFD_CLOEXEC | Files.EFD_NONBLOCK));
        final int other = NativeException.check("fcntl", Files.duplicate(fd));
        assertEquals(0, Files.close(fd));
        assertEquals(8, Files.read(other, scratch, 8));
        assertEquals(5, NativeMemory.getLong(scratch));
        assertEquals(0, Files.close(other));
        assertEquals(-Errno.EBADF, Files.duplicate(other));
    }

    @Test
    void shouldReadWhatWasWrittenWhenStable()
    {
        final int fd = create("data");
        NativeMemory.putLong(scratch, 42L);
        assertEquals(8, Files.pwrite(fd, scratch, 8, 4096));
        assertEquals(0, Files.fdatasync(fd));

        assertEquals(8, Files.pread(fd, scratch + 8, 8, 4096));
        assertEquals(0, Files.pread(fd, scratch + 8, 8, 1 << 20));

        assertEquals(42L, NativeMemory.getLong(scratch + 8));
        assertEquals(0, Files.close(fd));
    }

    @Test
    void shouldTellSizeAndKindWhenAskedForStatus()
    {
        final int fd = create("sized");
        assertEquals(0, Files.ftruncate(fd, 12345));
        final long empty = arena.allocateFrom("").address();

        assertEquals(0, Files.statx(fd, empty, Files.AT_EMPTY_PATH,
            Files.STATX_BASIC_STATS | Files.STATX_DIOALIGN, scratch));
        assertEquals(Files.STATX_BASIC_STATS, FileStatus.mask(scratch) & Files.STATX_BASIC_STATS);
        assertEquals(12345, FileStatus.sizeBytes(scratch));
        assertTrue(FileStatus.isRegularFile(scratch));
        assertFalse(FileStatus.isBlockDevice(scratch));
        if (0 != (FileStatus.mask(scratch) & Files.STATX_DIOALIGN))
        {
            final int alignment = FileStatus.directOffsetAlignment(scratch);
            assertEquals(0, alignment & (alignment - 1), () -> "not a power of two: " + alignment);
            assertEquals(0 == alignment, 0 == FileStatus.directMemoryAlignment(scratch));
        }

        assertEquals(0, Files.statx(Files.AT_FDCWD, path("/"), 0, Files.STATX_BASIC_STATS, scratch));
        assertFalse(FileStatus.isRegularFile(scratch));
        assertEquals(0, Files.close(fd));
    }

    @Test
    void shouldReadZeroesWhenRangeWasDeallocated()
    {
        final int fd = create("holes");
        NativeMemory.fill(scratch, 8192, (byte)1);
        assertEquals(8192, Files.pwrite(fd, scratch, 8192, 0));

        assertEquals(0, Files.fallocate(fd, Files.FALLOC_FL_PUNCH_HOLE | Files.FALLOC_FL_KEEP_SIZE, 0, 4096));

        assertEquals(8192, Files.pread(fd, scratch, 8192, 0));
        assertEquals(0L, NativeMemory.getLong(scratch + 4088));
        assertEquals(0x0101010101010101L, NativeMemory.getLong(scratch + 4096));
        assertEquals(-Errno.EOPNOTSUPP, Files.fallocate(fd, Files.FALLOC_FL_PUNCH_HOLE, 0, 4096));
        assertEquals(0, Files.close(fd));
    }

    @Test
    void shouldNameReasonWhenOpenFails()
    {
        final NativeException missing = assertThrows(NativeException.class, () -> NativeException.check(
            "open /nowhere/file", Files.open(path("/nowhere/file"), Files.O_RDWR | Files.O_CLOEXEC, 0)));
        assertEquals("open /nowhere/file: No such file or directory (errno 2)", missing.getMessage());

        final NativeException direct = assertThrows(NativeException.class, () -> NativeException.check(
            "open /proc/version", Files.open(path("/proc/version"), Files.O_RDONLY | Files.O_DIRECT, 0)));
        assertEquals("open /proc/version: Invalid argument (errno 22)", direct.getMessage());

        final int fd = create("exclusive");
        assertEquals(-Errno.EEXIST, Files.open(path(folder.resolve("exclusive").toString()),
            Files.O_RDWR | Files.O_CREAT | Files.O_EXCL, MODE));
        assertEquals(0, Files.close(fd));
    }

    @Test
    void shouldRefuseSecondLockWhenFileIsLocked()
    {
        final int first = create("locked");
        final int second = create("locked");
        assertEquals(0, Files.flock(first, Files.LOCK_EX | Files.LOCK_NB));

        assertEquals(-Errno.EAGAIN, Files.flock(second, Files.LOCK_EX | Files.LOCK_NB));
        assertEquals(0, Files.close(first));

        assertEquals(0, Files.flock(second, Files.LOCK_EX | Files.LOCK_NB));
        assertEquals(0, Files.close(second));
    }

    @Test
    void shouldRefuseBlockDeviceControlWhenRegularFile()
    {
        final int fd = create("regular");

        assertEquals(-25, Files.ioctl(fd, Files.BLKGETSIZE64, scratch), "ENOTTY");
        assertEquals(0, Files.close(fd));
    }

    @Test
    void shouldAddUpWhenEventsAreCounted()
    {
        final int fd = NativeException.check("eventfd", Files.eventfd(1, Files.EFD_NONBLOCK | Files.EFD_CLOEXEC));
        NativeMemory.putLong(scratch, 41L);
        assertEquals(8, Files.write(fd, scratch, 8));

        assertEquals(8, Files.read(fd, scratch + 8, 8));
        assertEquals(42L, NativeMemory.getLong(scratch + 8));

        assertEquals(-Errno.EAGAIN, Files.read(fd, scratch + 8, 8));
        assertEquals(0, Files.close(fd));
        assertEquals(-Errno.EBADF, Files.close(fd));
    }

    /** The flag itself is read: a descriptor without it would wait without end. */
    @Test
    void shouldMakeADescriptorNonBlockingAndKeepItsOtherFlags() throws Exception
    {
        final int fd = NativeException.check("open", Files.open(
            arena.allocateFrom(folder.resolve("appended").toString()).address(),
            Files.O_RDWR | Files.O_CREAT | O_APPEND, MODE));
        assertEquals(0, Files.setNonBlocking(fd));
        final String flags = java.nio.file.Files.readAllLines(Path.of("/proc/self/fdinfo/" + fd)).stream()
            .filter(line -> line.startsWith("flags:")).findAny().get();
        final int bits = Integer.parseInt(flags.substring("flags:".length()).trim(), 8);
        assertEquals(O_APPEND | O_NONBLOCK, bits & (O_APPEND | O_NONBLOCK), flags);
        assertEquals(0, Files.close(fd));
        assertEquals(-Errno.EBADF, Files.setNonBlocking(fd));
    }

    private int create(final String name)
    {
        return NativeException.check("open", Files.open(path(folder.resolve(name).toString()),
            Files.O_RDWR | Files.O_CREAT | Files.O_CLOEXEC, MODE));
    }

    private long path(final String text)
    {
        return arena.allocateFrom(text).address();
    }
}
