package io.millrace.simulation;

import java.util.ArrayDeque;

/**
 * What has happened: a sum of all of it, which is equal for equal runs, and the last lines in words.
 */
final class Trace
{
    private static final int LINES_MAX = 400;

    private final boolean isVerbose;
    private final ArrayDeque<String> lines = new ArrayDeque<>();
    private long sum = 17;
    private long count;

    Trace(final boolean isVerbose)
    {
        this.isVerbose = isVerbose;
    }

    void add(final String what, final long first, final long second)
    {
        count++;
        sum = (sum * 31 + first) * 0x9E3779B97F4A7C15L + second;
        sum ^= sum >>> 29;
    }

    /** Something worth a line. */
    void note(final long nowNs, final String text)
    {
        add(text, nowNs, text.hashCode());
        if (isVerbose)
        {
            System.out.println(nowNs / 1_000 + " us  " + text);
        }
        lines.add(nowNs / 1_000 + " us  " + text);
        if (lines.size() > LINES_MAX)
        {
            lines.remove();
        }
    }

    long sum()
    {
        return sum;
    }

    long count()
    {
        return count;
    }

    String last()
    {
        return lines.peekLast();
    }

    String lines()
    {
        return String.join("\n", lines);
    }
}
