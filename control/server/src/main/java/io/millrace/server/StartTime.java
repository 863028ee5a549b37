package io.millrace.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How long this process has been there, by the kernel's count: it begins when the JVM did, before any of its code ran. Good to
 * 10 ms. Stateless.
 */
final class StartTime
{
    // proc(5): field 22 of stat, counted behind the name in parentheses, which may hold blanks.
    private static final int START_FIELD_AFTER_NAME = 19;
    private static final double TICKS_PER_SECOND = 100;

    private StartTime()
    {
    }

    /**
     * {@return seconds since the process started; negative when the kernel does not say}
     */
    static double elapsedSeconds()
    {
        try
        {
            final String stat = Files.readString(Path.of("/proc/self/stat"));
            final String uptime = Files.readString(Path.of("/proc/uptime"));
            return elapsedSeconds(stat, uptime);
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
