package io.millrace.nvmf.initiator.tcp;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.linux.Epoll;
import io.millrace.bindings.linux.SocketAddress;
import io.millrace.bindings.linux.Sockets;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.HostMemory;
import io.millrace.reactor.Kernel;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReadinessListener;

/**
 * The socket of a connection, watched by its reactor. One connection's, on its reactor.
 */
final class HostSocket
{
    private static final int NONE = -1;
    private static final int SCRATCH_BYTES = 64;
    private static final int LENGTH_OFFSET = 32;

    private final Reactor reactor;
    private final Kernel kernel;
    private final ReadinessListener listener;
    private int fd = NONE;
    private boolean registered;
    private int watched;

    HostSocket(final Reactor reactor, final ReadinessListener listener)
    {
        this.reactor = reactor;
        kernel = reactor.kernel();
        this.listener = listener;
    }

    int fd()
    {
        return fd;
    }

    /**
     * Begins to connect; the listener is notified when that is done.
     *
     * @param config where to.
     * @return null, or why it cannot be.
     */
    String connect(final ConnectionConfig config)
    {
        try (HostMemory scratch = new HostMemory(SCRATCH_BYTES))
        {
            fd = kernel.socket(SocketAddress.family(config.address()));
            if (fd < 0)
            {
                final int errno = -fd;
                fd = NONE;
                return "no socket can be made: " + Errno.describe(errno);
            }
            NativeMemory.putInt(scratch.address(), 1);
            kernel.setSocketOption(fd, Sockets.IPPROTO_TCP, Sockets.TCP_NODELAY, scratch.address(), 4);
            final int length = SocketAddress.write(scratch.address(), config.address());
            final int result = kernel.connect(fd, scratch.address(), length);
            if (0 != result && -Errno.EINPROGRESS != result)
            {
                return explain(config, -result);
            }
            watched = Epoll.EPOLLOUT;
            reactor.register(fd, watched, listener);
            registered = true;
            return null;
        }
    }

    /**
     * Called when the socket is ready for the first time.
     *
     * @param config where it connects to.
     * @return null when it is connected, or why it is not.
     */
    String finishConnect(final ConnectionConfig config)
    {
        try (HostMemory scratch = new HostMemory(SCRATCH_BYTES))
        {
            final long lengthAddress = scratch.address() + LENGTH_OFFSET;
            NativeMemory.putInt(lengthAddress, 4);
            kernel.getSocketOption(fd, Sockets.SOL_SOCKET, Sockets.SO_ERROR, scratch.address(), lengthAddress);
            final int errno = NativeMemory.getInt(scratch.address());
            return 0 == errno ? null : explain(config, errno);
        }
    }

    private static String explain(final ConnectionConfig config, final int errno)
    {
        return switch (errno)
        {
            case Errno.ECONNREFUSED -> "connection refused by " + config.target() +
                ": is a target listening on that address and port?";
            case Errno.ETIMEDOUT -> config.target() + " does not answer: check address and firewall";
            default -> "cannot connect to " + config.target() + ": " + Errno.describe(errno);
        };
    }

    /**
     * Sets the events to be notified of.
     *
     * @param events {@code EPOLL*} bits.
     */
    void watch(final int events)
    {
        if (events != watched)
        {
            watched = events;
            reactor.modify(fd, events);
        }
    }

    int watched()
    {
        return watched;
    }

    void close()
    {
        if (registered)
        {
            reactor.deregister(fd);
            registered = false;
        }
        if (NONE != fd)
        {
            kernel.close(fd);
            fd = NONE;
        }
        watched = 0;
    }
}
