package io.millrace.parity;

import static io.millrace.parity.PqSweep.ADDRESS_MASK;
import static io.millrace.parity.PqSweep.ALL;
import static io.millrace.parity.PqSweep.BYTES;
import static io.millrace.parity.PqSweep.GROUP;
import static io.millrace.parity.PqSweep.ORDER;
import static io.millrace.parity.PqSweep.VECTOR_BYTES;

import io.millrace.bindings.NativeMemory;
import java.lang.foreign.Arena;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.VectorOperators;

/**
 * The Vector API, at the width that the CPU prefers. What is left behind the last whole vector is the scalar kernels'.
 */
final class VectorKernels implements ParityKernels
{
    /** Bytes of P and of Q that one loop leaves to the next: both stay in the first-level cache. */
    private static final int PIECE_BYTES = 2048;
    private static final int UNROLLED = 4;

    private final ScalarKernels scalar = new ScalarKernels();
    private final Arena arena = Arena.ofShared();
    /** P and Q of what is not lost, a piece of each. */
    private final long sums = arena.allocate(2 * PIECE_BYTES, VECTOR_BYTES).address();
    private final long[] group = new long[GROUP];

    /** {@return whether vectors are wide enough for a table of 16 bytes} */
    static boolean isWideEnough()
    {
        return VECTOR_BYTES >= 2 * Long.BYTES;
    }

    /** {@return bits of a vector} */
    static int bits()
    {
        return VECTOR_BYTES * Byte.SIZE;
    }

    private static int wholeVectorsEnd(final int from, final int to)
    {
        return to - (to - from) % VECTOR_BYTES;
    }

    @Override
    public void xor(final long[] strips, final int count, final int target, final int from, final int to)
    {
        final int step = UNROLLED * VECTOR_BYTES;
        final int end = to - (to - from) % step;
        final long result = strips[target] & ADDRESS_MASK;
        for (int offset = from; offset < end; offset += step)
        {
            ByteVector a = ByteVector.zero(BYTES);
            ByteVector b = a;
            ByteVector c = a;
            ByteVector d = a;
            for (int i = 0; i < count; i++)
            {
                if (i != target)
                {
                    final long at = (strips[i] & ADDRESS_MASK) + offset;
                    a = a.lanewise(VectorOperators.XOR, ByteVector.fromMemorySegment(BYTES, ALL, at, ORDER));
                    b = b.lanewise(
                        VectorOperators.XOR, ByteVector.fromMemorySegment(BYTES, ALL, at + VECTOR_BYTES, ORDER));
                    c = c.lanewise(
                        VectorOperators.XOR, ByteVector.fromMemorySegment(BYTES, ALL, at + 2 * VECTOR_BYTES, ORDER));
                    d = d.lanewise(
                        VectorOperators.XOR, ByteVector.fromMemorySegment(BYTES, ALL, at + 3 * VECTOR_BYTES, ORDER));
                }
            }
            a.intoMemorySegment(ALL, result + offset, ORDER);
            b.intoMemorySegment(ALL, result + offset + VECTOR_BYTES, ORDER);
            c.intoMemorySegment(ALL, result + offset + 2 * VECTOR_BYTES, ORDER);
            d.intoMemorySegment(ALL, result + offset + 3 * VECTOR_BYTES, ORDER);
        }
        scalar.xor(strips, count, target, end, to);
    }

    @Override
    public void pq(final long[] strips, final int dataCount, final int from, final int to)
    {
        final int end = wholeVectorsEnd(from, to);
        final int step = dataCount <= GROUP ? Math.max(end - from, 1) : PIECE_BYTES;
        for (int piece = from; piece < end; piece += step)
        {
            sweep(strips, dataCount, -1, -1,
                strips[dataCount], strips[dataCount + 1], piece, pieceEnd(piece, step, end));
        }
        scalar.pq(strips, dataCount, end, to);
    }

    @Override
    public void q(final long[] strips, final int dataCount, final int from, final int to)
    {
        final int end = wholeVectorsEnd(from, to);
        for (int piece = from; piece < end; piece += PIECE_BYTES)
        {
            sweep(strips, dataCount, -1, -1,
                sums - piece, strips[dataCount + 1], piece, pieceEnd(piece, PIECE_BYTES, end));
        }
        scalar.q(strips, dataCount, end, to);
    }

    @Override
    public void recoverByQ(final long[] strips, final int dataCount, final int lost, final int from, final int to)
    {
        final int end = wholeVectorsEnd(from, to);
        for (int piece = from; piece < end; piece += PIECE_BYTES)
        {
            final int pieceEnd = pieceEnd(piece, PIECE_BYTES, end);
            final long q = sums + PIECE_BYTES - piece;
            sweep(strips, dataCount, lost, -1, sums - piece, q, piece, pieceEnd);
            VectorLoops.multiplyDifference(
                q, strips[dataCount + 1], GaloisField.power(-lost), strips[lost], piece, pieceEnd);
        }
        scalar.recoverByQ(strips, dataCount, lost, end, to);
    }

    @Override
    public void recoverTwo(
        final long[] strips, final int dataCount, final int first, final int second, final int from, final int to)
    {
        final int end = wholeVectorsEnd(from, to);
        final int ofP = TwoLosses.coefficientOfP(first, second);
        final int ofQ = TwoLosses.coefficientOfQ(first, second);
        for (int piece = from; piece < end; piece += PIECE_BYTES)
        {
            final int pieceEnd = pieceEnd(piece, PIECE_BYTES, end);
            final long p = sums - piece;
            final long q = p + PIECE_BYTES;
            sweep(strips, dataCount, first, second, p, q, piece, pieceEnd);
            VectorLoops.add(strips[dataCount], p, piece, pieceEnd);
            VectorLoops.add(strips[dataCount + 1], q, piece, pieceEnd);
            VectorLoops.solveTwo(p, q, ofP, ofQ, strips[first], strips[second], piece, pieceEnd);
        }
        scalar.recoverTwo(strips, dataCount, first, second, end, to);
    }

    @Override
    public int verifyPq(final long[] strips, final int dataCount, final int from, final int to)
    {
        final int end = wholeVectorsEnd(from, to);
        for (int piece = from; piece < end; piece += PIECE_BYTES)
        {
            final int pieceEnd = pieceEnd(piece, PIECE_BYTES, end);
            final int length = pieceEnd - piece;
            sweep(strips, dataCount, -1, -1, sums - piece, sums + PIECE_BYTES - piece, piece, pieceEnd);
            if (-1 != NativeMemory.mismatch(sums, strips[dataCount] + piece, length) ||
                -1 != NativeMemory.mismatch(sums + PIECE_BYTES, strips[dataCount + 1] + piece, length))
            {
                return scalar.verifyPq(strips, dataCount, piece, pieceEnd);
            }
        }
        return scalar.verifyPq(strips, dataCount, end, to);
    }

    private static int pieceEnd(final int piece, final int step, final int end)
    {
        return Math.min(piece + step, end);
    }

    /** P and Q of strips but those that are lost, the last group first. */
    private void sweep(
        final long[] strips,
        final int dataCount,
        final int first,
        final int second,
        final long p,
        final long q,
        final int from,
        final int to)
    {
        final int last = (dataCount - 1) / GROUP * GROUP;
        for (int start = last; start >= 0; start -= GROUP)
        {
            fillGroup(strips, dataCount, start, first, second);
            PqSweep.run(group, p, q, start < last, from, to);
        }
    }

    private void fillGroup(
        final long[] strips, final int dataCount, final int start, final int first, final int second)
    {
        for (int i = 0; i < GROUP; i++)
        {
            final int strip = start + i;
            group[i] = strip >= dataCount || strip == first || strip == second ? 0 : strips[strip];
        }
    }

    @Override
    public int verifyXor(final long[] strips, final int count, final int from, final int to)
    {
        final int end = wholeVectorsEnd(from, to);
        for (int offset = from; offset < end; offset += VECTOR_BYTES)
        {
            ByteVector sum = ByteVector.zero(BYTES);
            for (int i = 0; i < count; i++)
            {
                sum = sum.lanewise(VectorOperators.XOR,
                    ByteVector.fromMemorySegment(BYTES, ALL, (strips[i] & ADDRESS_MASK) + offset, ORDER));
            }
            if (sum.compare(VectorOperators.NE, (byte)0).anyTrue())
            {
                return scalar.verifyXor(strips, count, offset, offset + VECTOR_BYTES);
            }
        }
        return scalar.verifyXor(strips, count, end, to);
    }

    @Override
    public void addDifference(
        final long oldData, final long newData, final int coefficient, final long target, final int from, final int to)
    {
        final int end = wholeVectorsEnd(from, to);
        VectorLoops.addDifference(oldData, newData, coefficient, target, from, end);
        scalar.addDifference(oldData, newData, coefficient, target, end, to);
    }

    @Override
    public void multiply(
        final GfMatrix matrix, final long[] sources, final long[] outputs, final int from, final int to)
    {
        final int end = wholeVectorsEnd(from, to);
        for (int row = 0; row < matrix.rows(); row += VectorLoops.ROWS)
        {
            VectorLoops.multiplyRows(matrix, row, sources, outputs, from, end);
        }
        scalar.multiply(matrix, sources, outputs, end, to);
    }

    @Override
    public void close()
    {
        arena.close();
    }
}
