package io.millrace.block.raid;

import io.millrace.bindings.NativeMemory;
import io.millrace.parity.GaloisField;

/**
 * Tells which strip of a stripe with two parities is wrong, when exactly one is. The difference of the P that was read
 * to that of the data is the error of a data strip, and the difference of Q is 2^index times that; an error of P or Q
 * leaves the other right. So all rows have to agree on one strip.
 * <p>
 * Two wrong strips look like one where all their errors happen to have one ratio: for rows that differ in a single byte
 * the chance is the count of data strips in 255, and it shrinks by 255 with each byte more. Stateless.
 */
final class PqSyndrome
{
    private static final int NONE_YET = -2;

    private PqSyndrome()
    {
    }

    /**
     * {@return index of the strip that is wrong, {@code dataCount} for P and the next for Q; {@link
     * StripeCode#UNKNOWN}: none, or it is not a single one}
     *
     * @param strips    with the rows of all strips as they were read: data, then P, then Q.
     * @param dataCount strips of data.
     * @param length    of the rows in bytes.
     */
    static int wrongStrip(final long[] strips, final int dataCount, final int length)
    {
        int wrong = NONE_YET;
        for (int row = 0; row < length; row++)
        {
            int p = 0;
            int q = 0;
            for (int index = dataCount - 1; index >= 0; index--)
            {
                final int value = NativeMemory.getByte(strips[index] + row) & 0xff;
                p ^= value;
                q = twice(q) ^ value;
            }
            p ^= NativeMemory.getByte(strips[dataCount] + row) & 0xff;
            q ^= NativeMemory.getByte(strips[dataCount + 1] + row) & 0xff;
            if (0 != (p | q))
            {
                final int ofRow = 0 == q ? dataCount : 0 == p ? dataCount + 1 : dataStrip(p, q, dataCount);
                if (StripeCode.UNKNOWN == ofRow || NONE_YET != wrong && wrong != ofRow)
                {
                    return StripeCode.UNKNOWN;
                }
                wrong = ofRow;
            }
        }
        return NONE_YET == wrong ? StripeCode.UNKNOWN : wrong;
    }

    private static int dataStrip(final int p, final int q, final int dataCount)
    {
        for (int index = 0; index < dataCount; index++)
        {
            if (q == GaloisField.multiply(GaloisField.power(index), p))
            {
                return index;
            }
        }
        return StripeCode.UNKNOWN;
    }

    private static int twice(final int element)
    {
        final int shifted = element << 1;
        return 0 == (shifted & 0x100) ? shifted : shifted ^ GaloisField.POLYNOMIAL;
    }
}
