package io.millrace.bindings.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.millrace.bindings.Native;
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
    public static final int O_RDONLY = 0;
    /** Read and write. */
    public static final int O_RDWR = 2;
    /** Make it when missing. */
    public static final int O_CREAT = 0x40;
    /** Fail when it exists; exclusive claim on a block device. */
    public static final int O_EXCL = 0x80;
    /** Closed on exec. */
    public static final int O_CLOEXEC = 0x80000;
    /** Keep the file size. */
    public static final int FALLOC_FL_KEEP_SIZE = 1;
    /** Deallocate; needs {@link #FALLOC_FL_KEEP_SIZE}. */
    public static final int FALLOC_FL_PUNCH_HOLE = 2;
    /** Zero a range. */
    public static final int FALLOC_FL_ZERO_RANGE = 0x10;
    /** Non-blocking event counter. */
    public static final int EFD_NONBLOCK = 0x800;
    /** Closed on exec. */
    public static final int EFD_CLOEXEC = 0x80000;
    /** Past the page cache; the number differs between processors. */
    public static final int O_DIRECT = "aarch64".equals(System.getProperty("os.arch")) ? 0x10000 : 0x4000;
    /** Exclusive lock. */
    public static final int LOCK_EX = 2;
    /** Do not wait for the lock. */
    public static final int LOCK_NB = 4;

    private static final MethodHandle OPEN = Native.linkErrno("open",
        FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT), Linker.Option.firstVariadicArg(2));
    private static final MethodHandle CLOSE = Native.linkErrno("close",
        FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final MethodHandle FTRUNCATE = Native.linkErrno("ftruncate",
        FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG));
    private static final MethodHandle FALLOCATE = Native.linkErrno("fallocate",
        FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle FDATASYNC = Native.linkErrno("fdatasync",
        FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final MethodHandle PREAD = Native.linkErrno("pread",
        FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle PWRITE = Native.linkErrno("pwrite",
        FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle READ = Native.linkCriticalErrno("read",
        FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle WRITE = Native.linkCriticalErrno("write",
        FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle IOCTL = Native.linkErrno("ioctl",
        FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG), Linker.Option.firstVariadicArg(2));
    private static final MethodHandle FLOCK = Native.linkErrno("flock",
        FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle EVENTFD = Native.linkErrno("eventfd",
        FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle STATX = Native.linkErrno("statx",
        FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG));

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
            return Native.result(capture, (int)OPEN.invokeExact(capture, pathAddress, flags, mode));
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
            return Native.result(capture, (int)CLOSE.invokeExact(capture, fd));
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
            return Native.result(capture, (int)FTRUNCATE.invokeExact(capture, fd, lengthBytes));
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
            return Native.result(capture, (int)FALLOCATE.invokeExact(capture, fd, mode, offsetBytes, lengthBytes));
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
            return Native.result(capture, (int)FDATASYNC.invokeExact(capture, fd));
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
            return Native.result(capture, (long)PREAD.invokeExact(capture, fd, address, lengthBytes, offsetBytes));
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
            return Native.result(capture, (long)PWRITE.invokeExact(capture, fd, address, lengthBytes, offsetBytes));
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
            return Native.result(capture, (long)READ.invokeExact(capture, fd, address, lengthBytes));
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
            return Native.result(capture, (long)WRITE.invokeExact(capture, fd, address, lengthBytes));
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
            return Native.result(capture, (int)IOCTL.invokeExact(capture, fd, request, argument));
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
            return Native.result(capture, (int)FLOCK.invokeExact(capture, fd, operation));
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
            return Native.result(capture, (int)EVENTFD.invokeExact(capture, initial, flags));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Attributes of a file, direct I/O alignment among them.
     *
     * @param dirFd        -100 ({@code AT_FDCWD}) or a descriptor with an empty path.
     * @param pathAddress  of a NUL-terminated path.
     * @param flags        0x1000 ({@code AT_EMPTY_PATH}).
     * @param mask         {@code STATX_*}.
     * @param statxAddress room for a {@code struct statx}, 256 bytes.
     * @return 0 or negated errno.
     */
    public static int statx(
        final int dirFd, final long pathAddress, final int flags, final int mask, final long statxAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.result(capture,
                (int)STATX.invokeExact(capture, dirFd, pathAddress, flags, mask, statxAddress));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }
}
