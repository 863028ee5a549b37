package io.millrace.nvmf.rdma.cm;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What a host asks for with RDMA_CM_REQUEST. NVMe over RDMA Transport Specification 1.0, RDMA_CM_REQUEST Private Data
 * Format. Immutable; any thread. Control path: allocates.
 *
 * <pre>
 *    0               2               4               6               8               10                  32
 *   +---------------+---------------+---------------+---------------+---------------+-------------------+
 *   |  RECFMT (0)   |      QID      |    HRQSIZE    | HSQSIZE, less 1|    CNTLID    |     reserved      |
 *   +---------------+---------------+---------------+---------------+---------------+-------------------+
 * </pre>
 *
 * @param queueId          0 for an admin queue, to 65535 (QID).
 * @param receiveQueueSize receive requests that the host can post, 1 to 65535 (HRQSIZE).
 * @param sendQueueSize    capsules that the host can have outstanding, 1 to 65536 (HSQSIZE, which is 0 for 1).
 * @param controllerId     controller of an I/O queue, 0 to 65535 (CNTLID). Hosts older than the field leave 0.
 */
public record ConnectRequest(int queueId, int receiveQueueSize, int sendQueueSize, int controllerId)
{
    /** Least length on the wire. InfiniBand and RoCE append zeros. */
    public static final int SIZE_BYTES = 32;

    static final int FORMAT_OFFSET = 0;
    static final int QUEUE_ID_OFFSET = 2;
    static final int RECEIVE_QUEUE_SIZE_OFFSET = 4;
    static final int SEND_QUEUE_SIZE_OFFSET = 6;
    static final int CONTROLLER_ID_OFFSET = 8;

    private static final int VALUE_MAX = 0xFFFF;

    /** Checks that each value fits its field. */
    public ConnectRequest
    {
        check("queue id", queueId, 0, VALUE_MAX);
        check("receive queue size", receiveQueueSize, 1, VALUE_MAX);
        check("send queue size", sendQueueSize, 1, VALUE_MAX + 1);
        check("controller id", controllerId, 0, VALUE_MAX);
    }

    private static void check(final String name, final int value, final int min, final int max)
    {
        if (value < min || value > max)
        {
            throw new IllegalArgumentException(name + ' ' + value + ": must be " + min + " to " + max);
        }
    }

    /**
     * Checks private data of a host.
     *
     * @param data of any length and contents.
     * @return what to reject it with; null when {@link #read} can read it.
     */
    public static RejectStatus refusal(final byte[] data)
    {
        if (data.length < SIZE_BYTES)
        {
            return RejectStatus.INVALID_LENGTH;
        }
        final ByteBuffer view = view(data);
        if (0 != view.getShort(FORMAT_OFFSET))
        {
            return RejectStatus.INVALID_FORMAT;
        }
        // Without a receive request no response can reach the host.
        return 0 == view.getShort(RECEIVE_QUEUE_SIZE_OFFSET) ? RejectStatus.INVALID_RECEIVE_QUEUE_SIZE : null;
    }

    /**
     * Reads private data of a host.
     *
     * @param data of any length and contents.
     * @return the request; null when there is a {@link #refusal}.
     */
    public static ConnectRequest read(final byte[] data)
    {
        if (null != refusal(data))
        {
            return null;
        }
        final ByteBuffer view = view(data);
        return new ConnectRequest(
            Short.toUnsignedInt(view.getShort(QUEUE_ID_OFFSET)),
            Short.toUnsignedInt(view.getShort(RECEIVE_QUEUE_SIZE_OFFSET)),
            Short.toUnsignedInt(view.getShort(SEND_QUEUE_SIZE_OFFSET)) + 1,
            Short.toUnsignedInt(view.getShort(CONTROLLER_ID_OFFSET)));
    }

    /**
     * {@return it as private data, of {@value #SIZE_BYTES} bytes}
     */
    public byte[] toBytes()
    {
        final byte[] data = new byte[SIZE_BYTES];
        view(data)
            .putShort(QUEUE_ID_OFFSET, (short)queueId)
            .putShort(RECEIVE_QUEUE_SIZE_OFFSET, (short)receiveQueueSize)
            .putShort(SEND_QUEUE_SIZE_OFFSET, (short)(sendQueueSize - 1))
            .putShort(CONTROLLER_ID_OFFSET, (short)controllerId);
        return data;
    }

    private static ByteBuffer view(final byte[] data)
    {
        return ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN);
    }
}
