package io.millrace.block.raid;

import java.util.concurrent.atomic.AtomicReference;

/**
 * Where requests for a scrub wait for {@link Scrub}, and where it publishes its result. Any thread; no call blocks.
 */
final class ScrubControl
{
    private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.IDLE);
    private volatile long intervalMs;
    private volatile long scrubbedMs;
    private volatile ScrubResult result;
    private volatile boolean hasMismatches;

    /** Who is next to do something. */
    private enum Phase
    {
        /** No scrub runs. */
        IDLE,
        /** A check is to begin. */
        CHECK_WANTED,
        /** A repair is to begin. */
        REPAIR_WANTED,
        /** A scrub runs. */
        RUNNING,
        /** The scrub that runs is to end. */
        STOP_WANTED
    }

    /**
     * Nothing was asked for.
     *
     * @param scrubbedMs    when the last complete scrub ended, milliseconds since 1970 (UTC); 0: never.
     * @param hasMismatches whether superblocks say that rows are known not to match.
     */
    ScrubControl(final long scrubbedMs, final boolean hasMismatches)
    {
        this.scrubbedMs = scrubbedMs;
        this.hasMismatches = hasMismatches;
    }

    /**
     * Asks for a scrub.
     *
     * @param mode of the scrub.
     * @return false when another has not ended.
     */
    boolean request(final ScrubMode mode)
    {
        return phase.compareAndSet(Phase.IDLE, ScrubMode.CHECK == mode ? Phase.CHECK_WANTED : Phase.REPAIR_WANTED);
    }

    /**
     * Asks for the end of the scrub that runs or is to begin.
     *
     * @return false when no scrub runs or is to begin.
     */
    boolean requestStop()
    {
        return phase.compareAndSet(Phase.RUNNING, Phase.STOP_WANTED) ||
            phase.compareAndSet(Phase.CHECK_WANTED, Phase.IDLE) ||
            phase.compareAndSet(Phase.REPAIR_WANTED, Phase.IDLE) || Phase.STOP_WANTED == phase.get();
    }

    /**
     * {@return whether a scrub is to begin or runs}
     */
    boolean isActive()
    {
        return Phase.IDLE != phase.get();
    }

    /**
     * {@return whether a scrub is to begin}
     */
    boolean isWanted()
    {
        final Phase present = phase.get();
        return Phase.CHECK_WANTED == present || Phase.REPAIR_WANTED == present;
    }

    /**
     * {@return whether the scrub that runs is to end}
     */
    boolean isStopWanted()
    {
        return Phase.STOP_WANTED == phase.get();
    }

    /**
     * Takes the request for a scrub, which runs from then on. {@link Scrub} alone.
     *
     * @return mode; null: none is asked for.
     */
    ScrubMode take()
    {
        return phase.compareAndSet(Phase.CHECK_WANTED, Phase.RUNNING) ? ScrubMode.CHECK :
            phase.compareAndSet(Phase.REPAIR_WANTED, Phase.RUNNING) ? ScrubMode.REPAIR : null;
    }

    /** The scrub that ran has ended. {@link Scrub} alone. */
    void onEnded()
    {
        phase.set(Phase.IDLE);
    }

    long intervalMs()
    {
        return intervalMs;
    }

    /**
     * Sets how old the last complete scrub may become.
     *
     * @param newIntervalMs 0: any age.
     */
    void intervalMs(final long newIntervalMs)
    {
        intervalMs = newIntervalMs;
    }

    /**
     * {@return when the last complete scrub ended, milliseconds since 1970 (UTC); 0: never}
     */
    long scrubbedMs()
    {
        return scrubbedMs;
    }

    void scrubbedMs(final long newScrubbedMs)
    {
        scrubbedMs = newScrubbedMs;
    }

    /**
     * {@return result of the scrub that runs, else of the last; null: none has begun since the array was assembled}
     */
    ScrubResult result()
    {
        return result;
    }

    /**
     * {@return whether rows are known not to match: a scrub has found some that were not repaired, and none has found
     * since that all match}
     */
    boolean hasMismatches()
    {
        return hasMismatches;
    }

    /**
     * Publishes a result. {@link Scrub} alone.
     *
     * @param newResult of the scrub that runs, or has ended.
     * @return whether {@link #hasMismatches} has another answer by it.
     */
    boolean result(final ScrubResult newResult)
    {
        final boolean before = hasMismatches;
        if (newResult.mismatches() != newResult.repaired())
        {
            hasMismatches = true;
        }
        else if (ScrubStatus.COMPLETED == newResult.status() && 0 == newResult.skippedBytes() &&
            0 == newResult.unreadable())
        {
            hasMismatches = false;
        }
        result = newResult;
        return before != hasMismatches;
    }
}
