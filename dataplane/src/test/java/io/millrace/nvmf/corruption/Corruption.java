package io.millrace.nvmf.corruption;

import io.millrace.nvmf.tcp.pdu.CommonHeader;
import io.millrace.nvmf.tcp.pdu.PduType;

/**
 * Which bit of which PDU is flipped.
 *
 * @param pduType of {@link PduType}.
 * @param hasData whether a capsule is meant that carries data, or one that does not.
 * @param skipped such PDUs that pass before.
 * @param field   that the bit is in.
 * @param bit     within the field, modulo its size; 0 is the lowest of the first byte.
 */
public record Corruption(int pduType, boolean hasData, int skipped, PduField field, int bit)
{
    /**
     * {@return whether a PDU is of the kind that is meant}
     *
     * @param pdu the whole of it.
     */
    boolean isOf(final byte[] pdu)
    {
        return pdu[CommonHeader.TYPE_OFFSET] == pduType &&
            (PduType.CAPSULE_COMMAND != pduType || hasData == (0 != pdu[CommonHeader.DATA_OFFSET_OFFSET]));
    }

    /**
     * {@return the PDU with the bit flipped}
     *
     * @param pdu as it was sent.
     */
    byte[] of(final byte[] pdu)
    {
        final byte[] damaged = pdu.clone();
        final int position = bitIn(pdu);
        damaged[field.offset(pdu) + position / Byte.SIZE] ^= (byte)(1 << position % Byte.SIZE);
        return damaged;
    }

    /**
     * {@return the bit within the field}
     *
     * @param pdu the whole of it.
     */
    int bitIn(final byte[] pdu)
    {
        return bit % (field.sizeBytes(pdu) * Byte.SIZE);
    }

    /**
     * {@return whether hosts send such PDUs}
     */
    public boolean isFromHost()
    {
        return 0 == (pduType & 1);
    }

    @Override
    public String toString()
    {
        final String name = switch (pduType)
        {
            case PduType.IC_REQ -> "ICReq";
            case PduType.IC_RESP -> "ICResp";
            case PduType.CAPSULE_COMMAND -> hasData ? "CapsuleCmd with data" : "CapsuleCmd";
            case PduType.CAPSULE_RESPONSE -> "CapsuleResp";
            case PduType.H2C_DATA -> "H2CData";
            case PduType.C2H_DATA -> "C2HData";
            case PduType.READY_TO_TRANSFER -> "R2T";
            default -> "PDU " + pduType;
        };
        return name + (0 == skipped ? "" : " after " + skipped) + ", " + field + " bit " + bit;
    }
}
