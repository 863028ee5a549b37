package io.millrace.block.raid;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.DurabilityModel;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * What each block of an array may hold, for tests that cut the power: while it is on, the value that was written last;
 * after a cut the last value that was made stable by a flush or FUA, or one that was written since, acknowledged or
 * not. A value is the number of a write; each word of a block is derived from the value and the number of the block, so
 * that a block that is in the wrong place, mixed of two, or rebuilt from other blocks wrongly is seen. At most one
 * request that changes or reads a block is outstanding at a time. Single-threaded.
 */
public final class ArrayOracle
{
    private static final long VALUE_FACTOR = 0x9E3779B97F4A7C15L;
    private static final long WORD_FACTOR = 0xC2B2AE3D27D4EB4FL;

    private final DurabilityModel model;
    private int blockCount;
    private final int blockBytes;
    private final long seed;
    private final BitSet busy = new BitSet();
    private long lastValue;
    /** Null: no request may fail. */
    private LossyRows lossy;
    private final Map<Long, Long> lossyFlushes = new HashMap<>();

    /** An outstanding write of one value to blocks. */
    public static final class Write
    {
        private final DurabilityModel.Write write;
        private final int lba;
        private final int blocks;
        private long lossyBegin;

        private Write(final DurabilityModel.Write write, final int lba, final int blocks)
        {
            this.write = write;
            this.lba = lba;
            this.blocks = blocks;
        }
    }

    /**
     * All blocks are stable zeroes.
     *
     * @param blockCount of the array.
     * @param blockBytes of the array, a multiple of 16.
     * @param seed       of the test, for messages.
     */
    public ArrayOracle(final int blockCount, final int blockBytes, final long seed)
    {
        this.blockCount = blockCount;
        this.blockBytes = blockBytes;
        this.seed = seed;
        model = new DurabilityModel(blockCount);
    }

    /**
     * Only some blocks, from the first on, are there from now on. Others are as they were, or zeroes.
     *
     * @param count at most that of all.
     */
    public void blockCount(final int count)
    {
        blockCount = count;
    }

    /** Says which requests may fail. */
    void allow(final LossyRows rows)
    {
        lossy = rows;
    }

    /** {@return whether a request that failed may have} */
    boolean allows(final BlockRequest request)
    {
        return null != lossy && lossy.allows(request);
    }

    /** {@return count of blocks} */
    public int blockCount()
    {
        return blockCount;
    }

    /** {@return bytes of a block} */
    public int blockBytes()
    {
        return blockBytes;
    }

    /** {@return whether a request of some of these blocks is outstanding: no other one may begin} */
    public boolean isBusy(final int lba, final int blocks)
    {
        final int next = busy.nextSetBit(lba);
        return next >= 0 && next < lba + blocks;
    }

    /**
     * Before a write is submitted.
     *
     * @param lba     first block.
     * @param blocks  of the write.
     * @param address of its payload, which this fills with a new value.
     * @return the write, to be ended.
     */
    public Write beginWrite(final int lba, final int blocks, final long address)
    {
        lastValue++;
        for (int block = 0; block < blocks; block++)
        {
            fill(address + (long)block * blockBytes, lba + block, lastValue);
        }
        return begin(lba, blocks, lastValue);
    }

    /**
     * Before a request is submitted after which blocks read as zeroes, which are the value 0.
     *
     * @param lba    first block.
     * @param blocks of the request.
     * @return the write, to be ended.
     */
    public Write beginZeroes(final int lba, final int blocks)
    {
        return begin(lba, blocks, 0);
    }

    private Write begin(final int lba, final int blocks, final long value)
    {
        reserve(lba, blocks);
        final Write write = new Write(model.begin(lba, blocks, value), lba, blocks);
        write.lossyBegin = null == lossy ? 0 : lossy.begin();
        return write;
    }

    private void reserve(final int lba, final int blocks)
    {
        if (isBusy(lba, blocks))
        {
            throw new IllegalStateException("a request of blocks " + lba + " to " + (lba + blocks - 1) +
                " is outstanding: ask isBusy before");
        }
        busy.set(lba, lba + blocks);
    }

    /**
     * A write has ended. One that failed may have changed each block or not.
     *
     * @param write    that was begun.
     * @param status   that it ended with.
     * @param isForced whether it had FUA.
     */
    public void endWrite(final Write write, final BlockStatus status, final boolean isForced)
    {
        busy.clear(write.lba, write.lba + write.blocks);
        if (BlockStatus.SUCCESS == status)
        {
            model.succeed(write.write, isForced);
            if (null != lossy)
            {
                lossy.endWrite(write.lossyBegin, write.lba, write.blocks, isForced);
            }
        }
    }

    /** {@return token of a flush that is submitted now} */
    public long beginFlush()
    {
        final long token = model.beginFlush();
        if (null != lossy)
        {
            lossyFlushes.put(token, lossy.begin());
        }
        return token;
    }

    /** The flush of a token has ended. */
    public void endFlush(final long begin, final BlockStatus status)
    {
        if (BlockStatus.SUCCESS == status)
        {
            model.succeedFlush(begin);
            if (null != lossy)
            {
                lossy.endFlush(lossyFlushes.remove(begin));
            }
        }
        else
        {
            model.failFlush();
        }
    }

    /** Before a read is submitted, to be ended by {@link #endRead}. */
    public void beginRead(final int lba, final int blocks)
    {
        reserve(lba, blocks);
    }

    /**
     * A read has ended.
     *
     * @param lba     first block.
     * @param blocks  of the read.
     * @param status  that it ended with; one that failed has read nothing.
     * @param address of what was read.
     * @throws AssertionError when a block has another value than it must have.
     */
    public void endRead(final int lba, final int blocks, final BlockStatus status, final long address)
    {
        busy.clear(lba, lba + blocks);
        for (int block = lba; BlockStatus.SUCCESS == status && block < lba + blocks; block++)
        {
            final long value = valueAt(address + (long)(block - lba) * blockBytes, block);
            if (!model.isCurrent(block, value))
            {
                throw wrong(block, value, "while power was on");
            }
        }
    }

    /** Power was cut: what was outstanding will not end. */
    public void losePower()
    {
        if (null != lossy)
        {
            lossy.losePower();
        }
        lossyFlushes.clear();
        busy.clear();
    }

    /**
     * Checks what is left after a cut, which is the stable value from then on.
     *
     * @param lba     first block.
     * @param blocks  that were read.
     * @param address of what was read.
     * @throws AssertionError when a block has a value that it must not have.
     */
    public void settle(final int lba, final int blocks, final long address)
    {
        for (int block = lba; block < lba + blocks; block++)
        {
            final long value = valueAt(address + (long)(block - lba) * blockBytes, block);
            if (!model.isPossible(block, value))
            {
                throw wrong(block, value, "after power was cut");
            }
            model.settle(block, value);
        }
    }

    /** {@return how many blocks could hold more than one value if the power were cut now} */
    public int openBlocks()
    {
        return model.openBlocks();
    }

    private AssertionError wrong(final int block, final long value, final String when)
    {
        return new AssertionError("block " + block + " of the array holds value " + value + ' ' + when +
            "; allowed: " + model.describe(block) + "; seed " + seed);
    }

    private void fill(final long address, final int block, final long value)
    {
        for (int word = 0; word < blockBytes / Long.BYTES; word++)
        {
            NativeMemory.putLong(address + (long)word * Long.BYTES, word(block, value, word));
        }
    }

    private static long word(final int block, final long value, final int word)
    {
        if (0 == value)
        {
            return 0;
        }
        return switch (word)
        {
            case 0 -> value;
            case 1 -> block;
            default -> (value * VALUE_FACTOR ^ block) * WORD_FACTOR + word;
        };
    }

    private long valueAt(final long address, final int block)
    {
        final long value = NativeMemory.getLong(address);
        for (int word = 1; word < blockBytes / Long.BYTES; word++)
        {
            final long found = NativeMemory.getLong(address + (long)word * Long.BYTES);
            if (word(block, value, word) != found)
            {
                final long second = NativeMemory.getLong(address + Long.BYTES);
                throw new AssertionError("block " + block + " of the array begins with value " + value + " of block " +
                    second + ", and its bytes from " + word * Long.BYTES + " on are not value " + value +
                    " of block " + block + "; allowed: " + model.describe(block) + "; seed " + seed);
            }
        }
        return value;
    }
}
