package io.millrace.block.fault;

import io.millrace.bindings.NativeException;
import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockDeviceException;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.Segments;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Blocks of a device that were written and not yet stored in the device below: the volatile write cache of a
 * {@link FaultDevice}. All channels share it; each call holds its monitor for a copy of one request at most, which a
 * device for tests may. Allocates a few objects a block.
 * <p>
 * <b>Order.</b> Each version of a block has a number, and so has each write to the device below when it begins. A block
 * is removed only when what lies below is not older: its own version was written back, or a later write has passed it.
 * No two writes to the device below overlap. A read that was below meanwhile begins again, as it may have been too
 * early for the block.
 * <p>
 * <b>Flush.</b> A block that is overwritten keeps the age of its oldest version, since a flush that began between the
 * two promises that one or a later one.
 */
final class WriteCache
{
    /** Largest capacity in bytes. */
    static final long CAPACITY_BYTES_MAX = 64L << 20;
    /** A survival chance of each block in a loss of power is one of so many: 0, 1/4, 1/2, 3/4. */
    private static final int CHANCES = 4;

    private final int blockBytes;
    private final DmaMemory memory;
    private final int[] freeSlots;
    private int freeCount;
    private long version;
    private int channels;
    /** Blocks that a loss of power may take. */
    private final TreeMap<Long, Block> blocks = new TreeMap<>();
    /** Blocks that have survived a loss: a host has read them since, so no other one takes them. */
    private final TreeMap<Long, Block> survivors = new TreeMap<>();
    private final TreeSet<Block> byAge = new TreeSet<>(
        Comparator.comparingLong((Block block) -> block.age).thenComparingInt((block) -> block.slot));
    private final List<CacheRange> writes = new ArrayList<>();
    private final List<CacheRange> reads = new ArrayList<>();

    /** One block; of a block that survived there may be a newer one besides. */
    private static final class Block
    {
        private final long lba;
        private final int slot;
        private long version;
        /** Not above the number of its oldest version that is not stored below. */
        private long age;

        Block(final long lba, final int slot, final long version)
        {
            this.lba = lba;
            this.slot = slot;
            this.version = version;
            age = version;
        }
    }

    /**
     * Maps an empty cache.
     *
     * @param name          of the device, for messages.
     * @param capacityBytes of the cache, rounded down to whole blocks.
     * @param blockBytes    of the device.
     * @throws BlockDeviceException when it is not from a block to {@link #CAPACITY_BYTES_MAX}, or cannot be mapped.
     */
    WriteCache(final String name, final long capacityBytes, final int blockBytes)
    {
        this.blockBytes = blockBytes;
        if (capacityBytes < blockBytes || capacityBytes > CAPACITY_BYTES_MAX)
        {
            throw new BlockDeviceException("device " + name + ": write-cache-size " + capacityBytes +
                " is not from the block size " + blockBytes + " to " + CAPACITY_BYTES_MAX + ": use one of these, or 0");
        }
        freeCount = (int)(capacityBytes / blockBytes);
        freeSlots = new int[freeCount];
        for (int i = 0; i < freeCount; i++)
        {
            freeSlots[i] = i;
        }
        try
        {
            memory = DmaMemory.map((long)freeCount * blockBytes);
        }
        catch (final NativeException | IllegalArgumentException e)
        {
            throw new BlockDeviceException("device " + name + ": write-cache-size " + capacityBytes +
                " cannot be mapped (" + e.getMessage() + "): use a smaller one", e);
        }
    }

    synchronized void addChannel()
    {
        channels++;
    }

    /**
     * {@return whether no other channel is open}
     */
    synchronized boolean removeChannel()
    {
        channels--;
        return 0 == channels;
    }

    /**
     * Stores what a write has brought.
     *
     * @param lba     first block.
     * @param count   of blocks.
     * @param payload of the write.
     * @return false when there is no room for all of it: nothing was changed.
     */
    synchronized boolean put(final long lba, final int count, final Segments payload)
    {
        int missing = 0;
        for (long at = lba; at < lba + count; at++)
        {
            missing += blocks.containsKey(at) ? 0 : 1;
        }
        if (missing > freeCount)
        {
            return false;
        }
        for (int i = 0; i < count; i++)
        {
            final long number = nextVersion();
            Block block = blocks.get(lba + i);
            if (null == block)
            {
                freeCount--;
                block = new Block(lba + i, freeSlots[freeCount], number);
                blocks.put(block.lba, block);
                byAge.add(block);
            }
            block.version = number;
            payload.copyOut(i * blockBytes, address(block), blockBytes);
        }
        return true;
    }

    /**
     * {@return number that blocks written so far are not above}
     */
    synchronized long version()
    {
        return version;
    }

    /**
     * {@return whether the device below has everything that was written up to a number}
     *
     * @param upTo from {@link #version()}.
     */
    synchronized boolean isClean(final long upTo)
    {
        return byAge.isEmpty() || byAge.first().age > upTo;
    }

    /**
     * Begins a read of the device below.
     *
     * @param range of the read.
     */
    synchronized void beginRead(final CacheRange range)
    {
        range.isStale = false;
        reads.add(range);
    }

    /**
     * Ends a read of the device below.
     *
     * @param range   that was begun.
     * @param payload where it was read to, which gets the blocks that are here; null when the read has failed.
     * @return false when a block has gone from here to the device below meanwhile: the read is to be begun again.
     */
    synchronized boolean endRead(final CacheRange range, final Segments payload)
    {
        reads.remove(range);
        if (range.isStale)
        {
            return null == payload;
        }
        if (null != payload)
        {
            overlay(survivors, range, payload);
            overlay(blocks, range, payload);
        }
        return true;
    }

    private void overlay(final TreeMap<Long, Block> from, final CacheRange range, final Segments payload)
    {
        for (final Block block : from.subMap(range.lba, range.end()).values())
        {
            payload.copyIn((int)(block.lba - range.lba) * blockBytes, address(block), blockBytes);
        }
    }

    /**
     * Begins a write to the device below that does not come from here.
     *
     * @param range of the write.
     * @return false when another one overlaps: nothing was changed.
     */
    synchronized boolean beginWrite(final CacheRange range)
    {
        if (isWritten(range.lba, range.end()))
        {
            return false;
        }
        range.version = nextVersion();
        writes.add(range);
        return true;
    }

    /**
     * Ends a write to the device below that did not come from here.
     *
     * @param range     that was begun.
     * @param isWritten whether the device has it: then it replaces what was here before.
     */
    synchronized void endWrite(final CacheRange range, final boolean isWritten)
    {
        writes.remove(range);
        if (isWritten)
        {
            new ArrayList<>(blocks.subMap(range.lba, range.end()).values())
                .forEach((block) -> passed(block, range.version));
            new ArrayList<>(survivors.subMap(range.lba, range.end()).values())
                .forEach((block) -> passed(block, range.version));
        }
    }

    /**
     * Begins to write the oldest blocks back, with those that follow on the device.
     *
     * @param piece     to fill: its range and numbers.
     * @param upTo      number that the oldest one is not above.
     * @param address   to copy the blocks to.
     * @param countMax  that there is room for.
     * @return false when there is none, or each is being written: nothing was changed.
     */
    synchronized boolean beginWriteBack(
        final CacheRange piece, final long upTo, final long address, final int countMax)
    {
        for (final Block oldest : byAge)
        {
            if (oldest.age > upTo)
            {
                return false;
            }
            if (!isWritten(oldest.lba, oldest.lba + 1))
            {
                piece.lba = oldest.lba;
                piece.blocks = 0;
                Block next = newest(piece.lba);
                while (null != next && piece.blocks < countMax && !isWritten(next.lba, next.lba + 1))
                {
                    NativeMemory.copy(address(next), address + piece.blocks * blockBytes, blockBytes);
                    piece.versions[(int)piece.blocks] = next.version;
                    piece.blocks++;
                    next = newest(piece.end());
                }
                writes.add(piece);
                return true;
            }
        }
        return false;
    }

    /**
     * Ends the writing of blocks.
     *
     * @param piece     that was begun.
     * @param isWritten whether the device below has it.
     */
    synchronized void endWriteBack(final CacheRange piece, final boolean isWritten)
    {
        writes.remove(piece);
        for (int i = 0; isWritten && i < piece.blocks; i++)
        {
            final Block survivor = survivors.get(piece.lba + i);
            if (null != survivor)
            {
                passed(survivor, piece.versions[i]);
            }
            final Block block = blocks.get(piece.lba + i);
            if (null != block)
            {
                passed(block, piece.versions[i]);
            }
        }
    }

    /**
     * Loses what was not written back, but for blocks that are being written, whose outcome nobody may see change, and
     * those that are drawn to survive: each with a chance of 0, 1/4, 1/2 or 3/4, which is drawn before.
     *
     * @param random to draw from.
     * @param onLoss run within, so that nobody sees the one without the other.
     */
    synchronized void lose(final SplittableRandom random, final Runnable onLoss)
    {
        final int chance = random.nextInt(CHANCES);
        for (final Block block : new ArrayList<>(blocks.values()))
        {
            if (isWritten(block.lba, block.lba + 1) || random.nextInt(CHANCES) < chance)
            {
                final Block former = survivors.get(block.lba);
                if (null != former)
                {
                    remove(former);
                }
                blocks.remove(block.lba);
                survivors.put(block.lba, block);
            }
            else
            {
                remove(block);
            }
        }
        onLoss.run();
    }

    /**
     * {@return count of blocks that are not stored below}
     */
    synchronized int size()
    {
        return byAge.size();
    }

    void close()
    {
        memory.close();
    }

    private long nextVersion()
    {
        version++;
        return version;
    }

    private long address(final Block block)
    {
        return memory.address() + (long)block.slot * blockBytes;
    }

    private Block newest(final long lba)
    {
        final Block block = blocks.get(lba);
        return null == block ? survivors.get(lba) : block;
    }

    private boolean isWritten(final long lba, final long end)
    {
        for (final CacheRange write : writes)
        {
            if (lba < write.end() && write.lba < end)
            {
                return true;
            }
        }
        return false;
    }

    /** The device below has a version of it, or a write that came after that version. */
    private void passed(final Block block, final long number)
    {
        if (block.version <= number)
        {
            remove(block);
        }
        else if (block.age <= number)
        {
            byAge.remove(block);
            block.age = number + 1;
            byAge.add(block);
        }
    }

    private void remove(final Block block)
    {
        blocks.remove(block.lba, block);
        survivors.remove(block.lba, block);
        byAge.remove(block);
        freeSlots[freeCount] = block.slot;
        freeCount++;
        for (final CacheRange read : reads)
        {
            read.isStale |= block.lba >= read.lba && block.lba < read.end();
        }
    }
}
