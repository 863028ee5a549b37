package io.millrace.perf.rdma;

import java.nio.ByteBuffer;

/**
 * Private data of a test's connection, all numbers in network byte order: magic, version; of the client's 16 bytes then
 * whether messages are sent back, size and depth; of the server's 24 bytes then address and key of its memory.
 */
final class RdmaHello
{
    static final int CLIENT_BYTES = 16;
    static final int SERVER_BYTES = 24;
    private static final int MAGIC = 0x4D52_5450;
    private static final byte VERSION = 1;

    /** What a client wants. */
    record Client(boolean isEcho, int sizeBytes, int depth)
    {
        byte[] encode()
        {
            return ByteBuffer.allocate(CLIENT_BYTES).putInt(MAGIC).put(VERSION).put((byte)(isEcho ? 1 : 0))
                .putShort((short)0).putInt(sizeBytes).putInt(depth).array();
        }
    }

    /** What a server offers. */
    record Server(long address, int key)
    {
        byte[] encode()
        {
            return ByteBuffer.allocate(SERVER_BYTES).putInt(MAGIC).put(VERSION).put(new byte[3]).putLong(address)
                .putInt(key).array();
        }
    }

    private RdmaHello()
    {
    }

    /**
     * {@return what a client wants}
     *
     * @param data of its request.
     * @throws IllegalArgumentException when it is no client of a test, or wants too much.
     */
    static Client client(final byte[] data)
    {
        final ByteBuffer buffer = checked(data, CLIENT_BYTES);
        final boolean isEcho = 0 != buffer.get();
        final int sizeBytes = buffer.getInt(8);
        final int depth = buffer.getInt(12);
        final String wrong = RdmaTestConfig.wrong(sizeBytes, depth);
        if (null != wrong)
        {
            throw new IllegalArgumentException(wrong);
        }
        return new Client(isEcho, sizeBytes, depth);
    }

    /**
     * {@return what a server offers}
     *
     * @param data of its acceptance.
     * @throws IllegalArgumentException when it is no server of tests.
     */
    static Server server(final byte[] data)
    {
        final ByteBuffer buffer = checked(data, SERVER_BYTES);
        return new Server(buffer.getLong(8), buffer.getInt(16));
    }

    private static ByteBuffer checked(final byte[] data, final int bytes)
    {
        final ByteBuffer buffer = ByteBuffer.wrap(data);
        if (data.length < bytes || MAGIC != buffer.getInt())
        {
            throw new IllegalArgumentException("the peer is no 'millrace rdma' test");
        }
        final byte version = buffer.get();
        if (VERSION != version)
        {
            throw new IllegalArgumentException(
                "the peer has version " + version + " of 'millrace rdma' tests, this is " + VERSION);
        }
        return buffer;
    }
}
