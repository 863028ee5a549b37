package io.millrace.dataplane;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
    private final long leastNs;
    private long sumNs;

    /**
     * Begins now.
     *
     * @param prefix  of the threads' names.
     * @param leastNs of a wait between two looks, to count.
     */
    ProcessorWaits(final String prefix, final long leastNs)
    {
        this.leastNs = leastNs;
        try (Stream<Path> tasks = Files.list(TASKS))
        {
            files = tasks.filter((task) -> isNamed(task, prefix))
                .map((task) -> task.resolve("schedstat")).toList();
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
        before = files.stream().mapToLong(ProcessorWaits::waitedNs).toArray();
    }

    /** A thread of another name may end meanwhile. */
    private static boolean isNamed(final Path task, final String prefix)
    {
        try
        {
            return Files.readString(task.resolve("comm")).startsWith(prefix);
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

    /** {@return the sum of all waits until now} */
    long look()
    {
        for (int i = 0; i < before.length; i++)
        {
            final long nowNs = waitedNs(files.get(i));
            sumNs += nowNs - before[i] >= leastNs ? nowNs - before[i] : 0;
            before[i] = nowNs;
        }
        return sumNs;
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
