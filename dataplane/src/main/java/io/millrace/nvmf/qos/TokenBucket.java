package io.millrace.nvmf.qos;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A rate that several reactors share without a lock. Tokens come at the rate, each at a moment of its own; a reactor
 * claims the next tokens in one atomic step, future ones included, and may use them when the first one has come. So
 * claims are served in the order in which they were made, whichever reactor made them, and none has to be repeated.
 *
 * <pre>
 *    used            claimed by A, B, A ...            not claimed
 *   ------------|----------------|-----------|-------------------------&gt; tokens, by when they come
 *                       ^                    ^
 *                   tokensAt(now)         claimed
 * </pre>
 * Tokens that nobody has claimed are kept up to a capacity, older ones are lost. What is claimed in a stretch of time
 * and may be used in it is therefore at most the rate times that, the capacity and the last claim's length. Any thread.
 */
final class TokenBucket
{
    private static final long NS_PER_S = TimeUnit.SECONDS.toNanos(1);
    /** Of the rate, what a share takes at a time: more would let one reactor overtake others for so long. */
    private static final long QUANTUM_NS = 100_000;
    /** How much of a burst the shares may hold together. */
    private static final int HELD_PART = 4;
    /** Two cache lines to either side of the word that reactors write keep it away from what they only read. */
    private static final int PADDING = 16;

    private final long perSecond;
    private final long perNs;
    private final long restPerSecond;
    private final long startNs;
    private final long capacity;
    private final long quantum;
    /** Tokens that have been claimed or lost, modulo 2^64. */
    private final AtomicLongArray claimed = new AtomicLongArray(2 * PADDING + 1);

    /**
     * Makes a bucket without tokens.
     *
     * @param perSecond rate, from 1 to 2^37.
     * @param burstNs   time whose tokens are kept, those included that shares hold.
     * @param shares    how many there will be.
     * @param startNs   when tokens begin to come.
     */
    TokenBucket(final long perSecond, final long burstNs, final int shares, final long startNs)
    {
        this.perSecond = perSecond;
        this.startNs = startNs;
        perNs = perSecond / NS_PER_S;
        restPerSecond = perSecond % NS_PER_S;
        final long burst = tokensOf(burstNs);
        quantum = Math.min(tokensOf(QUANTUM_NS), burst / ((long)HELD_PART * shares));
        capacity = Math.max(1, burst - shares * quantum);
    }

    /**
     * {@return how many tokens a share takes at a time when it is not for one command that needs more; may be 0}
     */
    long quantum()
    {
        return quantum;
    }

    /**
     * {@return how many tokens are kept that nobody has claimed}
     */
    long capacity()
    {
        return capacity;
    }

    /**
     * {@return how many tokens have come until a moment, modulo 2^64: to be compared by difference}
     *
     * @param nowNs the moment.
     */
    long tokensAt(final long nowNs)
    {
        return tokensOf(Math.max(0, nowNs - startNs));
    }

    /**
     * Claims tokens that are there.
     *
     * @param tokensNow from {@link #tokensAt}.
     * @param count     of them, positive.
     * @return false when not all are: then none is claimed.
     */
    boolean tryClaim(final long tokensNow, final long count)
    {
        while (true)
        {
            final long before = claimed.get(PADDING);
            final long end = first(before, tokensNow) + count;
            if (end - tokensNow > 0)
            {
                return false;
            }
            if (claimed.compareAndSet(PADDING, before, end))
            {
                return true;
            }
        }
    }

    /**
     * Claims the next tokens, those to come included.
     *
     * @param tokensNow from {@link #tokensAt}.
     * @param count     of them, positive.
     * @return the first of them: they may be used when {@link #tokensAt} is above it.
     */
    long claim(final long tokensNow, final long count)
    {
        while (true)
        {
            final long before = claimed.get(PADDING);
            final long start = first(before, tokensNow);
            if (claimed.compareAndSet(PADDING, before, start + count))
            {
                return start;
            }
        }
    }

    /**
     * {@return nanoseconds from a moment until a claim may be used, at least 1}
     *
     * @param start of the claim, which may not be used yet.
     * @param nowNs the moment.
     */
    long untilNs(final long start, final long nowNs)
    {
        final long elapsedNs = Math.max(0, nowNs - startNs);
        // The part of a token that has come already: with a slow rate it is a long time.
        final double begun = elapsedNs % NS_PER_S * restPerSecond % NS_PER_S / (double)NS_PER_S;
        final double missing = start + 1 - tokensAt(nowNs) - begun;
        return Math.max(1, (long)Math.ceil(missing * NS_PER_S / perSecond)) + Math.max(0, startNs - nowNs);
    }

    private long first(final long before, final long tokensNow)
    {
        return before - (tokensNow - capacity) > 0 ? before : tokensNow - capacity;
    }

    /** Exact, and its terms fit: what is below a second is below 2^30 ns, and so is the rest of the rate. */
    private long tokensOf(final long elapsedNs)
    {
        final long restNs = elapsedNs % NS_PER_S;
        return elapsedNs / NS_PER_S * perSecond + restNs * perNs + restNs * restPerSecond / NS_PER_S;
    }
}
