package io.millrace.bindings.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.millrace.bindings.Native;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Memory mappings ({@code mmap(2)}). Set-up only.
 */
public final class Mappings
{
    /** Readable. */
    public static final int PROT_READ = 1;
    /** Writable. */
    public static final int PROT_WRITE = 2;
    /** Shared with other mappings of the same object. */
    public static final int MAP_SHARED = 1;
    /** Private copy. */
    public static final int MAP_PRIVATE = 2;
    /** No file behind it. */
    public static final int MAP_ANONYMOUS = 0x20;
    /** Pages are there at once. */
    public static final int MAP_POPULATE = 0x8000;
    /** From the hugepage pool. */
    public static final int MAP_HUGETLB = 0x40000;
    /** Log2 of the hugepage size goes here. */
    public static final int MAP_HUGE_SHIFT = 26;
    /** Back with transparent huge pages. */
    public static final int MADV_HUGEPAGE = 14;
    /** Leave out of core dumps. */
    public static final int MADV_DONTDUMP = 16;
    /** Fault pages in for writing. */
    public static final int MADV_POPULATE_WRITE = 23;

    private static final MethodHandle MMAP = Native.linkErrno("mmap",
        FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
    private static final MethodHandle MUNMAP = Native.linkErrno("munmap",
        FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle MADVISE = Native.linkErrno("madvise",
        FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));
    private static final MethodHandle MLOCK = Native.linkErrno("mlock",
        FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));

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
        final long address, final long lengthBytes, final int protection, final int flags, final int fd, final long offsetBytes)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.result(capture,
                (long)MMAP.invokeExact(capture, address, lengthBytes, protection, flags, fd, offsetBytes));
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
            return Native.result(capture, (int)MUNMAP.invokeExact(capture, address, lengthBytes));
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
            return Native.result(capture, (int)MADVISE.invokeExact(capture, address, lengthBytes, advice));
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
            return Native.result(capture, (int)MLOCK.invokeExact(capture, address, lengthBytes));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }
}
