package io.millrace.block;

import java.util.ArrayList;
import java.util.List;

/**
 * What each block of a device may hold after a loss of power: its durable stamp, or one that was written since. A write
 * is durable when it completed with FUA, or when a flush that began after its completion has succeeded; after a flush
 * that failed no later one makes durable what was written before. At most one write of a block is outstanding.
 * Single-threaded.
 */
public final class DurabilityModel
{
    /** A write of one stamp to a range of blocks, which completes once. */
    public static final class Write
    {
        private final long lba;
        private final int blocks;
        private final long stamp;
        private final long begin;
        private long end = Long.MAX_VALUE;
        /** No flush makes it durable: one has failed after it began. */
        private boolean isLost;

        private Write(final long lba, final int blocks, final long stamp, final long begin)
        {
            this.lba = lba;
            this.blocks = blocks;
            this.stamp = stamp;
            this.begin = begin;
        }
    }

    private final long[] durable;
    private final List<List<Write>> since = new ArrayList<>();
    private long now;

    /**
     * All blocks are durable zeroes.
     *
     * @param blockCount of the device.
     */
    public DurabilityModel(final int blockCount)
    {
        durable = new long[blockCount];
        for (int i = 0; i < blockCount; i++)
        {
            since.add(new ArrayList<>());
        }
    }

    /** Before a write is submitted; zeroes have the stamp 0. */
    public Write begin(final long lba, final int blocks, final long stamp)
    {
        final Write write = new Write(lba, blocks, stamp, ++now);
        for (long block = lba; block < lba + blocks; block++)
        {
            since.get((int)block).add(write);
        }
        return write;
    }

    /** A write has succeeded. One that failed may have changed blocks or not, and is not reported. */
    public void succeed(final Write write, final boolean isForced)
    {
        write.end = ++now;
        if (isForced)
        {
            for (long block = write.lba; block < write.lba + write.blocks; block++)
            {
                makeDurable((int)block, write);
            }
        }
    }

    /** Before a flush is submitted: when it began. */
    public long beginFlush()
    {
        return ++now;
    }

    /** A flush that began then has succeeded. */
    public void succeedFlush(final long begin)
    {
        for (int block = 0; block < durable.length; block++)
        {
            Write covered = null;
            for (final Write write : since.get(block))
            {
                covered = write.end < begin && !write.isLost ? write : covered;
            }
            if (null != covered)
            {
                makeDurable(block, covered);
            }
        }
    }

    /** A flush has failed. */
    public void failFlush()
    {
        since.forEach((writes) -> writes.forEach((write) -> write.isLost = true));
    }

    private void makeDurable(final int block, final Write write)
    {
        durable[block] = write.stamp;
        since.get(block).removeIf((other) -> other.begin <= write.begin);
    }

    /** {@return whether a block may hold a stamp} */
    public boolean isPossible(final int block, final long stamp)
    {
        return stamp == durable[block] || since.get(block).stream().anyMatch((write) -> stamp == write.stamp);
    }

    /**
     * {@return whether a block may be read with a stamp while power is on: that of the last write that has succeeded,
     * or of a later one that has failed or is outstanding}
     */
    public boolean isCurrent(final int block, final long stamp)
    {
        Write last = null;
        for (final Write write : since.get(block))
        {
            last = Long.MAX_VALUE == write.end ? last : write;
        }
        final long from = null == last ? 0 : last.begin;
        return stamp == (null == last ? durable[block] : last.stamp) || since.get(block).stream()
            .anyMatch((write) -> Long.MAX_VALUE == write.end && write.begin > from && stamp == write.stamp);
    }

    /** {@return the stamp that was written last; what a block holds unless that write failed} */
    public long latest(final int block)
    {
        final List<Write> writes = since.get(block);
        return writes.isEmpty() ? durable[block] : writes.getLast().stamp;
    }

    /** What a loss of power has left of a block, which is stable. */
    public void settle(final int block, final long stamp)
    {
        durable[block] = stamp;
        since.get(block).clear();
    }

    /** {@return how many blocks could hold more than one stamp} */
    public int openBlocks()
    {
        return (int)since.stream().filter((writes) -> !writes.isEmpty()).count();
    }

    /** {@return what a block may hold, for messages} */
    public String describe(final int block)
    {
        final StringBuilder text = new StringBuilder("durable " + durable[block] + ", since");
        since.get(block).forEach((write) -> text.append(' ').append(write.stamp));
        return text.toString();
    }
}
