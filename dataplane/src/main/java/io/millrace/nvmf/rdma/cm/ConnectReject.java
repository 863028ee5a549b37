package io.millrace.nvmf.rdma.cm;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What a controller rejects a connection with. NVMe over RDMA Transport Specification 1.0, RDMA_CM_REJECT Private Data
 * Format. Immutable; any thread. Control path: allocates.
 *
 * <pre>
 *    0               2               4
 *   +---------------+---------------+
 *   |  RECFMT (0)   |      STS      |
 *   +---------------+---------------+
 * </pre>
 *
 * @param status why.
 */
public record ConnectReject(RejectStatus status)
{
    /** Least length on the wire. InfiniBand and RoCE append zeros. */
    public static final int SIZE_BYTES = 4;

    static final int FORMAT_OFFSET = 0;
    static final int STATUS_OFFSET = 2;

    /**
     * Reads private data of a controller.
     *
     * @param data of any length and contents; empty when a device or a kernel has rejected the connection.
     * @return the rejection, whose status is {@link RejectStatus#UNKNOWN} when the data says none.
     */
    public static ConnectReject read(final byte[] data)
    {
        if (data.length < SIZE_BYTES)
        {
            return new ConnectReject(RejectStatus.UNKNOWN);
        }
        final ByteBuffer view = view(data);
        return new ConnectReject(0 != view.getShort(FORMAT_OFFSET) ? RejectStatus.UNKNOWN :
            RejectStatus.of(Short.toUnsignedInt(view.getShort(STATUS_OFFSET))));
    }

    /**
     * {@return it as private data, of {@value #SIZE_BYTES} bytes}
     */
    public byte[] toBytes()
    {
        final byte[] data = new byte[SIZE_BYTES];
        view(data).putShort(STATUS_OFFSET, (short)status.code());
        return data;
    }

    private static ByteBuffer view(final byte[] data)
    {
        return ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN);
    }
}
