package io.millrace.block.raid;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Changes of the {@link LostBlocks} of an array's members that have to be stored: blocks that were lost, and writes of
 * such blocks, which are not answered before. For {@link LostBlockStore}.
 */
final class LostBlockChanges
{
    private final Queue<LostBlockWrite> writes = new ConcurrentLinkedQueue<>();
    private final int blockShift;
    private final Runnable onWritten;
    private boolean hasLost;
    /** Lost since {@link #announced}: their count, and the lowest offset in bytes of a member's data. */
    private int newCount;
    private long newOffset;
    /** Of the member that has lost that one. */
    private RaidMember newMember;

    /**
     * No changes.
     *
     * @param blockShift logarithm of the block size.
     * @param onWritten  run when a write waits; any thread.
     */
    LostBlockChanges(final int blockShift, final Runnable onWritten)
    {
        this.blockShift = blockShift;
        this.onWritten = onWritten;
    }

    /**
     * Rows of a member must not be read any more. {@link ArrayWork} alone, with the rows locked.
     *
     * @param member of the array.
     * @param offset of the rows in bytes of the member's data.
     * @param length in bytes.
     * @return whether they are in the member's list now: they are one block, and it has room.
     */
    boolean lose(final RaidMember member, final long offset, final int length)
    {
        final boolean isKnown = member.lostBlocks().covers(offset, length, blockShift);
        if (1 << blockShift != length || !member.lostBlocks().add(offset, blockShift))
        {
            return false;
        }
        hasLost = true;
        if (!isKnown)
        {
            newMember = 0 == newCount || offset < newOffset ? member : newMember;
            newOffset = 0 == newCount ? offset : Math.min(newOffset, offset);
            newCount++;
        }
        return true;
    }

    /**
     * Rows of the member of a slot must not be read any more, nor those of one that is to replace it. As
     * {@link #lose(RaidMember, long, int)}.
     *
     * @param view   with both.
     * @param slot   of the member.
     * @param offset of the rows in bytes of the member's data.
     * @param length in bytes.
     * @return whether they are in the lists now.
     */
    boolean lose(final ArrayView view, final int slot, final long offset, final int length)
    {
        return lose(view.member(slot), offset, length) & loseOfTarget(view, slot, offset, length);
    }

    /**
     * Rows of the member that is to replace that of a slot must not be read: it may have another version of them.
     *
     * @param view   with both.
     * @param slot   of the member that may be replaced.
     * @param offset of the rows in bytes of the member's data.
     * @param length in bytes.
     * @return whether they are in its list now, or no member is to replace that of the slot.
     */
    boolean loseOfTarget(final ArrayView view, final int slot, final long offset, final int length)
    {
        return slot != view.targetSlot() || lose(view.target(), offset, length);
    }

    /**
     * {@return count of blocks that were lost, and that no operator knows of; {@link ArrayWork} alone}
     */
    int newCount()
    {
        return newCount;
    }

    /**
     * {@return offset of the first of these, in bytes of a member's data}
     */
    long newOffset()
    {
        return newOffset;
    }

    /**
     * {@return the member that has lost that block}
     */
    RaidMember newMember()
    {
        return newMember;
    }

    /** An operator knows of all that were lost. */
    void announced()
    {
        newCount = 0;
    }

    /**
     * {@return whether blocks were lost since the last call}
     */
    boolean takeLost()
    {
        final boolean had = hasLost;
        hasLost = false;
        return had;
    }

    /**
     * Blocks that were lost were written, and wait to be taken from the list. Any thread.
     *
     * @param write that has ended on the member.
     */
    void add(final LostBlockWrite write)
    {
        writes.add(write);
        onWritten.run();
    }

    /**
     * {@return the next write; null: none}
     */
    LostBlockWrite nextWrite()
    {
        return writes.poll();
    }

    /**
     * {@return whether nothing has to be stored that was not taken yet}
     */
    boolean isEmpty()
    {
        return !hasLost && writes.isEmpty();
    }
}
