package io.millrace.nvmf.initiator.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.bindings.linux.Files;
import io.millrace.bindings.linux.SocketAddress;
import io.millrace.bindings.linux.Sockets;
import io.millrace.nvmf.initiator.HostMemory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * A descriptor of ours, connected to a socket of the JDK's, for tests.
 */
final class SocketLink implements AutoCloseable
{
    private final int fd;
    private final Socket socket;

    SocketLink() throws IOException
    {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
            HostMemory scratch = new HostMemory(64))
        {
            fd = Sockets.socket(Sockets.AF_INET, Sockets.SOCK_STREAM, 0);
            final int length = SocketAddress.write(scratch.address(),
                (InetSocketAddress)listener.getLocalSocketAddress());
            assertEquals(0, Sockets.connect(fd, scratch.address(), length));
            socket = listener.accept();
            socket.setTcpNoDelay(true);
        }
    }

    int fd()
    {
        return fd;
    }

    Socket socket()
    {
        return socket;
    }

    @Override
    public void close() throws IOException
    {
        Files.close(fd);
        socket.close();
    }
}
