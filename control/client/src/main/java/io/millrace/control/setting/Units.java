package io.millrace.control.setting;

import java.util.Locale;

/**
 * Sizes, durations and numbers of things as people write them. Stateless.
 */
public final class Units
{
    private static final String[] SIZE_UNITS = {"", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    private static final String[] DURATION_UNITS = {"ns", "us", "ms", "s"};

    private Units()
    {
    }

    /**
     * {@return bytes with the largest unit that divides them, such as {@code 64MiB}; what no unit divides stays plain}
     *
     * @param lengthBytes not negative.
     */
    public static String size(final long lengthBytes)
    {
        int unit = 0;
        long value = lengthBytes;
        while (value > 0 && 0 == (value & 1023) && unit < SIZE_UNITS.length - 1)
        {
            value >>= 10;
            unit++;
        }
        return value + SIZE_UNITS[unit];
    }

    /**
     * {@return nanoseconds with the largest unit that divides them, such as {@code 100us}}
     *
     * @param durationNs not negative.
     */
    public static String duration(final long durationNs)
    {
        int unit = 0;
        long value = durationNs;
        while (value > 0 && 0 == value % 1000 && unit < DURATION_UNITS.length - 1)
        {
            value /= 1000;
            unit++;
        }
        return value + DURATION_UNITS[unit];
    }

    /**
     * {@return a number of things: {@code 1 step}, {@code 2 steps}}
     *
     * @param count    of things.
     * @param singular whose plural ends with an s.
     */
    public static String count(final long count, final String singular)
    {
        return count + " " + singular + (1 == count ? "" : "s");
    }

    static long sizeUnit(final String unit)
    {
        return switch (unit.toLowerCase(Locale.ROOT))
        {
            case "", "b" -> 1L;
            case "k", "kib" -> 1L << 10;
            case "m", "mib" -> 1L << 20;
            case "g", "gib" -> 1L << 30;
            case "t", "tib" -> 1L << 40;
            case "p", "pib" -> 1L << 50;
            case "e", "eib" -> 1L << 60;
            case "kb", "mb", "gb", "tb" -> throw new SettingType.BadValue(
                "unit " + unit + " means different things to different people",
                "write " + unit.charAt(0) + "iB for powers of 1024, or plain bytes");
            default -> throw new SettingType.BadValue("unit " + unit + " is not known", "use KiB, MiB, GiB or TiB");
        };
    }

    static long durationUnit(final String unit)
    {
        return switch (unit)
        {
            case "ns" -> 1L;
            case "us", "µs" -> 1_000L;
            case "ms" -> 1_000_000L;
            case "s" -> 1_000_000_000L;
            case "m" -> 60_000_000_000L;
            case "h" -> 3_600_000_000_000L;
            case "d" -> 86_400_000_000_000L;
            case "" -> throw new SettingType.BadValue(
                "without a unit", "write ns, us, ms, s, m, h or d after the number");
            default -> throw new SettingType.BadValue("unit " + unit + " is not known",
                "use ns, us, ms, s, m, h or d");
        };
    }
}
