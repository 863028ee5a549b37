package io.millrace.bindings.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.millrace.bindings.Native;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * CPU affinity of the calling thread and limits of the process.
 */
public final class Threads
{
    /** Open descriptors. */
    public static final int RLIMIT_NOFILE = 7;
    /** Locked memory in bytes. */
    public static final int RLIMIT_MEMLOCK = 8;

    private static final MethodHandle SCHED_SETAFFINITY = Native.linkErrno("sched_setaffinity",
        FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle SCHED_GETAFFINITY = Native.linkErrno("sched_getaffinity",
        FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle GETRLIMIT = Native.linkErrno("getrlimit",
        FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG));
    private static final MethodHandle SETRLIMIT = Native.linkErrno("setrlimit",
        FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG));

    private Threads()
    {
    }

    /**
     * Says on which CPUs a thread may run.
     *
     * @param tid         thread, 0 for the caller.
     * @param lengthBytes of the mask.
     * @param maskAddress of the mask.
     * @return 0 or negated errno.
     */
    public static int sched_setaffinity(final int tid, final long lengthBytes, final long maskAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.result(capture, (int)SCHED_SETAFFINITY.invokeExact(capture, tid, lengthBytes, maskAddress));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * On which CPUs a thread may run.
     *
     * @param tid         thread, 0 for the caller.
     * @param lengthBytes of the mask.
     * @param maskAddress of room for the mask.
     * @return 0 or negated errno.
     */
    public static int sched_getaffinity(final int tid, final long lengthBytes, final long maskAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.result(capture, (int)SCHED_GETAFFINITY.invokeExact(capture, tid, lengthBytes, maskAddress));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Reads a resource limit.
     *
     * @param resource     {@code RLIMIT_*}.
     * @param limitAddress room for soft and hard limit, 8 bytes each.
     * @return 0 or negated errno.
     */
    public static int getrlimit(final int resource, final long limitAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.result(capture, (int)GETRLIMIT.invokeExact(capture, resource, limitAddress));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Sets a resource limit.
     *
     * @param resource     {@code RLIMIT_*}.
     * @param limitAddress of soft and hard limit, 8 bytes each.
     * @return 0 or negated errno.
     */
    public static int setrlimit(final int resource, final long limitAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.result(capture, (int)SETRLIMIT.invokeExact(capture, resource, limitAddress));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }
}
