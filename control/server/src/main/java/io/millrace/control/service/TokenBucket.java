package io.millrace.control.service;

/**
 * A rate limit with an average per second and a burst. Confined to one thread.
 */
final class TokenBucket
{
    private static final long SECOND_NS = 1_000_000_000L;

    private final long intervalNs;
    private final long burstNs;
    private long nextNs;

    /**
     * @param perSecond on average.
     * @param burst     at once, after a rest.
     * @param nowNs     the present time.
     */
    TokenBucket(final int perSecond, final int burst, final long nowNs)
    {
        intervalNs = SECOND_NS / perSecond;
        burstNs = intervalNs * (burst - 1);
        nextNs = nowNs - burstNs;
    }

    /** Takes one token, if there is one. */
    boolean take(final long nowNs)
    {
        if (nowNs - nextNs > burstNs)
        {
            nextNs = nowNs - burstNs;
        }
        if (nowNs - nextNs < 0)
        {
            return false;
        }
        nextNs += intervalNs;
        return true;
    }
}
