package io.millrace.nvmf.tcp.pdu;

import java.nio.ByteOrder;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * H2CTermReq and C2HTermReq, 24 bytes and up to 128 of the header that was at fault (NVMe/TCP Transport 1.0, sections
 * 3.6.2.4 and 3.6.2.5, figures 22 and 23). Never carries a digest.
 *
 * <pre>
 *    0 common header
 *    8 fatal error status
 *   10 fatal error information
 *   14 reserved
 *   24 header that was processed when the error was found
 * </pre>
 */
public final class TerminationRequest extends CommonHeader
{
    /** Size in bytes of the header: HLEN, and the smallest PLEN. */
    public static final int SIZE_BYTES = 24;
    /** Most bytes of the copied header. */
    public static final int DATA_BYTES_MAX = 128;
    /** Largest PLEN. */
    public static final int SIZE_BYTES_MAX = SIZE_BYTES + DATA_BYTES_MAX;

    private static final int STATUS_OFFSET = 8;
    private static final int INFORMATION_OFFSET = 10;

    /**
     * Creates a flyweight that wraps nothing.
     */
    public TerminationRequest()
    {
    }

    /**
     * Writes the whole PDU.
     *
     * @param type         {@link PduType#H2C_TERM_REQ} or the controller's.
     * @param status       what went wrong.
     * @param information  that belongs to the status.
     * @param source       that holds the header at fault.
     * @param sourceOffset of that header.
     * @param sourceLength of that header, cut to {@link #DATA_BYTES_MAX}.
     * @return length of the PDU in bytes.
     */
    public int build(
        final int type,
        final FatalErrorStatus status,
        final int information,
        final UnsafeBuffer source,
        final int sourceOffset,
        final int sourceLength)
    {
        final int copied = Math.min(sourceLength, DATA_BYTES_MAX);
        buffer.setMemory(offset, SIZE_BYTES, (byte)0);
        set(type, 0, SIZE_BYTES, 0, SIZE_BYTES + copied);
        buffer.putShort(offset + STATUS_OFFSET, (short)status.code(), ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(offset + INFORMATION_OFFSET, information, ByteOrder.LITTLE_ENDIAN);
        if (copied > 0)
        {
            buffer.putBytes(offset + SIZE_BYTES, source, sourceOffset, copied);
        }
        return SIZE_BYTES + copied;
    }

    /**
     * {@return FES: what went wrong}
     */
    public FatalErrorStatus status()
    {
        return FatalErrorStatus.of(statusCode());
    }

    /**
     * {@return FES as a number}
     */
    public int statusCode()
    {
        return buffer.getShort(offset + STATUS_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * {@return FEI: offset or digest, as the status says}
     */
    public int information()
    {
        return buffer.getInt(offset + INFORMATION_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }
}
