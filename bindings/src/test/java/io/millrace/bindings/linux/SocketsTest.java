package io.millrace.bindings.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeException;
import io.millrace.bindings.NativeMemory;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SocketsTest
{
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(10);

    private final Arena arena = Arena.ofConfined();
    private final long scratch = arena.allocate(4096, 64).address();
    private int listener = -1;
    private int client = -1;
    private int server = -1;

    @BeforeEach
    void connect() throws Exception
    {
        listener = NativeException.check("socket",
            Sockets.socket(Sockets.AF_INET, Sockets.SOCK_STREAM | Sockets.SOCK_NONBLOCK | Sockets.SOCK_CLOEXEC, 0));
        final int length = SocketAddress.write(scratch, new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0));
        NativeException.check("bind", Sockets.bind(listener, scratch, length));
        NativeException.check("listen", Sockets.listen(listener, 4));
        client = NativeException.check("socket",
            Sockets.socket(Sockets.AF_INET, Sockets.SOCK_STREAM | Sockets.SOCK_NONBLOCK | Sockets.SOCK_CLOEXEC, 0));
        final int connected = Sockets.connect(
            client, scratch, SocketAddress.write(scratch, ownAddress(listener)));
        assertTrue(0 == connected || -Errno.EINPROGRESS == connected, () -> "connect: " + connected);
        final long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        do
        {
            server = Sockets.accept4(listener, 0, 0, Sockets.SOCK_NONBLOCK | Sockets.SOCK_CLOEXEC);
            await(deadlineNs);
        }
        while (-Errno.EAGAIN == server);
        NativeException.check("accept4", server);
    }

    @AfterEach
    void close()
    {
        closeIfOpen(client);
        closeIfOpen(server);
        closeIfOpen(listener);
        arena.close();
    }

    @Test
    void shouldReceiveWhatWasSentWhenConnected()
    {
        NativeMemory.putLong(scratch, 0x1122334455667788L);
        assertEquals(8, Sockets.send(client, scratch, 8, Sockets.MSG_NOSIGNAL));

        assertEquals(8, receiveFully(server, scratch + 64, 8));

        assertEquals(0x1122334455667788L, NativeMemory.getLong(scratch + 64));
    }

    @Test
    void shouldGatherAndScatterWhenMessageHasManyVectors()
    {
        final long message = scratch;
        final long vectors = scratch + 64;
        NativeMemory.putLong(scratch + 256, 1L);
        NativeMemory.putLong(scratch + 512, 2L);
        MessageHeader.set(message, vectors, 2);
        MessageHeader.setIovec(vectors, scratch + 512, 8);
        MessageHeader.setIovec(vectors + MessageHeader.IOVEC_SIZE_BYTES, scratch + 256, 8);
        assertEquals(16, Sockets.sendmsg(client, message, Sockets.MSG_NOSIGNAL | Sockets.MSG_DONTWAIT));

        MessageHeader.setIovec(vectors, scratch + 1024, 4);
        MessageHeader.setIovec(vectors + MessageHeader.IOVEC_SIZE_BYTES, scratch + 2048, 12);
        final long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        long received;
        do
        {
            received = Sockets.recvmsg(server, message, Sockets.MSG_DONTWAIT);
            await(deadlineNs);
        }
        while (-Errno.EAGAIN == received);

        assertEquals(16, received);
        assertEquals(2, NativeMemory.getInt(scratch + 1024));
        assertEquals(0, NativeMemory.getInt(scratch + 2048));
        assertEquals(1L, NativeMemory.getLong(scratch + 2052));
    }

    @Test
    void shouldAnswerTryAgainWhenNothingIsThere()
    {
        assertEquals(-Errno.EAGAIN, Sockets.recv(server, scratch, 64, 0));
    }

    @Test
    void shouldAnswerEndOfStreamWhenPeerShutsDown()
    {
        assertEquals(0, Sockets.shutdown(client, Sockets.SHUT_WR));

        assertEquals(0, receiveFully(server, scratch, 8));
    }

    @Test
    void shouldAnswerBrokenPipeWhenSendingAfterShutdown()
    {
        assertEquals(0, Sockets.shutdown(client, Sockets.SHUT_RDWR));

        assertEquals(-Errno.EPIPE, Sockets.send(client, scratch, 8, Sockets.MSG_NOSIGNAL));
    }

    @Test
    void shouldKeepOptionWhenSet()
    {
        NativeMemory.putInt(scratch, 1);
        assertEquals(0, Sockets.setsockopt(client, Sockets.IPPROTO_TCP, Sockets.TCP_NODELAY, scratch, 4));

        assertEquals(1, intOption(client, Sockets.IPPROTO_TCP, Sockets.TCP_NODELAY));
        assertEquals(0, intOption(server, Sockets.IPPROTO_TCP, Sockets.TCP_NODELAY));
        assertEquals(0, intOption(client, Sockets.SOL_SOCKET, Sockets.SO_ERROR));
    }

    @Test
    void shouldAgreeOnAddressesWhenConnected()
    {
        NativeMemory.putInt(scratch + 128, SocketAddress.SIZE_BYTES_MAX);
        assertEquals(0, Sockets.getpeername(server, scratch, scratch + 128));

        assertEquals(ownAddress(client), SocketAddress.read(scratch));
    }

    @Test
    void shouldNameRefusalWhenNobodyListens()
    {
        final InetSocketAddress address = ownAddress(listener);
        closeIfOpen(listener);
        listener = -1;
        final int fd = NativeException.check("socket", Sockets.socket(Sockets.AF_INET, Sockets.SOCK_STREAM, 0));
        try
        {
            final int length = SocketAddress.write(scratch, address);
            assertEquals(-Errno.ECONNREFUSED, Sockets.connect(fd, scratch, length));
        }
        finally
        {
            closeIfOpen(fd);
        }
    }

    @Test
    void shouldNameAddressInUseWhenBoundTwice()
    {
        final int fd = NativeException.check("socket", Sockets.socket(Sockets.AF_INET, Sockets.SOCK_STREAM, 0));
        try
        {
            final int length = SocketAddress.write(scratch, ownAddress(listener));
            assertEquals(-Errno.EADDRINUSE, Sockets.bind(fd, scratch, length));
        }
        finally
        {
            closeIfOpen(fd);
        }
    }

    private InetSocketAddress ownAddress(final int fd)
    {
        NativeMemory.putInt(scratch + 128, SocketAddress.SIZE_BYTES_MAX);
        NativeException.check("getsockname", Sockets.getsockname(fd, scratch, scratch + 128));
        return SocketAddress.read(scratch);
    }

    private int intOption(final int fd, final int level, final int option)
    {
        NativeMemory.putInt(scratch + 128, 4);
        NativeException.check("getsockopt", Sockets.getsockopt(fd, level, option, scratch, scratch + 128));
        return NativeMemory.getInt(scratch);
    }

    private static long receiveFully(final int fd, final long address, final int lengthBytes)
    {
        final long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        int total = 0;
        while (total < lengthBytes)
        {
            final long received = Sockets.recv(fd, address + total, lengthBytes - total, Sockets.MSG_DONTWAIT);
            if (0 == received)
            {
                break;
            }
            if (-Errno.EAGAIN != received)
            {
                total += NativeException.check("recv", (int)received);
            }
            await(deadlineNs);
        }
        return total;
    }

    private static void await(final long deadlineNs)
    {
        assertTrue(System.nanoTime() - deadlineNs < 0, "nothing came in 10 s");
        LockSupport.parkNanos(10_000);
    }

    private static void closeIfOpen(final int fd)
    {
        if (fd >= 0)
        {
            NativeException.check("close", Files.close(fd));
        }
    }
}
