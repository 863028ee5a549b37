package io.millrace.reactor;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeException;
import io.millrace.bindings.linux.Epoll;
import io.millrace.bindings.linux.EpollEvent;
import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * The descriptors of a reactor ({@code epoll(7)}) and their listeners. An event carries the number of its registration
 * beside the descriptor: when a listener closes a descriptor and its number is taken again within the same batch, the
 * remaining events of the old one are not mistaken for the new one's. Single-threaded.
 */
final class ReadinessSet implements AutoCloseable
{
    private static final int EVENTS_PER_WAIT = 256;
    private static final int CAPACITY_INITIAL = 64;

    private final Arena arena = Arena.ofShared();
    private final long scratchAddress = arena.allocate(EpollEvent.SIZE_BYTES, Long.BYTES).address();
    private final long eventsAddress =
        arena.allocate((long)EVENTS_PER_WAIT * EpollEvent.SIZE_BYTES, Long.BYTES).address();
    private final long timespecAddress = arena.allocate(2 * Long.BYTES, Long.BYTES).address();
    private final Kernel kernel;
    private final int epollFd;
    private ReadinessListener[] listeners = new ReadinessListener[CAPACITY_INITIAL];
    private int[] registrations = new int[CAPACITY_INITIAL];
    private int nextRegistration;
    private int size;
    private ReadinessListener failed;

    ReadinessSet(final Kernel kernel)
    {
        this.kernel = kernel;
        epollFd = kernel.epollCreate();
        if (epollFd < 0)
        {
            arena.close();
            throw new NativeException("epoll_create1", -epollFd);
        }
    }

    int size()
    {
        return size;
    }

    /**
     * {@return the listener that threw}
     */
    ReadinessListener failed()
    {
        return failed;
    }

    void register(final int fd, final int events, final ReadinessListener listener)
    {
        if (fd >= listeners.length)
        {
            final int grown = Math.max(fd + 1, 2 * listeners.length);
            listeners = Arrays.copyOf(listeners, grown);
            registrations = Arrays.copyOf(registrations, grown);
        }
        final int registration = nextRegistration++;
        EpollEvent.set(scratchAddress, events, data(fd, registration));
        NativeException.check("epoll_ctl add of descriptor " + fd,
            kernel.epollControl(epollFd, Epoll.EPOLL_CTL_ADD, fd, scratchAddress));
        if (null == listeners[fd])
        {
            size++;
        }
        listeners[fd] = listener;
        registrations[fd] = registration;
    }

    void modify(final int fd, final int events)
    {
        if (!isRegistered(fd))
        {
            throw new IllegalStateException("descriptor " + fd + " is not registered");
        }
        EpollEvent.set(scratchAddress, events, data(fd, registrations[fd]));
        final int result = kernel.epollControl(epollFd, Epoll.EPOLL_CTL_MOD, fd, scratchAddress);
        if (result < 0)
        {
            throw new NativeException("epoll_ctl modify of descriptor " + fd, -result);
        }
    }

    void deregister(final int fd)
    {
        if (isRegistered(fd))
        {
            listeners[fd] = null;
            size--;
            // Fails only when the descriptor was closed before, and then it has left the set by itself.
            kernel.epollControl(epollFd, Epoll.EPOLL_CTL_DEL, fd, scratchAddress);
        }
    }

    /**
     * Polls for ready descriptors. {@link #dispatch} has to follow.
     *
     * @return count of events, or negated errno.
     */
    int poll()
    {
        return kernel.epollPoll(epollFd, eventsAddress, EVENTS_PER_WAIT);
    }

    /**
     * Blocks until something is ready. {@link #dispatch} has to follow.
     *
     * @param timeoutNs how long at most; see {@link Kernel#epollWait} for how exactly.
     * @return count of events, or negated errno.
     */
    int waitFor(final long timeoutNs)
    {
        return kernel.epollWait(epollFd, eventsAddress, EVENTS_PER_WAIT, timespecAddress, timeoutNs);
    }

    /**
     * Calls the listeners of a wait's events.
     *
     * @param ready result of the wait.
     * @return number of called listeners.
     */
    int dispatch(final int ready)
    {
        if (ready < 0)
        {
            if (-Errno.EINTR == ready)
            {
                return 0;
            }
            throw new NativeException("epoll_wait", -ready);
        }
        int told = 0;
        for (int i = 0; i < ready; i++)
        {
            final long event = eventsAddress + (long)i * EpollEvent.SIZE_BYTES;
            final long data = EpollEvent.data(event);
            final int fd = (int)data;
            final ReadinessListener listener = listeners[fd];
            if (null != listener && registrations[fd] == (int)(data >>> 32))
            {
                try
                {
                    listener.onReady(EpollEvent.events(event));
                }
                catch (final Throwable t)
                {
                    failed = listener;
                    throw t;
                }
                told++;
            }
        }
        return told;
    }

    @Override
    public void close()
    {
        kernel.close(epollFd);
        arena.close();
    }

    private boolean isRegistered(final int fd)
    {
        return fd >= 0 && fd < listeners.length && null != listeners[fd];
    }

    private static long data(final int fd, final int registration)
    {
        return (long)registration << 32 | fd;
    }
}
