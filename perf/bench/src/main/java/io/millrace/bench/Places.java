package io.millrace.bench;

/**
 * Where requests go: at random, or one place after the other.
 */
final class Places
{
    private static final long MULTIPLIER = 6_364_136_223_846_793_005L;
    private static final int RANDOM_BITS = 31;

    private final int count;
    private final boolean isRandom;
    private long state = MULTIPLIER;

    /**
     * Begins at the first place.
     *
     * @param count    places.
     * @param isRandom whether they are drawn.
     */
    Places(final long count, final boolean isRandom)
    {
        this.count = Math.toIntExact(count);
        this.isRandom = isRandom;
        state = isRandom ? state : -1;
    }

    long next()
    {
        if (isRandom)
        {
            state = state * MULTIPLIER + 1;
            return (state >>> RANDOM_BITS + 2) * count >>> RANDOM_BITS;
        }
        state = state + 1 == count ? 0 : state + 1;
        return state;
    }
}
