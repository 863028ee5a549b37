package io.millrace.perf.load;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

/**
 * A file in HdrHistogram's log format with the latencies of each second, in nanoseconds, tagged {@code read} and
 * {@code write}. One thread's.
 */
public final class LatencyLog implements AutoCloseable
{
    private final PrintStream stream;
    private final HistogramLogWriter writer;

    private LatencyLog(final PrintStream stream)
    {
        this.stream = stream;
        writer = null == stream ? null : new HistogramLogWriter(stream);
    }

    /**
     * A log that discards everything.
     *
     * @return the log.
     */
    public static LatencyLog none()
    {
        return new LatencyLog(null);
    }

    /**
     * Creates a log file, or truncates it.
     *
     * @param file to write.
     * @return the log.
     * @throws LoadException when it cannot be written.
     */
    public static LatencyLog open(final Path file)
    {
        try
        {
            return new LatencyLog(new PrintStream(Files.newOutputStream(file), false, StandardCharsets.UTF_8));
        }
        catch (final IOException e)
        {
            throw new LoadException("latency log " + file + " cannot be written: " + e.getMessage(), e);
        }
    }

    void begin(final long startMs)
    {
        if (null != writer)
        {
            writer.outputComment("[millrace perf; latencies in ns]");
            writer.outputLogFormatVersion();
            writer.outputStartTime(startMs);
            writer.setBaseTime(startMs);
            writer.outputLegend();
        }
    }

    void write(final Histogram interval, final String tag, final long startMs, final long endMs)
    {
        if (null != writer && interval.getTotalCount() > 0)
        {
            interval.setTag(tag);
            interval.setStartTimeStamp(startMs);
            interval.setEndTimeStamp(endMs);
            writer.outputIntervalHistogram(interval);
        }
    }

    /**
     * Ends the file.
     *
     * @throws UncheckedIOException when something could not be written.
     */
    @Override
    public void close()
    {
        if (null != stream)
        {
            stream.close();
            if (stream.checkError())
            {
                throw new UncheckedIOException(
                    new IOException("latency log could not be written whole: is the disk full?"));
            }
        }
    }
}
