package io.millrace.nvmf.tcp;

/**
 * Whether a transfer has stood still for too long. It is looked at now and then, so that transfers have nothing to do
 * with it; what stands still is found between its time and an eighth more. Single-threaded.
 */
final class TransferProgress
{
    /** So often is progress looked at within the time that it may take. */
    static final int LOOKS = 8;

    private final long timeoutNs;
    private long progress;
    private long sinceNs;

    /**
     * Knows of no progress yet.
     *
     * @param timeoutNs for which a transfer may stand still.
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
     * It cannot go on for a reason that is not the host's: its time begins anew.
     *
     * @param nowNs the clock.
     */
    void excuse(final long nowNs)
    {
        sinceNs = nowNs;
    }

    /**
     * Looks at it.
     *
     * @param current a number that is another after any progress, from 0.
     * @param nowNs   the clock.
     * @return whether it has stood still for too long.
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
     * {@return when to look next}
     *
     * @param nowNs the clock.
     */
    long nextLookNs(final long nowNs)
    {
        return nowNs + Math.min(timeoutNs / LOOKS, Math.max(1, sinceNs + timeoutNs - nowNs));
    }
}
