package io.millrace.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * What somebody waits for in a simulation, each with the longest time that it may take while nothing is in its way: a
 * request that is forgotten is found though another event would wake it later.
 */
final class Deadlines
{
    /** Something that begins, and is to end. */
    static final class Wait
    {
        private final Object what;
        private final long sinceNs;
        private final long boundNs;

        private Wait(final Object what, final long sinceNs, final long boundNs)
        {
            this.what = what;
            this.sinceNs = sinceNs;
            this.boundNs = boundNs;
        }
    }

    /** What makes others wait, as long as it lasts and a while after it. */
    private record Cause(String name, BooleanSupplier lasts, long settleNs)
    {
    }

    /** What ends within a time whatever happens. */
    private record Promise(String what, long sinceNs, long boundNs, BooleanSupplier isKept)
    {
    }

    private final List<Wait> waits = new ArrayList<>();
    private final List<Promise> promises = new ArrayList<>();
    private final List<Cause> causes = new ArrayList<>();
    private String lastCause = "nothing";
    private long lastNs = Long.MIN_VALUE;
    private long settledNs = Long.MIN_VALUE;

    /**
     * Somebody begins to wait.
     *
     * @param what    for the message.
     * @param nowNs   time.
     * @param boundNs longest time, without causes.
     * @return to be ended.
     */
    Wait begin(final Object what, final long nowNs, final long boundNs)
    {
        final Wait wait = new Wait(what, nowNs, boundNs);
        waits.add(wait);
        return wait;
    }

    void end(final Wait wait)
    {
        waits.remove(wait);
    }

    /**
     * Something is to happen within a time, whatever else happens.
     *
     * @param what    for the message.
     * @param nowNs   time.
     * @param boundNs longest time.
     * @param isKept  asked until it is true.
     */
    void promise(final String what, final long nowNs, final long boundNs, final BooleanSupplier isKept)
    {
        promises.add(new Promise(what, nowNs, boundNs, isKept));
    }

    /**
     * Nothing is overdue until a time.
     *
     * @param name     for the message.
     * @param untilNs  when it ends.
     * @param settleNs until all is as without it.
     */
    void cause(final String name, final long untilNs, final long settleNs)
    {
        lastNs = Math.max(lastNs, untilNs);
        if (untilNs + settleNs > settledNs)
        {
            settledNs = untilNs + settleNs;
            lastCause = name;
        }
    }

    /**
     * Nothing is overdue while something lasts, and a while after it.
     *
     * @param name     for the message.
     * @param lasts    asked until it is false.
     * @param settleNs until all is as without it.
     */
    void cause(final String name, final BooleanSupplier lasts, final long settleNs)
    {
        causes.add(new Cause(name, lasts, settleNs));
    }

    /** {@return whether there was a cause after a time} */
    boolean hadCause(final long sinceNs)
    {
        return lastNs > sinceNs || !causes.isEmpty();
    }

    /**
     * Looks at all.
     *
     * @param nowNs time.
     * @throws AssertionError with what has waited for too long.
     */
    void check(final long nowNs)
    {
        for (int i = causes.size() - 1; i >= 0; i--)
        {
            final Cause cause = causes.get(i);
            cause(cause.name, nowNs, cause.settleNs);
            if (!cause.lasts.getAsBoolean())
            {
                causes.remove(i);
            }
        }
        promises.removeIf((promise) -> promise.isKept.getAsBoolean());
        for (final Promise promise : promises)
        {
            if (nowNs - promise.sinceNs > promise.boundNs)
            {
                throw new AssertionError(
                    promise.what + " has not ended within " + promise.boundNs / 1_000_000 + " ms");
            }
        }
        for (final Wait wait : waits)
        {
            final long freeNs = Math.max(wait.sinceNs, settledNs);
            if (nowNs - freeNs > wait.boundNs)
            {
                throw new AssertionError(wait.what + " has not ended for " + (nowNs - wait.sinceNs) / 1_000 +
                    " us, for " + (nowNs - freeNs) / 1_000 + " us without a cause, and may take " +
                    wait.boundNs / 1_000 + " us; last cause: " + lastCause);
            }
        }
    }
}
