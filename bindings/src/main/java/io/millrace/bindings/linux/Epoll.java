package io.millrace.bindings.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.millrace.bindings.Native;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Readiness of many descriptors ({@code epoll(7)}). Event records are read and written with {@link EpollEvent}, whose
 * layout differs between processors.
 */
public final class Epoll
{
    /** Readable. */
    public static final int EPOLLIN = 0x1;
    /** Writable. */
    public static final int EPOLLOUT = 0x4;
    /** Error; always reported. */
    public static final int EPOLLERR = 0x8;
    /** Hung up; always reported. */
    public static final int EPOLLHUP = 0x10;
    /** Peer stopped sending. */
    public static final int EPOLLRDHUP = 0x2000;
    /** Edge-triggered. */
    public static final int EPOLLET = 1 << 31;
    /** Adds a descriptor. */
    public static final int EPOLL_CTL_ADD = 1;
    /** Removes a descriptor. */
    public static final int EPOLL_CTL_DEL = 2;
    /** Changes what is waited for. */
    public static final int EPOLL_CTL_MOD = 3;
    /** Closed on exec. */
    public static final int EPOLL_CLOEXEC = 0x80000;

    private static final MethodHandle EPOLL_CREATE1 = Native.linkErrno("epoll_create1",
        FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final MethodHandle EPOLL_CTL = Native.linkCriticalErrno("epoll_ctl",
        FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
    private static final MethodHandle EPOLL_WAIT = Native.linkErrno("epoll_wait",
        FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT));
    private static final MethodHandle EPOLL_POLL = Native.linkCriticalErrno("epoll_wait",
        FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT));

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
            return Native.result(capture, (int)EPOLL_CREATE1.invokeExact(capture, flags));
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
            final MemorySegment capture = Native.capture();
            return Native.result(capture, (int)EPOLL_CTL.invokeExact(capture, epollFd, operation, fd, eventAddress));
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
     * @param timeoutMs     -1 for ever, 0 not at all.
     * @return count of events or negated errno.
     */
    public static int waitFor(final int epollFd, final long eventsAddress, final int maxEvents, final int timeoutMs)
    {
        try
        {
            final MemorySegment capture = Native.capture();
            return Native.result(capture,
                (int)EPOLL_WAIT.invokeExact(capture, epollFd, eventsAddress, maxEvents, timeoutMs));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
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
            final MemorySegment capture = Native.capture();
            return Native.result(capture,
                (int)EPOLL_POLL.invokeExact(capture, epollFd, eventsAddress, maxEvents, 0));
        }
        catch (final Throwable t)
        {
            throw Native.broken(t);
        }
    }
}
