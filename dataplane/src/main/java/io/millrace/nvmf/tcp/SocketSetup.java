package io.millrace.nvmf.tcp;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.linux.SocketAddress;
import io.millrace.bindings.linux.Sockets;
import io.millrace.reactor.Kernel;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;

/**
 * Options and names of sockets. One thread's at a time.
 */
final class SocketSetup
{
    /** Probes of a connection on which nothing arrives; above every keep alive timeout that hosts use by default. */
    private static final int KEEPALIVE_IDLE_S = 120;
    private static final int KEEPALIVE_INTERVAL_S = 20;
    private static final int KEEPALIVE_PROBES = 3;
    /** {@code linux/tcp.h}. */
    private static final int TCP_KEEPIDLE = 4;
    private static final int TCP_KEEPINTVL = 5;
    private static final int TCP_KEEPCNT = 6;

    private static final int SCRATCH_BYTES = 64;
    private static final int LENGTH_OFFSET = 32;

    private final Kernel kernel;
    private final long scratchAddress;

    SocketSetup(final Kernel kernel, final Arena arena)
    {
        this.kernel = kernel;
        scratchAddress = arena.allocate(SCRATCH_BYTES, Long.BYTES).address();
    }

    /**
     * Sets an option. A refused option costs speed, never correctness, and a peer may have reset the connection
     * already, so nothing is returned.
     *
     * @param fd     of the socket.
     * @param level  of the option.
     * @param option number.
     * @param value  new value.
     */
    void set(final int fd, final int level, final int option, final int value)
    {
        NativeMemory.putInt(scratchAddress, value);
        kernel.setSocketOption(fd, level, option, scratchAddress, Integer.BYTES);
    }

    /**
     * Sets what a host's connection needs.
     *
     * @param fd     accepted.
     * @param config of the transport.
     */
    void prepare(final int fd, final TcpTransportConfig config)
    {
        set(fd, Sockets.IPPROTO_TCP, Sockets.TCP_NODELAY, 1);
        set(fd, Sockets.SOL_SOCKET, Sockets.SO_KEEPALIVE, 1);
        set(fd, Sockets.IPPROTO_TCP, TCP_KEEPIDLE, KEEPALIVE_IDLE_S);
        set(fd, Sockets.IPPROTO_TCP, TCP_KEEPINTVL, KEEPALIVE_INTERVAL_S);
        set(fd, Sockets.IPPROTO_TCP, TCP_KEEPCNT, KEEPALIVE_PROBES);
        if (0 != config.socketSendBytes())
        {
            set(fd, Sockets.SOL_SOCKET, Sockets.SO_SNDBUF, config.socketSendBytes());
        }
        if (0 != config.socketReceiveBytes())
        {
            set(fd, Sockets.SOL_SOCKET, Sockets.SO_RCVBUF, config.socketReceiveBytes());
        }
    }

    /**
     * Binds a socket.
     *
     * @param fd      of the socket.
     * @param address resolved.
     * @return 0 or negated errno.
     */
    int bind(final int fd, final InetSocketAddress address)
    {
        return kernel.bind(fd, scratchAddress, SocketAddress.write(scratchAddress, address));
    }

    /**
     * {@return the address that a socket is bound to, or null when the kernel does not tell}
     *
     * @param fd of the socket.
     */
    InetSocketAddress name(final int fd)
    {
        NativeMemory.putInt(scratchAddress + LENGTH_OFFSET, SocketAddress.SIZE_BYTES_MAX);
        return kernel.socketName(fd, scratchAddress, scratchAddress + LENGTH_OFFSET) < 0 ?
            null : SocketAddress.read(scratchAddress);
    }

    /**
     * {@return the address that a socket is connected to, or null when the kernel does not tell, such as when the peer
     * has gone}
     *
     * @param fd of the socket.
     */
    InetSocketAddress peer(final int fd)
    {
        NativeMemory.putInt(scratchAddress + LENGTH_OFFSET, SocketAddress.SIZE_BYTES_MAX);
        return kernel.peerName(fd, scratchAddress, scratchAddress + LENGTH_OFFSET) < 0 ?
            null : SocketAddress.read(scratchAddress);
    }
}
