package io.millrace.block.raid;

import io.millrace.block.BlockStatus;
import io.millrace.block.raid.layout.ArrayLayout;

/**
 * Rows that are read from every member that has them in sync, on behalf of {@link ArrayWork}: to rewrite those that a
 * member cannot read ({@link Purpose#REPAIR}), to compare them ({@link Purpose#CHECK}), or to make them equal
 * ({@link Purpose#RECONCILE}). Rows that need a resync are left to that: what would be computed there may be wrong.
 * <p>
 * Reconciled rows differ before the first is written. Their region is not set in the bitmap: a resync after a crash
 * would take parity from data, or copies from the first, where it is known here which member is wrong. Parity
 * that gets another checksum is an exception: it is computed from the data here, too.
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
    private long identifiedSlots;
    private boolean hasCompared;
    /** Null: blocks are not verified. */
    private ChecksumWindow window;

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
     * Blocks are verified from here on.
     *
     * @param newWindow with the checksums of all rows that it is begun with; null: of an array without.
     * @return this.
     */
    final CheckRequest verifying(final ChecksumWindow newWindow)
    {
        window = newWindow;
        return this;
    }

    /**
     * {@return checksums to verify blocks with; null: there are none}
     */
    protected final ChecksumWindow window()
    {
        return window;
    }

    /**
     * {@return slots whose blocks have a checksum mismatch, by bit, when a check found a difference, or when a repair
     * ends since too many members cannot read}
     */
    long wrongSlots()
    {
        return 0;
    }

    /**
     * {@return whether parity is that of all blocks, when a check has found that some have a checksum mismatch}
     */
    boolean isOnlyChecksum()
    {
        return false;
    }

    /**
     * {@return whether a reconciliation has written nothing, since the bit of its region is not stored yet}
     */
    boolean isRegionAwaited()
    {
        return false;
    }

    /**
     * {@return the view that it went by}
     */
    final ArrayView checkedView()
    {
        return view;
    }

    /**
     * Begins.
     *
     * @param newPurpose a check, a repair or a reconciliation.
     * @param offset     of a part of a strip: on the array, or on the members of an array with parity.
     * @param newLength  in bytes.
     * @param newOnDone  notified with {@link BlockStatus#SUCCESS}, with {@link BlockStatus#COMPARE_FAILURE} of a check
     *                   that found a difference, or with {@link BlockStatus#MEDIA_ERROR}: of a repair when too many
     *                   members cannot read, else when any cannot.
     */
    final void begin(final Purpose newPurpose, final long offset, final int newLength, final WorkListener newOnDone)
    {
        begin(newPurpose, null, newOnDone);
        repairedSlots = 0;
        identifiedSlots = 0;
        hasCompared = false;
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

    /**
     * {@return slots whose rows were the only ones that were wrong, by bit, when a reconciliation has succeeded: those
     * were rewritten}
     */
    final long identifiedSlots()
    {
        return identifiedSlots;
    }

    /**
     * {@return whether rows were compared when a check has succeeded: they need no resync, and members had them}
     */
    final boolean hasCompared()
    {
        return hasCompared;
    }

    /** Rows are compared. */
    protected final void comparing()
    {
        hasCompared = true;
    }

    /**
     * A member's rows are wrong, and those of others tell so.
     *
     * @param slot of the member.
     */
    protected final void identified(final int slot)
    {
        identifiedSlots |= 1L << slot;
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
        identifiedSlots = 0;
        hasCompared = false;
        if (channel.device().intent().needsResync(channel.device().intent().region(memberOffset())))
        {
            finish(BlockStatus.SUCCESS);
            return BlockStatus.SUCCESS;
        }
        return 0 == badSlots || Purpose.REPAIR == purpose || Purpose.RECONCILE == purpose && null != window ?
            planReads() : BlockStatus.MEDIA_ERROR;
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
