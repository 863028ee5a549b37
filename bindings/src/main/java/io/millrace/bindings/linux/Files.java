package io.millrace.bindings.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.millrace.bindings.Architecture;
import io.millrace.bindings.Native;
import io.millrace.bindings.generated.linux.linux_h;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * File and descriptor calls. May block, unless said otherwise; reactors use io_uring instead.
 */
public final class Files
{
    /** Read. */
    public static final int O_RDONLY = linux_h.O_RDONLY();
    /** Read and write. */
    public static final int O_RDWR = linux_h.O_RDWR();
    /** Make it when missing. */
    public static final int O_CREAT = linux_h.O_CREAT();
    /** Fail when it exists; exclusive claim on a block device. */
    public static final int O_EXCL = linux_h.O_EXCL();
    /** Closed on exec. */
    public static final int O_CLOEXEC = linux_h.O_CLOEXEC();
    /** Keep the file size. */
    public static final int FALLOC_FL_KEEP_SIZE = linux_h.FALLOC_FL_KEEP_SIZE();
    /** Deallocate; needs {@link #FALLOC_FL_KEEP_SIZE}. */
    public static final int FALLOC_FL_PUNCH_HOLE = linux_h.FALLOC_FL_PUNCH_HOLE();
    /** Zero a range. */
    public static final int FALLOC_FL_ZERO_RANGE = linux_h.FALLOC_FL_ZERO_RANGE();
    /** Non-blocking event counter. */
    public static final int EFD_NONBLOCK = linux_h.EFD_NONBLOCK();
    /** Closed on exec. */
    public static final int EFD_CLOEXEC = linux_h.EFD_CLOEXEC();
    /** Past the page cache; the number differs between processors. */
    public static final int O_DIRECT = Architecture.current().directFlag();
    /** Paths are relative to the working directory. */
    public static final int AT_FDCWD = linux_h.AT_FDCWD();
    /** The descriptor itself is meant, the path is empty. */
    public static final int AT_EMPTY_PATH = linux_h.AT_EMPTY_PATH();
    /** {@code statx}: type, mode, size and times. */
    public static final int STATX_BASIC_STATS = linux_h.STATX_BASIC_STATS();
    /** {@code statx}: alignment of direct I/O. Linux 6.1. */
    public static final int STATX_DIOALIGN = linux_h.STATX_DIOALIGN();
    /** {@code ioctl}: size of a block device in bytes, 64 bits. */
    public static final long BLKGETSIZE64 = linux_h.BLKGETSIZE64();
    /** {@code ioctl}: logical block size of a block device, 32 bits. */
    public static final long BLKSSZGET = linux_h.BLKSSZGET();
    /** {@code ioctl}: physical block size of a block device, 32 bits. */
    public static final long BLKPBSZGET = linux_h.BLKPBSZGET();
    /** {@code ioctl}: whether a block device is read-only, 32 bits. */
    public static final long BLKROGET = linux_h.BLKROGET();
    /** {@code ioctl}: deallocates a range, given as offset and length of 64 bits each. */
    public static final long BLKDISCARD = linux_h.BLKDISCARD();
    /** {@code ioctl}: zeroes a range, given as offset and length of 64 bits each. */
    public static final long BLKZEROOUT = linux_h.BLKZEROOUT();
    /** Exclusive lock. */
    public static final int LOCK_EX = linux_h.LOCK_EX();
    /** Do not wait for the lock. */
    public static final int LOCK_NB = linux_h.LOCK_NB();

    private static final MethodHandle OPEN = Native.linkErrno("open",
        FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT), Linker.Option.firstVariadicArg(2));
    private static final MethodHandle CLOSE = Native.linkErrno("close", linux_h.close$descriptor());
    private static final MethodHandle FTRUNCATE = Native.linkErrno("ftruncate", linux_h.ftruncate$descriptor());
    private static final MethodHandle FALLOCATE = Native.linkErrno("fallocate", linux_h.fallocate$descriptor());
    private static final MethodHandle FDATASYNC = Native.linkErrno("fdatasync", linux_h.fdatasync$descriptor());
    private static final MethodHandle PREAD = Native.linkErrno("pread", linux_h.pread$descriptor());
    private static final MethodHandle PWRITE = Native.linkErrno("pwrite", linux_h.pwrite$descriptor());
    private static final MethodHandle READ = Native.linkCriticalErrno("read", linux_h.read$descriptor());
    private static final MethodHandle WRITE = Native.linkCriticalErrno("write", linux_h.write$descriptor());
    private static final MethodHandle IOCTL = Native.linkErrno("ioctl",
        FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG), Linker.Option.firstVariadicArg(2));
    private static final MethodHandle FLOCK = Native.linkErrno("flock", linux_h.flock$descriptor());
    private static final MethodHandle EVENTFD = Native.linkErrno("eventfd", linux_h.eventfd$descriptor());
    /** {@code fcntl}, of Linux on all processors. */
    private static final long F_DUPFD_CLOEXEC = 1030;
    private static final long F_GETFL = 3;
    private static final long F_SETFL = 4;
    private static final long O_NONBLOCK = 04000;
    private static final MethodHandle FCNTL = Native.linkErrno("fcntl",
        FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG), Linker.Option.firstVariadicArg(2));
    private static final MethodHandle STATX = Native.linkErrno("statx", linux_h.statx$descriptor());

    private Files()
    {
    }

    /**
     * Opens a file.
     *
     * @param pathAddress of a NUL-terminated path.
     * @param flags       {@code O_*}.
     * @param mode        permissions of a new file.
     * @return descriptor or negated errno.
     */
    public static int open(final long pathAddress, final int flags, final int mode)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.intResult(capture, (long)OPEN.invokeExact(capture, pathAddress, (long)flags, (long)mode));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Closes a descriptor.
     *
     * @param fd descriptor.
     * @return 0 or negated errno.
     */
    public static int close(final int fd)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.intResult(capture, (long)CLOSE.invokeExact(capture, (long)fd));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Sets the size of a file.
     *
     * @param fd          file.
     * @param lengthBytes new size.
     * @return 0 or negated errno.
     */
    public static int ftruncate(final int fd, final long lengthBytes)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.intResult(capture, (long)FTRUNCATE.invokeExact(capture, (long)fd, lengthBytes));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Allocates, zeroes or frees a range.
     *
     * @param fd          file.
     * @param mode        {@code FALLOC_FL_*}.
     * @param offsetBytes of the range.
     * @param lengthBytes of the range.
     * @return 0 or negated errno.
     */
    public static int fallocate(final int fd, final int mode, final long offsetBytes, final long lengthBytes)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.intResult(capture, (long)FALLOCATE.invokeExact(
                capture, (long)fd, (long)mode, offsetBytes, lengthBytes));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Makes data stable.
     *
     * @param fd file.
     * @return 0 or negated errno.
     */
    public static int fdatasync(final int fd)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.intResult(capture, (long)FDATASYNC.invokeExact(capture, (long)fd));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Reads at an offset.
     *
     * @param fd          file.
     * @param address     of the buffer.
     * @param lengthBytes of the buffer.
     * @param offsetBytes in the file.
     * @return bytes read or negated errno.
     */
    public static long pread(final int fd, final long address, final long lengthBytes, final long offsetBytes)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.result(capture, (long)PREAD.invokeExact(
                capture, (long)fd, address, lengthBytes, offsetBytes));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Writes at an offset.
     *
     * @param fd          file.
     * @param address     of the data.
     * @param lengthBytes of the data.
     * @param offsetBytes in the file.
     * @return bytes written or negated errno.
     */
    public static long pwrite(final int fd, final long address, final long lengthBytes, final long offsetBytes)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.result(capture, (long)PWRITE.invokeExact(
                capture, (long)fd, address, lengthBytes, offsetBytes));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Reads from a non-blocking descriptor such as an event counter; linked as critical.
     *
     * @param fd          descriptor.
     * @param address     of the buffer.
     * @param lengthBytes of the buffer.
     * @return bytes read or negated errno.
     */
    public static long read(final int fd, final long address, final long lengthBytes)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.result(capture, (long)READ.invokeExact(capture, (long)fd, address, lengthBytes));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Writes to a non-blocking descriptor such as an event counter; linked as critical.
     *
     * @param fd          descriptor.
     * @param address     of the data.
     * @param lengthBytes of the data.
     * @return bytes written or negated errno.
     */
    public static long write(final int fd, final long address, final long lengthBytes)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.result(capture, (long)WRITE.invokeExact(capture, (long)fd, address, lengthBytes));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Device control.
     *
     * @param fd       descriptor.
     * @param request  number.
     * @param argument address or value.
     * @return result or negated errno.
     */
    public static int ioctl(final int fd, final long request, final long argument)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.intResult(capture, (long)IOCTL.invokeExact(capture, (long)fd, request, argument));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Length of a block device ({@code BLKGETSIZE64}). Allocates nothing: without {@code errno}.
     *
     * @param fd            of the block device.
     * @param resultAddress of 8 bytes, where the length in bytes goes.
     * @return false when the kernel does not say.
     */
    public static boolean blockDeviceBytes(final int fd, final long resultAddress)
    {
        try
        {
            return 0 == (int)(long)PlainIoctl.IOCTL.invokeExact((long)fd, BLKGETSIZE64, resultAddress);
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Locks a file against other openers of it.
     *
     * @param fd        file.
     * @param operation {@link #LOCK_EX}, {@link #LOCK_NB}.
     * @return 0 or negated errno.
     */
    public static int flock(final int fd, final int operation)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.intResult(capture, (long)FLOCK.invokeExact(capture, (long)fd, (long)operation));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Makes an event counter.
     *
     * @param initial value.
     * @param flags   {@code EFD_*}.
     * @return descriptor or negated errno.
     */
    public static int eventfd(final int initial, final int flags)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.intResult(capture, (long)EVENTFD.invokeExact(capture, (long)initial, (long)flags));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Makes another number for an open descriptor, closed on exec.
     *
     * @param fd descriptor.
     * @return the other number, or negated errno.
     */
    public static int duplicate(final int fd)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.intResult(capture, (long)FCNTL.invokeExact(capture, (long)fd, F_DUPFD_CLOEXEC, 0L));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Has calls on a descriptor fail with {@code EAGAIN} instead of waiting.
     *
     * @param fd descriptor.
     * @return 0 or negated errno.
     */
    public static int setNonBlocking(final int fd)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            final int flags = Native.intResult(capture, (long)FCNTL.invokeExact(capture, (long)fd, F_GETFL, 0L));
            return flags < 0 ? flags : Native.intResult(
                capture, (long)FCNTL.invokeExact(capture, (long)fd, F_SETFL, flags | O_NONBLOCK));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Attributes of a file, direct I/O alignment among them.
     *
     * @param dirFd        {@link #AT_FDCWD}, or a descriptor with an empty path.
     * @param pathAddress  of a NUL-terminated path.
     * @param flags        {@link #AT_EMPTY_PATH}.
     * @param mask         {@code STATX_*}.
     * @param statxAddress room for a {@link FileStatus}.
     * @return 0 or negated errno.
     */
    public static int statx(
        final int dirFd, final long pathAddress, final int flags, final int mask, final long statxAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.intResult(capture, (long)STATX.invokeExact(
                capture, (long)dirFd, pathAddress, (long)flags, (long)mask, statxAddress));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Linked when it is first needed, not at start.
     */
    private static final class PlainIoctl
    {
        private static final MethodHandle IOCTL = Native.link("ioctl",
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG), Linker.Option.firstVariadicArg(2));
    }
}
