package io.millrace.nvmf.corruption;

import io.millrace.nvmf.tcp.pdu.CommonHeader;
import io.millrace.nvmf.tcp.pdu.PduType;

/**
 * Fields of PDUs in which a bit can be flipped (NVMe/TCP Transport 1.0, figures 19 to 28).
 */
public enum PduField
{
    /** PDU type. */
    TYPE(0, 1),
    /** Flags. */
    FLAGS(1, 1),
    /** HLEN. */
    HEADER_LENGTH(2, 1),
    /** PDO. */
    DATA_OFFSET(3, 1),
    /** PLEN. */
    PDU_LENGTH(4, 4),
    /** PFV of ICReq and ICResp. */
    FORMAT_VERSION(8, 2),
    /** HPDA and CPDA. */
    DATA_ALIGNMENT(10, 1),
    /** DGST of ICReq and ICResp. */
    DIGESTS(11, 1),
    /** MAXR2T and MAXH2CDATA. */
    MAXIMUM(12, 4),
    /** The entry of a capsule as a whole. */
    ENTRY(8, 0),
    /** Command identifier: CCCID of data and R2Ts, that of the entry in capsules. */
    COMMAND_ID(8, 2),
    /** TTAG of H2CData and R2T. */
    TRANSFER_TAG(10, 2),
    /** DATAO and R2TO. */
    BUFFER_OFFSET(12, 4),
    /** DATAL and R2TL. */
    DATA_LENGTH(16, 4),
    /** The digest behind the header. */
    HEADER_DIGEST(0, CommonHeader.DIGEST_SIZE_BYTES),
    /** The data. */
    DATA(0, 0),
    /** The digest behind the data. */
    DATA_DIGEST(0, CommonHeader.DIGEST_SIZE_BYTES);

    private static final int CAPSULE_COMMAND_ID_OFFSET = 10;
    private static final int RESPONSE_COMMAND_ID_OFFSET = 20;

    private final int offset;
    private final int sizeBytes;

    PduField(final int offset, final int sizeBytes)
    {
        this.offset = offset;
        this.sizeBytes = sizeBytes;
    }

    /**
     * {@return where the field begins in a PDU}
     *
     * @param pdu the whole of it.
     */
    int offset(final byte[] pdu)
    {
        return switch (this)
        {
            case COMMAND_ID -> commandIdOffset(pdu[CommonHeader.TYPE_OFFSET]);
            case HEADER_DIGEST -> pdu[CommonHeader.HEADER_LENGTH_OFFSET] & 0xFF;
            case DATA -> pdu[CommonHeader.DATA_OFFSET_OFFSET] & 0xFF;
            case DATA_DIGEST -> pdu.length - CommonHeader.DIGEST_SIZE_BYTES;
            default -> offset;
        };
    }

    /**
     * {@return bytes of the field in a PDU}
     *
     * @param pdu the whole of it.
     */
    int sizeBytes(final byte[] pdu)
    {
        return switch (this)
        {
            case ENTRY -> (pdu[CommonHeader.HEADER_LENGTH_OFFSET] & 0xFF) - CommonHeader.SIZE_BYTES;
            case DATA -> pdu.length - offset(pdu) -
                (0 != (pdu[CommonHeader.FLAGS_OFFSET] & CommonHeader.FLAG_DATA_DIGEST) ?
                    CommonHeader.DIGEST_SIZE_BYTES : 0);
            default -> sizeBytes;
        };
    }

    /**
     * {@return whether a digest of the header, where there is one, covers the field or is the field}
     */
    boolean isOfHeader()
    {
        return DATA != this && DATA_DIGEST != this;
    }

    /**
     * {@return where the command identifier is}
     *
     * @param pduType of the PDU.
     */
    static int commandIdOffset(final int pduType)
    {
        return switch (pduType)
        {
            case PduType.CAPSULE_COMMAND -> CAPSULE_COMMAND_ID_OFFSET;
            case PduType.CAPSULE_RESPONSE -> RESPONSE_COMMAND_ID_OFFSET;
            default -> COMMAND_ID.offset;
        };
    }
}
