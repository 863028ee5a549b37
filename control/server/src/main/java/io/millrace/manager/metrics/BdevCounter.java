package io.millrace.manager.metrics;

/**
 * What SPDK counts for each of its bdevs, of {@link io.millrace.control.message.CounterInfo#SPDK_BDEV}.
 */
public enum BdevCounter
{
    /** Reads that have ended. */
    READS("read", Metric.SPDK_BDEV_OPERATIONS),
    /** Their bytes. */
    READ_BYTES("read", Metric.SPDK_BDEV_BYTES),
    /** Their latencies. */
    READ_NS("read", Metric.SPDK_BDEV_SECONDS),
    /** Writes that have ended. */
    WRITES("write", Metric.SPDK_BDEV_OPERATIONS),
    /** Their bytes. */
    WRITTEN_BYTES("write", Metric.SPDK_BDEV_BYTES),
    /** Their latencies. */
    WRITE_NS("write", Metric.SPDK_BDEV_SECONDS),
    /** Deallocations that have ended. */
    UNMAPS("unmap", Metric.SPDK_BDEV_OPERATIONS),
    /** Their bytes. */
    UNMAPPED_BYTES("unmap", Metric.SPDK_BDEV_BYTES),
    /** Their latencies. */
    UNMAP_NS("unmap", Metric.SPDK_BDEV_SECONDS),
    /** Copies that have ended. */
    COPIES("copy", Metric.SPDK_BDEV_OPERATIONS),
    /** Their bytes. */
    COPIED_BYTES("copy", Metric.SPDK_BDEV_BYTES),
    /** Their latencies. */
    COPY_NS("copy", Metric.SPDK_BDEV_SECONDS);

    private static final double NS_PER_S = 1e9;

    private final String operation;
    private final Metric metric;

    BdevCounter(final String operation, final Metric metric)
    {
        this.operation = operation;
        this.metric = metric;
    }

    void add(final Samples samples, final long value, final String plane, final String bdev)
    {
        samples.add(metric, Metric.SPDK_BDEV_SECONDS == metric ? value / NS_PER_S : value, plane, bdev, operation);
    }
}
