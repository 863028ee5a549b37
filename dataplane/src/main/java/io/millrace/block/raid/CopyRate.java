package io.millrace.block.raid;

/**
 * How fast the array's own copying goes on: as fast as allowed while no host reads or writes, else so that it moves
 * {@link #SHARE_PERCENT} of what hosts do, and never slower than the least rate. One reactor's only.
 * <p>
 * A copied byte of a member makes one byte of I/O on each member, so the share is divided among them. A short request
 * counts as {@link #REQUEST_BYTES_MIN}, since it costs members and processor nearly as much as one of that length.
 */
final class CopyRate
{
    /** What copying adds to the I/O of hosts. */
    static final int SHARE_PERCENT = 25;
    /** Least that a request of a host counts as. */
    static final int REQUEST_BYTES_MIN = 32 << 10;
    private static final long NS_PER_S = 1_000_000_000L;
    /** Between two looks at what hosts did. */
    private static final long WINDOW_NS = NS_PER_S / 10;

    private final int memberCount;
    private long windowNs;
    private long windowBytes;
    /** What a second of hosts' I/O allows; while there is none, {@link Long#MAX_VALUE}. */
    private long shareBytesPerS = Long.MAX_VALUE;
    private boolean isMeasured;

    /**
     * A rate that was not measured yet: the highest.
     *
     * @param memberCount of the array.
     */
    CopyRate(final int memberCount)
    {
        this.memberCount = memberCount;
    }

    /**
     * {@return how long a copy takes at the present rate, in nanoseconds}
     *
     * @param copiedBytes of each member.
     * @param rates       bounds of the rate.
     * @param hostBytes   that hosts have read and written so far, each request at least {@link #REQUEST_BYTES_MIN}.
     * @param nowNs       present time.
     */
    long batchNs(final long copiedBytes, final CopyRates rates, final long hostBytes, final long nowNs)
    {
        measure(hostBytes, nowNs);
        return (long)((double)copiedBytes * NS_PER_S / bytesPerS(rates));
    }

    /**
     * {@return the present rate in bytes of each member a second}
     *
     * @param rates bounds of the rate.
     */
    long bytesPerS(final CopyRates rates)
    {
        return Math.clamp(shareBytesPerS, rates.minBytesPerS(), rates.maxBytesPerS());
    }

    /**
     * {@return whether hosts read or wrote when it was measured last}
     */
    boolean isBesideHosts()
    {
        return Long.MAX_VALUE != shareBytesPerS;
    }

    private void measure(final long hostBytes, final long nowNs)
    {
        final long elapsedNs = nowNs - windowNs;
        if (isMeasured && elapsedNs < WINDOW_NS)
        {
            return;
        }
        if (isMeasured)
        {
            final long done = hostBytes - windowBytes;
            shareBytesPerS = 0 == done ? Long.MAX_VALUE :
                (long)((double)done * NS_PER_S / elapsedNs * SHARE_PERCENT / 100 / memberCount);
        }
        isMeasured = true;
        windowNs = nowNs;
        windowBytes = hostBytes;
    }
}
