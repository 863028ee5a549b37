package io.millrace.control.state;

import java.util.Comparator;

/**
 * Orders names as people do: {@code vol2} before {@code vol10}. Consistent with equals. Stateless.
 */
final class NaturalOrder implements Comparator<String>
{
    static final Comparator<String> INSTANCE = new NaturalOrder();

    private NaturalOrder()
    {
    }

    @Override
    public int compare(final String a, final String b)
    {
        int i = 0;
        int j = 0;
        while (i < a.length() && j < b.length())
        {
            final int endA = endOfDigits(a, i);
            final int endB = endOfDigits(b, j);
            if (endA > i && endB > j)
            {
                final int order = compareNumbers(a, i, endA, b, j, endB);
                if (0 != order)
                {
                    return order;
                }
                i = endA;
                j = endB;
            }
            else if (a.charAt(i) != b.charAt(j))
            {
                return Character.compare(a.charAt(i), b.charAt(j));
            }
            else
            {
                i++;
                j++;
            }
        }
        final int order = Integer.compare(a.length() - i, b.length() - j);
        // 01 and 1 are the same number, and different names.
        return 0 == order ? a.compareTo(b) : order;
    }

    private static int endOfDigits(final String text, final int from)
    {
        int end = from;
        while (end < text.length() && text.charAt(end) >= '0' && text.charAt(end) <= '9')
        {
            end++;
        }
        return end;
    }

    private static int compareNumbers(
        final String a, final int fromA, final int endA, final String b, final int fromB, final int endB)
    {
        int i = fromA;
        int j = fromB;
        while (i < endA && '0' == a.charAt(i))
        {
            i++;
        }
        while (j < endB && '0' == b.charAt(j))
        {
            j++;
        }
        if (endA - i != endB - j)
        {
            return Integer.compare(endA - i, endB - j);
        }
        return CharSequence.compare(a.subSequence(i, endA), b.subSequence(j, endB));
    }
}
