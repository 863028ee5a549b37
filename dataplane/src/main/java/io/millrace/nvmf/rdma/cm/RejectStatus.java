package io.millrace.nvmf.rdma.cm;

/**
 * Why a controller rejects a connection (STS), with what to check at the host. NVMe over RDMA Transport Specification
 * 1.0, RDMA Transport Status Codes. Immutable; any thread.
 */
public enum RejectStatus
{
    /** No status that is known. */
    UNKNOWN(0, "no known reason: see the target's log"),
    /** The private data of the request is too short. */
    INVALID_LENGTH(0x01, "private data of the request is too short"),
    /** The format of the private data is not 0. */
    INVALID_FORMAT(0x02, "private data of the request has an unknown format (RECFMT)"),
    /** The controller has no queue of that number. */
    INVALID_QUEUE_ID(0x03, "queue id (QID) is out of range: use fewer I/O queues"),
    /** The send queue of the host. */
    INVALID_SEND_QUEUE_SIZE(0x04, "size of the host's send queue (HSQSIZE) is out of range: use a smaller queue"),
    /** The receive queue of the host. */
    INVALID_RECEIVE_QUEUE_SIZE(0x05, "size of the host's receive queue (HRQSIZE) is out of range"),
    /** The controller has none left. */
    NO_RESOURCES(0x06, "target has no resources for another connection: see its log and its limits"),
    /** RDMA READs that the host serves. */
    INVALID_READS_SERVED(0x07, "number of RDMA READs that the host serves (IRD) is out of range"),
    /** RDMA READs that the host has outstanding. */
    INVALID_READS_INITIATED(0x08, "number of RDMA READs that the host has outstanding (ORD) is out of range"),
    /** The controller of an I/O queue does not exist. */
    INVALID_CONTROLLER_ID(0x09, "controller id (CNTLID) names no controller");

    private static final RejectStatus[] ALL = values();

    private final int code;
    private final String text;

    RejectStatus(final int code, final String text)
    {
        this.code = code;
        this.text = text;
    }

    /**
     * {@return the code on the wire}
     */
    public int code()
    {
        return code;
    }

    /**
     * {@return what is wrong, as a clause}
     */
    public String text()
    {
        return text;
    }

    /**
     * {@return the status of a code; {@link #UNKNOWN} for one that the specification does not have}
     *
     * @param code on the wire.
     */
    public static RejectStatus of(final int code)
    {
        // Codes are the places in the enum.
        return code > 0 && code < ALL.length ? ALL[code] : UNKNOWN;
    }
}
