package io.millrace.nvmf.tcp;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * Native blocks of one size, last in first out so that a busy reactor uses the same few. Grows slab by slab with the
 * number of connections that need one at a time; freed with its arena. One reactor's.
 */
final class SlabPool
{
    private static final int ALIGNMENT_BYTES = 64;

    private final Arena arena;
    private final int blockBytes;
    private final int blocksPerSlab;
    private long[] free;
    private int freeCount;
    private int blockCount;

    SlabPool(final Arena arena, final int blockBytes, final int blocksPerSlab)
    {
        this.arena = arena;
        this.blockBytes = (blockBytes + ALIGNMENT_BYTES - 1) & -ALIGNMENT_BYTES;
        this.blocksPerSlab = blocksPerSlab;
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

    long acquire()
    {
        if (0 == freeCount)
        {
            grow();
        }
        return free[--freeCount];
    }

    void release(final long address)
    {
        free[freeCount++] = address;
    }

    private void grow()
    {
        final long slab = arena.allocate((long)blockBytes * blocksPerSlab, ALIGNMENT_BYTES).address();
        blockCount += blocksPerSlab;
        free = Arrays.copyOf(free, blockCount);
        for (int i = blocksPerSlab - 1; i >= 0; i--)
        {
            free[freeCount++] = slab + (long)i * blockBytes;
        }
    }
}
