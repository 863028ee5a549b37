package io.millrace.perf.rdma;

import java.net.InetSocketAddress;

/**
 * A test against a server. Immutable; any thread.
 *
 * @param server    address and port.
 * @param operation what is done.
 * @param sizeBytes of one, 1 to {@value #SIZE_BYTES_MAX}.
 * @param depth     outstanding at a time, 1 to {@value #DEPTH_MAX}; size times depth is at most
 *                  {@value #MEMORY_BYTES_MAX}.
 * @param count     to measure, at least 1.
 */
public record RdmaTestConfig(
    InetSocketAddress server, RdmaOperation operation, int sizeBytes, int depth, long count)
{
    /** Bound of the size. */
    public static final int SIZE_BYTES_MAX = 8 << 20;
    /** Bound of the depth. */
    public static final int DEPTH_MAX = 1024;
    /** Bound of the memory of either side. */
    public static final int MEMORY_BYTES_MAX = 64 << 20;
    /** The port of perftest's programs. */
    public static final int PORT_DEFAULT = 18_515;

    /** Checks the bounds. */
    public RdmaTestConfig
    {
        final String wrong = wrong(sizeBytes, depth);
        if (null != wrong)
        {
            throw new IllegalArgumentException(wrong);
        }
        if (count < 1)
        {
            throw new IllegalArgumentException("count " + count + ": must be at least 1");
        }
    }

    /** {@return what is out of bounds, or null} */
    static String wrong(final int sizeBytes, final int depth)
    {
        return sizeBytes < 1 || sizeBytes > SIZE_BYTES_MAX ?
            "size " + sizeBytes + ": must be 1 to " + SIZE_BYTES_MAX + " bytes" :
            depth < 1 || depth > DEPTH_MAX ? "depth " + depth + ": must be 1 to " + DEPTH_MAX :
            (long)sizeBytes * depth > MEMORY_BYTES_MAX ? "size " + sizeBytes + " times depth " + depth +
                ": must be at most " + MEMORY_BYTES_MAX + " bytes, with a smaller size or --tx-depth" : null;
    }
}
