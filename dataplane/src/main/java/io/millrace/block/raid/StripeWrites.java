package io.millrace.block.raid;

/**
 * How an array with parity has written its stripes for hosts, or parts of them, since it was assembled. Immutable.
 *
 * @param wholeStripes     writes of all data strips, for which members read nothing.
 * @param reconstructs     writes for which members read what the host did not write.
 * @param readModifyWrites writes for which members read what the host overwrote, and parity.
 * @param gathered         writes of hosts, or parts of them, that were written with others at once.
 */
public record StripeWrites(long wholeStripes, long reconstructs, long readModifyWrites, long gathered)
{
    /** None. */
    static final StripeWrites NONE = new StripeWrites(0, 0, 0, 0);

    StripeWrites plus(final StripeWrites other)
    {
        return new StripeWrites(wholeStripes + other.wholeStripes, reconstructs + other.reconstructs,
            readModifyWrites + other.readModifyWrites, gathered + other.gathered);
    }
}
