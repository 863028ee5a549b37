package io.millrace.nvmf.tcp.pdu;

/**
 * Reason for which a side ends the connection (NVMe/TCP Transport 1.0, figures 22 and 23, field FES). What the fatal
 * error information holds depends on it.
 */
public enum FatalErrorStatus
{
    /** A number that the specification does not define. */
    RESERVED(0x00),
    /** A header field is invalid; information: its offset from the start of the PDU. */
    INVALID_HEADER_FIELD(0x01),
    /** A PDU that must not come now; no information. */
    SEQUENCE_ERROR(0x02),
    /** Header digest does not match; information: the digest received. */
    HEADER_DIGEST_ERROR(0x03),
    /** Data outside the range of its R2T or command; no information. */
    DATA_OUT_OF_RANGE(0x04),
    /** From the controller: an H2CData PDU above MAXH2CDATA. From the host: an R2T above MAXR2T. No information. */
    LIMIT_EXCEEDED(0x05),
    /** A parameter is not supported; information: its offset from the start of the PDU. */
    UNSUPPORTED_PARAMETER(0x06);

    private static final FatalErrorStatus[] VALUES = values();

    private final int code;

    FatalErrorStatus(final int code)
    {
        this.code = code;
    }

    /**
     * {@return the number on the wire}
     */
    public int code()
    {
        return code;
    }

    /**
     * {@return the status of a number, {@link #RESERVED} when there is none}
     *
     * @param code on the wire.
     */
    public static FatalErrorStatus of(final int code)
    {
        return code > 0 && code < VALUES.length ? VALUES[code] : RESERVED;
    }
}
