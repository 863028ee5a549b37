package io.millrace.bindings.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.millrace.bindings.Architecture;
import io.millrace.bindings.Native;
import io.millrace.bindings.generated.linux.linux_h;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * CPU affinity and scheduling of threads, and limits of the process.
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

    private static final long SYS_SCHED_SETATTR = Architecture.current().schedSetattrCall();
    private static final long SYS_SCHED_GETATTR = Architecture.current().schedGetattrCall();
    private static final MethodHandle SYSCALL = Native.linkErrno("syscall",
        FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
        Linker.Option.firstVariadicArg(1));

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
     * Says how a thread is scheduled ({@code sched_setattr(2)}).
     *
     * @param tid     thread, 0 for the caller.
     * @param address of {@link SchedulingAttributes}.
     * @return 0 or negated errno.
     */
    public static int schedSetattr(final int tid, final long address)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.intResult(capture, (long)SYSCALL.invokeExact(
                capture, SYS_SCHED_SETATTR, (long)tid, address, 0L, 0L, 0L, 0L));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * How a thread is scheduled ({@code sched_getattr(2)}).
     *
     * @param tid     thread, 0 for the caller.
     * @param address of room for {@link SchedulingAttributes}.
     * @return 0 or negated errno.
     */
    public static int schedGetattr(final int tid, final long address)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.intResult(capture, (long)SYSCALL.invokeExact(capture, SYS_SCHED_GETATTR, (long)tid, address,
                (long)SchedulingAttributes.SIZE_BYTES, 0L, 0L, 0L));
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
