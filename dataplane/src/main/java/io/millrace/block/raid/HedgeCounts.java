package io.millrace.block.raid;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Hedged reads of an array: how many there may be, and how many there were. Any thread.
 */
final class HedgeCounts
{
    /** Of all reads, unless the setting says otherwise: none, since a hedge trusts parity that nothing has checked. */
    static final int PERCENT_DEFAULT = 0;

    private final AtomicLong begun = new AtomicLong();
    private final AtomicLong won = new AtomicLong();
    private volatile int percent = PERCENT_DEFAULT;

    /**
     * {@return most reads of a hundred that are hedged; 0: none}
     */
    int percent()
    {
        return percent;
    }

    void percent(final int newPercent)
    {
        percent = newPercent;
    }

    void onBegun()
    {
        begun.incrementAndGet();
    }

    void onWon()
    {
        won.incrementAndGet();
    }

    /**
     * {@return reads that others than the member were asked for}
     */
    long begun()
    {
        return begun.get();
    }

    /**
     * {@return of these, those that the others answered first}
     */
    long won()
    {
        return won.get();
    }
}
