package io.millrace.nvmf.tcp;

import io.millrace.bindings.NativeMemory;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.Segments;
import io.millrace.nvmf.tcp.pdu.CapsuleCommand;
import io.millrace.nvmf.tcp.pdu.CommonHeader;
import io.millrace.nvmf.tcp.pdu.ScatterVectors;
import io.millrace.reactor.Kernel;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The receive buffer of one reactor, used by all its connections in turn. In front of the receiving area is room for
 * the partial PDU that a connection kept from its last poll, so that PDUs are contiguous and parsed in place. One
 * reactor's.
 *
 * <pre>
 *   | headroom         | receiving area                                   |
 *            | kept    | received ...                                     |
 *            ^ parsing begins here
 * </pre>
 */
final class ReceiveBuffer
{
    /**
     * How much is received at a time while a capsule of some connection waits for a buffer. Should another one come to
     * wait, what was received behind its capsule has to be kept: little, so that many can wait.
     */
    static final int SCARCE_BYTES = 16 << 10;

    private static final int HEADER_BYTES_MAX =
        CapsuleCommand.SIZE_BYTES + 2 * CommonHeader.DIGEST_SIZE_BYTES;

    private final Kernel kernel;
    private final int capsuleDataBytesMax;
    private final int lengthBytes;
    private final long startAddress;
    private final long viewAddress;
    private final UnsafeBuffer view;
    private final ScatterVectors vectors;
    private final long countAddress;
    private final SlabPool smallBlocks;
    private final SlabPool largeBlocks;
    private final DeferralBlocks deferralBlocks;
    private int stalledCount;

    ReceiveBuffer(
        final Kernel kernel, final DmaMemory memory, final TcpTransportConfig config, final Runnable onGrown)
    {
        this.kernel = kernel;
        capsuleDataBytesMax =
            Math.max(config.inCapsuleDataBytes(), TcpTransportConfig.ADMIN_IN_CAPSULE_DATA_BYTES);
        lengthBytes = config.receiveBufferBytes();
        smallBlocks = new SlabPool(HEADER_BYTES_MAX + capsuleDataBytesMax + SCARCE_BYTES, 16, onGrown);
        final int headroom = (smallBlocks.blockBytes() + 4095) & -4096;
        largeBlocks = new SlabPool(headroom + lengthBytes, 1, onGrown);
        deferralBlocks = new DeferralBlocks(smallBlocks);
        viewAddress = memory.allocate(headroom + lengthBytes, 4096);
        startAddress = viewAddress + headroom;
        view = new UnsafeBuffer(viewAddress, headroom + lengthBytes);
        vectors = new ScatterVectors(memory.allocate(ScatterVectors.SIZE_BYTES, 64));
        countAddress = memory.allocate(Integer.BYTES, Integer.BYTES);
    }

    /**
     * {@return bytes of memory that a buffer with this configuration takes}
     *
     * @param config of the transport.
     */
    static long memoryBytes(final TcpTransportConfig config)
    {
        return config.receiveBufferBytes() + SCARCE_BYTES + 4L * 4096 +
            Math.max(config.inCapsuleDataBytes(), TcpTransportConfig.ADMIN_IN_CAPSULE_DATA_BYTES);
    }

    /**
     * {@return most data of any capsule}
     */
    int capsuleDataBytesMax()
    {
        return capsuleDataBytesMax;
    }

    /**
     * {@return address of the receiving area}
     */
    long startAddress()
    {
        return startAddress;
    }

    /**
     * {@return everything, as a buffer; offset 0 is {@link #viewAddress()}}
     */
    UnsafeBuffer view()
    {
        return view;
    }

    long viewAddress()
    {
        return viewAddress;
    }

    /**
     * {@return how much of the receiving area to receive into now}
     */
    int roomBytes()
    {
        return 0 == stalledCount ? lengthBytes : SCARCE_BYTES;
    }

    /**
     * Gives memory back that connections did not need since the last call.
     *
     * @return whether there may be more to give back later.
     */
    boolean trim()
    {
        return smallBlocks.trim() | largeBlocks.trim();
    }

    void close()
    {
        smallBlocks.close();
        largeBlocks.close();
    }

    SlabPool smallBlocks()
    {
        return smallBlocks;
    }

    SlabPool largeBlocks()
    {
        return largeBlocks;
    }

    /**
     * {@return blocks for capsules that wait for slots}
     */
    DeferralBlocks deferralBlocks()
    {
        return deferralBlocks;
    }

    void onStalled()
    {
        stalledCount++;
    }

    void onResumed()
    {
        stalledCount--;
    }

    /**
     * {@return how many bytes a socket has; 0 when that is unknown}
     *
     * @param fd of the socket.
     */
    int availableBytes(final int fd)
    {
        return 0 == kernel.available(fd, countAddress) ? NativeMemory.getInt(countAddress) : 0;
    }

    /**
     * Receives into the receiving area.
     *
     * @param fd   non-blocking socket.
     * @param room of the receiving area.
     * @return bytes received, 0 at the end of the stream, or negated errno.
     */
    long receive(final int fd, final int room)
    {
        return kernel.receive(fd, startAddress, room);
    }

    /**
     * Receives into memory elsewhere and, what comes behind that, into the receiving area.
     *
     * @param fd          non-blocking socket.
     * @param room        of the receiving area.
     * @param payload     that is being received.
     * @param offset      of its first byte that has not come.
     * @param lengthBytes of it that is to come.
     * @return bytes received, 0 at the end of the stream, or negated errno.
     */
    long receive(final int fd, final int room, final Segments payload, final int offset, final int lengthBytes)
    {
        return kernel.receiveMessage(
            fd, vectors.set(payload, offset, lengthBytes, startAddress, room));
    }
}
