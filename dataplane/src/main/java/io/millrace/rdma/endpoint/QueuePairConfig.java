package io.millrace.rdma.endpoint;

/**
 * Sizes of a queue pair. Immutable; any thread.
 *
 * @param sendDepth    outstanding send requests, 1 to {@value #DEPTH_MAX}; 128 by default.
 * @param receiveDepth outstanding receive requests, 1 to {@value #DEPTH_MAX}; 128 by default. Without meaning with a
 *                     {@link SharedReceiveQueue}.
 * @param segments     of a request, 1 to {@value #SEGMENTS_MAX}; 16 by default.
 * @param inlineBytes  that a send request may hold itself, 0 to {@value #INLINE_BYTES_MAX}; 256 by default.
 * @param reads        RDMA READs and atomics at a time, each way, 1 to {@value #READS_MAX}; 16 by default. Either
 *                     device
 *                     may allow fewer.
 */
public record QueuePairConfig(int sendDepth, int receiveDepth, int segments, int inlineBytes, int reads)
{
    /** Bound of the depths. */
    public static final int DEPTH_MAX = 16_384;
    /** Bound of the segments. */
    public static final int SEGMENTS_MAX = 32;
    /** Bound of inline data. */
    public static final int INLINE_BYTES_MAX = 512;
    /** Bound of reads: the field of the connection manager has 8 bits. */
    public static final int READS_MAX = 255;

    /** Checks the bounds. */
    public QueuePairConfig
    {
        check("send depth", sendDepth, 1, DEPTH_MAX);
        check("receive depth", receiveDepth, 1, DEPTH_MAX);
        check("segments", segments, 1, SEGMENTS_MAX);
        check("inline bytes", inlineBytes, 0, INLINE_BYTES_MAX);
        check("reads", reads, 1, READS_MAX);
    }

    static void check(final String name, final int value, final int min, final int max)
    {
        if (value < min || value > max)
        {
            throw new IllegalArgumentException(name + " " + value + ": must be " + min + " to " + max);
        }
    }

    /**
     * {@return the default sizes}
     */
    public static QueuePairConfig defaults()
    {
        return new QueuePairConfig(128, 128, 16, 256, 16);
    }

    /**
     * {@return how many completions may be outstanding at once}
     */
    int completions()
    {
        return sendDepth + receiveDepth;
    }
}
