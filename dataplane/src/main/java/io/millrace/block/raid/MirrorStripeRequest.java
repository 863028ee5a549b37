package io.millrace.block.raid;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.layout.ArrayLayout;

/**
 * A part of a strip of an array without parity (RAID 0, 1, 10), on the members that have a copy of it. Rows are locked
 * by offset on the array, so that copies are written in one order; reads lock nothing.
 */
final class MirrorStripeRequest extends StripeRequest
{
    private static final int NO_COPY = -1;

    private ArrayLayout layout;
    private int copyCount;
    private long strip;
    private long arrayOffset;
    private int offsetInStrip;
    private int length;
    /** What is read at once: where it begins in the part of the strip, and its length. All, unless a copy is bad. */
    private int pieceOffset;
    private int pieceLength;
    private long buffer;
    private int source;

    /**
     * Creates a slot.
     *
     * @param channel that it is of.
     */
    MirrorStripeRequest(final RaidChannel channel)
    {
        super(channel);
        layout = channel.layout();
        copyCount = layout.copyCount();
    }

    /**
     * Begins a read or write of the next part of a request.
     *
     * @param newParent the request; the part is noted in it.
     */
    void begin(final ArrayRequest newParent)
    {
        final Purpose newPurpose = newParent.isWrite() ? Purpose.WRITE : Purpose.READ;
        begin(newPurpose, newParent, null);
        final long offset = newParent.nextOffset();
        final int stripBytes = layout.stripBytes();
        place(offset, (int)Math.min(newParent.endOffset() - offset, stripBytes - (offset & stripBytes - 1)));
        newParent.issued(offset + length, 0);
        if (Purpose.WRITE == newPurpose)
        {
            protect();
        }
    }

    /**
     * Begins a part of a rebuild or a resync.
     *
     * @param newPurpose one of both.
     * @param newTarget  of a copy, as {@link RaidChannel#beginWork} has it.
     * @param offset     on the array, of a part of a strip.
     * @param newLength  in bytes.
     * @param newOnDone  notified at its end.
     */
    void begin(
        final Purpose newPurpose,
        final RaidMember newTarget,
        final long offset,
        final int newLength,
        final WorkListener newOnDone)
    {
        begin(newPurpose, null, newOnDone);
        target = newTarget;
        place(offset, newLength);
        locking(offset, newLength, false);
    }

    private void place(final long offset, final int newLength)
    {
        arrayOffset = offset;
        strip = offset >>> layout.stripShift();
        offsetInStrip = (int)(offset & layout.stripBytes() - 1);
        length = newLength;
        pieceOffset = 0;
        pieceLength = newLength;
    }

    private void protect()
    {
        if (null != channel.device().intent())
        {
            entering(memberOffset(0));
            locking(arrayOffset, length, false);
        }
    }

    private long memberOffset(final int copy)
    {
        return (layout.memberStrip(strip, copy) << layout.stripShift()) + offsetInStrip;
    }

    @Override
    protected BlockStatus plan()
    {
        // The array may have got another copy since.
        layout = view.layout();
        copyCount = layout.copyCount();
        if (Purpose.WRITE == purpose)
        {
            issuing(StripeState.WRITING);
            final boolean isStable = parent.forceUnitAccess();
            for (int copy = 0; copy < copyCount; copy++)
            {
                final int slot = layout.slot(strip, copy);
                if (view.isWritable(slot))
                {
                    final BlockRequest part = part(slot, BlockOperation.WRITE, memberOffset(copy), length);
                    parent.slicePayload(arrayOffset, length, part.segments());
                    part.forceUnitAccess(isStable);
                    submit(slot);
                }
            }
            issued();
            return BlockStatus.SUCCESS;
        }
        if (Purpose.COPY == purpose && target != view.target())
        {
            // It has left.
            finish(BlockStatus.SUCCESS);
            return BlockStatus.SUCCESS;
        }
        if (0 != badSlots && pieceLength > 1 << channel.blockShift() && isFirstRead())
        {
            // Each block is that of the first copy that has it, whatever is read beside it.
            if (Purpose.READ != purpose)
            {
                return BlockStatus.MEDIA_ERROR;
            }
            pieceLength = 1 << channel.blockShift();
            badSlots = 0;
        }
        source = sourceCopy();
        if (NO_COPY == source)
        {
            return lost();
        }
        if (Purpose.READ != purpose)
        {
            buffer = acquireBuffer(length);
            if (0 == buffer)
            {
                return null;
            }
        }
        read(layout.slot(strip, source));
        return BlockStatus.SUCCESS;
    }

    private BlockStatus lost()
    {
        if (0 == badSlots)
        {
            return BlockStatus.DEVICE_ERROR;
        }
        final LostBlockChanges changes = channel.device().lostBlockChanges();
        if (Purpose.RESYNC == purpose ? loseCopies(changes) : null != target && loseOfTarget(changes))
        {
            finish(BlockStatus.SUCCESS);
            return BlockStatus.SUCCESS;
        }
        return BlockStatus.MEDIA_ERROR;
    }

    /** When it has left, nothing that was copied to it counts. */
    private boolean loseOfTarget(final LostBlockChanges changes)
    {
        final int copy = copyOf(view.writtenSlot(target));
        return NO_COPY == copy || changes.lose(target, memberOffset(copy), length);
    }

    /** No copy can be read, and they may differ: whatever can be read again, readers see the first one alone. */
    private boolean loseCopies(final LostBlockChanges changes)
    {
        badSlots = 0;
        final int first = sourceCopy();
        boolean isLost = true;
        for (int copy = 0; copy < copyCount; copy++)
        {
            final int slot = layout.slot(strip, copy);
            if (view.isReadable(slot, memberOffset(copy) + length))
            {
                isLost &= copy == first ? changes.loseOfTarget(view, slot, memberOffset(copy), length) :
                    changes.lose(view, slot, memberOffset(copy), length);
            }
        }
        return isLost && 1 << channel.blockShift() == length;
    }

    private void read(final int slot)
    {
        issuing(StripeState.READING);
        final BlockRequest part = part(slot, BlockOperation.READ, memberOffset(source) + pieceOffset, pieceLength);
        if (Purpose.READ == purpose)
        {
            parent.slicePayload(arrayOffset + pieceOffset, pieceLength, part.segments());
            part.forceUnitAccess(parent.forceUnitAccess());
        }
        else
        {
            part.addSegment(buffer, length);
        }
        submit(slot);
        issued();
    }

    /**
     * The copy to read: where copies may differ since a crash the first, so that all readers see the same; else the one
     * whose member has the least to do. A member that is being rebuilt comes behind those in sync: how far it has been
     * copied, and may be read, changes meanwhile.
     */
    private int sourceCopy()
    {
        if (1 == copyCount)
        {
            return isSource(0) ? 0 : NO_COPY;
        }
        final int copied = Purpose.COPY == purpose ? copyOf(view.targetSlot()) : NO_COPY;
        if (NO_COPY != copied && isSource(copied))
        {
            return copied;
        }
        final boolean isFirst = isFirstRead();
        int chosen = NO_COPY;
        int least = Integer.MAX_VALUE;
        final int start = isFirst ? 0 : (int)(strip % copyCount);
        for (int i = 0; i < copyCount; i++)
        {
            final int copy = start + i < copyCount ? start + i : start + i - copyCount;
            if (isSource(copy))
            {
                final int slot = layout.slot(strip, copy);
                final int load = isFirst ? SlotState.IN_SYNC == view.state(slot) ? 0 : 1 :
                    channel.inFlight(view.member(slot));
                if (load < least)
                {
                    least = load;
                    chosen = copy;
                }
            }
        }
        return chosen;
    }

    /** Whether copies may differ since a crash. */
    private boolean isFirstRead()
    {
        return copyCount > 1 && (Purpose.RESYNC == purpose ||
            channel.device().intent().needsResync(channel.device().intent().region(memberOffset(0))));
    }

    private int copyOf(final int slot)
    {
        for (int copy = 0; copy < copyCount; copy++)
        {
            if (slot == layout.slot(strip, copy))
            {
                return copy;
            }
        }
        return NO_COPY;
    }

    private boolean isSource(final int copy)
    {
        final int slot = layout.slot(strip, copy);
        return 0 == (badSlots & 1L << slot) && view.isReadable(slot, memberOffset(copy) + length);
    }

    @Override
    protected void onRead()
    {
        if (Purpose.READ == purpose)
        {
            pieceOffset += pieceLength;
            if (pieceOffset < length)
            {
                badSlots = 0;
                planAgain();
            }
            else
            {
                finish(BlockStatus.SUCCESS);
            }
            return;
        }
        issuing(StripeState.WRITING);
        // A write that was torn may have reached a member, and not the one that is to replace it.
        final boolean isSourceReplaced = Purpose.RESYNC == purpose && layout.slot(strip, source) == view.targetSlot();
        if (Purpose.COPY == purpose || isSourceReplaced)
        {
            submitCopy(memberOffset(copyOf(view.targetSlot())), buffer, length);
        }
        for (int copy = 0; Purpose.COPY != purpose && copy < copyCount; copy++)
        {
            final int slot = layout.slot(strip, copy);
            if (copy != source && isTarget(slot, copy))
            {
                part(slot, BlockOperation.WRITE, memberOffset(copy), length).addSegment(buffer, length);
                submit(slot);
            }
        }
        issued();
    }

    private boolean isTarget(final int slot, final int copy)
    {
        return Purpose.RESYNC == purpose ? view.isWritable(slot) :
            SlotState.REBUILDING == view.state(slot) && !view.isReadable(slot, memberOffset(copy) + length);
    }

    @Override
    protected void onUnreadable()
    {
        if (copyCount > 1)
        {
            channel.device().onUnreadable(arrayOffset, length);
        }
    }

    @Override
    protected boolean isWrittenWithout(final ArrayView present, final long slots)
    {
        for (int copy = 0; copy < copyCount; copy++)
        {
            final int slot = layout.slot(strip, copy);
            if (0 == (slots & 1L << slot) && view.isWritable(slot) &&
                present.isReadable(slot, memberOffset(copy) + length))
            {
                return true;
            }
        }
        return false;
    }
}
