package io.millrace.parity;

import static io.millrace.parity.PqSweep.ADDRESS_MASK;
import static io.millrace.parity.PqSweep.ALL;
import static io.millrace.parity.PqSweep.BYTES;
import static io.millrace.parity.PqSweep.ORDER;
import static io.millrace.parity.PqSweep.VECTOR_BYTES;
import static jdk.incubator.vector.VectorOperators.LSHR;
import static jdk.incubator.vector.VectorOperators.XOR;

import jdk.incubator.vector.ByteVector;

/**
 * Loops over bytes {@code from} up to {@code to} of strips by address, whole vectors. A product with a coefficient is a
 * table for each half of the byte. Stateless; any thread.
 */
final class VectorLoops
{
    /** Rows of a matrix that {@link #multiplyRows} does at a time. */
    static final int ROWS = 4;
    private static final int HALF = 4;

    private VectorLoops()
    {
    }

    /** {@code target ^= source}. */
    static void add(final long source, final long target, final int from, final int to)
    {
        final long read = source & ADDRESS_MASK;
        final long written = target & ADDRESS_MASK;
        for (int offset = from; offset < to; offset += VECTOR_BYTES)
        {
            ByteVector.fromMemorySegment(BYTES, ALL, written + offset, ORDER)
                .lanewise(XOR, ByteVector.fromMemorySegment(BYTES, ALL, read + offset, ORDER))
                .intoMemorySegment(ALL, written + offset, ORDER);
        }
    }

    /** {@code target ^= coefficient * (a ^ b)}. */
    static void addDifference(
        final long a, final long b, final int coefficient, final long target, final int from, final int to)
    {
        final long before = a & ADDRESS_MASK;
        final long after = b & ADDRESS_MASK;
        final long written = target & ADDRESS_MASK;
        final ByteVector low = NibbleTables.low(coefficient);
        final ByteVector high = NibbleTables.high(coefficient);
        for (int offset = from; offset < to; offset += VECTOR_BYTES)
        {
            final ByteVector difference = ByteVector.fromMemorySegment(BYTES, ALL, before + offset, ORDER)
                .lanewise(XOR, ByteVector.fromMemorySegment(BYTES, ALL, after + offset, ORDER));
            ByteVector.fromMemorySegment(BYTES, ALL, written + offset, ORDER)
                .lanewise(XOR, difference.selectFrom(low))
                .lanewise(XOR, difference.reinterpretAsLongs().lanewise(LSHR, HALF).reinterpretAsBytes()
                    .selectFrom(high))
                .intoMemorySegment(ALL, written + offset, ORDER);
        }
    }

    /** {@code target = coefficient * (a ^ b)}. */
    static void multiplyDifference(
        final long a, final long b, final int coefficient, final long target, final int from, final int to)
    {
        final long before = a & ADDRESS_MASK;
        final long after = b & ADDRESS_MASK;
        final long written = target & ADDRESS_MASK;
        final ByteVector low = NibbleTables.low(coefficient);
        final ByteVector high = NibbleTables.high(coefficient);
        for (int offset = from; offset < to; offset += VECTOR_BYTES)
        {
            final ByteVector difference = ByteVector.fromMemorySegment(BYTES, ALL, before + offset, ORDER)
                .lanewise(XOR, ByteVector.fromMemorySegment(BYTES, ALL, after + offset, ORDER));
            difference.selectFrom(low)
                .lanewise(XOR, difference.reinterpretAsLongs().lanewise(LSHR, HALF).reinterpretAsBytes()
                    .selectFrom(high))
                .intoMemorySegment(ALL, written + offset, ORDER);
        }
    }

    /** {@code first = ofP * p + ofQ * q; second = p ^ first}. */
    static void solveTwo(
        final long p,
        final long q,
        final int ofP,
        final int ofQ,
        final long first,
        final long second,
        final int from,
        final int to)
    {
        final long addressOfP = p & ADDRESS_MASK;
        final long addressOfQ = q & ADDRESS_MASK;
        final long firstLost = first & ADDRESS_MASK;
        final long secondLost = second & ADDRESS_MASK;
        final ByteVector lowOfP = NibbleTables.low(ofP);
        final ByteVector highOfP = NibbleTables.high(ofP);
        final ByteVector lowOfQ = NibbleTables.low(ofQ);
        final ByteVector highOfQ = NibbleTables.high(ofQ);
        for (int offset = from; offset < to; offset += VECTOR_BYTES)
        {
            final ByteVector sum = ByteVector.fromMemorySegment(BYTES, ALL, addressOfP + offset, ORDER);
            final ByteVector weighted = ByteVector.fromMemorySegment(BYTES, ALL, addressOfQ + offset, ORDER);
            final ByteVector data = sum.selectFrom(lowOfP)
                .lanewise(XOR, sum.reinterpretAsLongs().lanewise(LSHR, HALF).reinterpretAsBytes().selectFrom(highOfP))
                .lanewise(XOR, weighted.selectFrom(lowOfQ))
                .lanewise(XOR, weighted.reinterpretAsLongs().lanewise(LSHR, HALF).reinterpretAsBytes()
                    .selectFrom(highOfQ));
            data.intoMemorySegment(ALL, firstLost + offset, ORDER);
            data.lanewise(XOR, sum).intoMemorySegment(ALL, secondLost + offset, ORDER);
        }
    }

    /** Up to four rows at a time, so that sources are read once for them; rows that the matrix lacks are left out. */
    static void multiplyRows(
        final GfMatrix matrix, final int row, final long[] sources, final long[] outputs, final int from, final int to)
    {
        final int last = matrix.rows() - 1;
        final int rowB = Math.min(row + 1, last);
        final int rowC = Math.min(row + 2, last);
        final int rowD = Math.min(row + 3, last);
        final long outputA = outputs[row] & ADDRESS_MASK;
        final long outputB = outputs[rowB] & ADDRESS_MASK;
        final long outputC = outputs[rowC] & ADDRESS_MASK;
        final long outputD = outputs[rowD] & ADDRESS_MASK;
        final int columns = matrix.columns();
        for (int offset = from; offset < to; offset += VECTOR_BYTES)
        {
            ByteVector a = ByteVector.zero(BYTES);
            ByteVector b = a;
            ByteVector c = a;
            ByteVector d = a;
            for (int column = 0; column < columns; column++)
            {
                final ByteVector low = ByteVector.fromMemorySegment(
                    BYTES, ALL, (sources[column] & ADDRESS_MASK) + offset, ORDER);
                final ByteVector high =
                    low.reinterpretAsLongs().lanewise(LSHR, HALF).reinterpretAsBytes();
                final int ofA = matrix.coefficient(row, column);
                a = a.lanewise(XOR, low.selectFrom(NibbleTables.low(ofA)))
                    .lanewise(XOR, high.selectFrom(NibbleTables.high(ofA)));
                if (rowB > row)
                {
                    final int ofB = matrix.coefficient(rowB, column);
                    b = b.lanewise(XOR, low.selectFrom(NibbleTables.low(ofB)))
                        .lanewise(XOR, high.selectFrom(NibbleTables.high(ofB)));
                }
                if (rowC > rowB)
                {
                    final int ofC = matrix.coefficient(rowC, column);
                    c = c.lanewise(XOR, low.selectFrom(NibbleTables.low(ofC)))
                        .lanewise(XOR, high.selectFrom(NibbleTables.high(ofC)));
                }
                if (rowD > rowC)
                {
                    final int ofD = matrix.coefficient(rowD, column);
                    d = d.lanewise(XOR, low.selectFrom(NibbleTables.low(ofD)))
                        .lanewise(XOR, high.selectFrom(NibbleTables.high(ofD)));
                }
            }
            a.intoMemorySegment(ALL, outputA + offset, ORDER);
            if (rowB > row)
            {
                b.intoMemorySegment(ALL, outputB + offset, ORDER);
            }
            if (rowC > rowB)
            {
                c.intoMemorySegment(ALL, outputC + offset, ORDER);
            }
            if (rowD > rowC)
            {
                d.intoMemorySegment(ALL, outputD + offset, ORDER);
            }
        }
    }
}
