package io.millrace.console;

import java.util.Locale;

/**
 * Numbers for people, in few characters. Stateless.
 */
public final class Quantity
{
    private static final String[] BYTE_UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    private static final String[] COUNT_UNITS = {"", "k", "M", "G", "T", "P", "E"};
    private static final long NS_PER_US = 1_000;
    private static final long NS_PER_MS = 1_000_000;
    private static final long NS_PER_S = 1_000_000_000;
    private static final long S_PER_MINUTE = 60;
    private static final long S_PER_HOUR = 3_600;
    private static final long S_PER_DAY = 86_400;

    private Quantity()
    {
    }

    /**
     * {@return bytes in powers of 1024: {@code 4096 B} is {@code 4KiB}, and {@code 1.5GiB}}
     *
     * @param value not negative.
     */
    public static String bytes(final double value)
    {
        return scaled(value, 1024, BYTE_UNITS);
    }

    /**
     * {@return a count in powers of 1000: {@code 999}, {@code 12.3k}, {@code 1.2M}}
     *
     * @param value not negative.
     */
    public static String count(final double value)
    {
        return scaled(value, 1000, COUNT_UNITS);
    }

    private static String scaled(final double value, final double step, final String[] units)
    {
        int unit = 0;
        double scaled = value;
        // What would be printed as a whole step belongs to the next unit.
        while (scaled >= step - 0.5 && unit < units.length - 1)
        {
            scaled /= step;
            unit++;
        }
        final boolean isWhole = 0 == unit || scaled >= 99.95 || Math.abs(scaled - Math.rint(scaled)) < 0.05;
        return String.format(Locale.ROOT, isWhole ? "%.0f%s" : "%.1f%s", scaled, units[unit]);
    }

    /**
     * {@return a duration: {@code 850ns}, {@code 12.3us}, {@code 4.5ms}, {@code 59.9s}, {@code 5m 3s}, {@code 4h 2m},
     * {@code 3d 4h}}
     *
     * @param durationNs not negative.
     */
    public static String duration(final long durationNs)
    {
        if (durationNs < NS_PER_US)
        {
            return durationNs + "ns";
        }
        if (durationNs < NS_PER_MS)
        {
            return decimal((double)durationNs / NS_PER_US, "us");
        }
        if (durationNs < NS_PER_S)
        {
            return decimal((double)durationNs / NS_PER_MS, "ms");
        }
        final long seconds = durationNs / NS_PER_S;
        if (seconds < S_PER_MINUTE)
        {
            return decimal((double)durationNs / NS_PER_S, "s");
        }
        if (seconds < S_PER_HOUR)
        {
            return seconds / S_PER_MINUTE + "m " + seconds % S_PER_MINUTE + "s";
        }
        if (seconds < S_PER_DAY)
        {
            return seconds / S_PER_HOUR + "h " + seconds % S_PER_HOUR / S_PER_MINUTE + "m";
        }
        return seconds / S_PER_DAY + "d " + seconds % S_PER_DAY / S_PER_HOUR + "h";
    }

    private static String decimal(final double value, final String unit)
    {
        return String.format(Locale.ROOT, value >= 99.95 ? "%.0f%s" : "%.1f%s", value, unit);
    }
}
