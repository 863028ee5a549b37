package io.millrace.nvmf.config;

/**
 * Limits of connections and commands, such that the heap holds all of them whatever hosts do. Immutable.
 * <p>
 * The costs are measured by {@code ConnectionMemoryTest} on JDK 25 with compressed references and rounded up. Some 40 %
 * of the heap are left for everything else when all bounds are reached.
 *
 * @param requestsPerReactor   commands of all hosts on one reactor, those included whose answers have not left; 64 to
 *                             65536.
 * @param connections          connections whose Connect command has succeeded, but for discovery controllers; 1 to
 *                             65535.
 * @param connectionsPerAddress of them, from one address of hosts; 1 to {@code connections}.
 * @param pendingConnections   connections whose Connect command has not succeeded yet; 1 to 65535.
 * @param pendingPerAddress    of them, from one address of hosts; 1 to {@code pendingConnections}.
 * @param discoveryConnections discovery controllers, which any host may have and which are counted separately, so that
 *                             they take no place of other controllers; 1 to 65535.
 * @param discoveryPerAddress  of them, from one address of hosts; 1 to {@code discoveryConnections}.
 */
public record CapacityLimits(
    int requestsPerReactor,
    int connections,
    int connectionsPerAddress,
    int pendingConnections,
    int pendingPerAddress,
    int discoveryConnections,
    int discoveryPerAddress)
{
    /** Most {@link #requestsPerReactor()}. */
    public static final int REQUESTS_MAX = 65_536;
    /** Least {@link #requestsPerReactor()}. */
    public static final int REQUESTS_MIN = 64;
    /** Most connections of either kind. */
    public static final int CONNECTIONS_MAX = 65_535;
    /**
     * Heap of a command's slot, measured 490 bytes. A slot takes 448 more once a device lent it data in several places;
     * if all did, they would take another tenth of the heap.
     */
    private static final int REQUEST_BYTES = 640;
    /** Heap of a connection before Connect, measured 1,768 bytes. */
    private static final int PENDING_BYTES = 2048;
    /** Heap of a connection that has a queue of no depth, its controller included; measured 15,768 bytes. */
    private static final int CONNECTION_BYTES = 16 << 10;
    /** More heap of a connection for each entry of its queue. */
    private static final int ENTRY_BYTES = 12;

    private static final int CONNECTIONS_PERCENT = 35;
    private static final int REQUESTS_PERCENT = 20;
    private static final int PENDING_PERCENT = 2;
    private static final int PENDING_DEFAULT_MAX = 1024;
    /** Queues for each discovery controller, of which a host has one for each address that it knows. */
    private static final int CONNECTIONS_PER_DISCOVERY = 9;
    private static final int DISCOVERY_DEFAULT_MIN = 16;
    private static final int ADDRESSES_OF_DISCOVERY = 4;

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
        check("discovery-connections", discoveryConnections, 1, CONNECTIONS_MAX);
        check("discovery-connections-per-address", discoveryPerAddress, 1, discoveryConnections);
    }

    /**
     * Limits with as many discovery controllers as suit the connections.
     *
     * @param requestsPerReactor    commands of all hosts on one reactor.
     * @param connections           connections whose Connect command has succeeded.
     * @param connectionsPerAddress of them, from one address of hosts.
     * @param pendingConnections    connections whose Connect command has not succeeded yet.
     * @param pendingPerAddress     of them, from one address of hosts.
     */
    public CapacityLimits(
        final int requestsPerReactor,
        final int connections,
        final int connectionsPerAddress,
        final int pendingConnections,
        final int pendingPerAddress)
    {
        this(requestsPerReactor, connections, connectionsPerAddress, pendingConnections, pendingPerAddress,
            discovery(connections), discoveryOfAddress(discovery(connections)));
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
    public static CapacityLimits ofHeap(final long heapBytes, final int reactors, final int queueDepth)
    {
        final int queues = share(
            heapBytes, CONNECTIONS_PERCENT, CONNECTION_BYTES + ENTRY_BYTES * queueDepth, 2, CONNECTIONS_MAX);
        final int connections = queues - queues / (CONNECTIONS_PER_DISCOVERY + 1);
        final int pending = share(heapBytes, PENDING_PERCENT, PENDING_BYTES, 1, PENDING_DEFAULT_MAX);
        return new CapacityLimits(
            share(heapBytes / reactors, REQUESTS_PERCENT, REQUEST_BYTES, REQUESTS_MIN, REQUESTS_MAX),
            connections, half(connections), pending, half(pending));
    }

    /**
     * {@return heap that is budgeted for a command}
     */
    public int requestBytes()
    {
        return REQUEST_BYTES;
    }

    /**
     * {@return heap that is budgeted for a connection before Connect}
     */
    public int pendingBytes()
    {
        return PENDING_BYTES;
    }

    /**
     * {@return heap that is budgeted for a queue, its controller included}
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

    /**
     * {@return default of how many discovery controllers there may be}
     *
     * @param connections that there may be beside them.
     */
    public static int discovery(final int connections)
    {
        return Math.max(DISCOVERY_DEFAULT_MIN, connections / CONNECTIONS_PER_DISCOVERY);
    }

    /**
     * {@return default of how many discovery controllers one address may have}
     *
     * @param all that there may be.
     */
    public static int discoveryOfAddress(final int all)
    {
        return Math.min(all, Math.max(DISCOVERY_DEFAULT_MIN, all) / ADDRESSES_OF_DISCOVERY);
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
