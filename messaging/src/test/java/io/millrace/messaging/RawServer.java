package io.millrace.messaging;

import io.millrace.bindings.NativeMemory;
import io.millrace.messaging.wire.BulkHeader;
import io.millrace.messaging.wire.FrameHeader;
import io.millrace.messaging.wire.Hello;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** The accepting side of a connection over TCP, as far as a test says: it writes and reads the bytes itself. */
final class RawServer implements AutoCloseable
{
    private static final int TIMEOUT_MS = 20_000;

    private final Arena arena = Arena.ofConfined();
    private final ServerSocket server;
    private final long connectionId = 77;

    RawServer() throws IOException
    {
        this(0);
    }

    /** One whose sockets take only so much that is not read; 0: what the kernel has by default. */
    RawServer(final int receiveBytes) throws IOException
    {
        server = new ServerSocket();
        if (0 != receiveBytes)
        {
            server.setReceiveBufferSize(receiveBytes);
        }
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
        server.setSoTimeout(TIMEOUT_MS);
    }

    InetSocketAddress address()
    {
        return (InetSocketAddress)server.getLocalSocketAddress();
    }

    Socket accept() throws IOException
    {
        final Socket socket = server.accept();
        socket.setSoTimeout(TIMEOUT_MS);
        return socket;
    }

    /** Accepts stream 0, answers its hello, and answers its proof by a proof, which the given bytes follow at once. */
    Socket authenticate(final byte... afterProof) throws IOException
    {
        final Socket socket = accept();
        final long client = copy(read(socket, Hello.SIZE_BYTES));
        final long own = copy(hello(0));
        socket.getOutputStream().write(bytes(own, Hello.SIZE_BYTES));
        final int size = FrameHeader.SIZE_BYTES + Handshake.PROOF_BYTES;
        read(socket, size);
        final long frame = arena.allocate(size + afterProof.length, Long.BYTES).address();
        FrameHeader.write(frame, FrameHeader.PROOF, Handshake.PROOF_BYTES, 0, 0, 0);
        new Handshake(new byte[0], client, own).write(false, frame + FrameHeader.SIZE_BYTES);
        for (int i = 0; i < afterProof.length; i++)
        {
            NativeMemory.putByte(frame + size + i, afterProof[i]);
        }
        socket.getOutputStream().write(bytes(frame, size + afterProof.length));
        return socket;
    }

    /** {@return the hello of this side for a stream} */
    byte[] hello(final int stream)
    {
        final long at = arena.allocate(Hello.SIZE_BYTES, Long.BYTES).address();
        Hello.write(at, stream, 4096, 1024, 1 << 20, connectionId);
        return bytes(at, Hello.SIZE_BYTES);
    }

    /** {@return a frame without payload} */
    byte[] frame(final int kind, final long value)
    {
        final long at = arena.allocate(FrameHeader.SIZE_BYTES, Long.BYTES).address();
        FrameHeader.write(at, kind, 0, 0, 0, value);
        return bytes(at, FrameHeader.SIZE_BYTES);
    }

    /** {@return a header of bulk} */
    byte[] bulk(final int kind, final int payloadBytes, final long operation, final long key)
    {
        final long at = arena.allocate(BulkHeader.SIZE_BYTES, Long.BYTES).address();
        BulkHeader.write(at, kind, BulkHeader.GRANTED, payloadBytes, operation, 0, key, 0);
        return bytes(at, BulkHeader.SIZE_BYTES);
    }

    /** {@return the answer to a piece of a write} */
    byte[] writeDone(final int status, final long operation)
    {
        final long at = arena.allocate(BulkHeader.SIZE_BYTES, Long.BYTES).address();
        BulkHeader.write(at, BulkHeader.WRITE_DONE, status, 0, operation, 0, 0, 0);
        return bytes(at, BulkHeader.SIZE_BYTES);
    }

    /** {@return the address of a copy, valid until this is closed} */
    long copy(final byte[] bytes)
    {
        final long at = arena.allocate(bytes.length, Long.BYTES).address();
        for (int i = 0; i < bytes.length; i++)
        {
            NativeMemory.putByte(at + i, bytes[i]);
        }
        return at;
    }

    static byte[] read(final Socket socket, final int count) throws IOException
    {
        return socket.getInputStream().readNBytes(count);
    }

    private static byte[] bytes(final long at, final int count)
    {
        final byte[] bytes = new byte[count];
        for (int i = 0; i < count; i++)
        {
            bytes[i] = NativeMemory.getByte(at + i);
        }
        return bytes;
    }

    @Override
    public void close() throws IOException
    {
        server.close();
        arena.close();
    }
}
