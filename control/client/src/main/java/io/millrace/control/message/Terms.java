package io.millrace.control.message;

/**
 * Bounds of terms. A term orders managers of a data plane: each takes one above that of the manager before it. They are
 * bounded far below what overflows, and grow by small steps, so that no mistake and no key can use them up. Stateless.
 */
public final class Terms
{
    /** Highest term: three for each second of ten thousand years. */
    public static final long MAX = 1_000_000_000_000L;
    /** Most that a term may be above the one before it. */
    public static final long STEP_MAX = 1_000;

    private Terms()
    {
    }

    /**
     * {@return whether it is a term that a manager may hold}
     *
     * @param term to look at.
     */
    public static boolean isTerm(final long term)
    {
        return term >= 1 && term <= MAX;
    }

    /**
     * {@return the term that a manager takes: above its own last one and that of the data plane, and no further above
     * the latter than may be}
     *
     * @param own  last that the manager took; 0: none.
     * @param held by the data plane; 0: none.
     * @throws IllegalArgumentException when there is none.
     */
    public static long next(final long own, final long held)
    {
        final long next = Math.min(Math.addExact(Math.max(own, held), 1), Math.addExact(held, STEP_MAX));
        if (held < 0 || own < 0 || next > MAX)
        {
            throw new IllegalArgumentException("term " + Math.max(own, held) + " is not within 0 to " + (MAX - 1));
        }
        return next;
    }
}
