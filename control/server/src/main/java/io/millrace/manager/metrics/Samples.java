package io.millrace.manager.metrics;

import io.millrace.control.message.LatencyBucket;
import io.millrace.control.message.LatencyInfo;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Exemplars;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Numbers of one scrape, by metric and labels. What comes twice under the same labels is added up. One thread.
 */
final class Samples
{
    private static final double NS_PER_S = 1e9;
    private static final double US_PER_S = 1e6;
    /** Powers of two of a microsecond up to 67 s: no bucket of a data plane spans one. */
    private static final int BOUNDS = 27;
    private static final double[] UPPER_BOUNDS = upperBounds();

    private record Histogram(long[] counts, double sum)
    {
    }

    private final Map<Metric, Map<Labels, Double>> values = new EnumMap<>(Metric.class);
    private final Map<Metric, Map<Labels, Histogram>> histograms = new EnumMap<>(Metric.class);

    Samples add(final Metric metric, final double value, final String... labels)
    {
        values.computeIfAbsent(metric, (_) -> new LinkedHashMap<>()).merge(labels(metric, labels), value, Double::sum);
        return this;
    }

    Samples add(final Metric metric, final LatencyInfo latencies, final String... labels)
    {
        final long[] counts = new long[UPPER_BOUNDS.length];
        for (final LatencyBucket bucket : latencies.buckets())
        {
            counts[index(bucket.belowNs())] += bucket.count();
        }
        return add(metric, new Histogram(counts, latencies.sumNs() / NS_PER_S), labels);
    }

    /** Adds what is in one bucket, of those of the histograms. */
    Samples addBucket(final Metric metric, final int bucket, final long count, final String... labels)
    {
        final long[] counts = new long[UPPER_BOUNDS.length];
        counts[bucket] = count;
        return add(metric, new Histogram(counts, 0), labels);
    }

    /** Adds a sum of latencies whose buckets are added by themselves. */
    Samples addSeconds(final Metric metric, final double seconds, final String... labels)
    {
        return add(metric, new Histogram(new long[UPPER_BOUNDS.length], seconds), labels);
    }

    private Samples add(final Metric metric, final Histogram histogram, final String... labels)
    {
        histograms.computeIfAbsent(metric, (_) -> new LinkedHashMap<>())
            .merge(labels(metric, labels), histogram, Samples::sum);
        return this;
    }

    private static Histogram sum(final Histogram a, final Histogram b)
    {
        final long[] counts = a.counts().clone();
        for (int i = 0; i < counts.length; i++)
        {
            counts[i] += b.counts()[i];
        }
        return new Histogram(counts, a.sum() + b.sum());
    }

    private static Labels labels(final Metric metric, final String... values)
    {
        return Labels.of(metric.labels().toArray(String[]::new), values);
    }

    /** The first bound that nothing in the bucket is above; the last bucket of a data plane has no end. */
    private static int index(final long belowNs)
    {
        int index = 0;
        while (index < BOUNDS - 1 && 1_000L << index < belowNs)
        {
            index++;
        }
        return 1_000L << BOUNDS - 1 <= belowNs ? BOUNDS : index;
    }

    private static double[] upperBounds()
    {
        final double[] bounds = new double[BOUNDS + 1];
        for (int i = 0; i < BOUNDS; i++)
        {
            bounds[i] = (1L << i) / US_PER_S;
        }
        bounds[BOUNDS] = Double.POSITIVE_INFINITY;
        return bounds;
    }

    MetricSnapshots snapshots()
    {
        final MetricSnapshots.Builder all = MetricSnapshots.builder();
        for (final Metric metric : Metric.values())
        {
            if (values.containsKey(metric) || histograms.containsKey(metric))
            {
                all.metricSnapshot(snapshot(metric));
            }
        }
        return all.build();
    }

    private MetricSnapshot snapshot(final Metric metric)
    {
        final MetricMetadata metadata = new MetricMetadata(metric.metricName(), metric.help());
        return switch (metric.type())
        {
            case COUNTER -> new CounterSnapshot(metadata, values.get(metric).entrySet().stream()
                .map((each) -> new CounterDataPointSnapshot(each.getValue(), each.getKey(), null, 0L)).toList());
            case GAUGE -> new GaugeSnapshot(metadata, values.get(metric).entrySet().stream()
                .map((each) -> new GaugeDataPointSnapshot(each.getValue(), each.getKey(), null)).toList());
            case HISTOGRAM -> new HistogramSnapshot(metadata, points(histograms.get(metric)));
        };
    }

    private static List<HistogramDataPointSnapshot> points(final Map<Labels, Histogram> found)
    {
        return found.entrySet().stream().map((each) -> new HistogramDataPointSnapshot(
            ClassicHistogramBuckets.of(UPPER_BOUNDS, each.getValue().counts()), each.getValue().sum(), each.getKey(),
            Exemplars.EMPTY, 0L)).toList();
    }
}
