package io.millrace.simulation;

import java.util.random.RandomGenerator;

/**
 * The one source of chance in a simulation (SplitMix64): the same seed, the same draws.
 */
final class Draw
{
    private long state;

    Draw(final long seed)
    {
        // Mixed twice: the draws of neighbouring seeds have nothing in common.
        state = seed;
        state = next();
        state = next();
    }

    long next()
    {
        state += 0x9E3779B97F4A7C15L;
        long mixed = state;
        mixed = (mixed ^ mixed >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        return mixed ^ mixed >>> 31;
    }

    /** {@return the same source as the library has it} */
    RandomGenerator generator()
    {
        return this::next;
    }

    /** {@return a number from 0 to below a bound} */
    int below(final int bound)
    {
        return (int)((next() >>> 33) * bound >>> 31);
    }

    /** {@return a number from the first to the last} */
    long between(final long first, final long last)
    {
        return first + (next() >>> 1) % (last - first + 1);
    }

    /** {@return true once in so many} */
    boolean oneIn(final int count)
    {
        return 0 == below(count);
    }

    int of(final int... values)
    {
        return values[below(values.length)];
    }
}
