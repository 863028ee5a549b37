package io.millrace.parity;

import io.millrace.bindings.NativeMemory;

/**
 * The reference, which every machine has: eight bytes at a time where the arithmetic is multiplication by 2, one byte
 * at a time by a table elsewhere. Also takes what is left over where other kernels work on whole vectors.
 */
final class ScalarKernels implements ParityKernels
{
    private static final long HIGH_BITS = 0x8080808080808080L;
    private static final int REDUCTION = GaloisField.POLYNOMIAL & 0xff;

    @Override
    public void xor(final long[] strips, final int count, final int target, final int from, final int to)
    {
        int offset = from;
        for (; offset <= to - Long.BYTES; offset += Long.BYTES)
        {
            NativeMemory.putLong(strips[target] + offset, xorOfLongs(strips, count, target, offset));
        }
        for (; offset < to; offset++)
        {
            int sum = 0;
            for (int i = 0; i < count; i++)
            {
                sum ^= i == target ? 0 : NativeMemory.getByte(strips[i] + offset);
            }
            NativeMemory.putByte(strips[target] + offset, (byte)sum);
        }
    }

    private static long xorOfLongs(final long[] strips, final int count, final int skip, final int offset)
    {
        long sum = 0;
        for (int i = 0; i < count; i++)
        {
            sum ^= i == skip ? 0 : NativeMemory.getLong(strips[i] + offset);
        }
        return sum;
    }

    @Override
    public void pq(final long[] strips, final int dataCount, final int from, final int to)
    {
        xor(strips, dataCount + 1, dataCount, from, to);
        q(strips, dataCount, from, to);
    }

    @Override
    public void q(final long[] strips, final int dataCount, final int from, final int to)
    {
        int offset = from;
        for (; offset <= to - Long.BYTES; offset += Long.BYTES)
        {
            NativeMemory.putLong(strips[dataCount + 1] + offset, qOfLongs(strips, dataCount, offset));
        }
        for (; offset < to; offset++)
        {
            NativeMemory.putByte(strips[dataCount + 1] + offset, (byte)qOfBytes(strips, dataCount, -1, -1, offset));
        }
    }

    private static long qOfLongs(final long[] strips, final int dataCount, final int offset)
    {
        long q = 0;
        for (int i = dataCount - 1; i >= 0; i--)
        {
            // Bytes with the high bit set become 1 and then the reduction; products of bytes do not carry.
            final long reduction = ((q & HIGH_BITS) >>> Byte.SIZE - 1) * REDUCTION;
            q = (q & ~HIGH_BITS) << 1 ^ reduction ^ NativeMemory.getLong(strips[i] + offset);
        }
        return q;
    }

    private static int qOfBytes(
        final long[] strips, final int dataCount, final int skip, final int skipToo, final int offset)
    {
        int q = 0;
        for (int i = dataCount - 1; i >= 0; i--)
        {
            q = GaloisField.multiply(q, 2) ^
                (i == skip || i == skipToo ? 0 : NativeMemory.getByte(strips[i] + offset) & 0xff);
        }
        return q;
    }

    @Override
    public void recoverByQ(final long[] strips, final int dataCount, final int lost, final int from, final int to)
    {
        final int coefficient = GaloisField.power(-lost);
        for (int offset = from; offset < to; offset++)
        {
            final int q = qOfBytes(strips, dataCount, lost, -1, offset) ^
                NativeMemory.getByte(strips[dataCount + 1] + offset) & 0xff;
            NativeMemory.putByte(strips[lost] + offset, (byte)GaloisField.multiply(coefficient, q));
        }
    }

    @Override
    public void recoverTwo(
        final long[] strips, final int dataCount, final int first, final int second, final int from, final int to)
    {
        final int ofP = TwoLosses.coefficientOfP(first, second);
        final int ofQ = TwoLosses.coefficientOfQ(first, second);
        for (int offset = from; offset < to; offset++)
        {
            int p = 0;
            for (int i = 0; i <= dataCount; i++)
            {
                p ^= i == first || i == second ? 0 : NativeMemory.getByte(strips[i] + offset) & 0xff;
            }
            final int q = qOfBytes(strips, dataCount, first, second, offset) ^
                NativeMemory.getByte(strips[dataCount + 1] + offset) & 0xff;
            final int data = GaloisField.multiply(ofP, p) ^ GaloisField.multiply(ofQ, q);
            NativeMemory.putByte(strips[first] + offset, (byte)data);
            NativeMemory.putByte(strips[second] + offset, (byte)(data ^ p));
        }
    }

    @Override
    public int verifyXor(final long[] strips, final int count, final int from, final int to)
    {
        int offset = from;
        while (offset <= to - Long.BYTES && 0 == xorOfLongs(strips, count, -1, offset))
        {
            offset += Long.BYTES;
        }
        for (; offset < to; offset++)
        {
            int sum = 0;
            for (int i = 0; i < count; i++)
            {
                sum ^= NativeMemory.getByte(strips[i] + offset);
            }
            if (0 != (byte)sum)
            {
                return offset;
            }
        }
        return -1;
    }

    @Override
    public int verifyPq(final long[] strips, final int dataCount, final int from, final int to)
    {
        int offset = from;
        while (offset <= to - Long.BYTES && 0 == xorOfLongs(strips, dataCount + 1, -1, offset) &&
            qOfLongs(strips, dataCount, offset) == NativeMemory.getLong(strips[dataCount + 1] + offset))
        {
            offset += Long.BYTES;
        }
        for (; offset < to; offset++)
        {
            if (-1 != verifyXor(strips, dataCount + 1, offset, offset + 1) ||
                NativeMemory.getByte(strips[dataCount + 1] + offset) !=
                    (byte)qOfBytes(strips, dataCount, -1, -1, offset))
            {
                return offset;
            }
        }
        return -1;
    }

    @Override
    public void addDifference(
        final long oldData, final long newData, final int coefficient, final long target, final int from, final int to)
    {
        for (int offset = from; offset < to; offset++)
        {
            final int difference =
                (NativeMemory.getByte(oldData + offset) ^ NativeMemory.getByte(newData + offset)) & 0xff;
            NativeMemory.putByte(target + offset,
                (byte)(NativeMemory.getByte(target + offset) ^ GaloisField.multiply(coefficient, difference)));
        }
    }

    @Override
    public void multiply(
        final GfMatrix matrix, final long[] sources, final long[] outputs, final int from, final int to)
    {
        for (int row = 0; row < matrix.rows(); row++)
        {
            for (int offset = from; offset < to; offset++)
            {
                int sum = 0;
                for (int column = 0; column < matrix.columns(); column++)
                {
                    sum ^= GaloisField.multiply(
                        matrix.coefficient(row, column), NativeMemory.getByte(sources[column] + offset) & 0xff);
                }
                NativeMemory.putByte(outputs[row] + offset, (byte)sum);
            }
        }
    }

    @Override
    public void close()
    {
    }
}
