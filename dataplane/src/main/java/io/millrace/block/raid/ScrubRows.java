package io.millrace.block.raid;

import io.millrace.block.BlockStatus;
import io.millrace.block.raid.layout.ArrayLayout;

/**
 * Rows of a part of a strip that {@link Scrub} found not to be right, one by one: rewritten where a member cannot read,
 * compared again, and made equal by a repair. One reactor's only.
 */
final class ScrubRows
{
    private final RaidDevice device;
    private final RaidChannel channel;
    private final ScrubTally tally;
    private final CheckRequest request;
    private final int unitBytes;
    private final WorkListener onDone = this::onDone;
    private Purpose purpose = Purpose.CHECK;
    private long offset;
    private long endOffset;
    private boolean isBusy;
    /** Whether the present row was rewritten where a member could not read it. */
    private boolean isRewritten;

    /**
     * No rows.
     *
     * @param device  with redundancy.
     * @param channel to its members.
     * @param tally   of what is found.
     * @param window  to verify blocks with; null: they have no checksums.
     */
    ScrubRows(
        final RaidDevice device, final RaidChannel channel, final ScrubTally tally, final ChecksumWindow window)
    {
        this.device = device;
        this.channel = channel;
        this.tally = tally;
        request = channel.newCheckRequest().verifying(window);
        // Of two blocks of the same rows, one may be wrong on one member and the other on another one.
        unitBytes = null == window ? CheckRequest.ROW_UNIT_BYTES : 1 << channel.blockShift();
    }

    boolean isBusy()
    {
        return isBusy;
    }

    /**
     * {@return whether all its rows were looked at}
     */
    boolean isIdle()
    {
        return offset == endOffset;
    }

    /**
     * Takes rows.
     *
     * @param newOffset of the part: on the array, or on the members of an array with parity.
     * @param length    in bytes.
     */
    void begin(final long newOffset, final int length)
    {
        offset = newOffset;
        endOffset = newOffset + length;
        first();
    }

    /**
     * {@return offset of the present row}
     */
    long offset()
    {
        return offset;
    }

    /** Forgets its rows. */
    void clear()
    {
        offset = endOffset;
    }

    private void first()
    {
        purpose = Purpose.CHECK;
        isRewritten = false;
    }

    /** Begins what is next of its row. */
    void step()
    {
        isBusy = true;
        channel.begin(request, purpose, offset, unitBytes, onDone);
    }

    private void onDone(final BlockStatus status)
    {
        isBusy = false;
        switch (purpose)
        {
            case CHECK -> onChecked(status);
            case REPAIR -> onRewritten(status);
            default -> onReconciled(status);
        }
    }

    private void onChecked(final BlockStatus status)
    {
        if (BlockStatus.COMPARE_FAILURE == status)
        {
            tally.onMismatch(arrayOffset());
            tellWrong();
            if (ScrubMode.REPAIR == tally.mode())
            {
                purpose = Purpose.RECONCILE;
                return;
            }
        }
        else if (BlockStatus.MEDIA_ERROR == status)
        {
            if (!isRewritten)
            {
                purpose = Purpose.REPAIR;
                return;
            }
            tally.onUnreadable();
        }
        else if (BlockStatus.SUCCESS != status || !request.hasCompared())
        {
            // A member has failed meanwhile, say, and may come back with what it had.
            tally.onUncompared((long)unitBytes * device.layout().dataCount());
        }
        next();
    }

    private void onRewritten(final BlockStatus status)
    {
        if (BlockStatus.SUCCESS != status)
        {
            onUnreadable();
            return;
        }
        device.onRepaired(request.repairedSlots());
        tally.onCorrected(request.repairedSlots());
        isRewritten = true;
        purpose = Purpose.CHECK;
    }

    private void onUnreadable()
    {
        if (0 != request.wrongSlots())
        {
            tally.onMismatch(arrayOffset());
            tellWrong();
            if (ScrubMode.REPAIR == tally.mode())
            {
                purpose = Purpose.RECONCILE;
                return;
            }
        }
        tally.onUnreadable();
        next();
    }

    /** Says which members have blocks with a checksum mismatch; of many rows the first ones. */
    private void tellWrong()
    {
        final ArrayView view = request.checkedView();
        for (long left = request.wrongSlots(); 0 != left; left &= left - 1)
        {
            final int slot = Long.numberOfTrailingZeros(left);
            view.member(slot).onWrong(1);
            if (tally.onWrong())
            {
                device.reports().announce("block at byte " + offset + " of the data of " + view.member(slot) +
                    " (slot " + slot + "): checksum mismatch" +
                    (request.isOnlyChecksum() ? ", and parity agrees with the block, which it may have been computed " +
                    "from: compare it with a backup, and overwrite it from a host" : ""));
            }
        }
    }

    /** Where hosts see what is lost now of the row. */
    private String hostBlocks()
    {
        final ArrayView view = request.checkedView();
        final StringBuilder text = new StringBuilder();
        for (int slot = 0; slot < view.slotCount(); slot++)
        {
            if (view.member(slot).lostBlocks().covers(offset, unitBytes, channel.blockShift()))
            {
                text.append(text.isEmpty() ? ": " : ", ").append(HostPlace.of(device, slot, offset));
            }
        }
        return text.toString();
    }

    private void onReconciled(final BlockStatus status)
    {
        if (BlockStatus.COMPARE_FAILURE == status && request.isRegionAwaited())
        {
            // Once more. Not within the request: the array may be stopped meanwhile, which stores no more bits.
            return;
        }
        if (BlockStatus.MEDIA_ERROR == status)
        {
            tally.onUnreadable();
            device.reports().announceLoss("scrub: blocks at byte " + offset + " of the members' data are lost, since " +
                "more are wrong than parity makes up for" + hostBlocks() + "; overwrite them from a host");
            device.lostBlockChanges().announced();
        }
        if (BlockStatus.SUCCESS == status)
        {
            tally.onRepaired();
            device.onRepaired(request.identifiedSlots());
            if (!device.view().isComplete())
            {
                // Members that come back have the row as it was.
                device.intent().mark(device.intent().region(request.memberOffset()));
            }
        }
        next();
    }

    private void next()
    {
        offset += unitBytes;
        first();
    }

    /** Lowest byte on the array that is in the row. */
    private long arrayOffset()
    {
        final ArrayLayout layout = device.layout();
        if (0 == layout.parityCount())
        {
            return offset;
        }
        final long row = offset & layout.stripBytes() - 1;
        return (offset - row) * layout.dataCount() + row;
    }
}
