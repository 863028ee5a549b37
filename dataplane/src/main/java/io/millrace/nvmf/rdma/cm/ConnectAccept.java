package io.millrace.nvmf.rdma.cm;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What a controller accepts a connection with. NVMe over RDMA Transport Specification 1.0, RDMA_CM_ACCEPT Private Data
 * Format. Immutable; any thread. Control path: allocates.
 *
 * <pre>
 *    0               2               4                   32
 *   +---------------+---------------+-------------------+
 *   |  RECFMT (0)   |    CRQSIZE    |     reserved      |
 *   +---------------+---------------+-------------------+
 * </pre>
 *
 * @param receiveQueueSize capsules that the controller can receive at a time, 0 to 65535 (CRQSIZE).
 */
public record ConnectAccept(int receiveQueueSize)
{
    /** Length on the wire as it is written. InfiniBand and RoCE append zeros. */
    public static final int SIZE_BYTES = 32;

    static final int FORMAT_OFFSET = 0;
    static final int RECEIVE_QUEUE_SIZE_OFFSET = 2;

    private static final int VALUE_MAX = 0xFFFF;

    /** Checks that the value fits its field. */
    public ConnectAccept
    {
        if (receiveQueueSize < 0 || receiveQueueSize > VALUE_MAX)
        {
            throw new IllegalArgumentException(
                "receive queue size " + receiveQueueSize + ": must be 0 to " + VALUE_MAX);
        }
    }

    /**
     * Reads private data of a controller.
     *
     * @param data of any length and contents.
     * @return the acceptance; null when the data is too short or its format unknown.
     */
    public static ConnectAccept read(final byte[] data)
    {
        if (data.length < SIZE_BYTES)
        {
            return null;
        }
        final ByteBuffer view = view(data);
        return 0 != view.getShort(FORMAT_OFFSET) ? null :
            new ConnectAccept(Short.toUnsignedInt(view.getShort(RECEIVE_QUEUE_SIZE_OFFSET)));
    }

    /**
     * {@return it as private data, of {@value #SIZE_BYTES} bytes}
     */
    public byte[] toBytes()
    {
        final byte[] data = new byte[SIZE_BYTES];
        view(data).putShort(RECEIVE_QUEUE_SIZE_OFFSET, (short)receiveQueueSize);
        return data;
    }

    private static ByteBuffer view(final byte[] data)
    {
        return ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN);
    }
}
