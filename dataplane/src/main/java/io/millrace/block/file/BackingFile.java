package io.millrace.block.file;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeException;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.linux.FileStatus;
import io.millrace.bindings.linux.Files;
import io.millrace.block.BlockDeviceException;
import io.millrace.lock.LockHolder;
import io.millrace.reactor.Reactor;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * The opened, claimed and sized file or block device under a {@link FileDevice}. Made and closed off the reactors; its
 * descriptor is used by all channels with direct I/O.
 */
final class BackingFile implements AutoCloseable
{
    // linux/fcntl.h
    private static final int LOCK_SH = 1;
    private static final int LOCK_UN = 8;
    // Half a second: the rings of a killed process release its files shortly after its end.
    private static final int CLAIM_TRIES = 50;
    // Three seconds: a closed ring holds a block device for up to a second (Linux 6.1).
    private static final int EXCLUSIVE_TRIES = 300;
    private static final long CLAIM_PARK_NS = 10_000_000;
    private static final int CREATE_MODE = 0600;
    private static final int ALIGNMENT_MAX = 4096;

    private final FileDeviceConfig config;
    private final List<String> notes = new ArrayList<>();
    private BoundedPath place;
    private int fd = -1;
    private boolean isCreated;
    private boolean isGrown;
    private boolean isBlockDevice;
    private boolean isDirect;
    private String deviceNumbers;
    private long lengthBytes;
    private int memoryAlignmentBytes = 1;
    private int offsetAlignmentBytes = 1;

    private BackingFile(final FileDeviceConfig config, final BoundedPath place)
    {
        this.config = config;
        this.place = place;
    }

    /**
     * Opens, claims and sizes. A file that this call made is removed again when it fails.
     *
     * @param config of the device.
     * @return the file, ready for I/O.
     * @throws BlockDeviceException when the file cannot be opened, resized or allocated.
     */
    static BackingFile open(final FileDeviceConfig config)
    {
        try (Arena arena = Arena.ofConfined())
        {
            return open(arena, config, BoundedPath.open(arena, config));
        }
    }

    /**
     * Opens, claims and sizes the file of a path that was resolved before.
     *
     * @param arena  for what lives as long as this call.
     * @param config of the device.
     * @param place  of the path; the file's from now on, which closes it, also when this call fails.
     * @return the file, ready for I/O.
     * @throws BlockDeviceException when the file is unavailable, sized or allocated, or is not what was resolved.
     */
    static BackingFile open(final Arena arena, final FileDeviceConfig config, final BoundedPath place)
    {
        final BackingFile file = new BackingFile(config, place);
        try
        {
            file.openFile(arena);
            file.claim();
            file.findLength(arena);
            file.checkWritable(arena);
            file.resize();
            file.findAlignment(arena);
            file.makeDurable();
            return file;
        }
        catch (final RuntimeException e)
        {
            file.abandon();
            throw e;
        }
    }

    int fd()
    {
        return fd;
    }

    /**
     * Opens the same file once more, whatever its path leads to now. Only for buffered I/O.
     *
     * @return descriptor without claim and lock, the caller's to close.
     * @throws NativeException when the process has too many.
     */
    int openAgain()
    {
        Reactor.checkMayBlock("opening a file");
        try (Arena arena = Arena.ofConfined())
        {
            final Path path = BoundedPath.ofDescriptor(fd);
            final int opened =
                Files.open(arena.allocateFrom(path.toString()).address(), Files.O_CLOEXEC | Files.O_RDWR, 0);
            if (opened < 0)
            {
                throw new NativeException("open " + path, -opened);
            }
            return opened;
        }
    }

    long lengthBytes()
    {
        return lengthBytes;
    }

    boolean isBlockDevice()
    {
        return isBlockDevice;
    }

    /**
     * Looks how long a block device is now: one that was removed or made smaller under its user is shorter than when it
     * was opened. Any thread; does not block.
     *
     * @param address of 8 bytes, the caller's.
     * @return length in bytes; of a regular file, which is not looked at, the most there is.
     */
    long measure(final long address)
    {
        if (!isBlockDevice)
        {
            return Long.MAX_VALUE;
        }
        return Files.blockDeviceBytes(fd, address) ? NativeMemory.getLong(address) : 0;
    }

    boolean isDirect()
    {
        return isDirect;
    }

    int memoryAlignmentBytes()
    {
        return memoryAlignmentBytes;
    }

    List<String> notes()
    {
        return notes;
    }

    /**
     * {@return attributes of the queue of the drive that is, or is below, this file}
     */
    QueueAttributes queueAttributes()
    {
        return QueueAttributes.of(deviceNumbers);
    }

    /**
     * {@return whether ranges can be given back to the file system}
     */
    boolean canPunchHoles()
    {
        // Beyond the end, where there is no data.
        return 0 == Files.fallocate(fd, FallocateMode.PUNCH_HOLE, lengthBytes, ALIGNMENT_MAX);
    }

    /**
     * Enlarges the file, or checks that the block device is large enough.
     *
     * @param target length wanted, not below the present one.
     * @throws BlockDeviceException when it cannot have that size; it is unchanged then.
     */
    void grow(final long target)
    {
        if (target <= lengthBytes)
        {
            return;
        }
        if (isBlockDevice)
        {
            final long before = lengthBytes;
            try (Arena arena = Arena.ofConfined())
            {
                findLength(arena);
            }
            if (target > lengthBytes)
            {
                final long there = lengthBytes;
                lengthBytes = before;
                throw refusal("size " + target + " is above the " + there + " bytes that " + config.path() +
                    " has: enlarge it with its own tools first");
            }
            return;
        }
        if (config.readOnly())
        {
            throw refusal("size " + target + " cannot be set: the device is read-only and " + config.path() +
                " is not changed through it");
        }
        allocate(target, true);
        lengthBytes = target;
        isGrown = true;
        makeDurable();
    }

    @Override
    public void close()
    {
        if (fd >= 0)
        {
            // A closed ring releases the file later, and the lock belongs to the file.
            Files.flock(fd, LOCK_UN);
            Files.close(fd);
            fd = -1;
        }
        if (null != place)
        {
            place.close();
            place = null;
        }
    }

    /**
     * Closes the file, and removes it with its record when it was made by {@link #open}, which found no record: set-up
     * failed. It is removed while it is locked, so that no other process can have begun to use it.
     */
    void abandon()
    {
        if (isCreated)
        {
            try
            {
                // First: a record without a file would refuse the next start.
                config.records().withdraw(config.path());
                java.nio.file.Files.deleteIfExists(place.path());
            }
            catch (final IOException e)
            {
                notes.add(e.getMessage());
            }
        }
        close();
    }

    /**
     * Records the file, when nothing can fail any more: one that {@link #abandon} removes may be made again.
     */
    void keepRecord()
    {
        try
        {
            config.records().add(config.name(), config.path());
        }
        catch (final IOException e)
        {
            notes.add("device " + config.name() + ": that it has " + config.path() + " cannot be recorded (" + e +
                "): if that file is missing at a later start, an empty one is made");
        }
    }

    private BlockDeviceException refusal(final String what)
    {
        return new BlockDeviceException("device " + config.name() + ": " + what);
    }

    private BlockDeviceException failure(final String what, final int errno, final String remedy)
    {
        return new BlockDeviceException("device " + config.name() + ": " + what + ": " + Errno.describe(errno) + ": " +
            remedy, new NativeException(what, errno));
    }

    private void openFile(final Arena arena)
    {
        final long path = arena.allocateFrom(place.path().toString()).address();
        final long statx = arena.allocate(FileStatus.SIZE_BYTES, 8).address();
        final int found = Files.statx(Files.AT_FDCWD, path, 0, Files.STATX_BASIC_STATS, statx);
        int flags = Files.O_CLOEXEC | (config.readOnly() ? Files.O_RDONLY : Files.O_RDWR);
        if (0 == found)
        {
            isBlockDevice = FileStatus.isBlockDevice(statx);
            if (!isBlockDevice && !FileStatus.isRegularFile(statx))
            {
                throw refusal("path " + config.path() + " is neither a regular file nor a block device: name one");
            }
            if (isBlockDevice && !config.readOnly())
            {
                // Without O_CREAT this is the kernel's claim: mounted, swapped on and assembled devices refuse.
                flags |= Files.O_EXCL;
            }
        }
        else if (-Errno.ENOENT == found && config.sizeBytes() > 0 && !config.readOnly())
        {
            checkIsNew();
            flags |= Files.O_CREAT | Files.O_EXCL;
            isCreated = true;
        }
        else if (-Errno.ENOENT == found)
        {
            throw refusal("path " + config.path() + " does not exist: " + (config.readOnly() ?
                "a read-only device needs an existing file" : "give a size to have it made"));
        }
        else
        {
            throw failure("path " + config.path(), -found, "check the path and its permissions");
        }
        Reactor.checkMayBlock("opening a file");
        isDirect = true;
        fd = Files.open(path, flags | Files.O_DIRECT, CREATE_MODE);
        for (int i = 1; i < EXCLUSIVE_TRIES && -Errno.EBUSY == fd; i++)
        {
            LockSupport.parkNanos(CLAIM_PARK_NS);
            fd = Files.open(path, flags | Files.O_DIRECT, CREATE_MODE);
        }
        if (-Errno.EINVAL == fd)
        {
            isDirect = false;
            fd = Files.open(path, flags & ~Files.O_EXCL, CREATE_MODE);
        }
        if (fd < 0)
        {
            isCreated = false;
            throw openFailure(-fd);
        }
        place.check(fd);
    }

    /** An empty file in the place of one that is lost or not mounted would be served under the same identity. */
    private void checkIsNew()
    {
        final FileRecords.Record record;
        try
        {
            record = config.records().find(config.path());
        }
        catch (final IOException e)
        {
            throw new BlockDeviceException("device " + config.name() + ": path " + config.path() +
                " does not exist, and whether a device had it cannot be read (" + e + "): let this user read that", e);
        }
        if (null != record)
        {
            throw refusal("path " + config.path() + " does not exist, though " + record +
                ": mount its file system or restore the file; to begin with an empty one make it with 'touch'" +
                (record.isOwn() ? "" : ", or delete the device and create it"));
        }
    }

    private BlockDeviceException openFailure(final int errno)
    {
        return failure("path " + config.path() + " cannot be opened", errno, switch (errno)
        {
            case Errno.ENOENT -> "make its directory first";
            case Errno.EACCES, Errno.EPERM -> "give this user the right to read and write it";
            case Errno.EBUSY -> "unmount it or take it out of use first";
            case Errno.EROFS -> "set read-only or use a writable file system";
            default -> "check the path";
        });
    }

    private void claim()
    {
        Reactor.checkMayBlock("claiming a file");
        final int lock = (config.readOnly() ? LOCK_SH : Files.LOCK_EX) | Files.LOCK_NB;
        int claimed = Files.flock(fd, lock);
        for (int i = 1; i < CLAIM_TRIES && -Errno.EAGAIN == claimed; i++)
        {
            LockSupport.parkNanos(CLAIM_PARK_NS);
            claimed = Files.flock(fd, lock);
        }
        if (-Errno.EAGAIN == claimed)
        {
            throw refusal("path " + config.path() + " is in use by another process or another device, locked by " +
                LockHolder.describe(config.path()) + ": stop that one or name another file");
        }
        if (claimed < 0)
        {
            throw failure("path " + config.path() + " cannot be locked", -claimed, "use a file system with flock");
        }
    }

    private void findLength(final Arena arena)
    {
        final long statx = arena.allocate(FileStatus.SIZE_BYTES, 8).address();
        final long deviceSize = arena.allocate(Long.BYTES, Long.BYTES).address();
        final int result = statxOfFile(arena, Files.STATX_BASIC_STATS, statx);
        final int sizeResult = isBlockDevice ? Files.ioctl(fd, Files.BLKGETSIZE64, deviceSize) : 0;
        if (result < 0 || sizeResult < 0)
        {
            throw failure("size of " + config.path() + " cannot be read", -Math.min(result, sizeResult),
                "check the path");
        }
        deviceNumbers = FileStatus.deviceNumbers(statx);
        lengthBytes = isBlockDevice ?
            NativeMemory.getLong(deviceSize) : FileStatus.sizeBytes(statx);
    }

    /** The kernel opens a read-only block device for writing and refuses each write. */
    private void checkWritable(final Arena arena)
    {
        final long flag = arena.allocate(Integer.BYTES, Integer.BYTES).address();
        if (isBlockDevice && !config.readOnly() && 0 == Files.ioctl(fd, Files.BLKROGET, flag) &&
            0 != NativeMemory.getInt(flag))
        {
            throw refusal("path " + config.path() + " is a read-only block device: set read-only, or make it " +
                "writable (blockdev --setrw) where its drive can be written");
        }
    }

    private void resize()
    {
        final long wanted = config.sizeBytes();
        if (0 != wanted && wanted < lengthBytes)
        {
            throw refusal("size " + wanted + " is below the " + lengthBytes + " bytes that " + config.path() +
                " has, and data is never truncated: give size " + lengthBytes + " or none");
        }
        if (wanted > lengthBytes && (isBlockDevice || config.readOnly()))
        {
            throw refusal("size " + wanted + " is above the " + lengthBytes + " bytes that " + config.path() +
                " has, which cannot grow here: give size " + lengthBytes + " or none");
        }
        final long target = Math.max(wanted, lengthBytes);
        if (target < config.blockSizeBytes())
        {
            throw refusal("path " + config.path() + " has " + lengthBytes + " bytes, less than one block of " +
                config.blockSizeBytes() + ": give a size");
        }
        if (!isBlockDevice && !config.readOnly())
        {
            allocate(target, !isCreated);
        }
        isGrown = target > lengthBytes;
        lengthBytes = target;
    }

    private void allocate(final long target, final boolean isKept)
    {
        int result = config.preallocate() ? Files.fallocate(fd, 0, 0, target) : -Errno.EOPNOTSUPP;
        if (-Errno.EOPNOTSUPP == result)
        {
            if (config.preallocate())
            {
                notes.add("the file system cannot preallocate: a full disk is found when blocks are written");
            }
            result = target > lengthBytes ? Files.ftruncate(fd, target) : 0;
        }
        if (result < 0)
        {
            if (isKept)
            {
                // Space allocated beyond the old end is freed; the old data stays.
                Files.ftruncate(fd, lengthBytes);
            }
            throw failure("size " + target + " of " + config.path() + " cannot be allocated", -result,
                "free space, give a smaller size, or set preallocate: false");
        }
    }

    private void findAlignment(final Arena arena)
    {
        if (!isDirect)
        {
            notes.add("the file system has no direct I/O: data goes through the page cache");
            return;
        }
        final long statx = arena.allocate(FileStatus.SIZE_BYTES, 8).address();
        if (0 == statxOfFile(arena, Files.STATX_DIOALIGN, statx) &&
            0 != (FileStatus.mask(statx) & Files.STATX_DIOALIGN))
        {
            memoryAlignmentBytes = FileStatus.directMemoryAlignment(statx);
            offsetAlignmentBytes = FileStatus.directOffsetAlignment(statx);
        }
        else
        {
            offsetAlignmentBytes = isBlockDevice ? sectorBytes(arena) : tryAlignments(arena);
            // Memory never needs a larger alignment than offsets.
            memoryAlignmentBytes = offsetAlignmentBytes;
        }
        if (0 == offsetAlignmentBytes)
        {
            reopenBuffered(arena);
        }
        else if (offsetAlignmentBytes > config.blockSizeBytes())
        {
            throw refusal("block-size " + config.blockSizeBytes() + " is below the " + offsetAlignmentBytes +
                " bytes that direct I/O on " + config.path() + " needs: use block-size " + ALIGNMENT_MAX);
        }
    }

    private int statxOfFile(final Arena arena, final int mask, final long statx)
    {
        return Files.statx(fd, arena.allocateFrom("").address(), Files.AT_EMPTY_PATH, mask, statx);
    }

    private int sectorBytes(final Arena arena)
    {
        final long value = arena.allocate(8, 8).address();
        return 0 == Files.ioctl(fd, Files.BLKSSZGET, value) ? NativeMemory.getInt(value) : ALIGNMENT_MAX;
    }

    private int tryAlignments(final Arena arena)
    {
        final long buffer = arena.allocate(ALIGNMENT_MAX, ALIGNMENT_MAX).address();
        for (int alignment = Math.min(512, config.blockSizeBytes()); alignment <= ALIGNMENT_MAX; alignment *= 2)
        {
            if (alignment == Files.pread(fd, buffer, alignment, lengthBytes >= 2L * alignment ? alignment : 0))
            {
                return alignment;
            }
        }
        return 0;
    }

    private void reopenBuffered(final Arena arena)
    {
        // A lock belongs to the open file, so the new one is unavailable while the old one is held.
        Files.close(fd);
        fd = Files.open(arena.allocateFrom(place.path().toString()).address(),
            Files.O_CLOEXEC | (config.readOnly() ? Files.O_RDONLY : Files.O_RDWR), 0);
        if (fd < 0)
        {
            throw openFailure(-fd);
        }
        place.check(fd);
        claim();
        isDirect = false;
        memoryAlignmentBytes = 1;
        offsetAlignmentBytes = 1;
        notes.add("the file system refuses direct I/O on this file: data goes through the page cache");
    }

    private void makeDurable()
    {
        if (!isGrown)
        {
            return;
        }
        // A flush is useless when the file's name or length is lost in a power failure.
        try (FileChannel file = FileChannel.open(BoundedPath.ofDescriptor(fd), StandardOpenOption.READ);
            FileChannel parent = FileChannel.open(place.directory(), StandardOpenOption.READ))
        {
            file.force(true);
            parent.force(true);
        }
        catch (final IOException e)
        {
            throw new BlockDeviceException("device " + config.name() + ": path " + config.path() +
                " was made but cannot be made durable (" + e.getMessage() + "): check the file system", e);
        }
    }
}
