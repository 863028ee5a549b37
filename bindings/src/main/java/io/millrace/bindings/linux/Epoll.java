package io.millrace.bindings.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.millrace.bindings.Errno;
import io.millrace.bindings.Native;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.linux.linux_h;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Readiness of many descriptors ({@code epoll(7)}). Event records are read and written with {@link EpollEvent}, whose
 * layout differs between processors.
 * <p>
 * Waits and polls allocate nothing, whatever the compilers have done so far: they are made without capturing
 * {@code errno}, and one that fails is made once more, without waiting, to learn why.
 */
public final class Epoll
{
    /** Readable. */
    public static final int EPOLLIN = linux_h.EPOLLIN();
    /** Writable. */
    public static final int EPOLLOUT = linux_h.EPOLLOUT();
    /** Error; always reported. */
    public static final int EPOLLERR = linux_h.EPOLLERR();
    /** Hung up; always reported. */
    public static final int EPOLLHUP = linux_h.EPOLLHUP();
    /** Peer stopped sending. */
    public static final int EPOLLRDHUP = linux_h.EPOLLRDHUP();
    /** Edge-triggered. */
    public static final int EPOLLET = linux_h.EPOLLET();
    /** Adds a descriptor. */
    public static final int EPOLL_CTL_ADD = linux_h.EPOLL_CTL_ADD();
    /** Removes a descriptor. */
    public static final int EPOLL_CTL_DEL = linux_h.EPOLL_CTL_DEL();
    /** Changes what is waited for. */
    public static final int EPOLL_CTL_MOD = linux_h.EPOLL_CTL_MOD();
    /** Closed on exec. */
    public static final int EPOLL_CLOEXEC = linux_h.EPOLL_CLOEXEC();

    /** {@code asm-generic/unistd.h}: new calls have one number on every architecture. */
    private static final long SYS_EPOLL_PWAIT2 = 441;
    private static final long NS_PER_S = 1_000_000_000L;

    private static final FunctionDescriptor PLAIN_DESCRIPTOR =
        FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle EPOLL_CREATE1 =
        Native.linkErrno("epoll_create1", linux_h.epoll_create1$descriptor());
    private static final MethodHandle EPOLL_CTL = Native.linkCriticalErrno("epoll_ctl", linux_h.epoll_ctl$descriptor());
    private static final MethodHandle PLAIN_EPOLL_CTL =
        Native.link("epoll_ctl", PLAIN_DESCRIPTOR, Linker.Option.critical(false));
    private static final MethodHandle EPOLL_WAIT = Native.linkErrno("epoll_wait", linux_h.epoll_wait$descriptor());
    private static final MethodHandle PLAIN_EPOLL_WAIT = Native.link("epoll_wait", PLAIN_DESCRIPTOR);
    private static final MethodHandle PLAIN_EPOLL_POLL =
        Native.link("epoll_wait", PLAIN_DESCRIPTOR, Linker.Option.critical(false));

    private Epoll()
    {
    }

    /**
     * Makes an epoll instance.
     *
     * @param flags {@link #EPOLL_CLOEXEC}.
     * @return descriptor or negated errno.
     */
    public static int create(final int flags)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.intResult(capture, (long)EPOLL_CREATE1.invokeExact(capture, (long)flags));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Changes the set.
     *
     * @param epollFd      instance.
     * @param operation    {@link #EPOLL_CTL_ADD} and its kin.
     * @param fd           descriptor.
     * @param eventAddress of an {@link EpollEvent}.
     * @return 0 or negated errno.
     */
    public static int control(final int epollFd, final int operation, final int fd, final long eventAddress)
    {
        try
        {
            if (0 == (int)(long)PLAIN_EPOLL_CTL.invokeExact((long)epollFd, (long)operation, (long)fd, eventAddress))
            {
                return 0;
            }
            // Once more for the reason: capturing errno allocates where the compiler has not removed it.
            final MemorySegment capture = Native.capture();
            return Native.intResult(capture, (long)EPOLL_CTL.invokeExact(
                capture, (long)epollFd, (long)operation, (long)fd, eventAddress));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Waits for events; may block.
     *
     * @param epollFd       instance.
     * @param eventsAddress room for events.
     * @param maxEvents     how many fit.
     * @param timeoutMs     -1 for no limit, 0 to return immediately.
     * @return count of events or negated errno.
     */
    public static int waitFor(final int epollFd, final long eventsAddress, final int maxEvents, final int timeoutMs)
    {
        try
        {
            final int ready = (int)(long)PLAIN_EPOLL_WAIT.invokeExact(
                (long)epollFd, eventsAddress, (long)maxEvents, (long)timeoutMs);
            return ready >= 0 ? ready : waitAgain(epollFd, eventsAddress, maxEvents);
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * After a wait that failed: what is ready, or why it failed. What is over by now was a signal, which is how the
     * kernel lets a thread make workers for its rings: that often, so {@code errno} is only captured when there is
     * another reason.
     */
    private static int waitAgain(final int epollFd, final long eventsAddress, final int maxEvents) throws Throwable
    {
        final int polled = (int)(long)PLAIN_EPOLL_POLL.invokeExact((long)epollFd, eventsAddress, (long)maxEvents, 0L);
        if (polled >= 0)
        {
            return 0 == polled ? -Errno.EINTR : polled;
        }
        final MemorySegment capture = Native.capture();
        final int ready = Native.intResult(capture, (long)EPOLL_WAIT.invokeExact(
            capture, (long)epollFd, eventsAddress, (long)maxEvents, 0L));
        return 0 == ready ? -Errno.EINTR : ready;
    }

    /**
     * Waits for events; may block. Timers of the kernel are exact to their slack, some 50 µs.
     *
     * @param epollFd         instance.
     * @param eventsAddress   room for events.
     * @param maxEvents       how many fit.
     * @param timespecAddress 16 bytes of scratch, aligned to 8.
     * @param timeoutNs       not negative.
     * @return count of events or negated errno; {@code -ENOSYS} before Linux 5.11.
     */
    public static int waitForNs(
        final int epollFd,
        final long eventsAddress,
        final int maxEvents,
        final long timespecAddress,
        final long timeoutNs)
    {
        NativeMemory.putLong(timespecAddress, timeoutNs / NS_PER_S);
        NativeMemory.putLong(timespecAddress + Long.BYTES, timeoutNs % NS_PER_S);
        try
        {
            final int ready = (int)(long)ExactWait.PLAIN_SYSCALL.invokeExact(
                SYS_EPOLL_PWAIT2, (long)epollFd, eventsAddress, (long)maxEvents, timespecAddress, 0L, 0L);
            return ready >= 0 ? ready : waitAgainNs(epollFd, eventsAddress, maxEvents, timespecAddress);
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    private static int waitAgainNs(
        final int epollFd, final long eventsAddress, final int maxEvents, final long timespecAddress) throws Throwable
    {
        NativeMemory.putLong(timespecAddress, 0);
        NativeMemory.putLong(timespecAddress + Long.BYTES, 0);
        final int polled = (int)(long)ExactWait.PLAIN_SYSCALL.invokeExact(
            SYS_EPOLL_PWAIT2, (long)epollFd, eventsAddress, (long)maxEvents, timespecAddress, 0L, 0L);
        if (polled >= 0)
        {
            return 0 == polled ? -Errno.EINTR : polled;
        }
        final MemorySegment capture = Native.capture();
        final int ready = Native.intResult(capture, (long)ExactWait.SYSCALL.invokeExact(
            capture, SYS_EPOLL_PWAIT2, (long)epollFd, eventsAddress, (long)maxEvents, timespecAddress, 0L, 0L));
        return 0 == ready ? -Errno.EINTR : ready;
    }

    /**
     * As {@link #waitFor} with a time-out of 0, linked as critical.
     *
     * @param epollFd       instance.
     * @param eventsAddress room for events.
     * @param maxEvents     how many fit.
     * @return count of events or negated errno.
     */
    public static int poll(final int epollFd, final long eventsAddress, final int maxEvents)
    {
        try
        {
            final int ready = (int)(long)PLAIN_EPOLL_POLL.invokeExact(
                (long)epollFd, eventsAddress, (long)maxEvents, 0L);
            return ready >= 0 ? ready : waitAgain(epollFd, eventsAddress, maxEvents);
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }

    /**
     * Linked when it is first needed, not at start.
     */
    private static final class ExactWait
    {
        // Through syscall(2): C libraries before 2.35 do not wrap it.
        private static final FunctionDescriptor DESCRIPTOR = FunctionDescriptor.of(
            JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
        private static final MethodHandle SYSCALL =
            Native.linkErrno("syscall", DESCRIPTOR, Linker.Option.firstVariadicArg(1));
        private static final MethodHandle PLAIN_SYSCALL =
            Native.link("syscall", DESCRIPTOR, Linker.Option.firstVariadicArg(1));
    }
}
