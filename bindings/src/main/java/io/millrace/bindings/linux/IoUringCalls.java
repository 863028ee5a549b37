package io.millrace.bindings.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.millrace.bindings.Native;
import io.millrace.bindings.generated.linux.linux_h;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The three io_uring system calls, which the C library does not wrap ({@code io_uring_setup(2)},
 * {@code io_uring_enter(2)}, {@code io_uring_register(2)}).
 */
public final class IoUringCalls
{
    private static final long SYS_SETUP = linux_h.SYS_io_uring_setup();
    private static final long SYS_ENTER = linux_h.SYS_io_uring_enter();
    private static final long SYS_REGISTER = linux_h.SYS_io_uring_register();

    private static final FunctionDescriptor SYSCALL_DESCRIPTOR = FunctionDescriptor.of(
        JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle SYSCALL =
        Native.linkErrno("syscall", SYSCALL_DESCRIPTOR, Linker.Option.firstVariadicArg(1));
    private static final MethodHandle SYSCALL_NO_WAIT =
        Native.linkCriticalErrno("syscall", SYSCALL_DESCRIPTOR, Linker.Option.firstVariadicArg(1));
    private static final MethodHandle PLAIN_SYSCALL =
        Native.link("syscall", SYSCALL_DESCRIPTOR, Linker.Option.firstVariadicArg(1));
    private static final MethodHandle PLAIN_SYSCALL_NO_WAIT = Native.link(
        "syscall", SYSCALL_DESCRIPTOR, Linker.Option.firstVariadicArg(1), Linker.Option.critical(false));

    private IoUringCalls()
    {
    }

    /**
     * Makes a ring.
     *
     * @param entries       of the submission queue.
     * @param paramsAddress of {@link RingParams}, filled by the kernel.
     * @return ring descriptor or negated errno.
     */
    public static int setup(final int entries, final long paramsAddress)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.intResult(capture, (long)SYSCALL.invokeExact(
                capture, SYS_SETUP, (long)entries, paramsAddress, 0L, 0L, 0L, 0L));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Submits and waits for completions; may block. A call that fails is made once more, to learn why.
     *
     * @param ringFd      ring.
     * @param toSubmit    entries to submit.
     * @param minComplete completions to wait for.
     * @param flags       {@code IORING_ENTER_*}.
     * @return entries submitted or negated errno.
     */
    public static int enter(final int ringFd, final int toSubmit, final int minComplete, final int flags)
    {
        try
        {
            final long result = (long)PLAIN_SYSCALL.invokeExact(
                SYS_ENTER, (long)ringFd, (long)toSubmit, (long)minComplete, (long)flags, 0L, 0L);
            if (-1L != result)
            {
                return (int)result;
            }
            final MemorySegment capture = Native.capture();
            return Native.intResult(capture, (long)SYSCALL.invokeExact(
                capture, SYS_ENTER, (long)ringFd, (long)toSubmit, (long)minComplete, (long)flags, 0L, 0L));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Submits without waiting; linked as critical. A call that fails is made once more, to learn why.
     *
     * @param ringFd   ring.
     * @param toSubmit entries to submit.
     * @param flags    {@code IORING_ENTER_*}; with {@code GETEVENTS} pending task work is run, nothing is waited for.
     * @return entries submitted or negated errno.
     */
    public static int enterNoWait(final int ringFd, final int toSubmit, final int flags)
    {
        try
        {
            final long result = (long)PLAIN_SYSCALL_NO_WAIT.invokeExact(
                SYS_ENTER, (long)ringFd, (long)toSubmit, 0L, (long)flags, 0L, 0L);
            if (-1L != result)
            {
                return (int)result;
            }
            final MemorySegment capture = Native.capture();
            return Native.intResult(capture, (long)SYSCALL_NO_WAIT.invokeExact(
                capture, SYS_ENTER, (long)ringFd, (long)toSubmit, 0L, (long)flags, 0L, 0L));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Registers resources with a ring, or probes it.
     *
     * @param ringFd          ring.
     * @param operation       {@code IORING_REGISTER_*}.
     * @param argumentAddress of the operation's argument.
     * @param count           of items in it.
     * @return result or negated errno.
     */
    public static int register(final int ringFd, final int operation, final long argumentAddress, final int count)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.intResult(capture, (long)SYSCALL.invokeExact(
                capture, SYS_REGISTER, (long)ringFd, (long)operation, argumentAddress, (long)count, 0L, 0L));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }
}
