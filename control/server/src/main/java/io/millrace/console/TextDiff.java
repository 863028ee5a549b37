package io.millrace.console;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Compares two texts line by line, as {@code diff -u} prints it. Lines that both have once are matched first, what is
 * between them then, so that the time grows with the lines and not with their product. Immutable.
 */
public final class TextDiff
{
    private static final int CONTEXT = 3;

    /**
     * A line that is in one of both, or in both.
     *
     * @param mark {@code -} only in the first, {@code +} only in the second, a blank in both.
     * @param text of it.
     */
    public record Line(char mark, String text)
    {
        @Override
        public String toString()
        {
            return mark + text;
        }
    }

    private final List<Line> lines = new ArrayList<>();

    private TextDiff()
    {
    }

    /**
     * Compares two texts.
     *
     * @param first  text.
     * @param second text.
     * @return what differs.
     */
    public static TextDiff of(final String first, final String second)
    {
        final TextDiff diff = new TextDiff();
        final String[] a = first.lines().toArray(String[]::new);
        final String[] b = second.lines().toArray(String[]::new);
        diff.compare(a, 0, a.length, b, 0, b.length);
        return diff;
    }

    private void compare(
        final String[] a, final int aFrom, final int aTo, final String[] b, final int bFrom, final int bTo)
    {
        int i = aFrom;
        int k = bFrom;
        while (i < aTo && k < bTo && a[i].equals(b[k]))
        {
            lines.add(new Line(' ', a[i]));
            i++;
            k++;
        }
        int aEnd = aTo;
        int bEnd = bTo;
        while (aEnd > i && bEnd > k && a[aEnd - 1].equals(b[bEnd - 1]))
        {
            aEnd--;
            bEnd--;
        }
        for (final int[] pair : anchors(a, i, aEnd, b, k, bEnd))
        {
            replace(a, i, pair[0], b, k, pair[1]);
            lines.add(new Line(' ', a[pair[0]]));
            i = pair[0] + 1;
            k = pair[1] + 1;
        }
        replace(a, i, aEnd, b, k, bEnd);
        Arrays.stream(a, aEnd, aTo).forEach((line) -> lines.add(new Line(' ', line)));
    }

    /** Compares the lines between two anchors: a common prefix and suffix, the rest as removed and added. */
    private void replace(
        final String[] a, final int aFrom, final int aTo, final String[] b, final int bFrom, final int bTo)
    {
        int i = aFrom;
        int k = bFrom;
        while (i < aTo && k < bTo && a[i].equals(b[k]))
        {
            lines.add(new Line(' ', a[i]));
            i++;
            k++;
        }
        int same = 0;
        while (aTo - same > i && bTo - same > k && a[aTo - same - 1].equals(b[bTo - same - 1]))
        {
            same++;
        }
        Arrays.stream(a, i, aTo - same).forEach((line) -> lines.add(new Line('-', line)));
        Arrays.stream(b, k, bTo - same).forEach((line) -> lines.add(new Line('+', line)));
        Arrays.stream(a, aTo - same, aTo).forEach((line) -> lines.add(new Line(' ', line)));
    }

    /** Lines that both have once, in the longest order that is the same in both. */
    private static List<int[]> anchors(
        final String[] a, final int aFrom, final int aTo, final String[] b, final int bFrom, final int bTo)
    {
        final Map<String, Integer> inFirst = once(a, aFrom, aTo);
        final Map<String, Integer> inSecond = once(b, bFrom, bTo);
        final List<int[]> pairs = new ArrayList<>();
        for (int i = aFrom; i < aTo; i++)
        {
            final Integer k = inFirst.get(a[i]) == -1 ? null : inSecond.get(a[i]);
            if (null != k && -1 != k)
            {
                pairs.add(new int[]{i, k});
            }
        }
        return longestIncreasing(pairs);
    }

    /** Index of each line; -1 if it occurs more than once. */
    private static Map<String, Integer> once(final String[] lines, final int from, final int to)
    {
        final Map<String, Integer> indexes = HashMap.newHashMap(to - from);
        for (int i = from; i < to; i++)
        {
            final int index = i;
            indexes.compute(lines[i], (_, found) -> null == found ? index : -1);
        }
        return indexes;
    }

    private static List<int[]> longestIncreasing(final List<int[]> pairs)
    {
        final int[] tails = new int[pairs.size()];
        final int[] before = new int[pairs.size()];
        int length = 0;
        for (int i = 0; i < pairs.size(); i++)
        {
            int low = 0;
            int high = length;
            while (low < high)
            {
                final int middle = (low + high) >>> 1;
                if (pairs.get(tails[middle])[1] < pairs.get(i)[1])
                {
                    low = middle + 1;
                }
                else
                {
                    high = middle;
                }
            }
            before[i] = 0 == low ? -1 : tails[low - 1];
            tails[low] = i;
            length = Math.max(length, low + 1);
        }
        final List<int[]> result = new ArrayList<>();
        for (int i = 0 == length ? -1 : tails[length - 1]; i >= 0; i = before[i])
        {
            result.add(pairs.get(i));
        }
        return result.reversed();
    }

    /**
     * {@return the lines that are in one of both only, in order}
     */
    public List<Line> changes()
    {
        return lines.stream().filter((each) -> ' ' != each.mark()).toList();
    }

    /**
     * {@return the changes with lines around them, and before each run of them where it is}
     *
     * @param isHeading whether a line is a heading, the last of which is named with where the run is.
     */
    public List<String> unified(final Predicate<String> isHeading)
    {
        final List<String> result = new ArrayList<>();
        int at = 0;
        int first = 1;
        int second = 1;
        String heading = "";
        while (at < lines.size())
        {
            final int next = nextChange(at);
            if (next == lines.size())
            {
                break;
            }
            final int from = Math.max(at, next - CONTEXT);
            for (int i = at; i < from; i++)
            {
                heading = isHeading.test(lines.get(i).text()) ? lines.get(i).text().strip() : heading;
            }
            first += from - at;
            second += from - at;
            final int to = endOfRun(next);
            final List<Line> run = lines.subList(from, to);
            final int inFirst = (int)run.stream().filter((each) -> '+' != each.mark()).count();
            final int inSecond = (int)run.stream().filter((each) -> '-' != each.mark()).count();
            result.add("@@ -" + first + ',' + inFirst + " +" + second + ',' + inSecond + " @@" +
                (heading.isEmpty() ? "" : " " + heading));
            run.forEach((each) -> result.add(each.toString()));
            for (final Line each : run)
            {
                heading = '-' != each.mark() && isHeading.test(each.text()) ? each.text().strip() : heading;
            }
            first += inFirst;
            second += inSecond;
            at = to;
        }
        return result;
    }

    private int nextChange(final int from)
    {
        int next = from;
        while (next < lines.size() && ' ' == lines.get(next).mark())
        {
            next++;
        }
        return next;
    }

    /** Behind the last change of a run, and what is shown after it. */
    private int endOfRun(final int from)
    {
        int last = from;
        for (int i = from; i < lines.size() && i <= last + 2 * CONTEXT; i++)
        {
            last = ' ' == lines.get(i).mark() ? last : i;
        }
        return Math.min(lines.size(), last + 1 + CONTEXT);
    }
}
