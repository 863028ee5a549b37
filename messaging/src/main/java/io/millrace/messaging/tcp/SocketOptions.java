package io.millrace.messaging.tcp;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.linux.SocketAddress;
import io.millrace.bindings.linux.Sockets;
import io.millrace.messaging.transport.EndpointStatus;
import io.millrace.messaging.transport.LinkException;
import io.millrace.reactor.Kernel;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/**
 * Sockets for messaging, made and asked. Set-up only; stateless.
 */
final class SocketOptions
{
    private static final int SCRATCH_BYTES = 64;
    private static final int LENGTH_OFFSET = 32;

    private SocketOptions()
    {
    }

    /** {@return {@code SO_ERROR}, or why it cannot be asked; both as errno} */
    static int error(final Kernel kernel, final int fd, final long valueAddress, final long lengthAddress)
    {
        final int result =
            kernel.getSocketOption(fd, Sockets.SOL_SOCKET, Sockets.SO_ERROR, valueAddress, lengthAddress);
        return 0 == result ? NativeMemory.getInt(valueAddress) : -result;
    }

    /** {@return a socket that connects} */
    static int connect(final Kernel kernel, final InetSocketAddress address, final long silenceNs)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final long scratch = arena.allocate(SCRATCH_BYTES, Long.BYTES).address();
            final int fd = socket(kernel, address);
            set(kernel, fd, scratch, silenceNs);
            final int result = kernel.connect(fd, scratch, SocketAddress.write(scratch, address));
            if (0 != result && -Errno.EINPROGRESS != result)
            {
                kernel.close(fd);
                throw new LinkException(
                    EndpointStatus.UNREACHABLE, "no TCP connection to " + address + ": " + Errno.describe(-result));
            }
            return fd;
        }
    }

    private static int socket(final Kernel kernel, final InetSocketAddress address)
    {
        if (address.isUnresolved())
        {
            throw new LinkException(
                EndpointStatus.UNREACHABLE, "the name " + address.getHostString() + " has no address: check DNS");
        }
        final int fd = kernel.socket(SocketAddress.family(address));
        if (fd < 0)
        {
            throw new LinkException(EndpointStatus.NO_RESOURCES, "no socket: " + Errno.describe(-fd));
        }
        return fd;
    }

    /** What each connection has. Frames of one stream say nothing of another, which a firewall may have forgotten. */
    static void set(final Kernel kernel, final int fd, final long scratch, final long silenceNs)
    {
        NativeMemory.putInt(scratch, 1);
        kernel.setSocketOption(fd, Sockets.IPPROTO_TCP, Sockets.TCP_NODELAY, scratch, Integer.BYTES);
        NativeMemory.putInt(scratch, (int)Math.min(Integer.MAX_VALUE, TimeUnit.NANOSECONDS.toMillis(silenceNs)));
        kernel.setSocketOption(fd, Sockets.IPPROTO_TCP, Sockets.TCP_USER_TIMEOUT, scratch, Integer.BYTES);
    }

    /** {@return a socket that listens} */
    static int listen(final Kernel kernel, final InetSocketAddress address, final int backlog)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final long scratch = arena.allocate(SCRATCH_BYTES, Long.BYTES).address();
            final int fd = socket(kernel, address);
            NativeMemory.putInt(scratch, 1);
            kernel.setSocketOption(fd, Sockets.SOL_SOCKET, Sockets.SO_REUSEADDR, scratch, Integer.BYTES);
            int result = kernel.bind(fd, scratch, SocketAddress.write(scratch, address));
            if (0 == result)
            {
                result = kernel.listen(fd, backlog);
            }
            if (0 != result)
            {
                kernel.close(fd);
                throw new LinkException(
                    EndpointStatus.NO_RESOURCES, "cannot listen at " + address + ": " + Errno.describe(-result));
            }
            return fd;
        }
    }

    static InetSocketAddress localAddress(final Kernel kernel, final int fd)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final long scratch = arena.allocate(SCRATCH_BYTES, Long.BYTES).address();
            NativeMemory.putInt(scratch + LENGTH_OFFSET, LENGTH_OFFSET);
            check("getsockname", kernel.socketName(fd, scratch, scratch + LENGTH_OFFSET));
            return SocketAddress.read(scratch);
        }
    }

    static InetSocketAddress peerAddress(final Kernel kernel, final int fd)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final long scratch = arena.allocate(SCRATCH_BYTES, Long.BYTES).address();
            NativeMemory.putInt(scratch + LENGTH_OFFSET, LENGTH_OFFSET);
            check("getpeername", kernel.peerName(fd, scratch, scratch + LENGTH_OFFSET));
            return SocketAddress.read(scratch);
        }
    }

    private static void check(final String function, final int result)
    {
        if (0 != result)
        {
            throw new LinkException(EndpointStatus.CONNECTION_LOST, function + ": " + Errno.describe(-result));
        }
    }
}
