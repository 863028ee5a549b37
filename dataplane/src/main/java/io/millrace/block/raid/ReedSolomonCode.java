package io.millrace.block.raid;

import io.millrace.bindings.NativeMemory;
import io.millrace.parity.GaloisField;
import io.millrace.parity.GfMatrix;
import io.millrace.parity.ParityEngine;
import io.millrace.parity.ReedSolomon;
import java.lang.foreign.Arena;

/**
 * Strips of parity by {@link ReedSolomon}: as many strips as there are of parity can be lost. While an array is
 * reshaped, stripes differ in their strips of data.
 */
final class ReedSolomonCode implements StripeCode
{
    /** Rows whose parity is computed aside at a time: those of all strips together stay in the cache of a core. */
    private static final int PIECE_BYTES = 4096;
    private static final int NONE_YET = -2;

    private final ParityEngine engine;
    private final int parityCount;
    /** By the strips of data; null: not used yet. */
    private final ReedSolomon[] codes = new ReedSolomon[ReedSolomon.SOURCES_MAX + 1];
    private final RecoveryMatrices recoveries = new RecoveryMatrices();
    private final long[] sources = new long[ReedSolomon.SOURCES_MAX];
    private final long[] outputs = new long[ReedSolomon.PARITIES_MAX];
    private final int[] syndrome = new int[ReedSolomon.PARITIES_MAX];
    private final Arena arena = Arena.ofShared();
    /** Parity of a piece. */
    private final long computed;

    /**
     * The code.
     *
     * @param engine      that computes.
     * @param parityCount strips of parity.
     */
    ReedSolomonCode(final ParityEngine engine, final int parityCount)
    {
        this.engine = engine;
        this.parityCount = parityCount;
        computed = arena.allocate((long)parityCount * PIECE_BYTES, PIECE_BYTES).address();
    }

    private ReedSolomon code(final int dataCount)
    {
        if (null == codes[dataCount])
        {
            codes[dataCount] = new ReedSolomon(dataCount, parityCount);
        }
        return codes[dataCount];
    }

    @Override
    public void generate(final long[] strips, final int dataCount, final int length)
    {
        System.arraycopy(strips, dataCount, outputs, 0, parityCount);
        engine.multiply(code(dataCount).parity(), strips, outputs, length);
    }

    @Override
    public boolean isRight(final long[] strips, final int dataCount, final int length)
    {
        for (int from = 0; from < length; from += PIECE_BYTES)
        {
            if (!isRight(strips, dataCount, from, Math.min(PIECE_BYTES, length - from)))
            {
                return false;
            }
        }
        return true;
    }

    /** Leaves the parity that the data has beside that which was read. */
    private boolean isRight(final long[] strips, final int dataCount, final int from, final int count)
    {
        for (int index = 0; index < dataCount; index++)
        {
            sources[index] = strips[index] + from;
        }
        for (int parity = 0; parity < parityCount; parity++)
        {
            outputs[parity] = computed + (long)parity * PIECE_BYTES;
        }
        engine.multiply(code(dataCount).parity(), sources, outputs, count);
        boolean isRight = true;
        for (int parity = 0; parity < parityCount; parity++)
        {
            isRight &= -1 == NativeMemory.mismatch(outputs[parity], strips[dataCount + parity] + from, count);
        }
        return isRight;
    }

    @Override
    public void recover(final long[] strips, final int dataCount, final long readable, final int length)
    {
        final long data = (1L << dataCount) - 1;
        if (0 == (~readable & data))
        {
            return;
        }
        long used = readable & data;
        int next = 0;
        int lost = 0;
        for (int index = 0; index < dataCount; index++)
        {
            if (0 != (readable & 1L << index))
            {
                sources[next++] = strips[index];
            }
            else
            {
                outputs[lost++] = strips[index];
            }
        }
        for (int index = dataCount; next < dataCount; index++)
        {
            if (0 != (readable & 1L << index))
            {
                used |= 1L << index;
                sources[next++] = strips[index];
            }
        }
        engine.multiply(recoveries.of(code(dataCount), used), sources, outputs, length);
    }

    @Override
    public void update(
        final long oldData,
        final long newData,
        final int index,
        final long[] strips,
        final int dataCount,
        final int row,
        final int length)
    {
        for (int parity = 0; parity < parityCount; parity++)
        {
            outputs[parity] = strips[dataCount + parity] + row;
        }
        engine.update(code(dataCount).parity(), index, oldData, newData, outputs, length);
    }

    /**
     * The difference of each parity that was read to that of the data is the error of a data strip times its
     * coefficient in the matrix, none of which is 0; an error of parity leaves the other parity right. So all rows have
     * to agree on one strip. One parity says only that something is wrong.
     */
    @Override
    public int wrongStrip(final long[] strips, final int dataCount, final int length)
    {
        if (1 == parityCount)
        {
            return UNKNOWN;
        }
        final GfMatrix matrix = code(dataCount).parity();
        int wrong = NONE_YET;
        for (int from = 0; from < length; from += PIECE_BYTES)
        {
            final int count = Math.min(PIECE_BYTES, length - from);
            final boolean isRight = isRight(strips, dataCount, from, count);
            for (int row = 0; row < count && !isRight; row++)
            {
                final int wrongParities = findSyndrome(strips, dataCount, from, row);
                if (wrongParities > 0)
                {
                    final int ofRow = wrongOfRow(matrix, wrongParities, wrong);
                    if (UNKNOWN == ofRow || NONE_YET != wrong && wrong != ofRow)
                    {
                        return UNKNOWN;
                    }
                    wrong = ofRow;
                }
            }
        }
        return NONE_YET == wrong ? UNKNOWN : wrong;
    }

    /** Counts parities that are wrong in a row. */
    private int findSyndrome(final long[] strips, final int dataCount, final int from, final int row)
    {
        int wrong = 0;
        for (int parity = 0; parity < parityCount; parity++)
        {
            syndrome[parity] = 0xff & (NativeMemory.getByte(computed + (long)parity * PIECE_BYTES + row) ^
                NativeMemory.getByte(strips[dataCount + parity] + from + row));
            wrong += 0 == syndrome[parity] ? 0 : 1;
        }
        return wrong;
    }

    private int wrongOfRow(final GfMatrix matrix, final int wrongParities, final int ofOtherRows)
    {
        final int dataCount = matrix.columns();
        if (1 == wrongParities)
        {
            int parity = 0;
            while (0 == syndrome[parity])
            {
                parity++;
            }
            return dataCount + parity;
        }
        final int first = Math.max(0, ofOtherRows);
        for (int index = first; index < (ofOtherRows < 0 ? dataCount : Math.min(first + 1, dataCount)); index++)
        {
            if (isErrorOf(matrix, index))
            {
                return index;
            }
        }
        return UNKNOWN;
    }

    private boolean isErrorOf(final GfMatrix matrix, final int index)
    {
        for (int parity = 1; parity < parityCount; parity++)
        {
            if (GaloisField.multiply(syndrome[0], matrix.coefficient(parity, index)) !=
                GaloisField.multiply(syndrome[parity], matrix.coefficient(0, index)))
            {
                return false;
            }
        }
        return true;
    }

    @Override
    public void close()
    {
        arena.close();
        engine.close();
    }
}
