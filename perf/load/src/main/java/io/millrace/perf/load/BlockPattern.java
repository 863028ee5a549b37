package io.millrace.perf.load;

import io.millrace.bindings.NativeMemory;

/**
 * Contents of verified blocks: each begins with its identity (block number, seed, generation) and continues with
 * numbers derived from it, so that stale, torn, misplaced and zeroed blocks are all detected. Stateless; any thread.
 *
 * <pre>
 *    0 magic
 *    8 block number
 *   16 seed
 *   24 generation: how often the block was written in this run
 *   32 numbers derived from all that
 * </pre>
 */
final class BlockPattern
{
    private static final long MAGIC = 0x6563_6172_6C6C_696DL;
    private static final int LBA_OFFSET = 8;
    private static final int SEED_OFFSET = 16;
    private static final int GENERATION_OFFSET = 24;
    private static final int BODY_OFFSET = 32;
    private static final long GAMMA = 0x9E37_79B9_7F4A_7C15L;

    private BlockPattern()
    {
    }

    static void fill(final long address, final int blockBytes, final long lba, final long seed, final long generation)
    {
        NativeMemory.putLong(address, MAGIC);
        NativeMemory.putLong(address + LBA_OFFSET, lba);
        NativeMemory.putLong(address + SEED_OFFSET, seed);
        NativeMemory.putLong(address + GENERATION_OFFSET, generation);
        long value = first(lba, seed, generation);
        for (int i = BODY_OFFSET; i < blockBytes; i += Long.BYTES)
        {
            NativeMemory.putLong(address + i, value);
            value = next(value);
        }
    }

    /**
     * {@return offset of the first wrong word, or -1 when the block is right}
     *
     * @param address    of the block.
     * @param blockBytes block size in bytes.
     * @param lba        it should be.
     * @param seed       it should carry.
     * @param generation it should have.
     */
    static int mismatch(
        final long address, final int blockBytes, final long lba, final long seed, final long generation)
    {
        if (MAGIC != NativeMemory.getLong(address))
        {
            return 0;
        }
        if (lba != NativeMemory.getLong(address + LBA_OFFSET))
        {
            return LBA_OFFSET;
        }
        if (seed != NativeMemory.getLong(address + SEED_OFFSET))
        {
            return SEED_OFFSET;
        }
        if (generation != NativeMemory.getLong(address + GENERATION_OFFSET))
        {
            return GENERATION_OFFSET;
        }
        long value = first(lba, seed, generation);
        for (int i = BODY_OFFSET; i < blockBytes; i += Long.BYTES)
        {
            if (value != NativeMemory.getLong(address + i))
            {
                return i;
            }
            value = next(value);
        }
        return -1;
    }

    /**
     * {@return whether a block was written by a verified load, judged by its first word}
     *
     * @param address of the block.
     */
    static boolean isMarked(final long address)
    {
        return MAGIC == NativeMemory.getLong(address);
    }

    static int generation(final long address)
    {
        return (int)NativeMemory.getLong(address + GENERATION_OFFSET);
    }

    /**
     * As {@link #mismatch(long, int, long, long, long)} for a block of an unknown load: seed and generation are those
     * that the block names, so an older version of the block passes.
     *
     * @param address    of the block, which is marked.
     * @param blockBytes block size in bytes.
     * @param lba        it should be.
     * @return offset of the first wrong word, or -1 when the block is whole and in its place.
     */
    static int mismatch(final long address, final int blockBytes, final long lba)
    {
        return mismatch(address, blockBytes, lba, NativeMemory.getLong(address + SEED_OFFSET),
            NativeMemory.getLong(address + GENERATION_OFFSET));
    }

    static String describeUnmarked(final long address, final long lba)
    {
        return "block " + lba + " holds 0x" + Long.toHexString(NativeMemory.getLong(address)) +
            " where the mark of a verified write should be";
    }

    /**
     * Describes a wrong block.
     *
     * @param address    start address.
     * @param offset     from {@link #mismatch}.
     * @param lba        it should be.
     * @param generation it should have.
     * @return one sentence.
     */
    static String describe(final long address, final int offset, final long lba, final long generation)
    {
        final String block = "block " + lba + " of generation " + generation;
        if (0 == offset)
        {
            return block + " holds 0x" + Long.toHexString(NativeMemory.getLong(address)) + " where its mark should be";
        }
        if (offset < BODY_OFFSET)
        {
            return block + " holds block " + NativeMemory.getLong(address + LBA_OFFSET) + " of generation " +
                NativeMemory.getLong(address + GENERATION_OFFSET) + " and seed " +
                NativeMemory.getLong(address + SEED_OFFSET);
        }
        return block + " is torn or corrupt from byte " + offset + " on";
    }

    private static long first(final long lba, final long seed, final long generation)
    {
        return mix(lba * GAMMA ^ mix(seed + generation * GAMMA)) | 1;
    }

    private static long next(final long value)
    {
        long x = value;
        x ^= x << 13;
        x ^= x >>> 7;
        x ^= x << 17;
        return x;
    }

    static long mix(final long value)
    {
        long z = value;
        z = (z ^ z >>> 30) * 0xBF58_476D_1CE4_E5B9L;
        z = (z ^ z >>> 27) * 0x94D0_49BB_1331_11EBL;
        return z ^ z >>> 31;
    }
}
