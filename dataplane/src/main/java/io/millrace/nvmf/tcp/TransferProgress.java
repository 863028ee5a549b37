package io.millrace.nvmf.tcp;

/**
 * Detects a transfer without progress. It is checked periodically, so that transfers need not report to it; a stalled
 * one is found between its time-out and an eighth more. Single-threaded.
 */
final class TransferProgress
{
    /** Checks of the progress within the time-out. */
    static final int CHECKS = 8;

    private final long timeoutNs;
    private long progress;
    private long sinceNs;

    /**
     * Creates a check of no transfer.
     *
     * @param timeoutNs without progress after which a transfer is overdue.
     */
    TransferProgress(final long timeoutNs)
    {
        this.timeoutNs = timeoutNs;
    }

    /**
     * A transfer begins.
     *
     * @param nowNs the clock.
     */
    void begin(final long nowNs)
    {
        progress = -1;
        sinceNs = nowNs;
    }

    /**
     * It stalls for a reason that is not the host's: restarts its time-out.
     *
     * @param nowNs the clock.
     */
    void restart(final long nowNs)
    {
        sinceNs = nowNs;
    }

    /**
     * Looks at it.
     *
     * @param current a number that changes with any progress, from 0.
     * @param nowNs   the clock.
     * @return whether it made no progress for too long.
     */
    boolean isOverdue(final long current, final long nowNs)
    {
        if (current != progress)
        {
            progress = current;
            sinceNs = nowNs;
        }
        return nowNs - sinceNs >= timeoutNs;
    }

    /**
     * {@return when to check next}
     *
     * @param nowNs the clock.
     */
    long nextCheckNs(final long nowNs)
    {
        return nowNs + Math.min(timeoutNs / CHECKS, Math.max(1, sinceNs + timeoutNs - nowNs));
    }
}
