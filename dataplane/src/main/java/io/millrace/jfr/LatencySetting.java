package io.millrace.jfr;

import java.util.Set;
import java.util.concurrent.TimeUnit;
import jdk.jfr.SettingControl;

/**
 * Threshold of latencies: {@code longerThan} of an event. The recorder's own {@code threshold} is about events that it
 * times itself. Where recordings differ, the shortest is taken. Made and set by the recorder.
 */
class LatencySetting extends SettingControl
{
    /** What is used when a recording says nothing: 10 ms. */
    static final String DEFAULT = "10 ms";

    private String value = DEFAULT;
    private volatile long ns = parse(DEFAULT);

    /**
     * Called by the recorder.
     */
    LatencySetting()
    {
    }

    @Override
    public String combine(final Set<String> values)
    {
        String least = null;
        for (final String each : values)
        {
            if (isTime(each) && (null == least || parse(each) < parse(least)))
            {
                least = each;
            }
        }
        return null == least ? DEFAULT : least;
    }

    @Override
    public void setValue(final String newValue)
    {
        // The recorder accepts no errors: an invalid value leaves the former one.
        if (isTime(newValue))
        {
            value = newValue;
            ns = parse(newValue);
        }
    }

    @Override
    public String getValue()
    {
        return value;
    }

    /**
     * {@return the time in nanoseconds}
     */
    long ns()
    {
        return ns;
    }

    private static boolean isTime(final String text)
    {
        return text.matches("\\d{1,9} ?(ns|us|ms|s)");
    }

    private static long parse(final String text)
    {
        final int digits = (int)text.chars().takeWhile(Character::isDigit).count();
        final long count = Long.parseLong(text.substring(0, digits));
        return switch (text.substring(digits).trim())
        {
            case "ns" -> count;
            case "us" -> TimeUnit.MICROSECONDS.toNanos(count);
            case "ms" -> TimeUnit.MILLISECONDS.toNanos(count);
            default -> TimeUnit.SECONDS.toNanos(count);
        };
    }
}
