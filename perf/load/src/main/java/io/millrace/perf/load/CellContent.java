package io.millrace.perf.load;

/**
 * Contents of the blocks of a worker's cells when they can be verified: fills them, and counts wrong blocks that were
 * read. One worker's, on its reactor; allocates only for wrong blocks.
 */
final class CellContent
{
    private final Region region;
    private final long seed;
    private final LoadCounters counters;
    private final LoadMessages messages;

    CellContent(final Region region, final long seed, final LoadCounters counters, final LoadMessages messages)
    {
        this.region = region;
        this.seed = seed;
        this.counters = counters;
        this.messages = messages;
    }

    /**
     * Fills a buffer with what a cell is to hold.
     *
     * @param address    of the buffer.
     * @param cell       index.
     * @param generation of the write.
     */
    void fill(final long address, final long cell, final int generation)
    {
        final int blockBytes = region.blockBytes();
        final long lba = region.lba(cell);
        for (int i = 0; i < region.blocksPerCell(); i++)
        {
            BlockPattern.fill(address + (long)i * blockBytes, blockBytes, lba + i, seed, generation);
        }
    }

    /**
     * Compares what was read of a cell that this load has written.
     *
     * @param address    of the buffer.
     * @param cell       index.
     * @param generation of the last write.
     */
    void verify(final long address, final long cell, final int generation)
    {
        final int blockBytes = region.blockBytes();
        final long lba = region.lba(cell);
        for (int i = 0; i < region.blocksPerCell(); i++)
        {
            final long block = address + (long)i * blockBytes;
            final int offset = BlockPattern.mismatch(block, blockBytes, lba + i, seed, generation);
            if (offset >= 0)
            {
                onWrong(block, offset, lba + i, generation);
            }
        }
        counters.onVerified(region.blocksPerCell());
    }

    /**
     * Checks blocks that an earlier load has written against their own identity.
     *
     * @param address of the buffer.
     * @param cell    index.
     */
    void verifyMarks(final long address, final long cell)
    {
        final int blockBytes = region.blockBytes();
        final long lba = region.lba(cell);
        for (int i = 0; i < region.blocksPerCell(); i++)
        {
            final long block = address + (long)i * blockBytes;
            if (!BlockPattern.isMarked(block))
            {
                counters.onUnmarked();
                messages.add(BlockPattern.describeUnmarked(block, lba + i));
                continue;
            }
            final int offset = BlockPattern.mismatch(block, blockBytes, lba + i);
            if (offset >= 0)
            {
                onWrong(block, offset, lba + i, BlockPattern.generation(block));
            }
        }
        counters.onVerified(region.blocksPerCell());
    }

    private void onWrong(final long block, final int offset, final long lba, final int generation)
    {
        counters.onVerifyFailure();
        messages.add(BlockPattern.describe(block, offset, lba, generation));
    }
}
