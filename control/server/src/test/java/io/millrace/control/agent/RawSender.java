package io.millrace.control.agent;

import io.aeron.protocol.DataHeaderFlyweight;
import io.aeron.protocol.HeaderFlyweight;
import io.aeron.protocol.SetupFlyweight;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Sends frames of Aeron's protocol as nobody who means well would. Test thread. */
final class RawSender implements AutoCloseable
{
    static final int STREAM = 4420;
    private static final int MTU = 1408;

    private final ByteBuffer bytes = ByteBuffer.allocateDirect(64 * 1024);
    private final UnsafeBuffer buffer = new UnsafeBuffer(bytes);
    private final SetupFlyweight setup = new SetupFlyweight();
    private final DataHeaderFlyweight data = new DataHeaderFlyweight();
    private final DatagramChannel channel;
    private final InetSocketAddress target;

    /**
     * @param host that it comes from, such as 127.0.0.7.
     * @param port that it goes to.
     */
    RawSender(final String host, final int port) throws IOException
    {
        channel = DatagramChannel.open().bind(new InetSocketAddress(host, 0));
        target = new InetSocketAddress("127.0.0.1", port);
    }

    void setup(final int session, final int termLength) throws IOException
    {
        setup(session, termLength, 0, MTU);
    }

    void setup(final int session, final int termLength, final int termOffset, final int mtu) throws IOException
    {
        buffer.setMemory(0, SetupFlyweight.HEADER_LENGTH, (byte)0);
        setup.wrap(buffer, 0, SetupFlyweight.HEADER_LENGTH);
        setup.sessionId(session).streamId(STREAM).initialTermId(0).activeTermId(0).termOffset(termOffset)
            .termLength(termLength).mtuLength(mtu)
            .version(HeaderFlyweight.CURRENT_VERSION).flags((short)0)
            .headerType(HeaderFlyweight.HDR_TYPE_SETUP).frameLength(SetupFlyweight.HEADER_LENGTH);
        send(SetupFlyweight.HEADER_LENGTH);
    }

    /** One fragment at a position of a term of 64 KiB; the length is a multiple of 32 with its header. */
    void data(final int session, final long position, final byte flags, final DirectBuffer payload, final int length)
        throws IOException
    {
        data.wrap(buffer, 0, DataHeaderFlyweight.HEADER_LENGTH);
        buffer.setMemory(0, DataHeaderFlyweight.HEADER_LENGTH, (byte)0);
        data.sessionId(session).streamId(STREAM).termId((int)(position >> 16)).termOffset((int)(position & 0xFFFF))
            .version(HeaderFlyweight.CURRENT_VERSION).flags(flags)
            .headerType(HeaderFlyweight.HDR_TYPE_DATA)
            .frameLength(DataHeaderFlyweight.HEADER_LENGTH + length);
        buffer.putBytes(DataHeaderFlyweight.HEADER_LENGTH, payload, 0, length);
        send(DataHeaderFlyweight.HEADER_LENGTH + length);
    }

    private void send(final int length) throws IOException
    {
        bytes.clear().limit(length);
        channel.send(bytes, target);
    }

    @Override
    public void close() throws IOException
    {
        channel.close();
    }
}
