package io.millrace.lab.attack;

import io.aeron.protocol.DataHeaderFlyweight;
import io.aeron.protocol.HeaderFlyweight;
import io.aeron.protocol.SetupFlyweight;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Frames of Aeron's protocol, sent to the UDP port of control by somebody who has no key. Test thread.
 */
final class ControlFrames implements AutoCloseable
{
    /** Of the term that {@link #data(int, long, byte, int)} counts in. */
    static final int TERM_BYTES = 64 << 10;

    private static final int STREAM = 4420;
    private static final int MTU = 1408;
    private static final int TERM_BITS = 16;

    private final ByteBuffer bytes = ByteBuffer.allocateDirect(TERM_BYTES);
    private final UnsafeBuffer buffer = new UnsafeBuffer(bytes);
    private final SetupFlyweight setup = new SetupFlyweight();
    private final DataHeaderFlyweight data = new DataHeaderFlyweight();
    private final DatagramChannel channel;
    private final InetSocketAddress target;

    /**
     * @param host that they come from, such as 127.0.0.7.
     * @param port that they go to.
     */
    ControlFrames(final String host, final int port) throws IOException
    {
        channel = DatagramChannel.open().bind(new InetSocketAddress(host, 0));
        target = new InetSocketAddress("127.0.0.1", port);
    }

    /** A sender announces itself. */
    void setup(final int session, final int termLength) throws IOException
    {
        buffer.setMemory(0, SetupFlyweight.HEADER_LENGTH, (byte)0);
        setup.wrap(buffer, 0, SetupFlyweight.HEADER_LENGTH);
        setup.sessionId(session).streamId(STREAM).initialTermId(0).activeTermId(0).termOffset(0)
            .termLength(termLength).mtuLength(MTU)
            .version(HeaderFlyweight.CURRENT_VERSION).flags((short)0)
            .headerType(HeaderFlyweight.HDR_TYPE_SETUP).frameLength(SetupFlyweight.HEADER_LENGTH);
        send(SetupFlyweight.HEADER_LENGTH);
    }

    /** One fragment of zeroes; the length with its header is a multiple of 32. */
    void data(final int session, final long position, final byte flags, final int length) throws IOException
    {
        buffer.setMemory(0, DataHeaderFlyweight.HEADER_LENGTH + length, (byte)0);
        data.wrap(buffer, 0, DataHeaderFlyweight.HEADER_LENGTH);
        data.sessionId(session).streamId(STREAM)
            .termId((int)(position >> TERM_BITS)).termOffset((int)(position & TERM_BYTES - 1))
            .version(HeaderFlyweight.CURRENT_VERSION).flags(flags)
            .headerType(HeaderFlyweight.HDR_TYPE_DATA)
            .frameLength(DataHeaderFlyweight.HEADER_LENGTH + length);
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
