package io.millrace.nvme;

/**
 * Opcodes of admin commands (NVM Express Base 2.0, section 5, figure 138). Bits 1:0 of an opcode say which way its data
 * goes: see {@link DataTransfer}.
 */
public final class AdminOpcode
{
    /** Delete I/O Submission Queue. */
    public static final int DELETE_SUBMISSION_QUEUE = 0x00;
    /** Create I/O Submission Queue. */
    public static final int CREATE_SUBMISSION_QUEUE = 0x01;
    /** Get Log Page. */
    public static final int GET_LOG_PAGE = 0x02;
    /** Delete I/O Completion Queue. */
    public static final int DELETE_COMPLETION_QUEUE = 0x04;
    /** Create I/O Completion Queue. */
    public static final int CREATE_COMPLETION_QUEUE = 0x05;
    /** Identify. */
    public static final int IDENTIFY = 0x06;
    /** Abort. */
    public static final int ABORT = 0x08;
    /** Set Features. */
    public static final int SET_FEATURES = 0x09;
    /** Get Features. */
    public static final int GET_FEATURES = 0x0A;
    /** Asynchronous Event Request. */
    public static final int ASYNC_EVENT_REQUEST = 0x0C;
    /** Keep Alive. */
    public static final int KEEP_ALIVE = 0x18;
    /** Doorbell Buffer Config. */
    public static final int DOORBELL_BUFFER_CONFIG = 0x7C;
    /** Fabrics command; {@link FabricsType} says which. */
    public static final int FABRICS = 0x7F;

    private AdminOpcode()
    {
    }

    /**
     * {@return its name; as a hexadecimal number when it has none here. May allocate}
     *
     * @param opcode any number.
     */
    public static String name(final int opcode)
    {
        return switch (opcode)
        {
            case DELETE_SUBMISSION_QUEUE -> "DELETE_SUBMISSION_QUEUE";
            case CREATE_SUBMISSION_QUEUE -> "CREATE_SUBMISSION_QUEUE";
            case GET_LOG_PAGE -> "GET_LOG_PAGE";
            case DELETE_COMPLETION_QUEUE -> "DELETE_COMPLETION_QUEUE";
            case CREATE_COMPLETION_QUEUE -> "CREATE_COMPLETION_QUEUE";
            case IDENTIFY -> "IDENTIFY";
            case ABORT -> "ABORT";
            case SET_FEATURES -> "SET_FEATURES";
            case GET_FEATURES -> "GET_FEATURES";
            case ASYNC_EVENT_REQUEST -> "ASYNC_EVENT_REQUEST";
            case KEEP_ALIVE -> "KEEP_ALIVE";
            case DOORBELL_BUFFER_CONFIG -> "DOORBELL_BUFFER_CONFIG";
            case FABRICS -> "FABRICS";
            default -> "0x" + Integer.toHexString(opcode);
        };
    }
}
