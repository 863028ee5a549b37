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
     * The strips that a recovery reads: the first that are not lost, as many as there is data.
     *
     * @param lost numbers of the lost strips, each once.
     * @return numbers of strips, ascending: the columns of {@link #recovery}.
     * @throws IllegalArgumentException when a number is out of bounds or repeated, or more are lost than parity has.
     */
    public int[] survivors(final int... lost)
    {
        Bounds.check("lost strips", lost.length, 1, parityCount);
        final boolean[] isLost = new boolean[dataCount + parityCount];
        for (final int strip : lost)
        {
            Bounds.check("lost strip", strip, 0, isLost.length - 1);
            if (isLost[strip])
            {
                throw new IllegalArgumentException("lost strip " + strip + ": must be named once");
            }
            isLost[strip] = true;
        }
        final int[] survivors = new int[dataCount];
        int next = 0;
        for (int i = 0; i < dataCount; i++)
        {
            while (isLost[next])
            {
                next++;
            }
            survivors[i] = next++;
        }
        return survivors;
    }

    /**
     * The matrix by which {@link #survivors} give lost strips.
     *
     * @param lost numbers of the lost strips, each once: the rows of the matrix.
     * @return a matrix of as many rows as strips are lost.
     * @throws IllegalArgumentException as {@link #survivors} does.
     */
    public GfMatrix recovery(final int... lost)
    {
        final GfMatrix dataOfSurvivors = rows(survivors(lost)).inverse();
        return rows(lost).multiply(dataOfSurvivors);
    }

    /**
     * The matrix by which strips give the data that is not among them. Sources are those strips in their order, and
     * rows the other data in its order.
     *
     * @param used numbers of strips, by bit: as many as there is data, and not all data.
     * @return a matrix of as many rows as there is parity among the strips.
     * @throws IllegalArgumentException when these are other strips, or more or fewer.
     */
    public GfMatrix recoveryFrom(final long used)
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

    /** Rows of the identity with the parity matrix below. */
    private GfMatrix rows(final int[] strips)
    {
        final byte[] coefficients = new byte[strips.length * dataCount];
        for (int row = 0; row < strips.length; row++)
        {
            for (int column = 0; column < dataCount; column++)
            {
                final int strip = strips[row];
                coefficients[row * dataCount + column] = (byte)(strip >= dataCount ?
                    parity.coefficient(strip - dataCount, column) :
                    strip == column ? 1 : 0);
            }
        }
        return new GfMatrix(strips.length, dataCount, coefficients);
    }
}
