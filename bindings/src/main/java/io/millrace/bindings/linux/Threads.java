package io.millrace.bindings.linux;

import io.millrace.bindings.Native;
import io.millrace.bindings.generated.linux.linux_h;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * CPU affinity of the calling thread and limits of the process.
 */
public final class Threads
{
    /** Open descriptors. */
    public static final int RLIMIT_NOFILE = linux_h.RLIMIT_NOFILE();
    /** Locked memory in bytes. */
    public static final int RLIMIT_MEMLOCK = linux_h.RLIMIT_MEMLOCK();

    private static final MethodHandle SCHED_SETAFFINITY =
        Native.linkErrno("sched_setaffinity", linux_h.sched_setaffinity$descriptor());
    private static final MethodHandle SCHED_GETAFFINITY =
        Native.linkErrno("sched_getaffinity", linux_h.sched_getaffinity$descriptor());
    private static final MethodHandle GETRLIMIT = Native.linkErrno("getrlimit", linux_h.getrlimit$descriptor());
    private static final MethodHandle SETRLIMIT = Native.linkErrno("setrlimit", linux_h.setrlimit$descriptor());

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
    public static int schedSetaffinity(final int tid, final long lengthBytes, final long maskAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.intResult(capture, (long)SCHED_SETAFFINITY.invokeExact(
                capture, (long)tid, lengthBytes, maskAddress));
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
    public static int schedGetaffinity(final int tid, final long lengthBytes, final long maskAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.intResult(capture, (long)SCHED_GETAFFINITY.invokeExact(
                capture, (long)tid, lengthBytes, maskAddress));
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
     * @param limitAddress room for a {@link ResourceLimit}.
     * @return 0 or negated errno.
     */
    public static int getrlimit(final int resource, final long limitAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.intResult(capture, (long)GETRLIMIT.invokeExact(capture, (long)resource, limitAddress));
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
     * @param limitAddress of a {@link ResourceLimit}.
     * @return 0 or negated errno.
     */
    public static int setrlimit(final int resource, final long limitAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.intResult(capture, (long)SETRLIMIT.invokeExact(capture, (long)resource, limitAddress));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }
}
