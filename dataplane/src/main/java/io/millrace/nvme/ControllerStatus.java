package io.millrace.nvme;

/**
 * Bits of the controller status property (NVM Express Base 2.0, section 3.1.3.6), kept in an int. Stateless.
 */
public final class ControllerStatus
{
    /** Ready (RDY). */
    public static final int READY = 1;
    /** Fatal status (CFS). */
    public static final int FATAL = 1 << 1;
    /** Shutdown is going on (SHST). */
    public static final int SHUTDOWN_OCCURRING = 1 << 2;
    /** Shutdown is complete (SHST). */
    public static final int SHUTDOWN_COMPLETE = 2 << 2;
    /** Mask of the shutdown status. */
    public static final int SHUTDOWN_MASK = 3 << 2;

    private ControllerStatus()
    {
    }

    /**
     * {@return whether the controller is ready}
     *
     * @param status status.
     */
    public static boolean isReady(final int status)
    {
        return 0 != (status & READY);
    }

    /**
     * {@return whether the controller failed fatally}
     *
     * @param status status.
     */
    public static boolean isFatal(final int status)
    {
        return 0 != (status & FATAL);
    }
}
