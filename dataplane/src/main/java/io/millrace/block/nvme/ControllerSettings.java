package io.millrace.block.nvme;

/**
 * Settings of a controller, whatever its devices. Immutable.
 *
 * @param adminTimeoutNs that an admin command may take.
 * @param queuePairsMax  I/O queue pairs to ask for, 1 to 65535; a reactor has one.
 * @param watchNs        interval of checks of the controller's health.
 */
public record ControllerSettings(long adminTimeoutNs, int queuePairsMax, long watchNs)
{
    private static final long ADMIN_TIMEOUT_NS_DEFAULT = 60_000_000_000L;
    private static final int QUEUE_PAIRS_DEFAULT = 128;
    private static final long WATCH_NS_DEFAULT = 100_000_000L;

    /**
     * {@return a minute for admin commands, 128 queue pairs, ten checks a second}
     */
    public static ControllerSettings defaults()
    {
        return new ControllerSettings(ADMIN_TIMEOUT_NS_DEFAULT, QUEUE_PAIRS_DEFAULT, WATCH_NS_DEFAULT);
    }
}
