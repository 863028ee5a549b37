package io.millrace.nvmf.tcp;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Native blocks of one size, last in first out so that a busy reactor uses the same few. Grows slab by slab with the
 * number of connections that need one at a time; {@link #trim} gives slabs back that were not needed for a while. One
 * reactor's: made, used and closed on its thread.
 */
final class SlabPool implements AutoCloseable
{
    private static final int ALIGNMENT_BYTES = 64;

    /** Blocks that are allocated and freed together. */
    private record Slab(Arena arena, long address)
    {
    }

    private final int blockBytes;
    private final int blocksPerSlab;
    private final Runnable onGrown;
    private final List<Slab> slabs = new ArrayList<>();
    private long[] free;
    private int freeCount;
    private int blockCount;
    /** Fewest free blocks since the last {@link #trim}: so many were not needed meanwhile. */
    private int freeCountMin;

    /**
     * Makes a pool without blocks.
     *
     * @param blockBytes    of a block.
     * @param blocksPerSlab that are allocated at a time.
     * @param onGrown       called when a slab was added.
     */
    SlabPool(final int blockBytes, final int blocksPerSlab, final Runnable onGrown)
    {
        this.blockBytes = (blockBytes + ALIGNMENT_BYTES - 1) & -ALIGNMENT_BYTES;
        this.blocksPerSlab = blocksPerSlab;
        this.onGrown = onGrown;
        free = new long[blocksPerSlab];
    }

    int blockBytes()
    {
        return blockBytes;
    }

    int usedCount()
    {
        return blockCount - freeCount;
    }

    int blockCount()
    {
        return blockCount;
    }

    long acquire()
    {
        if (0 == freeCount)
        {
            grow();
        }
        final long address = free[--freeCount];
        if (freeCount < freeCountMin)
        {
            freeCountMin = freeCount;
        }
        return address;
    }

    void release(final long address)
    {
        free[freeCount++] = address;
    }

    /**
     * Frees slabs none of whose blocks is in use, as many as were not needed since the last call. One slab is kept.
     *
     * @return whether there may be more to free later.
     */
    boolean trim()
    {
        int surplus = Math.min(freeCountMin / blocksPerSlab, slabs.size() - 1);
        freeCountMin = freeCount;
        if (surplus > 0)
        {
            Arrays.sort(free, 0, freeCount);
            for (int i = slabs.size() - 1; i >= 0 && surplus > 0; i--)
            {
                if (removeBlocks(slabs.get(i).address()))
                {
                    slabs.remove(i).arena().close();
                    surplus--;
                }
            }
            freeCountMin = freeCount;
        }
        return slabs.size() > 1;
    }

    @Override
    public void close()
    {
        slabs.forEach((slab) -> slab.arena().close());
        slabs.clear();
    }

    /** Takes the blocks of a slab from the free ones, which are sorted, when all of them are there. */
    private boolean removeBlocks(final long slab)
    {
        final int first = Arrays.binarySearch(free, 0, freeCount, slab);
        final int end = first + blocksPerSlab;
        if (first < 0 || end > freeCount || free[end - 1] != slab + (long)(blocksPerSlab - 1) * blockBytes)
        {
            return false;
        }
        System.arraycopy(free, end, free, first, freeCount - end);
        freeCount -= blocksPerSlab;
        blockCount -= blocksPerSlab;
        return true;
    }

    private void grow()
    {
        final Arena arena = Arena.ofConfined();
        final long slab = arena.allocate((long)blockBytes * blocksPerSlab, ALIGNMENT_BYTES).address();
        slabs.add(new Slab(arena, slab));
        blockCount += blocksPerSlab;
        if (blockCount > free.length)
        {
            free = Arrays.copyOf(free, Math.max(blockCount, 2 * free.length));
        }
        for (int i = blocksPerSlab - 1; i >= 0; i--)
        {
            free[freeCount++] = slab + (long)i * blockBytes;
        }
        freeCountMin = Math.min(freeCountMin, freeCount - 1);
        onGrown.run();
    }
}
