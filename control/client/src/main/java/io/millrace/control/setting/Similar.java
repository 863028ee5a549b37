package io.millrace.control.setting;

import java.util.Collection;
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
     * {@return the word that is nearest to another, or null when none is near: one letter of three may differ, and one
     * in any case; two letters in the wrong order count as one}
     *
     * @param word       that was written.
     * @param candidates that are known.
     */
    public static String nearest(final String word, final Collection<String> candidates)
    {
        if (word.length() > LENGTH_MAX)
        {
            return null;
        }
        final String wanted = word.toLowerCase(Locale.ROOT).replace('_', '-');
        String best = null;
        int bestDistance = Math.max(1, wanted.length() / 3) + 1;
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
        final int[][] distances = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++)
        {
            for (int j = 0; j <= b.length(); j++)
            {
                if (0 == i || 0 == j)
                {
                    distances[i][j] = i + j;
                    continue;
                }
                final int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                int least = Math.min(distances[i - 1][j - 1] + change,
                    1 + Math.min(distances[i - 1][j], distances[i][j - 1]));
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1))
                {
                    least = Math.min(least, distances[i - 2][j - 2] + 1);
                }
                distances[i][j] = least;
            }
        }
        return distances[a.length()][b.length()];
    }
}
