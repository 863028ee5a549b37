package io.millrace.nvme;

/**
 * Status of a command as a number: status code in bits 7:0, status code type in bits 10:8, command retry delay in bits
 * 12:11, more in bit 13, do-not-retry in bit 14 (NVM Express Base 2.0, section 3.3.3.2.1). That is the status field of
 * a completion without its phase tag, so {@code statusField == status << 1}. Stateless.
 */
public final class NvmeStatus
{
    /** Do not retry: the same command would fail again. */
    public static final int DO_NOT_RETRY = 0x4000;
    /** More about it is in the error information log page. */
    public static final int MORE = 0x2000;
    /** Command retry delay: which of the controller's delays the host waits before a retry; 0 for none. */
    public static final int RETRY_DELAY_MASK = 0x1800;
    /** Status code type and status code. */
    public static final int CODE_MASK = 0x07FF;

    /** Done. */
    public static final int SUCCESS = 0x000;
    /** Opcode is reserved or not supported. */
    public static final int INVALID_OPCODE = 0x001;
    /** A field is reserved, unsupported or wrong. */
    public static final int INVALID_FIELD = 0x002;
    /** Command identifier is in use. */
    public static final int COMMAND_ID_CONFLICT = 0x003;
    /** Data or metadata could not be transferred. */
    public static final int DATA_TRANSFER_ERROR = 0x004;
    /** Internal error. */
    public static final int INTERNAL_ERROR = 0x006;
    /** Aborted as an Abort command asked. */
    public static final int ABORT_REQUESTED = 0x007;
    /** Aborted as its submission queue went away. */
    public static final int ABORTED_SQ_DELETION = 0x008;
    /** Namespace identifier or its format is invalid. */
    public static final int INVALID_NAMESPACE = 0x00B;
    /** Commands came in an order that the protocol forbids. */
    public static final int COMMAND_SEQUENCE_ERROR = 0x00C;
    /** SGL segment descriptor is invalid. */
    public static final int INVALID_SGL_SEGMENT_DESCRIPTOR = 0x00D;
    /** Too many or too few SGL descriptors. */
    public static final int INVALID_SGL_DESCRIPTOR_COUNT = 0x00E;
    /** Length of the data SGL does not fit the command. */
    public static final int DATA_SGL_LENGTH_INVALID = 0x00F;
    /** Length of the metadata SGL does not fit the command. */
    public static final int METADATA_SGL_LENGTH_INVALID = 0x010;
    /** SGL descriptor type is not supported. */
    public static final int SGL_DESCRIPTOR_TYPE_INVALID = 0x011;
    /** Offset of a PRP entry is not what its place demands. */
    public static final int PRP_OFFSET_INVALID = 0x013;
    /** Offset in an SGL descriptor lies outside the capsule. */
    public static final int SGL_OFFSET_INVALID = 0x016;
    /** Host identifier has another format than that in use. */
    public static final int HOST_ID_INCONSISTENT_FORMAT = 0x018;
    /** Keep alive timer ran out. */
    public static final int KEEP_ALIVE_EXPIRED = 0x019;
    /** Keep alive timeout is not possible. */
    public static final int KEEP_ALIVE_INVALID = 0x01A;
    /** Namespace is write protected. */
    public static final int NAMESPACE_WRITE_PROTECTED = 0x020;
    /** Processing was interrupted; a retry works, maybe after a delay. */
    public static final int COMMAND_INTERRUPTED = 0x021;
    /** Transport had a passing error; a retry may work. */
    public static final int TRANSIENT_TRANSPORT_ERROR = 0x022;
    /** Range exceeds the size of the namespace. */
    public static final int LBA_OUT_OF_RANGE = 0x080;
    /** Capacity of the namespace is exceeded. */
    public static final int CAPACITY_EXCEEDED = 0x081;
    /** Namespace is not ready. */
    public static final int NAMESPACE_NOT_READY = 0x082;
    /** Namespace is reserved for others. */
    public static final int RESERVATION_CONFLICT = 0x083;
    /** Namespace is being formatted. */
    public static final int FORMAT_IN_PROGRESS = 0x084;

    /** Completion queue is invalid. */
    public static final int COMPLETION_QUEUE_INVALID = 0x100;
    /** Queue identifier is invalid. */
    public static final int INVALID_QUEUE_ID = 0x101;
    /** Queue size is invalid. */
    public static final int INVALID_QUEUE_SIZE = 0x102;
    /** More Abort commands than the limit. */
    public static final int ABORT_LIMIT_EXCEEDED = 0x103;
    /** More Asynchronous Event Requests than the limit. */
    public static final int ASYNC_EVENT_LIMIT_EXCEEDED = 0x105;
    /** Interrupt vector is invalid. */
    public static final int INVALID_INTERRUPT_VECTOR = 0x108;
    /** Log page is invalid. */
    public static final int INVALID_LOG_PAGE = 0x109;
    /** Feature cannot be saved. */
    public static final int FEATURE_NOT_SAVEABLE = 0x10D;
    /** Feature cannot be changed. */
    public static final int FEATURE_NOT_CHANGEABLE = 0x10E;
    /** Feature is not for a single namespace. */
    public static final int FEATURE_NOT_NAMESPACE_SPECIFIC = 0x10F;
    /** Connect: record format is not supported. */
    public static final int CONNECT_INCOMPATIBLE_FORMAT = 0x180;
    /** Connect: controller is in use or there is none free. */
    public static final int CONNECT_CONTROLLER_BUSY = 0x181;
    /** Connect: a parameter is invalid; the completion says where. */
    public static final int CONNECT_INVALID_PARAMETERS = 0x182;
    /** Connect: ask the discovery service again. */
    public static final int CONNECT_RESTART_DISCOVERY = 0x183;
    /** Copy: more ranges or blocks than its limits; fabrics use the number for something else. */
    public static final int COMMAND_SIZE_LIMIT_EXCEEDED = 0x183;
    /** Connect: host may not access the subsystem. */
    public static final int CONNECT_INVALID_HOST = 0x184;
    /** Disconnect: queue cannot be disconnected on its own. */
    public static final int INVALID_QUEUE_TYPE = 0x185;
    /** Copy: a source range overlaps the destination. */
    public static final int OVERLAPPING_IO_RANGE = 0x187;
    /** Discovery log changed while it was read. */
    public static final int DISCOVER_RESTART = 0x190;
    /** Host must authenticate first. */
    public static final int AUTHENTICATION_REQUIRED = 0x191;

    /** Data could not be written. */
    public static final int WRITE_FAULT = 0x280;
    /** Data could not be read. */
    public static final int UNRECOVERED_READ_ERROR = 0x281;
    /** Guard of the protection information is wrong. */
    public static final int GUARD_CHECK_ERROR = 0x282;
    /** Application tag of the protection information is wrong. */
    public static final int APPLICATION_TAG_CHECK_ERROR = 0x283;
    /** Reference tag of the protection information is wrong. */
    public static final int REFERENCE_TAG_CHECK_ERROR = 0x284;
    /** Compared data differ. */
    public static final int COMPARE_FAILURE = 0x285;
    /** Access is denied. */
    public static final int ACCESS_DENIED = 0x286;
    /** Block was deallocated or never written. */
    public static final int DEALLOCATED_BLOCK = 0x287;

    /** Path: error inside the controller. */
    public static final int INTERNAL_PATH_ERROR = 0x300;
    /** Path: the controller has lost access to the namespace for good. */
    public static final int ASYMMETRIC_ACCESS_PERSISTENT_LOSS = 0x301;
    /** Path: the controller has no access to the namespace now. */
    public static final int ASYMMETRIC_ACCESS_INACCESSIBLE = 0x302;
    /** Path: the controller's access to the namespace is changing. */
    public static final int ASYMMETRIC_ACCESS_TRANSITION = 0x303;
    /** Path: error that the controller detected. */
    public static final int CONTROLLER_PATHING_ERROR = 0x360;
    /** Path: error that the host detected. */
    public static final int HOST_PATHING_ERROR = 0x370;
    /** Path: aborted by the host itself. */
    public static final int ABORTED_BY_HOST = 0x371;

    private static final int TYPE_MASK = 0x700;
    private static final int TYPE_PATH = 0x300;

    private NvmeStatus()
    {
    }

    /**
     * {@return status of a completion}
     *
     * @param statusField with its phase tag.
     */
    public static int ofField(final int statusField)
    {
        return statusField >>> 1;
    }

    /**
     * {@return status field of a completion, phase tag clear}
     *
     * @param status without phase tag.
     */
    public static int toField(final int status)
    {
        return status << 1;
    }

    /**
     * {@return status code type and code alone}
     *
     * @param status with its flags.
     */
    public static int code(final int status)
    {
        return status & CODE_MASK;
    }

    /**
     * {@return whether a retry of the same command may work}
     *
     * @param status of a failed command.
     */
    public static boolean isRetryable(final int status)
    {
        return 0 == (status & DO_NOT_RETRY);
    }

    /**
     * {@return whether the controller does not know the command, or not in this form; older controllers report that
     * without Do Not Retry too}
     *
     * @param status of a failed command.
     */
    public static boolean isUnsupported(final int status)
    {
        return INVALID_OPCODE == code(status) || INVALID_FIELD == code(status);
    }

    /**
     * {@return whether it is the path that failed, so that the same command may work through another controller}
     *
     * @param status of a failed command.
     */
    public static boolean isPathRelated(final int status)
    {
        return TYPE_PATH == (status & TYPE_MASK);
    }

    /**
     * {@return the specification's name of a status, for messages; allocates for unknown ones}
     *
     * @param status with or without its flags.
     */
    public static String name(final int status)
    {
        return switch (code(status))
        {
            case SUCCESS -> "Successful Completion";
            case INVALID_OPCODE -> "Invalid Command Opcode";
            case INVALID_FIELD -> "Invalid Field in Command";
            case COMMAND_ID_CONFLICT -> "Command ID Conflict";
            case DATA_TRANSFER_ERROR -> "Data Transfer Error";
            case INTERNAL_ERROR -> "Internal Error";
            case ABORT_REQUESTED -> "Command Abort Requested";
            case ABORTED_SQ_DELETION -> "Command Aborted due to SQ Deletion";
            case INVALID_NAMESPACE -> "Invalid Namespace or Format";
            case COMMAND_SEQUENCE_ERROR -> "Command Sequence Error";
            case INVALID_SGL_SEGMENT_DESCRIPTOR -> "Invalid SGL Segment Descriptor";
            case INVALID_SGL_DESCRIPTOR_COUNT -> "Invalid Number of SGL Descriptors";
            case DATA_SGL_LENGTH_INVALID -> "Data SGL Length Invalid";
            case SGL_DESCRIPTOR_TYPE_INVALID -> "SGL Descriptor Type Invalid";
            case SGL_OFFSET_INVALID -> "SGL Offset Invalid";
            case HOST_ID_INCONSISTENT_FORMAT -> "Host Identifier Inconsistent Format";
            case KEEP_ALIVE_EXPIRED -> "Keep Alive Timer Expired";
            case KEEP_ALIVE_INVALID -> "Keep Alive Timeout Invalid";
            case NAMESPACE_WRITE_PROTECTED -> "Namespace is Write Protected";
            case COMMAND_INTERRUPTED -> "Command Interrupted";
            case TRANSIENT_TRANSPORT_ERROR -> "Transient Transport Error";
            case LBA_OUT_OF_RANGE -> "LBA Out of Range";
            case CAPACITY_EXCEEDED -> "Capacity Exceeded";
            case NAMESPACE_NOT_READY -> "Namespace Not Ready";
            case INVALID_QUEUE_ID -> "Invalid Queue Identifier";
            case ABORT_LIMIT_EXCEEDED -> "Abort Command Limit Exceeded";
            case ASYNC_EVENT_LIMIT_EXCEEDED -> "Asynchronous Event Request Limit Exceeded";
            case INVALID_LOG_PAGE -> "Invalid Log Page";
            case FEATURE_NOT_SAVEABLE -> "Feature Identifier Not Saveable";
            case FEATURE_NOT_CHANGEABLE -> "Feature Not Changeable";
            case FEATURE_NOT_NAMESPACE_SPECIFIC -> "Feature Not Namespace Specific";
            case CONNECT_INCOMPATIBLE_FORMAT -> "Connect Incompatible Format";
            case CONNECT_CONTROLLER_BUSY -> "Connect Controller Busy";
            case CONNECT_INVALID_PARAMETERS -> "Connect Invalid Parameters";
            case CONNECT_RESTART_DISCOVERY -> "Connect Restart Discovery";
            case CONNECT_INVALID_HOST -> "Connect Invalid Host";
            case INVALID_QUEUE_TYPE -> "Invalid Queue Type";
            case OVERLAPPING_IO_RANGE -> "Overlapping I/O Range";
            case DISCOVER_RESTART -> "Discover Restart";
            case AUTHENTICATION_REQUIRED -> "Authentication Required";
            case WRITE_FAULT -> "Write Fault";
            case UNRECOVERED_READ_ERROR -> "Unrecovered Read Error";
            case COMPARE_FAILURE -> "Compare Failure";
            case ACCESS_DENIED -> "Access Denied";
            case DEALLOCATED_BLOCK -> "Deallocated or Unwritten Logical Block";
            case INTERNAL_PATH_ERROR -> "Internal Path Error";
            case ASYMMETRIC_ACCESS_PERSISTENT_LOSS -> "Asymmetric Access Persistent Loss";
            case ASYMMETRIC_ACCESS_INACCESSIBLE -> "Asymmetric Access Inaccessible";
            case ASYMMETRIC_ACCESS_TRANSITION -> "Asymmetric Access Transition";
            case CONTROLLER_PATHING_ERROR -> "Controller Pathing Error";
            case HOST_PATHING_ERROR -> "Host Pathing Error";
            case ABORTED_BY_HOST -> "Command Aborted By Host";
            case METADATA_SGL_LENGTH_INVALID -> "Metadata SGL Length Invalid";
            case PRP_OFFSET_INVALID -> "PRP Offset Invalid";
            case RESERVATION_CONFLICT -> "Reservation Conflict";
            case FORMAT_IN_PROGRESS -> "Format In Progress";
            case COMPLETION_QUEUE_INVALID -> "Completion Queue Invalid";
            case INVALID_QUEUE_SIZE -> "Invalid Queue Size";
            case INVALID_INTERRUPT_VECTOR -> "Invalid Interrupt Vector";
            case GUARD_CHECK_ERROR -> "End-to-end Guard Check Error";
            case APPLICATION_TAG_CHECK_ERROR -> "End-to-end Application Tag Check Error";
            case REFERENCE_TAG_CHECK_ERROR -> "End-to-end Reference Tag Check Error";
            default -> "status " + Integer.toHexString(code(status)) + "h";
        };
    }
}
