package io.millrace.perf.load;

import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.HostConfig;
import io.millrace.nvmf.transport.TransportAddress;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * Configuration of a load. Immutable.
 *
 * @param transport               that the target is reached by.
 * @param address                 of the target.
 * @param subsystemNqn            to connect to.
 * @param host                    to connect as.
 * @param nsid                    namespace; 0 for the first there is.
 * @param pattern                 access pattern and direction.
 * @param sizeBytes               of one I/O; a multiple of the namespace's block size.
 * @param queueDepth              commands outstanding on each queue.
 * @param queues                  I/O queues, each over its own connection.
 * @param readPercent             share of reads, 0 to 100.
 * @param durationMs              of the measurement; 0 when it ends by count.
 * @param operationCount          after which the measurement ends; 0 when it ends by time.
 * @param warmUpMs                of load before that, which is not counted.
 * @param ratePerSecond           operations to begin in a second over all queues; 0 for as many as possible.
 * @param verify                  whether blocks carry a pattern that is checked when they are read; a load that only
 *                                reads checks what an earlier one wrote.
 * @param seed                    of the order of blocks and of their content.
 * @param regionBytes             of the namespace to use, from its start; 0 for all of it.
 * @param cpus                    to pin one reactor each to; empty for one reactor that is not pinned.
 * @param headerDigest            CRC32C of PDU headers.
 * @param dataDigest              CRC32C of PDU data.
 * @param connectTimeoutMs        to make a connection.
 * @param controllerLossTimeoutMs how long to wait for a lost target to come back; 0 not at all.
 */
public record LoadConfig(
    TransportAddress.Type transport,
    InetSocketAddress address,
    String subsystemNqn,
    HostConfig host,
    int nsid,
    LoadPattern pattern,
    int sizeBytes,
    int queueDepth,
    int queues,
    int readPercent,
    long durationMs,
    long operationCount,
    long warmUpMs,
    long ratePerSecond,
    boolean verify,
    long seed,
    long regionBytes,
    List<Integer> cpus,
    boolean headerDigest,
    boolean dataDigest,
    int connectTimeoutMs,
    int controllerLossTimeoutMs)
{
    /** Default of {@link #sizeBytes()}. */
    public static final int SIZE_BYTES_DEFAULT = 4096;
    /** Default of {@link #queueDepth()}. */
    public static final int QUEUE_DEPTH_DEFAULT = 32;
    /** Default of {@link #durationMs()}: 10 s. */
    public static final long DURATION_MS_DEFAULT = 10_000;
    /** Default of {@link #warmUpMs()}: 2 s, for the just-in-time compiler to settle. */
    public static final long WARM_UP_MS_DEFAULT = 2_000;
    /** Largest default region of a verified load: 1 GiB. */
    public static final long VERIFY_REGION_BYTES_DEFAULT = 1L << 30;
    /** Largest I/O. */
    public static final int SIZE_BYTES_MAX = 16 << 20;
    /** Most queues: what a controller has. */
    public static final int QUEUES_MAX = 128;
    /** Most memory for buffers, all queues together. */
    public static final long BUFFER_BYTES_MAX = 4L << 30;

    /**
     * Checks what can be checked before connecting.
     */
    public LoadConfig
    {
        if (sizeBytes < 512 || sizeBytes > SIZE_BYTES_MAX || 0 != sizeBytes % 512)
        {
            throw new LoadException("size " + sizeBytes + " is not possible: use a multiple of 512 up to " +
                SIZE_BYTES_MAX);
        }
        checkRange("depth", queueDepth, 1, ConnectionConfig.QUEUE_DEPTH_MAX);
        checkRange("queues", queues, 1, QUEUES_MAX);
        checkRange("mix", readPercent, 0, 100);
        checkRange("nsid", nsid, 0, Integer.MAX_VALUE);
        checkRange("duration ms", durationMs, 0, Long.MAX_VALUE / 1_000_000);
        checkRange("operation count", operationCount, 0, Long.MAX_VALUE);
        checkRange("warm-up ms", warmUpMs, 0, Long.MAX_VALUE / 1_000_000);
        checkRange("rate", ratePerSecond, 0, 1_000_000_000L);
        checkRange("connect time-out ms", connectTimeoutMs, 1, Integer.MAX_VALUE);
        checkRange("region", regionBytes, 0, Long.MAX_VALUE);
        if (TransportAddress.Type.TCP != transport && (headerDigest || dataDigest))
        {
            throw new LoadException("digests are not possible over " + transport +
                ", which protects messages itself: leave them out");
        }
        if (0 == durationMs && 0 == operationCount)
        {
            throw new LoadException("neither duration nor operation count is given: give one of them");
        }
        if (0 != regionBytes && regionBytes < (long)sizeBytes * queues)
        {
            throw new LoadException("region of " + regionBytes + " bytes is smaller than one I/O of " + sizeBytes +
                " bytes for each of " + queues + " queues: raise it");
        }
        if ((long)sizeBytes * queueDepth * queues > BUFFER_BYTES_MAX)
        {
            throw new LoadException("buffers of " + (long)sizeBytes * queueDepth * queues +
                " bytes are more than " + BUFFER_BYTES_MAX + ": lower size, depth or queues");
        }
        cpus = List.copyOf(cpus);
    }

    private static void checkRange(final String name, final long value, final long min, final long max)
    {
        if (value < min || value > max)
        {
            throw new LoadException(name + " " + value + " is out of range: use " + min + " to " + max);
        }
    }

    /**
     * Begins with the defaults, over TCP.
     *
     * @param address      of the target.
     * @param subsystemNqn to connect to.
     * @return a builder.
     */
    public static Builder to(final InetSocketAddress address, final String subsystemNqn)
    {
        return to(TransportAddress.Type.TCP, address, subsystemNqn);
    }

    /**
     * Begins with the defaults.
     *
     * @param transport    that the target is reached by.
     * @param address      of the target.
     * @param subsystemNqn to connect to.
     * @return a builder.
     */
    public static Builder to(
        final TransportAddress.Type transport, final InetSocketAddress address, final String subsystemNqn)
    {
        return new Builder(transport, address, subsystemNqn);
    }

    /**
     * {@return whether anything is written}
     */
    public boolean writes()
    {
        return readPercent < 100;
    }

    /**
     * {@return whether anything is read}
     */
    public boolean reads()
    {
        return readPercent > 0;
    }

    /**
     * Sets what differs from the defaults.
     */
    public static final class Builder
    {
        private final TransportAddress.Type transport;
        private final InetSocketAddress address;
        private final String subsystemNqn;
        private HostConfig host = HostConfig.random();
        private int nsid;
        private LoadPattern pattern = LoadPattern.RANDREAD;
        private int sizeBytes = SIZE_BYTES_DEFAULT;
        private int queueDepth = QUEUE_DEPTH_DEFAULT;
        private int queues = 1;
        private int readPercent = -1;
        private long durationMs = DURATION_MS_DEFAULT;
        private long operationCount;
        private long warmUpMs = WARM_UP_MS_DEFAULT;
        private long ratePerSecond;
        private boolean verify;
        private long seed = 1;
        private long regionBytes;
        private List<Integer> cpus = List.of();
        private boolean headerDigest;
        private boolean dataDigest;
        private int connectTimeoutMs = ConnectionConfig.CONNECT_TIMEOUT_MS_DEFAULT;
        private int controllerLossTimeoutMs;

        private Builder(
            final TransportAddress.Type transport, final InetSocketAddress address, final String subsystemNqn)
        {
            this.transport = transport;
            this.address = address;
            this.subsystemNqn = subsystemNqn;
        }

        /**
         * Sets who connects.
         *
         * @param value identity of the host.
         * @return this, to chain.
         */
        public Builder host(final HostConfig value)
        {
            host = value;
            return this;
        }

        /**
         * Sets the namespace.
         *
         * @param value identifier, or 0 for the first.
         * @return this, to chain.
         */
        public Builder nsid(final int value)
        {
            nsid = value;
            return this;
        }

        /**
         * Sets access pattern and direction.
         *
         * @param value pattern.
         * @return this, to chain.
         */
        public Builder pattern(final LoadPattern value)
        {
            pattern = value;
            return this;
        }

        /**
         * Sets the size of an I/O.
         *
         * @param value in bytes.
         * @return this, to chain.
         */
        public Builder sizeBytes(final int value)
        {
            sizeBytes = value;
            return this;
        }

        /**
         * Sets how much is outstanding.
         *
         * @param depth      commands on each queue.
         * @param queueCount queues.
         * @return this, to chain.
         */
        public Builder queues(final int depth, final int queueCount)
        {
            queueDepth = depth;
            queues = queueCount;
            return this;
        }

        /**
         * Sets the share of reads, where the pattern mixes.
         *
         * @param value in percent.
         * @return this, to chain.
         */
        public Builder readPercent(final int value)
        {
            readPercent = value;
            return this;
        }

        /**
         * Sets how long to measure.
         *
         * @param value in milliseconds; 0 to end by count.
         * @return this, to chain.
         */
        public Builder durationMs(final long value)
        {
            durationMs = value;
            return this;
        }

        /**
         * Sets how many operations to measure.
         *
         * @param value count; 0 to end by time.
         * @return this, to chain.
         */
        public Builder operationCount(final long value)
        {
            operationCount = value;
            return this;
        }

        /**
         * Sets how long to run before that.
         *
         * @param value in milliseconds.
         * @return this, to chain.
         */
        public Builder warmUpMs(final long value)
        {
            warmUpMs = value;
            return this;
        }

        /**
         * Sets a fixed rate.
         *
         * @param value operations in a second over all queues; 0 for full speed.
         * @return this, to chain.
         */
        public Builder ratePerSecond(final long value)
        {
            ratePerSecond = value;
            return this;
        }

        /**
         * Turns verifying on or off.
         *
         * @param value true for on.
         * @return this, to chain.
         */
        public Builder verify(final boolean value)
        {
            verify = value;
            return this;
        }

        /**
         * Sets the seed.
         *
         * @param value of order and content.
         * @return this, to chain.
         */
        public Builder seed(final long value)
        {
            seed = value;
            return this;
        }

        /**
         * Limits what is used of the namespace.
         *
         * @param value in bytes from its start; 0 for all.
         * @return this, to chain.
         */
        public Builder regionBytes(final long value)
        {
            regionBytes = value;
            return this;
        }

        /**
         * Pins reactors.
         *
         * @param value CPUs, one reactor each.
         * @return this, to chain.
         */
        public Builder cpus(final List<Integer> value)
        {
            cpus = value;
            return this;
        }

        /**
         * Asks for digests.
         *
         * @param header CRC32C of PDU headers.
         * @param data   CRC32C of PDU data.
         * @return this, to chain.
         */
        public Builder digests(final boolean header, final boolean data)
        {
            headerDigest = header;
            dataDigest = data;
            return this;
        }

        /**
         * Sets how long making a connection may take.
         *
         * @param value in milliseconds.
         * @return this, to chain.
         */
        public Builder connectTimeoutMs(final int value)
        {
            connectTimeoutMs = value;
            return this;
        }

        /**
         * Sets how long to wait for a lost target.
         *
         * @param value in milliseconds; 0 not at all.
         * @return this, to chain.
         */
        public Builder controllerLossTimeoutMs(final int value)
        {
            controllerLossTimeoutMs = value;
            return this;
        }

        /**
         * Checks the settings.
         *
         * @return the configuration.
         * @throws LoadException naming the setting that is out of bounds.
         */
        public LoadConfig build()
        {
            if (readPercent >= 0 && LoadPattern.RANDRW != pattern && readPercent != pattern.readPercentDefault())
            {
                throw new LoadException("mix " + readPercent + " does not go with pattern " + pattern +
                    ": use pattern " + LoadPattern.RANDRW);
            }
            return new LoadConfig(transport, address, subsystemNqn, host, nsid, pattern, sizeBytes, queueDepth, queues,
                readPercent < 0 ? pattern.readPercentDefault() : readPercent, durationMs, operationCount, warmUpMs,
                ratePerSecond, verify, seed, regionBytes, cpus, headerDigest, dataDigest, connectTimeoutMs,
                controllerLossTimeoutMs);
        }
    }
}
