package io.millrace.perf.load;

import org.HdrHistogram.Histogram;

/**
 * Results of one kind of operation in the measurement.
 *
 * @param name                "read" or "write".
 * @param operations          completed.
 * @param operationsPerSecond over the measured time.
 * @param bytesPerSecond      over the measured time.
 * @param latencyNs           of each, and of those that the end of the measurement left outstanding; not to be changed.
 */
public record OperationReport(
    String name, long operations, double operationsPerSecond, double bytesPerSecond, Histogram latencyNs)
{
    /**
     * {@return bandwidth in MiB/s}
     */
    public double mebibytesPerSecond()
    {
        return bytesPerSecond / (1 << 20);
    }

    /**
     * Latency below which a share of the operations stayed.
     *
     * @param percentile 0 to 100.
     * @return in microseconds.
     */
    public double latencyUs(final double percentile)
    {
        return latencyNs.getValueAtPercentile(percentile) / 1e3;
    }

    /**
     * {@return mean latency in microseconds}
     */
    public double latencyUsMean()
    {
        return 0 == latencyNs.getTotalCount() ? 0 : latencyNs.getMean() / 1e3;
    }

    /**
     * {@return highest latency in microseconds}
     */
    public double latencyUsMax()
    {
        return 0 == latencyNs.getTotalCount() ? 0 : latencyNs.getMaxValue() / 1e3;
    }

    /**
     * {@return lowest latency in microseconds}
     */
    public double latencyUsMin()
    {
        return 0 == latencyNs.getTotalCount() ? 0 : latencyNs.getMinValue() / 1e3;
    }
}
