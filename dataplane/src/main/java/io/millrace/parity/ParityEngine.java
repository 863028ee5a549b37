package io.millrace.parity;

/**
 * Parity of strips in native memory. A strip is an address; strips of a stripe have one length, any number of bytes,
 * and any alignment, of which 64 bytes is the fastest. Arrays of strips are the caller's, who reuses them: data first,
 * then P, then Q. Nothing is allocated by a call.
 * <p>
 * P is the XOR of data, and Q the sum of 2^i times strip i over {@link GaloisField}, as md, ISA-L and most of RAID 6
 * have them. Belongs to one thread, since an engine has memory of its own: a reactor has one. Arguments are checked and
 * a refusal is an {@link IllegalArgumentException} with name, value and bound; that addresses are mapped is not
 * checked. What is written must not overlap what is read, or another strip that is written.
 */
public final class ParityEngine implements AutoCloseable
{
    /** Most data strips of P and Q: there are as many different powers of 2, less one. */
    public static final int DATA_MAX = 254;
    /**
     * Bytes of all strips together that one call of a kernel takes, so that a safepoint waits at most for as many: some
     * hundred microseconds out of cache. ISA-L is called without a transition of the thread's state, which would cost
     * more than 2 percent at strips of 4 KiB.
     */
    static final int CALL_BYTES = 1 << 20;
    private static final int PIECE_UNIT = 64;

    private final ParityEngineType type;
    private final ParityKernels kernels;
    private boolean isClosed;

    ParityEngine(final ParityEngineType type, final ParityKernels kernels)
    {
        this.type = type;
        this.kernels = kernels;
    }

    /**
     * {@return how it computes}
     */
    public ParityEngineType type()
    {
        return type;
    }

    /**
     * Makes P of data.
     *
     * @param strips      {@code dataCount} strips of data, then P.
     * @param dataCount   1 to {@link #DATA_MAX}.
     * @param lengthBytes of each strip.
     */
    public void generateXor(final long[] strips, final int dataCount, final int lengthBytes)
    {
        checkStripe(strips, dataCount, 1, lengthBytes);
        checkTarget(strips, dataCount + 1, dataCount, lengthBytes);
        xor(strips, dataCount + 1, dataCount, lengthBytes);
    }

    /**
     * Makes P and Q of data.
     *
     * @param strips      {@code dataCount} strips of data, then P, then Q.
     * @param dataCount   1 to {@link #DATA_MAX}.
     * @param lengthBytes of each strip.
     */
    public void generatePq(final long[] strips, final int dataCount, final int lengthBytes)
    {
        checkStripe(strips, dataCount, 2, lengthBytes);
        checkTarget(strips, dataCount + 2, dataCount, lengthBytes);
        checkTarget(strips, dataCount + 2, dataCount + 1, lengthBytes);
        pq(strips, dataCount, lengthBytes);
    }

    /**
     * Compares P with data.
     *
     * @param strips      {@code dataCount} strips of data, then P.
     * @param dataCount   1 to {@link #DATA_MAX}.
     * @param lengthBytes of each strip.
     * @return the first byte at which they do not agree, or -1.
     */
    public int verifyXor(final long[] strips, final int dataCount, final int lengthBytes)
    {
        checkStripe(strips, dataCount, 1, lengthBytes);
        final int piece = piece(dataCount + 1);
        for (int from = 0; from < lengthBytes; from += piece)
        {
            final int different = kernels.verifyXor(strips, dataCount + 1, from, end(from, piece, lengthBytes));
            if (-1 != different)
            {
                return different;
            }
        }
        return -1;
    }

    /**
     * Compares P and Q with data.
     *
     * @param strips      {@code dataCount} strips of data, then P, then Q.
     * @param dataCount   1 to {@link #DATA_MAX}.
     * @param lengthBytes of each strip.
     * @return the first byte at which they do not agree, or -1.
     */
    public int verifyPq(final long[] strips, final int dataCount, final int lengthBytes)
    {
        checkStripe(strips, dataCount, 2, lengthBytes);
        final int piece = piece(dataCount + 2);
        for (int from = 0; from < lengthBytes; from += piece)
        {
            final int different = kernels.verifyPq(strips, dataCount, from, end(from, piece, lengthBytes));
            if (-1 != different)
            {
                return different;
            }
        }
        return -1;
    }

    /**
     * Makes a lost strip of the others, data or P.
     *
     * @param strips      {@code dataCount} strips of data, then P; the lost one is written.
     * @param dataCount   1 to {@link #DATA_MAX}.
     * @param lengthBytes of each strip.
     * @param lost        0 to {@code dataCount}, which is P.
     */
    public void recoverXor(final long[] strips, final int dataCount, final int lengthBytes, final int lost)
    {
        checkStripe(strips, dataCount, 1, lengthBytes);
        Bounds.check("lost", lost, 0, dataCount);
        checkTarget(strips, dataCount + 1, lost, lengthBytes);
        xor(strips, dataCount + 1, lost, lengthBytes);
    }

    /**
     * Makes a lost strip of the others, data, P or Q.
     *
     * @param strips      {@code dataCount} strips of data, then P, then Q; the lost one is written.
     * @param dataCount   1 to {@link #DATA_MAX}.
     * @param lengthBytes of each strip.
     * @param lost        0 to {@code dataCount + 1}; {@code dataCount} is P, the next one Q.
     */
    public void recoverPq(final long[] strips, final int dataCount, final int lengthBytes, final int lost)
    {
        checkStripe(strips, dataCount, 2, lengthBytes);
        Bounds.check("lost", lost, 0, dataCount + 1);
        checkTarget(strips, dataCount + 2, lost, lengthBytes);
        if (lost <= dataCount)
        {
            xor(strips, dataCount + 1, lost, lengthBytes);
        }
        else
        {
            q(strips, dataCount, lengthBytes);
        }
    }

    /**
     * Makes two lost strips of the others, data, P or Q.
     *
     * @param strips      {@code dataCount} strips of data, then P, then Q; the lost ones are written.
     * @param dataCount   1 to {@link #DATA_MAX}.
     * @param lengthBytes of each strip.
     * @param lost        0 to {@code dataCount + 1}; {@code dataCount} is P, the next one Q.
     * @param lostToo     another one.
     */
    public void recoverPq(
        final long[] strips, final int dataCount, final int lengthBytes, final int lost, final int lostToo)
    {
        checkStripe(strips, dataCount, 2, lengthBytes);
        Bounds.check("lost", lost, 0, dataCount + 1);
        Bounds.check("lostToo", lostToo, 0, dataCount + 1);
        if (lost == lostToo)
        {
            throw new IllegalArgumentException("lostToo " + lostToo + ": must be another strip than lost");
        }
        checkTarget(strips, dataCount + 2, lost, lengthBytes);
        checkTarget(strips, dataCount + 2, lostToo, lengthBytes);
        final int first = Math.min(lost, lostToo);
        final int second = Math.max(lost, lostToo);
        if (second < dataCount)
        {
            final int piece = piece(dataCount + 2);
            for (int from = 0; from < lengthBytes; from += piece)
            {
                kernels.recoverTwo(strips, dataCount, first, second, from, end(from, piece, lengthBytes));
            }
        }
        else if (first == dataCount)
        {
            pq(strips, dataCount, lengthBytes);
        }
        else if (second == dataCount)
        {
            recoverDataAndP(strips, dataCount, lengthBytes, first);
        }
        else
        {
            xor(strips, dataCount + 1, first, lengthBytes);
            q(strips, dataCount, lengthBytes);
        }
    }

    private void recoverDataAndP(final long[] strips, final int dataCount, final int lengthBytes, final int lost)
    {
        final int piece = piece(dataCount + 2);
        for (int from = 0; from < lengthBytes; from += piece)
        {
            kernels.recoverByQ(strips, dataCount, lost, from, end(from, piece, lengthBytes));
        }
        xor(strips, dataCount + 1, dataCount, lengthBytes);
    }

    /**
     * Brings P up to date with a strip of data, or part of one, that changes. Where P is not that of the old data it
     * is not that of the new data either.
     *
     * @param oldData     address of the data that P knows.
     * @param newData     address of the data that takes its place.
     * @param p           address of the part of P at the same offset; written.
     * @param lengthBytes of the part.
     */
    public void updateXor(final long oldData, final long newData, final long p, final int lengthBytes)
    {
        checkOpen();
        checkLength(lengthBytes);
        checkAddress("oldData", oldData, lengthBytes);
        checkAddress("newData", newData, lengthBytes);
        checkAddress("p", p, lengthBytes);
        checkApart("oldData", oldData, "p", p, lengthBytes);
        checkApart("newData", newData, "p", p, lengthBytes);
        addDifference(oldData, newData, 1, p, lengthBytes);
    }

    /**
     * Brings P and Q up to date with a strip of data, or part of one, that changes; see {@link #updateXor}.
     *
     * @param oldData     address of the data that P and Q know.
     * @param newData     address of the data that takes its place.
     * @param index       of the strip, 0 to {@link #DATA_MAX} - 1.
     * @param p           address of the part of P at the same offset; written.
     * @param q           address of the part of Q at the same offset; written.
     * @param lengthBytes of the part.
     */
    public void updatePq(
        final long oldData, final long newData, final int index, final long p, final long q, final int lengthBytes)
    {
        Bounds.check("index", index, 0, DATA_MAX - 1);
        checkAddress("q", q, lengthBytes);
        checkApart("oldData", oldData, "q", q, lengthBytes);
        checkApart("newData", newData, "q", q, lengthBytes);
        checkApart("p", p, "q", q, lengthBytes);
        updateXor(oldData, newData, p, lengthBytes);
        addDifference(oldData, newData, GaloisField.power(index), q, lengthBytes);
    }

    /**
     * Makes outputs as the product of a matrix with sources: parity of {@link ReedSolomon}, or its recovery.
     *
     * @param matrix      of as many rows as there are outputs and columns as there are sources.
     * @param sources     strips to read, at least as many as columns.
     * @param outputs     strips to write, at least as many as rows.
     * @param lengthBytes of each strip.
     */
    public void multiply(final GfMatrix matrix, final long[] sources, final long[] outputs, final int lengthBytes)
    {
        checkOpen();
        checkLength(lengthBytes);
        final int rows = matrix.rows();
        final int columns = matrix.columns();
        Bounds.check("sources", sources.length, columns, Integer.MAX_VALUE);
        Bounds.check("outputs", outputs.length, rows, Integer.MAX_VALUE);
        for (int i = 0; i < columns; i++)
        {
            checkAddress("source", sources[i], lengthBytes);
        }
        for (int i = 0; i < rows; i++)
        {
            checkAddress("output", outputs[i], lengthBytes);
            for (int j = 0; j < columns; j++)
            {
                checkApart("source", sources[j], "output", outputs[i], lengthBytes);
            }
            for (int j = 0; j < i; j++)
            {
                checkApart("output", outputs[j], "output", outputs[i], lengthBytes);
            }
        }
        final int piece = piece(rows + columns);
        for (int from = 0; from < lengthBytes; from += piece)
        {
            kernels.multiply(matrix, sources, outputs, from, end(from, piece, lengthBytes));
        }
    }

    /**
     * Brings parity of a matrix up to date with a strip of data, or part of one, that changes; see {@link #updateXor}.
     *
     * @param matrix      of which rows are strips of parity and columns strips of data.
     * @param column      of the data strip.
     * @param oldData     address of the data that parity knows.
     * @param newData     address of the data that takes its place.
     * @param parity      addresses of the parts of parity at the same offset, at least as many as rows; written.
     * @param lengthBytes of the part.
     */
    public void update(
        final GfMatrix matrix,
        final int column,
        final long oldData,
        final long newData,
        final long[] parity,
        final int lengthBytes)
    {
        checkOpen();
        checkLength(lengthBytes);
        final int rows = matrix.rows();
        Bounds.check("column", column, 0, matrix.columns() - 1);
        Bounds.check("parity", parity.length, rows, Integer.MAX_VALUE);
        checkAddress("oldData", oldData, lengthBytes);
        checkAddress("newData", newData, lengthBytes);
        for (int row = 0; row < rows; row++)
        {
            checkAddress("parity", parity[row], lengthBytes);
            checkApart("oldData", oldData, "parity", parity[row], lengthBytes);
            checkApart("newData", newData, "parity", parity[row], lengthBytes);
            for (int other = 0; other < row; other++)
            {
                checkApart("parity", parity[other], "parity", parity[row], lengthBytes);
            }
        }
        for (int row = 0; row < rows; row++)
        {
            addDifference(oldData, newData, matrix.coefficient(row, column), parity[row], lengthBytes);
        }
    }

    /**
     * Frees the engine's memory. It cannot be used after that.
     */
    @Override
    public void close()
    {
        if (!isClosed)
        {
            isClosed = true;
            kernels.close();
        }
    }

    private void xor(final long[] strips, final int count, final int target, final int lengthBytes)
    {
        final int piece = piece(count);
        for (int from = 0; from < lengthBytes; from += piece)
        {
            kernels.xor(strips, count, target, from, end(from, piece, lengthBytes));
        }
    }

    private void pq(final long[] strips, final int dataCount, final int lengthBytes)
    {
        final int piece = piece(dataCount + 2);
        for (int from = 0; from < lengthBytes; from += piece)
        {
            kernels.pq(strips, dataCount, from, end(from, piece, lengthBytes));
        }
    }

    private void q(final long[] strips, final int dataCount, final int lengthBytes)
    {
        final int piece = piece(dataCount + 1);
        for (int from = 0; from < lengthBytes; from += piece)
        {
            kernels.q(strips, dataCount, from, end(from, piece, lengthBytes));
        }
    }

    private void addDifference(
        final long oldData, final long newData, final int coefficient, final long target, final int lengthBytes)
    {
        final int piece = piece(3);
        for (int from = 0; from < lengthBytes; from += piece)
        {
            kernels.addDifference(oldData, newData, coefficient, target, from, end(from, piece, lengthBytes));
        }
    }

    private static int piece(final int strips)
    {
        return CALL_BYTES / strips / PIECE_UNIT * PIECE_UNIT;
    }

    /** Written so that it does not overflow. */
    private static int end(final int from, final int piece, final int lengthBytes)
    {
        return lengthBytes - from <= piece ? lengthBytes : from + piece;
    }

    private void checkStripe(final long[] strips, final int dataCount, final int parityCount, final int lengthBytes)
    {
        checkOpen();
        Bounds.check("dataCount", dataCount, 1, DATA_MAX);
        Bounds.check("strips", strips.length, dataCount + parityCount, Integer.MAX_VALUE);
        checkLength(lengthBytes);
        for (int i = 0; i < dataCount + parityCount; i++)
        {
            checkAddress("strip", strips[i], lengthBytes);
        }
    }

    private void checkOpen()
    {
        if (isClosed)
        {
            throw new IllegalStateException("parity engine " + type.label() + " is closed");
        }
    }

    /** One piece more must not overflow an offset. */
    private static void checkLength(final int lengthBytes)
    {
        if (lengthBytes < 1 || lengthBytes > Integer.MAX_VALUE - CALL_BYTES)
        {
            Bounds.check("lengthBytes", lengthBytes, 1, Integer.MAX_VALUE - CALL_BYTES);
        }
    }

    private static void checkAddress(final String name, final long address, final int lengthBytes)
    {
        if (address <= 0 || address > Bounds.ADDRESS_END - lengthBytes)
        {
            throw new IllegalArgumentException(name + " at 0x" + Long.toHexString(address) + " of " + lengthBytes +
                " bytes: must be memory of the process, from 0x1 up to 0x" + Long.toHexString(Bounds.ADDRESS_END));
        }
    }

    private static void checkTarget(final long[] strips, final int count, final int target, final int lengthBytes)
    {
        final long address = strips[target];
        for (int i = 0; i < count; i++)
        {
            if (i != target && Math.abs(strips[i] - address) < lengthBytes)
            {
                throw new IllegalArgumentException("strip " + target + " at 0x" + Long.toHexString(address) + " of " +
                    lengthBytes + " bytes: must not overlap strip " + i + " at 0x" + Long.toHexString(strips[i]));
            }
        }
    }

    private static void checkApart(
        final String name, final long address, final String writtenName, final long written, final int lengthBytes)
    {
        if (Math.abs(address - written) < lengthBytes)
        {
            throw new IllegalArgumentException(writtenName + " at 0x" + Long.toHexString(written) + " of " +
                lengthBytes + " bytes: must not overlap " + name + " at 0x" + Long.toHexString(address));
        }
    }
}
