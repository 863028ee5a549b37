package io.millrace.console;

/**
 * How many lines may be printed: {@link #BURST} at once, and one more every {@link #REFILL_MS}. What is above that is
 * counted. One thread.
 */
public final class LineLimit
{
    /** Lines at once. */
    public static final int BURST = 200;
    /** One more line in this time: some 25 MB a day at most. */
    public static final long REFILL_MS = 1_000;

    private long room = BURST;
    private long refilledMs;
    private long suppressed;

    /**
     * All room is there.
     *
     * @param nowMs present time.
     */
    public LineLimit(final long nowMs)
    {
        refilledMs = nowMs;
    }

    /**
     * Asks for a line.
     *
     * @param nowMs present time.
     * @return whether it may be printed; if not it has been counted.
     */
    public boolean take(final long nowMs)
    {
        refill(nowMs);
        if (0 == room)
        {
            suppressed++;
            return false;
        }
        room--;
        return true;
    }

    /**
     * Asks for the line that says how many were suppressed, which are forgotten then.
     *
     * @param nowMs present time.
     * @return whether it may be printed.
     */
    public boolean takeForReport(final long nowMs)
    {
        refill(nowMs);
        if (0 == room)
        {
            return false;
        }
        room--;
        suppressed = 0;
        return true;
    }

    /**
     * Counts lines that nobody asked for.
     *
     * @param lines that were left out elsewhere.
     */
    public void suppress(final long lines)
    {
        suppressed += lines;
    }

    /**
     * {@return how many lines were left out since the last report}
     */
    public long suppressed()
    {
        return suppressed;
    }

    private void refill(final long nowMs)
    {
        // Clocks may be set back.
        final long passedMs = Math.max(0, nowMs - refilledMs);
        final long more = passedMs / REFILL_MS;
        if (more > 0 || nowMs < refilledMs)
        {
            room = Math.min(BURST, room + more);
            refilledMs = nowMs < refilledMs ? nowMs : refilledMs + more * REFILL_MS;
        }
    }
}
