package io.millrace.nvmf.tcp.pdu;

import java.nio.ByteOrder;

/**
 * Header of PDUs that transfer data or ask for it, 24 bytes (NVMe/TCP Transport 1.0, sections 3.6.2.8 to 3.6.2.10,
 * figures 26 to 28). The transfer tag is the host's alone and reserved in C2HData.
 *
 * <pre>
 *    0 common header
 *    8 command id | transfer tag
 *   12 offset within the command's buffer
 *   16 length
 *   20 reserved
 *   24 header digest, padding, data, data digest
 * </pre>
 */
public abstract sealed class TransferPdu extends CommonHeader permits DataPdu, ReadyToTransfer
{
    /** Size in bytes of the header: HLEN. */
    public static final int SIZE_BYTES = 24;

    /** Offset of the command id, as named in fatal error information. */
    public static final int COMMAND_ID_OFFSET = 8;
    /** Offset of the transfer tag. */
    public static final int TRANSFER_TAG_OFFSET = 10;
    /** Offset of the offset within the command's buffer. */
    public static final int BUFFER_OFFSET_OFFSET = 12;
    /** Offset of the length in bytes. */
    public static final int DATA_LENGTH_OFFSET = 16;

    private static final int RESERVED_OFFSET = 20;

    TransferPdu()
    {
    }

    /**
     * Writes the specific header; {@link #set} writes the common one.
     *
     * @param commandId    of the command, 16 bits.
     * @param transferTag  of the R2T, 16 bits; 0 in C2HData.
     * @param bufferOffset of the data within the command's buffer.
     * @param dataLength   in bytes.
     */
    public final void setTransfer(
        final int commandId, final int transferTag, final int bufferOffset, final int dataLength)
    {
        buffer.putInt(offset + COMMAND_ID_OFFSET, commandId & 0xFFFF | transferTag << 16, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(offset + BUFFER_OFFSET_OFFSET, bufferOffset, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(offset + DATA_LENGTH_OFFSET, dataLength, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(offset + RESERVED_OFFSET, 0, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * {@return CCCID: id of the command whose data it is}
     */
    public final int commandId()
    {
        return buffer.getShort(offset + COMMAND_ID_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * {@return TTAG: tag of the R2T, which data PDUs of the host repeat}
     */
    public final int transferTag()
    {
        return buffer.getShort(offset + TRANSFER_TAG_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * {@return DATAO, R2TO: offset of the data within the command's buffer, unsigned}
     */
    public final int bufferOffset()
    {
        return buffer.getInt(offset + BUFFER_OFFSET_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * {@return DATAL, R2TL: length of the data in bytes, unsigned}
     */
    public final int dataLength()
    {
        return buffer.getInt(offset + DATA_LENGTH_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }
}
