package io.millrace.nvmf;

/**
 * How many connections and commands there may be at once, so that the heap holds them all whatever hosts do. Immutable.
 * <p>
 * The costs are measured by {@code ConnectionMemoryTest} on JDK 25 with compressed references and rounded up. Some 40 %
 * of the heap are left for everything else when all bounds are reached.
 *
 * @param requestsPerReactor   commands of all hosts on one reactor, those included whose answers have not left; 64 to
 *                             65536.
 * @param connections          connections whose Connect command has succeeded; 1 to 65535.
 * @param connectionsPerAddress of them, from one address of hosts; 1 to {@code connections}.
 * @param pendingConnections   connections whose Connect command has not succeeded yet; 1 to 65535.
 * @param pendingPerAddress    of them, from one address of hosts; 1 to {@code pendingConnections}.
 */
public record CapacityLimits(
    int requestsPerReactor,
    int connections,
    int connectionsPerAddress,
    int pendingConnections,
    int pendingPerAddress)
{
    /** Most {@link #requestsPerReactor()}. */
    public static final int REQUESTS_MAX = 65_536;
    /** Least {@link #requestsPerReactor()}. */
    public static final int REQUESTS_MIN = 64;
    /** Most connections of either kind. */
    public static final int CONNECTIONS_MAX = 65_535;
    /** Heap of a command's slot, measured 571 bytes. */
    private static final int REQUEST_BYTES = 640;
    /** Heap of a connection before Connect, measured 1,450 bytes. */
    private static final int PENDING_BYTES = 2048;
    /** Heap of a connection that has a queue of no depth, its controller included; measured 15,350 bytes. */
    private static final int CONNECTION_BYTES = 16 << 10;
    /** More heap of a connection for each entry of its queue. */
    private static final int ENTRY_BYTES = 12;

    private static final int CONNECTIONS_PERCENT = 35;
    private static final int REQUESTS_PERCENT = 20;
    private static final int PENDING_PERCENT = 2;
    private static final int PENDING_DEFAULT_MAX = 1024;

    /**
     * Checks the bounds.
     */
    public CapacityLimits
    {
        check("requests-per-reactor", requestsPerReactor, REQUESTS_MIN, REQUESTS_MAX);
        check("connections", connections, 1, CONNECTIONS_MAX);
        check("connections-per-address", connectionsPerAddress, 1, connections);
        check("pending-connections", pendingConnections, 1, CONNECTIONS_MAX);
        check("pending-connections-per-address", pendingPerAddress, 1, pendingConnections);
    }

    /**
     * {@return limits that fit into the heap of this process}
     *
     * @param reactors   that share it.
     * @param queueDepth most entries of a queue.
     */
    public static CapacityLimits ofHeap(final int reactors, final int queueDepth)
    {
        return ofHeap(Runtime.getRuntime().maxMemory(), reactors, queueDepth);
    }

    /**
     * {@return limits that fit into a heap}
     *
     * @param heapBytes  the most that it may grow to.
     * @param reactors   that share it.
     * @param queueDepth most entries of a queue.
     */
    static CapacityLimits ofHeap(final long heapBytes, final int reactors, final int queueDepth)
    {
        final int connections = share(
            heapBytes, CONNECTIONS_PERCENT, CONNECTION_BYTES + ENTRY_BYTES * queueDepth, 1, CONNECTIONS_MAX);
        final int pending = share(heapBytes, PENDING_PERCENT, PENDING_BYTES, 1, PENDING_DEFAULT_MAX);
        return new CapacityLimits(
            share(heapBytes / reactors, REQUESTS_PERCENT, REQUEST_BYTES, REQUESTS_MIN, REQUESTS_MAX),
            connections, half(connections), pending, half(pending));
    }

    /**
     * {@return heap that a command is reckoned with}
     */
    public int requestBytes()
    {
        return REQUEST_BYTES;
    }

    /**
     * {@return heap that a connection before Connect is reckoned with}
     */
    public int pendingBytes()
    {
        return PENDING_BYTES;
    }

    /**
     * {@return heap that a queue is reckoned with, its controller included}
     *
     * @param queueDepth entries of the queue.
     */
    public int connectionBytes(final int queueDepth)
    {
        return CONNECTION_BYTES + ENTRY_BYTES * queueDepth;
    }

    private static int share(
        final long heapBytes, final int percent, final int bytesEach, final int min, final int max)
    {
        return Math.clamp(heapBytes / 100 * percent / bytesEach, min, max);
    }

    /**
     * {@return default of what one address may have of a bound}
     *
     * @param all that there may be.
     */
    public static int half(final int all)
    {
        return (all + 1) / 2;
    }

    private static void check(final String what, final int value, final int min, final int max)
    {
        if (value < min || value > max)
        {
            throw new IllegalArgumentException(
                "limits." + what + ' ' + value + " is not within " + min + " to " + max + ": choose a value within");
        }
    }
}
