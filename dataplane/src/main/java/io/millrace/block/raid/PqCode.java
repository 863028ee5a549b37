package io.millrace.block.raid;

import io.millrace.parity.ParityEngine;

/** Two strips of parity, P and Q: RAID 6. */
final class PqCode implements StripeCode
{
    private final ParityEngine engine;

    /**
     * The code.
     *
     * @param engine that computes.
     */
    PqCode(final ParityEngine engine)
    {
        this.engine = engine;
    }

    @Override
    public void generate(final long[] strips, final int dataCount, final int length)
    {
        engine.generatePq(strips, dataCount, length);
    }

    @Override
    public boolean isRight(final long[] strips, final int dataCount, final int length)
    {
        return -1 == engine.verifyPq(strips, dataCount, length);
    }

    @Override
    public void recover(final long[] strips, final int dataCount, final long readable, final int length)
    {
        final long lost = ~readable;
        final int first = Long.numberOfTrailingZeros(lost);
        final int second = Long.numberOfTrailingZeros(lost & lost - 1);
        if (second < dataCount)
        {
            engine.recoverPq(strips, dataCount, length, first, second);
        }
        else if (first < dataCount && second == dataCount)
        {
            engine.recoverPq(strips, dataCount, length, first, dataCount);
        }
        else if (first < dataCount)
        {
            engine.recoverXor(strips, dataCount, length, first);
        }
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
        engine.updatePq(oldData, newData, index, strips[dataCount] + row, strips[dataCount + 1] + row, length);
    }

    @Override
    public int wrongStrip(final long[] strips, final int dataCount, final int length)
    {
        return PqSyndrome.wrongStrip(strips, dataCount, length);
    }

    @Override
    public void close()
    {
        engine.close();
    }
}
