package io.millrace.block.raid;

import io.millrace.block.raid.format.LostBlocksPage;
import java.util.Arrays;

/**
 * Blocks of a member's data that a rebuild could not compute, and that nobody has written since: they must not be read.
 * Any thread reads the list, which is replaced as a whole; {@link ArrayWork}'s alone changes it, and stores it by
 * {@link LostBlockStore}. Entries are those of a {@link LostBlocksPage}, ascending.
 */
final class LostBlocks
{
    /** Instead of an offset. */
    static final long NONE = -1;

    private static final long[] EMPTY = {};
    private static final int MASK = (1 << LostBlocksPage.MASK_BITS) - 1;

    private volatile long[] entries = EMPTY;
    /** As both copies on the member have them, or had, if they are to be stored again. */
    private volatile long[] stored = EMPTY;
    private long sequence;

    /**
     * Takes the list that was found on the member. Before any request.
     *
     * @param found       entries of its copy that counts.
     * @param newSequence of that copy.
     * @param isWhole     whether the other copy is the same.
     */
    void assembled(final long[] found, final long newSequence, final boolean isWhole)
    {
        entries = found;
        // Recorded as well, and not stored.
        stored = isWhole ? found : found.clone();
        sequence = newSequence;
    }

    /**
     * {@return whether every block may be read}
     */
    boolean isEmpty()
    {
        return 0 == entries.length;
    }

    /**
     * {@return count of the blocks}
     */
    int count()
    {
        int count = 0;
        for (final long entry : entries)
        {
            count += Long.bitCount(entry & MASK);
        }
        return count;
    }

    /**
     * {@return offset of the first block from an offset on, in bytes of the member's data; {@link #NONE}: none}
     *
     * @param offset     to begin at, a multiple of the block.
     * @param blockShift logarithm of the block size.
     */
    long first(final long offset, final int blockShift)
    {
        final long[] present = entries;
        for (int i = at(present, offset); i < present.length; i++)
        {
            final int mask = (int)present[i] & mask(unit(present[i]), offset, Long.MAX_VALUE, blockShift);
            if (0 != mask)
            {
                return unit(present[i]) * LostBlocksPage.UNIT_BYTES +
                    ((long)Integer.numberOfTrailingZeros(mask) << blockShift);
            }
        }
        return NONE;
    }

    /**
     * {@return whether any block of a range is in the list}
     *
     * @param offset     of the range in bytes of the member's data; negative before that.
     * @param length     in bytes.
     * @param blockShift logarithm of the block size.
     */
    boolean covers(final long offset, final long length, final int blockShift)
    {
        final long end = offset + length;
        if (end <= 0)
        {
            return false;
        }
        final long[] present = entries;
        for (int i = at(present, offset); i < present.length; i++)
        {
            final long unit = unit(present[i]);
            if (unit * LostBlocksPage.UNIT_BYTES >= end)
            {
                return false;
            }
            if (0 != ((int)present[i] & mask(unit, offset, end, blockShift)))
            {
                return true;
            }
        }
        return false;
    }

    /**
     * Adds a block. Its rows are locked, so that who writes them next finds it here.
     *
     * @param offset     of the block in bytes of the member's data.
     * @param blockShift logarithm of the block size.
     * @return false when there is no room.
     */
    boolean add(final long offset, final int blockShift)
    {
        final long[] present = entries;
        final long unit = offset / LostBlocksPage.UNIT_BYTES;
        final long bit = mask(unit, offset, offset + (1L << blockShift), blockShift);
        final int at = at(present, offset);
        if (at < present.length && unit == unit(present[at]))
        {
            if (0 != (present[at] & bit))
            {
                return true;
            }
            final long[] changed = present.clone();
            changed[at] |= bit;
            entries = changed;
            return true;
        }
        if (LostBlocksPage.ENTRIES_MAX == present.length)
        {
            return false;
        }
        final long[] changed = new long[present.length + 1];
        System.arraycopy(present, 0, changed, 0, at);
        changed[at] = unit << LostBlocksPage.MASK_BITS | bit;
        System.arraycopy(present, at, changed, at + 1, present.length - at);
        entries = changed;
        return true;
    }

    /**
     * {@return entries without the blocks of a range}
     *
     * @param of         entries.
     * @param offset     of the range in bytes of the member's data.
     * @param length     in bytes.
     * @param blockShift logarithm of the block size.
     */
    static long[] without(final long[] of, final long offset, final long length, final int blockShift)
    {
        final long[] left = new long[of.length];
        int count = 0;
        for (final long entry : of)
        {
            final long cleared = entry & ~(long)mask(unit(entry), offset, offset + length, blockShift);
            if (0 != (cleared & MASK))
            {
                left[count] = cleared;
                count++;
            }
        }
        return Arrays.copyOf(left, count);
    }

    long[] entries()
    {
        return entries;
    }

    /**
     * Leaves out blocks that were written, and are readable from now on.
     *
     * @param changed entries.
     */
    void entries(final long[] changed)
    {
        entries = changed;
    }

    /**
     * {@return whether the member has the list as it is now}
     */
    boolean isStored()
    {
        return entries == stored;
    }

    /**
     * {@return whether the member has a list with blocks, which superblocks say}
     */
    boolean isRecorded()
    {
        return 0 != stored.length;
    }

    /**
     * Both copies on the member were written.
     *
     * @param written their entries.
     */
    void onStored(final long[] written)
    {
        stored = written;
    }

    /**
     * {@return number of the next copy to write}
     */
    long nextSequence()
    {
        sequence++;
        return sequence;
    }

    /** Index of the first entry that is not of a unit before an offset. */
    private static int at(final long[] present, final long offset)
    {
        final int found =
            Arrays.binarySearch(present, Math.max(0, offset) / LostBlocksPage.UNIT_BYTES << LostBlocksPage.MASK_BITS);
        return found < 0 ? -found - 1 : found;
    }

    private static long unit(final long entry)
    {
        return entry >>> LostBlocksPage.MASK_BITS;
    }

    /** Bits of the blocks of a unit that a range from an offset to below another one has. */
    private static int mask(final long unit, final long offset, final long end, final int blockShift)
    {
        final long start = unit * LostBlocksPage.UNIT_BYTES;
        final int first = Math.clamp(offset - start, 0, LostBlocksPage.UNIT_BYTES) >>> blockShift;
        final int behind = Math.clamp(end - start, 0, LostBlocksPage.UNIT_BYTES) >>> blockShift;
        return behind <= first ? 0 : (1 << behind) - (1 << first);
    }
}
