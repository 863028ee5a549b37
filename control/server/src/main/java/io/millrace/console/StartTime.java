package io.millrace.console;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Time since the JVM started, by the start time of its first thread in the kernel. The process may be older, if a shell
 * executed the JVM. Resolution: 10 ms. Stateless.
 */
public final class StartTime
{
    // proc(5): field 22 of stat, counted behind the name in parentheses, which may hold blanks.
    private static final int START_FIELD_AFTER_NAME = 19;
    private static final double TICKS_PER_SECOND = 100;

    private StartTime()
    {
    }

    /**
     * {@return seconds since the JVM started; negative when the kernel does not say}
     */
    public static double elapsedSeconds()
    {
        try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task")))
        {
            final int self = (int)ProcessHandle.current().pid();
            final int first = tasks.mapToInt((task) -> Integer.parseInt(task.getFileName().toString()))
                .filter((task) -> task != self).min().orElse(self);
            return elapsedSeconds(
                Files.readString(Path.of("/proc/self/task/" + first + "/stat")),
                Files.readString(Path.of("/proc/uptime")));
        }
        catch (final IOException e)
        {
            return -1;
        }
    }

    static double elapsedSeconds(final String stat, final String uptime)
    {
        final String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return Double.parseDouble(uptime.substring(0, uptime.indexOf(' '))) -
            Long.parseLong(fields[START_FIELD_AFTER_NAME]) / TICKS_PER_SECOND;
    }
}
