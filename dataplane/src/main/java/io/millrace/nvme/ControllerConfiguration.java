package io.millrace.nvme;

/**
 * Bits of the controller configuration property (NVM Express Base 2.0, section 3.1.3.5), kept in an int. Stateless.
 */
public final class ControllerConfiguration
{
    /** Enable (EN). */
    public static final int ENABLE = 1;
    /** I/O command set: NVM (CSS). */
    public static final int COMMAND_SET_NVM = 0;
    /** I/O command set: all that are supported (CSS). */
    public static final int COMMAND_SET_ALL = 6 << 4;
    /** Mask of the I/O command set. */
    public static final int COMMAND_SET_MASK = 7 << 4;
    /** Mask of the memory page size (MPS); 0 is 4 KiB. */
    public static final int MEMORY_PAGE_SIZE_MASK = 0xF << 7;
    /** Mask of the arbitration mechanism (AMS); 0 is round robin. */
    public static final int ARBITRATION_MASK = 7 << 11;
    /** Shutdown notification: normal (SHN). */
    public static final int SHUTDOWN_NORMAL = 1 << 14;
    /** Shutdown notification: abrupt (SHN). */
    public static final int SHUTDOWN_ABRUPT = 2 << 14;
    /** Mask of the shutdown notification. */
    public static final int SHUTDOWN_MASK = 3 << 14;
    /** Submission queue entries of 64 bytes (IOSQES). */
    public static final int SUBMISSION_ENTRY_64 = 6 << 16;
    /** Mask of the submission queue entry size. */
    public static final int SUBMISSION_ENTRY_MASK = 0xF << 16;
    /** Completion queue entries of 16 bytes (IOCQES). */
    public static final int COMPLETION_ENTRY_16 = 4 << 20;
    /** Mask of the completion queue entry size. */
    public static final int COMPLETION_ENTRY_MASK = 0xF << 20;

    private ControllerConfiguration()
    {
    }

    /**
     * {@return whether the controller is enabled}
     *
     * @param configuration configuration.
     */
    public static boolean isEnabled(final int configuration)
    {
        return 0 != (configuration & ENABLE);
    }

    /**
     * {@return bits for the memory page size (MPS)}
     *
     * @param pageShift log2 of the page, at least 12.
     */
    public static int ofMemoryPageShift(final int pageShift)
    {
        return pageShift - 12 << 7;
    }
}
