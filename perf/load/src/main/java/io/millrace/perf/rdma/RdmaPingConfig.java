package io.millrace.perf.rdma;

import java.net.InetSocketAddress;

/**
 * Pings of a server. Immutable; any thread.
 *
 * @param server     address and port.
 * @param sizeBytes  of a message, 1 to {@value RdmaTestConfig#SIZE_BYTES_MAX}.
 * @param count      pings, or 0 for no limit.
 * @param intervalNs between the starts of two pings, at least 1 ms, in nanoseconds.
 * @param timeoutNs  of a reply, at least 1 ms, in nanoseconds.
 */
public record RdmaPingConfig(InetSocketAddress server, int sizeBytes, long count, long intervalNs, long timeoutNs)
{
    private static final long MIN_NS = 1_000_000;
    private static final long MAX_NS = 86_400_000_000_000L;

    /** Checks the bounds. */
    public RdmaPingConfig
    {
        final String wrong = RdmaTestConfig.wrong(sizeBytes, 2);
        if (null != wrong)
        {
            throw new IllegalArgumentException(wrong);
        }
        if (count < 0)
        {
            throw new IllegalArgumentException("count " + count + ": must be 0, for no limit, or more");
        }
        checkTime("interval", intervalNs);
        checkTime("timeout", timeoutNs);
    }

    private static void checkTime(final String name, final long ns)
    {
        if (ns < MIN_NS || ns > MAX_NS)
        {
            throw new IllegalArgumentException(name + ' ' + ns / MIN_NS + "ms: must be 1ms to 24h");
        }
    }
}
