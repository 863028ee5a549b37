package io.millrace.nvmf.qos;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Limits in force, with the buckets that all reactors draw from and what they counted. Replaced as a whole when limits
 * change; the counters go on. Any thread.
 */
public final class QosPolicy
{
    /** The total is shared by reads and writes, and each of them has a queue on every reactor. */
    private static final int DIRECTIONS = 2;

    private final QosLimits limits;
    private final QosCounters counters;
    private final TokenBucket readIops;
    private final TokenBucket writeIops;
    private final TokenBucket iops;
    private final TokenBucket readBytes;
    private final TokenBucket writeBytes;
    private final TokenBucket bytes;

    /**
     * Puts limits in force.
     *
     * @param limits   of them at least one.
     * @param counters that go on.
     * @param reactors that share them.
     * @param nowNs    from when on they hold, on the reactors' clock.
     */
    public QosPolicy(final QosLimits limits, final QosCounters counters, final int reactors, final long nowNs)
    {
        this.limits = limits;
        this.counters = counters;
        final long burstNs = TimeUnit.MILLISECONDS.toNanos(limits.burstMs());
        readIops = bucket(limits.readIops(), burstNs, reactors, nowNs);
        writeIops = bucket(limits.writeIops(), burstNs, reactors, nowNs);
        iops = bucket(limits.iops(), burstNs, DIRECTIONS * reactors, nowNs);
        readBytes = bucket(limits.readBytesPerSecond(), burstNs, reactors, nowNs);
        writeBytes = bucket(limits.writeBytesPerSecond(), burstNs, reactors, nowNs);
        bytes = bucket(limits.bytesPerSecond(), burstNs, DIRECTIONS * reactors, nowNs);
    }

    /**
     * {@return the limits in force}
     */
    public QosLimits limits()
    {
        return limits;
    }

    /**
     * {@return counters of throttled commands}
     */
    public QosCounters counters()
    {
        return counters;
    }

    /**
     * {@return a queue's shares of the limits of commands}
     *
     * @param isRead whether it is the queue of reads.
     */
    public TokenShare[] commandShares(final boolean isRead)
    {
        return shares(isRead ? readIops : writeIops, iops);
    }

    /**
     * {@return a queue's shares of the limits of bytes}
     *
     * @param isRead whether it is the queue of reads.
     */
    public TokenShare[] byteShares(final boolean isRead)
    {
        return shares(isRead ? readBytes : writeBytes, bytes);
    }

    private static TokenBucket bucket(final long perSecond, final long burstNs, final int shares, final long nowNs)
    {
        return 0 == perSecond ? null : new TokenBucket(perSecond, burstNs, Math.max(1, shares), nowNs);
    }

    private static TokenShare[] shares(final TokenBucket one, final TokenBucket both)
    {
        final List<TokenShare> shares = new ArrayList<>(DIRECTIONS);
        if (null != one)
        {
            shares.add(new TokenShare(one));
        }
        if (null != both)
        {
            shares.add(new TokenShare(both));
        }
        return shares.toArray(TokenShare[]::new);
    }
}
