package io.millrace.lab;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A machine that runs. Closing it stops it, when it has not ended by itself.
 */
final class LabMachine implements AutoCloseable
{
    /** For the lab script to build the initial RAM disk and to save a state at first use, and to clear up. */
    private static final int GRACE_SECONDS = 360;

    private static final Pattern KERNEL_FAILURE = Pattern.compile("Oops: |Kernel panic|BUG: kernel");

    private final Process process;
    private final Path directory;
    private final Path monitor;
    private final int limitSeconds;
    private final StringBuffer output = new StringBuffer();
    private final CompletableFuture<Void> outputEnd;
    private final CompletableFuture<String> errors;
    private LabResult result;

    LabMachine(final Process process, final Path directory, final Path monitor, final int limitSeconds)
    {
        this.process = process;
        this.directory = directory;
        this.monitor = monitor;
        this.limitSeconds = limitSeconds;
        // A virtual thread that reads a pipe keeps its carrier: two would take all of a machine with two processors.
        outputEnd = CompletableFuture.runAsync(this::readOutput, (task) -> Thread.ofPlatform().daemon().start(task));
        errors = CompletableFuture.supplyAsync(
            () -> readAll(process.getErrorStream()), (task) -> Thread.ofPlatform().daemon().start(task));
    }

    /**
     * Waits until the script has printed a line.
     *
     * @throws AssertionError when it ended, its kernel failed, or the time is over, without it.
     */
    void awaitLine(final String line) throws InterruptedException
    {
        final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(limitSeconds);
        synchronized (output)
        {
            while (output.indexOf(line + "\n") < 0)
            {
                final long leftMs = TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime());
                final String kernelFailure = kernelFailure();
                if (leftMs <= 0 || outputEnd.isDone() || !kernelFailure.isEmpty())
                {
                    throw new AssertionError("the machine did not print '" + line + "'; logs in " + directory +
                        kernelFailure + "\n--- output\n" + output +
                        (outputEnd.isDone() ? "--- errors\n" + errors.join() : ""));
                }
                output.wait(Math.min(leftMs, 1_000));
            }
        }
    }

    /** What the kernel of a machine with this run directory prints. */
    static Path kernelLog(final Path directory)
    {
        return directory.resolve("kernel.log");
    }

    /** Of which a machine may hang until its time is over. */
    private String kernelFailure()
    {
        final Path log = kernelLog(directory);
        try (Stream<String> lines = Files.exists(log) ? Files.lines(log, StandardCharsets.ISO_8859_1) : Stream.empty())
        {
            final List<String> found = lines.filter((line) -> KERNEL_FAILURE.matcher(line).find()).limit(8).toList();
            return found.isEmpty() ? "" : "\n--- its kernel failed\n" + String.join("\n", found);
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    /** What the script has printed so far. */
    String output()
    {
        return output.toString();
    }

    /** Whether the script will print nothing more. */
    boolean hasEnded()
    {
        return outputEnd.isDone();
    }

    /** A connection to the machine's monitor; the caller closes it. */
    QemuMonitor monitor() throws IOException
    {
        return QemuMonitor.connect(monitor);
    }

    /** Waits until the machine has ended. */
    LabResult await() throws InterruptedException
    {
        if (null == result)
        {
            if (!process.waitFor(limitSeconds + GRACE_SECONDS, TimeUnit.SECONDS))
            {
                process.destroy();
                throw new AssertionError("the lab did not end in its time limit of " + limitSeconds + " s");
            }
            outputEnd.join();
            result = new LabResult(process.exitValue(), output.toString(), errors.join(), directory);
        }
        return result;
    }

    @Override
    public void close() throws IOException
    {
        if (process.isAlive())
        {
            process.destroy();
            process.onExit().orTimeout(GRACE_SECONDS, TimeUnit.SECONDS).join();
        }
        Files.deleteIfExists(monitor);
        Files.deleteIfExists(monitor.getParent());
    }

    private void readOutput()
    {
        try (BufferedReader reader =
            new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)))
        {
            String line = reader.readLine();
            while (null != line)
            {
                synchronized (output)
                {
                    output.append(line).append('\n');
                    output.notifyAll();
                }
                line = reader.readLine();
            }
        }
        catch (final IOException ex)
        {
            output.append("(output broke off: ").append(ex.getMessage()).append(")\n");
        }
    }

    private static String readAll(final InputStream stream)
    {
        try (stream)
        {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        }
        catch (final IOException ex)
        {
            return "(errors broke off: " + ex.getMessage() + ")\n";
        }
    }
}
