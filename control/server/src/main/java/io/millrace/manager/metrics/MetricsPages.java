package io.millrace.manager.metrics;

import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.GZIPOutputStream;
import org.agrona.concurrent.NanoClock;

/**
 * What is answered to a scrape. Made once a second at most, however many scrape: all of a second get the same bytes.
 * Any thread; those that come while a page is made wait for it.
 */
final class MetricsPages
{
    private static final long AGE_MAX_NS = TimeUnit.SECONDS.toNanos(1);
    private static final int LENGTH_BYTES = 64 * 1024;

    /**
     * An answer.
     *
     * @param generation  of the numbers in it, counted from 1.
     * @param contentType of the bytes.
     * @param isGzip      whether they are compressed.
     * @param bytes       shared: not to be changed.
     */
    record Page(long generation, String contentType, boolean isGzip, byte[] bytes)
    {
    }

    private record Format(String contentType, boolean isGzip)
    {
    }

    private final MetricsCollector collector;
    private final NanoClock clock;
    private final ExpositionFormats formats = ExpositionFormats.init();
    private final Map<Format, Page> pages = new HashMap<>();
    private final ReentrantLock lock = new ReentrantLock();
    private volatile MetricSnapshots snapshots;
    private long collectedNs;
    private volatile long generation;

    MetricsPages(final MetricsCollector collector, final NanoClock clock)
    {
        this.collector = collector;
        this.clock = clock;
    }

    /** Of what was collected last; any thread, never waits. */
    long generation()
    {
        return generation;
    }

    /** Waits for data planes and for others that make a page. */
    Page page(final String accept, final boolean isGzip) throws IOException
    {
        lock.lock();
        try
        {
            collect();
            return write(formats.findWriter(accept.isEmpty() ? null : accept), isGzip);
        }
        finally
        {
            lock.unlock();
        }
    }

    private void collect()
    {
        if (null == snapshots || clock.nanoTime() - collectedNs >= AGE_MAX_NS)
        {
            pages.clear();
            snapshots = null;
            snapshots = collector.collect();
            collectedNs = clock.nanoTime();
            generation = generation + 1;
        }
    }

    private Page write(final ExpositionFormatWriter writer, final boolean isGzip) throws IOException
    {
        final Format format = new Format(writer.getContentType(), isGzip);
        Page page = pages.get(format);
        if (null == page)
        {
            final ByteArrayOutputStream bytes = new ByteArrayOutputStream(LENGTH_BYTES);
            try (OutputStream out = isGzip ? new GZIPOutputStream(bytes) : bytes)
            {
                writer.write(out, snapshots);
            }
            page = new Page(generation, format.contentType(), isGzip, bytes.toByteArray());
            pages.put(format, page);
        }
        return page;
    }

    /** Lets go of what is too old to be answered. Never waits. */
    void expire()
    {
        if (!lock.tryLock())
        {
            return;
        }
        try
        {
            if (isHeld() && clock.nanoTime() - collectedNs >= AGE_MAX_NS)
            {
                pages.clear();
                snapshots = null;
            }
        }
        finally
        {
            lock.unlock();
        }
    }

    /** Whether something is left that may expire. */
    boolean isHeld()
    {
        return null != snapshots;
    }
}
