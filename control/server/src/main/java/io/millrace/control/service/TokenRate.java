package io.millrace.control.service;

/**
 * How often something may happen: so many times a second on average, and a burst at once. Belongs to one thread.
 */
final class TokenRate
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
    TokenRate(final int perSecond, final int burst, final long nowNs)
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
