package io.millrace.block.raid;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Counts the {@link StripeWrites} of one channel. Written by its reactor, read by any thread. */
final class StripeWriteCounts
{
    private static final VarHandle COUNT = MethodHandles.arrayElementVarHandle(long[].class);
    private static final int WHOLE_STRIPES = 0;
    private static final int RECONSTRUCTS = 1;
    private static final int READ_MODIFY_WRITES = 2;
    private static final int GATHERED = 3;

    private final long[] counts = new long[4];

    void onWholeStripe()
    {
        add(WHOLE_STRIPES, 1);
    }

    void onReconstruct()
    {
        add(RECONSTRUCTS, 1);
    }

    void onReadModifyWrite()
    {
        add(READ_MODIFY_WRITES, 1);
    }

    /**
     * Writes of hosts are written at once.
     *
     * @param count of them.
     */
    void onGathered(final int count)
    {
        add(GATHERED, count);
    }

    private void add(final int index, final long count)
    {
        COUNT.setOpaque(counts, index, counts[index] + count);
    }

    /**
     * {@return the counts of the moment}
     */
    StripeWrites writes()
    {
        return new StripeWrites(get(WHOLE_STRIPES), get(RECONSTRUCTS), get(READ_MODIFY_WRITES), get(GATHERED));
    }

    private long get(final int index)
    {
        return (long)COUNT.getOpaque(counts, index);
    }
}
