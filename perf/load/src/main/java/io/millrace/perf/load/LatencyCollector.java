package io.millrace.perf.load;

import java.util.List;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;
import org.agrona.concurrent.SystemEpochClock;

/**
 * Takes the latencies that workers record, adds them up and logs those of each second. The coordinating thread's.
 */
final class LatencyCollector
{
    private static final long INTERVAL_MS = 1_000;

    private final LatencyLog log;
    private final Histogram reads = newHistogram();
    private final Histogram writes = newHistogram();
    private final Histogram interval = newHistogram();
    private Histogram recycled;
    private long intervalStartMs;

    LatencyCollector(final LatencyLog log)
    {
        this.log = log;
    }

    private static Histogram newHistogram()
    {
        return new Histogram(LoadWorker.LATENCY_NS_MAX, LoadWorker.SIGNIFICANT_DIGITS);
    }

    void begin()
    {
        intervalStartMs = SystemEpochClock.INSTANCE.time();
        log.begin(intervalStartMs);
    }

    /**
     * Collects when a second has passed.
     *
     * @param workers of the load.
     */
    void collectWhenDue(final List<LoadWorker> workers)
    {
        if (SystemEpochClock.INSTANCE.time() - intervalStartMs >= INTERVAL_MS)
        {
            collect(workers);
        }
    }

    void collect(final List<LoadWorker> workers)
    {
        final long nowMs = SystemEpochClock.INSTANCE.time();
        for (final LoadWorker worker : workers)
        {
            take(worker.readLatency());
        }
        finish(reads, "read", nowMs);
        for (final LoadWorker worker : workers)
        {
            take(worker.writeLatency());
        }
        finish(writes, "write", nowMs);
        intervalStartMs = nowMs;
    }

    private void take(final SingleWriterRecorder recorder)
    {
        recycled = null == recycled ? recorder.getIntervalHistogram() :
            recorder.getIntervalHistogram(recycled, false);
        interval.add(recycled);
    }

    private void finish(final Histogram total, final String tag, final long nowMs)
    {
        total.add(interval);
        log.write(interval, tag, intervalStartMs, nowMs);
        interval.reset();
    }

    Histogram reads()
    {
        return reads;
    }

    Histogram writes()
    {
        return writes;
    }

    Histogram all()
    {
        final Histogram all = reads.copy();
        all.add(writes);
        return all;
    }
}
