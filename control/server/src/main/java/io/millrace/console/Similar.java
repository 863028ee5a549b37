package io.millrace.console;

import java.util.List;
import java.util.Locale;

/**
 * Finds suggestions for mistyped words. Stateless.
 */
public final class Similar
{
    private static final int LENGTH_MAX = 64;

    private Similar()
    {
    }

    /**
     * {@return the word that is nearest to another, or null when none is near}
     *
     * @param word       that was written.
     * @param candidates that are known.
     */
    public static String nearest(final String word, final List<String> candidates)
    {
        if (word.length() > LENGTH_MAX)
        {
            return null;
        }
        final String wanted = word.toLowerCase(Locale.ROOT).replace('_', '-');
        String best = null;
        int bestDistance = Math.max(2, wanted.length() / 3) + 1;
        for (final String candidate : candidates)
        {
            final int distance = distance(wanted, candidate);
            if (distance < bestDistance)
            {
                bestDistance = distance;
                best = candidate;
            }
        }
        return best;
    }

    private static int distance(final String a, final String b)
    {
        int[] previous = new int[b.length() + 1];
        int[] current = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++)
        {
            previous[j] = j;
        }
        for (int i = 1; i <= a.length(); i++)
        {
            current[0] = i;
            for (int j = 1; j <= b.length(); j++)
            {
                final int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                current[j] = Math.min(previous[j - 1] + change, 1 + Math.min(previous[j], current[j - 1]));
            }
            final int[] swap = previous;
            previous = current;
            current = swap;
        }
        return previous[b.length()];
    }
}
