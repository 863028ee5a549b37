package io.millrace.dataplane;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * How long threads of this process were ready to run and got no processor, by the kernel's count: in that time a rate
 * is not reached whatever the code does. Waits shorter than a minimum do not count.
 */
final class ProcessorWaits
{
    private static final Path TASKS = Path.of("/proc/self/task");

    private final List<Path> files;
    private final long[] before;
    private final long[] sumsNs;
    private final long leastNs;

    /**
     * Begins now.
     *
     * @param names   of the threads, a regular expression.
     * @param leastNs of a wait between two looks, to count.
     */
    ProcessorWaits(final String names, final long leastNs)
    {
        this.leastNs = leastNs;
        try (Stream<Path> tasks = Files.list(TASKS))
        {
            files = tasks.filter((task) -> isNamed(task, names))
                .map((task) -> task.resolve("schedstat")).toList();
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
        before = files.stream().mapToLong(ProcessorWaits::waitedNs).toArray();
        sumsNs = new long[before.length];
    }

    /** A thread of another name may end meanwhile. */
    private static boolean isNamed(final Path task, final String names)
    {
        try
        {
            return Files.readString(task.resolve("comm")).strip().matches(names);
        }
        catch (final IOException e)
        {
            return false;
        }
    }

    /** {@return how many threads there are} */
    int threads()
    {
        return before.length;
    }

    /** {@return the sum of waits until now of the thread that has waited least: all of them together no longer} */
    long look()
    {
        for (int i = 0; i < before.length; i++)
        {
            final long nowNs = waitedNs(files.get(i));
            sumsNs[i] += nowNs - before[i] >= leastNs ? nowNs - before[i] : 0;
            before[i] = nowNs;
        }
        return Arrays.stream(sumsNs).min().orElseThrow();
    }

    /** Time on a processor, time ready without one, and turns. */
    private static long waitedNs(final Path file)
    {
        return Long.parseLong(read(file).split(" ")[1]);
    }

    private static String read(final Path file)
    {
        try
        {
            return Files.readString(file);
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }
}
