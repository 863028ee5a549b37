package io.millrace.bindings.linux;

import io.millrace.bindings.Native;
import io.millrace.bindings.generated.linux.linux_h;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Memory mappings ({@code mmap(2)}). Set-up only.
 */
public final class Mappings
{
    /** Readable. */
    public static final int PROT_READ = linux_h.PROT_READ();
    /** Writable. */
    public static final int PROT_WRITE = linux_h.PROT_WRITE();
    /** Shared with other mappings of the same object. */
    public static final int MAP_SHARED = linux_h.MAP_SHARED();
    /** Private copy. */
    public static final int MAP_PRIVATE = linux_h.MAP_PRIVATE();
    /** No file behind it. */
    public static final int MAP_ANONYMOUS = linux_h.MAP_ANONYMOUS();
    /** Pages are there at once. */
    public static final int MAP_POPULATE = linux_h.MAP_POPULATE();
    /** From the hugepage pool. */
    public static final int MAP_HUGETLB = linux_h.MAP_HUGETLB();
    /** Log2 of the hugepage size goes here. */
    public static final int MAP_HUGE_SHIFT = linux_h.MAP_HUGE_SHIFT();
    /** Back with transparent huge pages. */
    public static final int MADV_HUGEPAGE = linux_h.MADV_HUGEPAGE();
    /** Leave out of core dumps. */
    public static final int MADV_DONTDUMP = linux_h.MADV_DONTDUMP();
    /** Fault pages in for writing. */
    public static final int MADV_POPULATE_WRITE = linux_h.MADV_POPULATE_WRITE();

    private static final MethodHandle MMAP = Native.linkErrno("mmap", linux_h.mmap$descriptor());
    private static final MethodHandle MUNMAP = Native.linkErrno("munmap", linux_h.munmap$descriptor());
    private static final MethodHandle MADVISE = Native.linkErrno("madvise", linux_h.madvise$descriptor());
    private static final MethodHandle MPROTECT = Native.linkErrno("mprotect", linux_h.madvise$descriptor());
    private static final MethodHandle MLOCK = Native.linkErrno("mlock", linux_h.mlock$descriptor());

    private Mappings()
    {
    }

    /**
     * Maps memory.
     *
     * @param address     wanted, or 0.
     * @param lengthBytes a multiple of the page size.
     * @param protection  {@code PROT_*}.
     * @param flags       {@code MAP_*}.
     * @param fd          file, or -1.
     * @param offsetBytes in the file.
     * @return address or negated errno.
     */
    public static long mmap(
        final long address,
        final long lengthBytes,
        final int protection,
        final int flags,
        final int fd,
        final long offsetBytes)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.result(capture, (long)MMAP.invokeExact(
                capture, address, lengthBytes, (long)protection, (long)flags, (long)fd, offsetBytes));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Unmaps memory.
     *
     * @param address     of the mapping.
     * @param lengthBytes of the mapping.
     * @return 0 or negated errno.
     */
    public static int munmap(final long address, final long lengthBytes)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.intResult(capture, (long)MUNMAP.invokeExact(capture, address, lengthBytes));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Says how memory will be used.
     *
     * @param address     of the range.
     * @param lengthBytes of the range.
     * @param advice      {@code MADV_*}.
     * @return 0 or negated errno.
     */
    public static int madvise(final long address, final long lengthBytes, final int advice)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.intResult(capture, (long)MADVISE.invokeExact(capture, address, lengthBytes, (long)advice));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Changes what may be done to memory. Its descriptor has the shape of {@code madvise}'s.
     *
     * @param address     of the range.
     * @param lengthBytes of the range.
     * @param protection  {@code PROT_*}; 0 for nothing.
     * @return 0 or negated errno; the range is as it was then.
     */
    public static int mprotect(final long address, final long lengthBytes, final int protection)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.intResult(
                capture, (long)MPROTECT.invokeExact(capture, address, lengthBytes, (long)protection));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Keeps memory resident.
     *
     * @param address     of the range.
     * @param lengthBytes of the range.
     * @return 0 or negated errno.
     */
    public static int mlock(final long address, final long lengthBytes)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.intResult(capture, (long)MLOCK.invokeExact(capture, address, lengthBytes));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }
}
