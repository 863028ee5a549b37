package io.millrace.block.raid;

import io.millrace.block.BlockStatus;
import io.millrace.block.raid.layout.ArrayLayout;

/**
 * Rows that are read from every member that has them in sync, on behalf of {@link ArrayWork}: to rewrite those that a
 * member cannot read ({@link Purpose#REPAIR}), or to compare them ({@link Purpose#CHECK}). Rows that need a resync are
 * left to that: what would be computed there may be wrong.
 */
abstract class CheckRequest extends StripeRequest
{
    /**
     * Rows that are repaired at a time: a physical sector of most drives, so that blocks of two members that cannot be
     * read do not meet unless they are in the same rows.
     */
    static final int ROW_UNIT_BYTES = 4096;

    protected final ArrayLayout layout;
    protected int length;
    private long repairedSlots;

    /**
     * A request that is used again and again, and is in no pool.
     *
     * @param channel that it is of.
     */
    CheckRequest(final RaidChannel channel)
    {
        super(channel);
        layout = channel.layout();
    }

    /**
     * Begins.
     *
     * @param newPurpose a repair or a check.
     * @param offset     of a part of a strip: on the array, or on the members of an array with parity.
     * @param newLength  in bytes.
     * @param newOnDone  notified with {@link BlockStatus#SUCCESS}, with {@link BlockStatus#COMPARE_FAILURE} of a check
     *                   that found a difference, or with {@link BlockStatus#MEDIA_ERROR}: of a check when any member
     *                   cannot read, of a repair when too many cannot.
     */
    final void begin(final Purpose newPurpose, final long offset, final int newLength, final WorkListener newOnDone)
    {
        begin(newPurpose, null, newOnDone);
        repairedSlots = 0;
        length = newLength;
        place(offset);
        locking(offset, newLength, false);
    }

    /**
     * Notes where the rows are.
     *
     * @param offset as {@link #begin} has it.
     */
    protected abstract void place(long offset);

    /**
     * {@return an offset in the region of the rows}
     */
    protected abstract long memberOffset();

    /** Reads the rows of all members that can, or of some for a repair. */
    protected abstract BlockStatus planReads();

    /**
     * {@return slots whose rows were rewritten when it has succeeded, by bit}
     */
    final long repairedSlots()
    {
        return repairedSlots;
    }

    @Override
    protected final boolean isPooled()
    {
        return false;
    }

    @Override
    protected final BlockStatus plan()
    {
        repairedSlots = 0;
        if (channel.device().intent().needsResync(channel.device().intent().region(memberOffset())))
        {
            finish(BlockStatus.SUCCESS);
            return BlockStatus.SUCCESS;
        }
        return 0 != badSlots && Purpose.CHECK == purpose ? BlockStatus.MEDIA_ERROR : planReads();
    }

    /**
     * {@return whether the member of a slot has the rows, and has not failed to read them}
     *
     * @param slot      to read.
     * @param endOffset behind the rows, in bytes of a member's data.
     */
    protected final boolean isReadable(final int slot, final long endOffset)
    {
        return 0 == (badSlots & 1L << slot) && view.isReadable(slot, endOffset);
    }

    /**
     * {@return whether the member of a slot could not read the rows, and they are rewritten now}
     *
     * @param slot      to write.
     * @param endOffset behind the rows, in bytes of a member's data.
     */
    protected final boolean repairs(final int slot, final long endOffset)
    {
        final boolean isTarget = 0 != (badSlots & 1L << slot) && view.isReadable(slot, endOffset);
        repairedSlots |= isTarget ? 1L << slot : 0;
        return isTarget;
    }

    @Override
    protected final void onUnreadable()
    {
        // It is here because of that.
    }

    @Override
    protected final boolean isWrittenWithout(final ArrayView present, final long slots)
    {
        return false;
    }
}
