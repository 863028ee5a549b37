package io.millrace.parity;

/** Checks of arguments; the sentence of a refusal is made only when there is one. */
final class Bounds
{
    /** Addresses of a process have at most 57 bits. */
    static final long ADDRESS_END = 1L << 57;

    private Bounds()
    {
    }

    static void check(final String name, final long value, final long min, final long max)
    {
        if (value < min || value > max)
        {
            throw new IllegalArgumentException(
                name + " " + value + ": must be " + (min == max ? "" + min : min + " to " + max));
        }
    }
}
