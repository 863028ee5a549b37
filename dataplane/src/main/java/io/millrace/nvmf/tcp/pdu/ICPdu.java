package io.millrace.nvmf.tcp.pdu;

import java.nio.ByteOrder;

/**
 * ICReq and ICResp, 128 bytes (NVMe/TCP Transport 1.0, sections 3.6.2.2 and 3.6.2.3, figures 20 and 21). The two differ
 * in the meaning of the last field.
 *
 * <pre>
 *    0 common header
 *    8 PDU format version | data alignment | digests
 *   12 MAXR2T (ICReq), MAXH2CDATA (ICResp)
 *   16 reserved to 128
 * </pre>
 */
public final class ICPdu extends CommonHeader
{
    /** Size in bytes, both HLEN and PLEN. */
    public static final int SIZE_BYTES = 128;
    /** PFV of this revision. */
    public static final int FORMAT_VERSION = 0;
    /** Bit HDGST_ENABLE. */
    public static final int DIGEST_HEADER = 1;
    /** Bit DDGST_ENABLE. */
    public static final int DIGEST_DATA = 1 << 1;

    /** Offset of the format version, as named in fatal error information. */
    public static final int FORMAT_VERSION_OFFSET = 8;
    /** Offset of HPDA and CPDA. */
    public static final int DATA_ALIGNMENT_OFFSET = 10;
    /** Offset of the digest bits. */
    public static final int DIGESTS_OFFSET = 11;
    /** Offset of MAXR2T and MAXH2CDATA. */
    public static final int MAXIMUM_OFFSET = 12;

    /**
     * Creates a flyweight that wraps nothing.
     */
    public ICPdu()
    {
    }

    /**
     * Writes all 128 bytes.
     *
     * @param type          {@link PduType#IC_REQ} or its response.
     * @param dataAlignment HPDA or CPDA: in dwords, 0's based.
     * @param digests       {@code DIGEST_*} bits.
     * @param maximum       MAXR2T, 0's based, or MAXH2CDATA in bytes.
     */
    public void build(final int type, final int dataAlignment, final int digests, final int maximum)
    {
        buffer.setMemory(offset, SIZE_BYTES, (byte)0);
        set(type, 0, SIZE_BYTES, 0, SIZE_BYTES);
        buffer.putByte(offset + DATA_ALIGNMENT_OFFSET, (byte)dataAlignment);
        buffer.putByte(offset + DIGESTS_OFFSET, (byte)digests);
        buffer.putInt(offset + MAXIMUM_OFFSET, maximum, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * {@return PFV: version of the PDU format}
     */
    public int formatVersion()
    {
        return buffer.getShort(offset + FORMAT_VERSION_OFFSET, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    /**
     * {@return HPDA of an ICReq, CPDA of an ICResp: alignment of the other side's PDU data in dwords, 0's based}
     */
    public int dataAlignment()
    {
        return buffer.getByte(offset + DATA_ALIGNMENT_OFFSET) & 0xFF;
    }

    /**
     * {@return digests asked for or granted, {@code DIGEST_*} bits}
     */
    public int digests()
    {
        return buffer.getByte(offset + DIGESTS_OFFSET) & 0xFF;
    }

    /**
     * {@return MAXR2T of an ICReq: how many R2T of one command the host takes at a time, 0's based, unsigned}
     */
    public int maxReadyToTransfer()
    {
        return buffer.getInt(offset + MAXIMUM_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * {@return MAXH2CDATA of an ICResp: most data bytes of one H2CData PDU, unsigned}
     */
    public int maxH2CDataBytes()
    {
        return buffer.getInt(offset + MAXIMUM_OFFSET, ByteOrder.LITTLE_ENDIAN);
    }
}
