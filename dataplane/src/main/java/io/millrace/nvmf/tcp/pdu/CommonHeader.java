package io.millrace.nvmf.tcp.pdu;

import io.millrace.nvme.Flyweight;
import java.nio.ByteOrder;

/**
 * What every PDU begins with, 8 bytes (NVMe/TCP Transport 1.0, section 3.6.2.1, figure 19).
 *
 * <pre>
 *    0 type | flags | header length | data offset
 *    4 PDU length
 * </pre>
 */
public class CommonHeader extends Flyweight
{
    /** Size in bytes. */
    public static final int SIZE_BYTES = 8;
    /** Size of a header digest and of a data digest. */
    public static final int DIGEST_SIZE_BYTES = 4;
    /** Largest value of HPDA and CPDA: 32 dwords, 0's based. */
    public static final int DATA_ALIGNMENT_MAX = 31;

    /** Flag HDGSTF: a header digest follows the header. */
    public static final int FLAG_HEADER_DIGEST = 1;
    /** Flag DDGSTF: a data digest follows the data. */
    public static final int FLAG_DATA_DIGEST = 1 << 1;
    /** Flag LAST_PDU of the data PDUs: the last of its R2T or command. */
    public static final int FLAG_LAST = 1 << 2;
    /** Flag SUCCESS of C2HData: the command succeeded and no response capsule follows. */
    public static final int FLAG_SUCCESS = 1 << 3;

    /** Offset of the PDU type, as named in fatal error information. */
    public static final int TYPE_OFFSET = 0;
    /** Offset of the flags. */
    public static final int FLAGS_OFFSET = 1;
    /** Offset of the header length. */
    public static final int HEADER_LENGTH_OFFSET = 2;
    /** Offset of the data offset. */
    public static final int DATA_OFFSET_OFFSET = 3;
    /** Offset of the PDU length. */
    public static final int PDU_LENGTH_OFFSET = 4;

    /**
     * Creates a flyweight that wraps nothing.
     */
    public CommonHeader()
    {
    }

    /**
     * Sets the whole common header; the PDU's own fields stay as they are.
     *
     * @param type         of {@link PduType}.
     * @param flags        {@code FLAG_*} bits.
     * @param headerLength HLEN: common and specific header, without digest.
     * @param dataOffset   PDO: where data begins, 0 when there is none.
     * @param pduLength    PLEN: of everything.
     */
    public final void set(
        final int type, final int flags, final int headerLength, final int dataOffset, final int pduLength)
    {
        buffer.putInt(offset, type | flags << 8 | headerLength << 16 | dataOffset << 24, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(offset + PDU_LENGTH_OFFSET, pduLength, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * {@return number of the PDU type}
     */
    public final int type()
    {
        return buffer.getByte(offset + TYPE_OFFSET) & 0xFF;
    }

    /**
     * {@return flags; their meaning depends on the type}
     */
    public final int flags()
    {
        return buffer.getByte(offset + FLAGS_OFFSET) & 0xFF;
    }

    /**
     * {@return HLEN: length in bytes of common and specific header, without digest}
     */
    public final int headerLength()
    {
        return buffer.getByte(offset + HEADER_LENGTH_OFFSET) & 0xFF;
    }

    /**
     * {@return PDO: offset in bytes of the data from the start of the PDU}
     */
    public final int dataOffset()
    {
        return buffer.getByte(offset + DATA_OFFSET_OFFSET) & 0xFF;
    }

    /**
     * {@return PLEN: length in bytes of the whole PDU; unsigned in the specification, so a negative value is too large}
     */
    public final int pduLength()
    {
        return buffer.getInt(offset + PDU_LENGTH_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }
}
