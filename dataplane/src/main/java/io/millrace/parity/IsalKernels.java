package io.millrace.parity;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.isal.IsalCalls;
import java.lang.foreign.Arena;

/**
 * ISA-L. Its RAID functions take aligned strips and multiples of 32 bytes, and at least two strips of data; what is not
 * so is computed by its erasure code, which takes any, with P and Q as rows of a matrix. Tables of a matrix are made
 * when it is used first and kept for the {@link #SLOTS} matrices used last.
 */
final class IsalKernels implements ParityKernels
{
    /** What its widest stores are aligned to. */
    private static final int ALIGNMENT = 64;
    private static final int LENGTH_UNIT = 32;
    private static final int TABLE_BYTES = 32;
    private static final int DATA_MIN = 2;
    /** The strips that a missing member has differ from stripe to stripe: as many as an array has slots. */
    private static final int SLOTS = 64;
    private static final int UPDATE_SOURCES = 3;
    private static final int COEFFICIENTS_MAX =
        Math.max(2 * ParityEngine.DATA_MAX, ReedSolomon.SOURCES_MAX * ReedSolomon.SOURCES_MAX);
    private static final int KIND_BITS = 24;

    private final ScalarKernels scalar = new ScalarKernels();
    private final Arena arena = Arena.ofShared();
    private final long sources = allocate((ParityEngine.DATA_MAX + 2) * Long.BYTES);
    private final long outputs = allocate(ReedSolomon.SOURCES_MAX * Long.BYTES);
    private final long coefficients = allocate(COEFFICIENTS_MAX);
    /** By slot; 0: none yet. */
    private final long[] tables = new long[SLOTS];
    private final int[] tableCounts = new int[SLOTS];
    private final long updateTables = allocate(UPDATE_SOURCES * TABLE_BYTES);
    /** What the tables of a slot are of: a matrix, or a kind of recovery with its numbers. */
    private final GfMatrix[] matrices = new GfMatrix[SLOTS];
    private final long[] recoveries = new long[SLOTS];
    private int nextSlot;

    private enum Kind
    {
        NONE, XOR, P_AND_Q, Q, BY_Q, TWO
    }

    private long allocate(final int bytes)
    {
        return arena.allocate(bytes, ALIGNMENT).address();
    }

    private static boolean isAligned(final long[] strips, final int count)
    {
        long bits = 0;
        for (int i = 0; i < count; i++)
        {
            bits |= strips[i];
        }
        return 0 == (bits & ALIGNMENT - 1);
    }

    private void source(final int index, final long address)
    {
        NativeMemory.putLong(sources + (long)index * Long.BYTES, address);
    }

    private void output(final int index, final long address)
    {
        NativeMemory.putLong(outputs + (long)index * Long.BYTES, address);
    }

    private static void check(final int result, final String function)
    {
        if (0 != result)
        {
            throw new IllegalStateException(function + " of ISA-L refused its arguments with " + result);
        }
    }

    @Override
    public void xor(final long[] strips, final int count, final int target, final int from, final int to)
    {
        int next = 0;
        for (int i = 0; i < count; i++)
        {
            if (i != target)
            {
                source(next++, strips[i] + from);
            }
        }
        if (count <= DATA_MIN || !isAligned(strips, count))
        {
            output(0, strips[target] + from);
            IsalCalls.encodeData(to - from, next, 1, tablesOf(Kind.XOR, next, 0, 0), sources, outputs);
            return;
        }
        source(next, strips[target] + from);
        final int length = (to - from) / LENGTH_UNIT * LENGTH_UNIT;
        if (length > 0)
        {
            check(IsalCalls.xorGen(count, length, sources), "xor_gen");
        }
        scalar.xor(strips, count, target, from + length, to);
    }

    @Override
    public void pq(final long[] strips, final int dataCount, final int from, final int to)
    {
        for (int i = 0; i < dataCount + 2; i++)
        {
            source(i, strips[i] + from);
        }
        if (dataCount < DATA_MIN || !isAligned(strips, dataCount + 2))
        {
            output(0, strips[dataCount] + from);
            output(1, strips[dataCount + 1] + from);
            IsalCalls.encodeData(to - from, dataCount, 2, tablesOf(Kind.P_AND_Q, dataCount, 0, 0), sources, outputs);
            return;
        }
        final int length = (to - from) / LENGTH_UNIT * LENGTH_UNIT;
        if (length > 0)
        {
            check(IsalCalls.pqGen(dataCount + 2, length, sources), "pq_gen");
        }
        scalar.pq(strips, dataCount, from + length, to);
    }

    @Override
    public void q(final long[] strips, final int dataCount, final int from, final int to)
    {
        for (int i = 0; i < dataCount; i++)
        {
            source(i, strips[i] + from);
        }
        output(0, strips[dataCount + 1] + from);
        IsalCalls.encodeData(to - from, dataCount, 1, tablesOf(Kind.Q, dataCount, 0, 0), sources, outputs);
    }

    @Override
    public void recoverByQ(final long[] strips, final int dataCount, final int lost, final int from, final int to)
    {
        for (int i = 0; i < dataCount; i++)
        {
            source(i, strips[i == lost ? dataCount + 1 : i] + from);
        }
        output(0, strips[lost] + from);
        IsalCalls.encodeData(to - from, dataCount, 1, tablesOf(Kind.BY_Q, dataCount, lost, 0), sources, outputs);
    }

    @Override
    public void recoverTwo(
        final long[] strips, final int dataCount, final int first, final int second, final int from, final int to)
    {
        for (int i = 0; i < dataCount; i++)
        {
            source(i, strips[i == first ? dataCount : i == second ? dataCount + 1 : i] + from);
        }
        output(0, strips[first] + from);
        output(1, strips[second] + from);
        IsalCalls.encodeData(to - from, dataCount, 2, tablesOf(Kind.TWO, dataCount, first, second), sources, outputs);
    }

    @Override
    public int verifyXor(final long[] strips, final int count, final int from, final int to)
    {
        if (count < DATA_MIN || !isAligned(strips, count))
        {
            return scalar.verifyXor(strips, count, from, to);
        }
        final int length = (to - from) / LENGTH_UNIT * LENGTH_UNIT;
        for (int i = 0; i < count; i++)
        {
            source(i, strips[i] + from);
        }
        final boolean isSame = 0 == length || 0 == IsalCalls.xorCheck(count, length, sources);
        return scalar.verifyXor(strips, count, isSame ? from + length : from, to);
    }

    @Override
    public int verifyPq(final long[] strips, final int dataCount, final int from, final int to)
    {
        if (dataCount < DATA_MIN || !isAligned(strips, dataCount + 2))
        {
            return scalar.verifyPq(strips, dataCount, from, to);
        }
        final int length = (to - from) / LENGTH_UNIT * LENGTH_UNIT;
        for (int i = 0; i < dataCount + 2; i++)
        {
            source(i, strips[i] + from);
        }
        final boolean isSame = 0 == length || 0 == IsalCalls.pqCheck(dataCount + 2, length, sources);
        return scalar.verifyPq(strips, dataCount, isSame ? from + length : from, to);
    }

    /**
     * ISA-L has no call that takes a difference: the product of the two strips with the coefficient, and of the target
     * with 1. The target is source and result, so only whole units are ISA-L's, which does the last bytes of others
     * twice.
     */
    @Override
    public void addDifference(
        final long oldData, final long newData, final int coefficient, final long target, final int from, final int to)
    {
        final int length = (to - from) / ALIGNMENT * ALIGNMENT;
        if (length > 0)
        {
            source(0, oldData + from);
            source(1, newData + from);
            source(2, target + from);
            output(0, target + from);
            NativeMemory.putByte(coefficients, (byte)coefficient);
            NativeMemory.putByte(coefficients + 1, (byte)coefficient);
            NativeMemory.putByte(coefficients + 2, (byte)1);
            IsalCalls.initTables(UPDATE_SOURCES, 1, coefficients, updateTables);
            IsalCalls.encodeData(length, UPDATE_SOURCES, 1, updateTables, sources, outputs);
        }
        scalar.addDifference(oldData, newData, coefficient, target, from + length, to);
    }

    @Override
    public void multiply(
        final GfMatrix matrix, final long[] from, final long[] into, final int begin, final int end)
    {
        for (int i = 0; i < matrix.columns(); i++)
        {
            source(i, from[i] + begin);
        }
        for (int i = 0; i < matrix.rows(); i++)
        {
            output(i, into[i] + begin);
        }
        IsalCalls.encodeData(end - begin, matrix.columns(), matrix.rows(), tablesOf(matrix), sources, outputs);
    }

    /** A slot with room for the tables of so many coefficients. Memory of those with less is kept to the end. */
    private int replaceSlot(final int count)
    {
        final int slot = nextSlot;
        nextSlot = (slot + 1) % SLOTS;
        matrices[slot] = null;
        recoveries[slot] = Kind.NONE.ordinal();
        if (tableCounts[slot] < count)
        {
            tables[slot] = allocate(count * TABLE_BYTES);
            tableCounts[slot] = count;
        }
        return slot;
    }

    private long tablesOf(final GfMatrix matrix)
    {
        for (int slot = 0; slot < SLOTS; slot++)
        {
            if (matrices[slot] == matrix)
            {
                return tables[slot];
            }
        }
        for (int row = 0; row < matrix.rows(); row++)
        {
            for (int column = 0; column < matrix.columns(); column++)
            {
                coefficient(matrix.columns(), row, column, matrix.coefficient(row, column));
            }
        }
        final int slot = replaceSlot(matrix.rows() * matrix.columns());
        matrices[slot] = matrix;
        IsalCalls.initTables(matrix.columns(), matrix.rows(), coefficients, tables[slot]);
        return tables[slot];
    }

    private void coefficient(final int columns, final int row, final int column, final int value)
    {
        NativeMemory.putByte(coefficients + row * columns + column, (byte)value);
    }

    private long tablesOf(final Kind kind, final int dataCount, final int first, final int second)
    {
        final long numbers = first << Short.SIZE | second << Byte.SIZE | dataCount;
        final long recovery = numbers << KIND_BITS | kind.ordinal();
        for (int slot = 0; slot < SLOTS; slot++)
        {
            if (recoveries[slot] == recovery)
            {
                return tables[slot];
            }
        }
        for (int i = 0; i < dataCount; i++)
        {
            coefficientsOf(kind, dataCount, first, second, i);
        }
        final int rows = Kind.P_AND_Q == kind || Kind.TWO == kind ? 2 : 1;
        final int slot = replaceSlot(rows * dataCount);
        recoveries[slot] = recovery;
        IsalCalls.initTables(dataCount, rows, coefficients, tables[slot]);
        return tables[slot];
    }

    /** A column: of data, or of P in place of the first lost strip and Q in place of the second or only one. */
    private void coefficientsOf(final Kind kind, final int dataCount, final int first, final int second, final int i)
    {
        switch (kind)
        {
            case XOR -> coefficient(dataCount, 0, i, 1);
            case P_AND_Q ->
            {
                coefficient(dataCount, 0, i, 1);
                coefficient(dataCount, 1, i, GaloisField.power(i));
            }
            case Q -> coefficient(dataCount, 0, i, GaloisField.power(i));
            case BY_Q -> coefficient(dataCount, 0, i, GaloisField.power(i == first ? -first : i - first));
            case TWO ->
            {
                final int ofP = TwoLosses.coefficientOfP(first, second);
                final int ofQ = TwoLosses.coefficientOfQ(first, second);
                final int value = i == first ? ofP : i == second ? ofQ :
                    ofP ^ GaloisField.multiply(ofQ, GaloisField.power(i));
                coefficient(dataCount, 0, i, value);
                coefficient(dataCount, 1, i, i == second ? value : value ^ 1);
            }
            default -> throw new IllegalArgumentException("kind " + kind + ": has no coefficients");
        }
    }

    @Override
    public void close()
    {
        arena.close();
    }
}
