package io.millrace.nvmf.tcp.pdu;

import java.nio.ByteOrder;

/**
 * R2T, 24 bytes (NVMe/TCP Transport 1.0, section 3.6.2.10, figure 28).
 *
 * <pre>
 *    0 common header
 *    8 command id | transfer tag
 *   12 offset asked for
 *   16 length asked for
 *   20 reserved
 *   24 header digest
 * </pre>
 */
public final class ReadyToTransfer extends CommonHeader
{
    /** Size in bytes of the header: HLEN. */
    public static final int SIZE_BYTES = 24;

    /** Offset of the command id, as named in fatal error information. */
    public static final int COMMAND_ID_OFFSET = 8;
    /** Offset of the transfer tag. */
    public static final int TRANSFER_TAG_OFFSET = 10;
    /** Offset of the offset asked for. */
    public static final int BUFFER_OFFSET_OFFSET = 12;
    /** Offset of the length asked for. */
    public static final int DATA_LENGTH_OFFSET = 16;

    private static final int RESERVED_OFFSET = 20;

    /**
     * Creates a flyweight that wraps nothing.
     */
    public ReadyToTransfer()
    {
    }

    /**
     * Writes the whole header.
     *
     * @param headerDigest whether a header digest follows.
     * @param commandId    of the command, 16 bits.
     * @param transferTag  for the host to repeat, 16 bits.
     * @param bufferOffset of the data within the command's buffer.
     * @param dataLength   in bytes.
     */
    public void build(
        final boolean headerDigest,
        final int commandId,
        final int transferTag,
        final int bufferOffset,
        final int dataLength)
    {
        set(PduType.READY_TO_TRANSFER, headerDigest ? FLAG_HEADER_DIGEST : 0, SIZE_BYTES, 0,
            headerDigest ? SIZE_BYTES + DIGEST_SIZE_BYTES : SIZE_BYTES);
        buffer.putInt(offset + COMMAND_ID_OFFSET, commandId & 0xFFFF | transferTag << 16, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(offset + BUFFER_OFFSET_OFFSET, bufferOffset, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(offset + DATA_LENGTH_OFFSET, dataLength, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(offset + RESERVED_OFFSET, 0, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * {@return CCCID: id of the command whose data is asked for}
     */
    public int commandId()
    {
        return buffer.getShort(offset + COMMAND_ID_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * {@return TTAG: tag that the data PDUs repeat}
     */
    public int transferTag()
    {
        return buffer.getShort(offset + TRANSFER_TAG_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * {@return R2TO: offset of the data asked for within the command's buffer, unsigned}
     */
    public int bufferOffset()
    {
        return buffer.getInt(offset + BUFFER_OFFSET_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * {@return R2TL: length of the data asked for in bytes, unsigned}
     */
    public int dataLength()
    {
        return buffer.getInt(offset + DATA_LENGTH_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }
}
