package io.millrace.parity;

/**
 * A Reed-Solomon code by ISA-L's Cauchy matrix ({@code gf_gen_cauchy1_matrix}): any as many strips as there is data
 * give all others. Strips are counted data first, then parity. Immutable; any thread; methods allocate and are for
 * set-up, their matrices are for {@link ParityEngine#multiply}.
 */
public final class ReedSolomon
{
    /** Most data strips. */
    public static final int SOURCES_MAX = 32;
    /** Most parity strips. */
    public static final int PARITIES_MAX = 8;

    private final int dataCount;
    private final int parityCount;
    private final GfMatrix parity;

    /**
     * A code of so many strips.
     *
     * @param dataCount   1 to {@link #SOURCES_MAX}.
     * @param parityCount 1 to {@link #PARITIES_MAX}.
     * @throws IllegalArgumentException when a number is out of bounds.
     */
    public ReedSolomon(final int dataCount, final int parityCount)
    {
        Bounds.check("dataCount", dataCount, 1, SOURCES_MAX);
        Bounds.check("parityCount", parityCount, 1, PARITIES_MAX);
        this.dataCount = dataCount;
        this.parityCount = parityCount;
        final byte[] coefficients = new byte[parityCount * dataCount];
        for (int row = 0; row < parityCount; row++)
        {
            for (int column = 0; column < dataCount; column++)
            {
                coefficients[row * dataCount + column] = (byte)GaloisField.inverse(dataCount + row ^ column);
            }
        }
        parity = new GfMatrix(parityCount, dataCount, coefficients);
    }

    /**
     * {@return the matrix by which data gives parity}
     */
    public GfMatrix parity()
    {
        return parity;
    }

    /**
     * The matrix by which strips give the data that is not among them. Sources are those strips in their order, and
     * rows the other data in its order.
     *
     * @param used numbers of strips, by bit: as many as there is data, and not all data.
     * @return a matrix of as many rows as there is parity among the strips.
     * @throws IllegalArgumentException when these are other strips, or more or fewer.
     */
    public GfMatrix recovery(final long used)
    {
        Bounds.check("strips used", used, 1, (1L << dataCount + parityCount) - 1);
        Bounds.check("count of strips used", Long.bitCount(used), dataCount, dataCount);
        final int lost = Long.bitCount(used >>> dataCount);
        Bounds.check("lost strips", lost, 1, parityCount);
        // Parity without what known data is of it is a product of the lost data alone.
        final byte[] ofLost = new byte[lost * lost];
        final byte[] ofUsed = new byte[lost * dataCount];
        int row = 0;
        for (long parities = used >>> dataCount; 0 != parities; parities &= parities - 1)
        {
            int column = 0;
            int lostColumn = 0;
            for (int strip = 0; strip < dataCount; strip++)
            {
                final byte coefficient = (byte)parity.coefficient(Long.numberOfTrailingZeros(parities), strip);
                if (0 != (used & 1L << strip))
                {
                    ofUsed[row * dataCount + column++] = coefficient;
                }
                else
                {
                    ofLost[row * lost + lostColumn++] = coefficient;
                }
            }
            ofUsed[row * dataCount + column + row] = 1;
            row++;
        }
        return new GfMatrix(lost, lost, ofLost).inverse().multiply(new GfMatrix(lost, dataCount, ofUsed));
    }
}
