package io.millrace.block.raid;

import io.millrace.parity.ParityEngine;

/** One strip of parity, the XOR of the data: RAID 5. */
final class XorCode implements StripeCode
{
    private final ParityEngine engine;

    /**
     * The code.
     *
     * @param engine that computes.
     */
    XorCode(final ParityEngine engine)
    {
        this.engine = engine;
    }

    @Override
    public void generate(final long[] strips, final int dataCount, final int length)
    {
        engine.generateXor(strips, dataCount, length);
    }

    @Override
    public boolean isRight(final long[] strips, final int dataCount, final int length)
    {
        return -1 == engine.verifyXor(strips, dataCount, length);
    }

    @Override
    public void recover(final long[] strips, final int dataCount, final long readable, final int length)
    {
        final int lost = Long.numberOfTrailingZeros(~readable);
        if (lost < dataCount)
        {
            engine.recoverXor(strips, dataCount, length, lost);
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
        engine.updateXor(oldData, newData, strips[dataCount] + row, length);
    }

    /** One parity says that something is wrong, and not what. */
    @Override
    public int wrongStrip(final long[] strips, final int dataCount, final int length)
    {
        return UNKNOWN;
    }

    @Override
    public void close()
    {
        engine.close();
    }
}
