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
     */
    ScrubRows(final RaidDevice device, final RaidChannel channel, final ScrubTally tally)
    {
        this.device = device;
        this.channel = channel;
        this.tally = tally;
        request = channel.newCheckRequest();
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
        channel.begin(request, purpose, offset, CheckRequest.ROW_UNIT_BYTES, onDone);
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
        next();
    }

    private void onRewritten(final BlockStatus status)
    {
        if (BlockStatus.SUCCESS != status)
        {
            tally.onUnreadable();
            next();
            return;
        }
        device.onRepaired(request.repairedSlots());
        tally.onCorrected(request.repairedSlots());
        isRewritten = true;
        purpose = Purpose.CHECK;
    }

    private void onReconciled(final BlockStatus status)
    {
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
        offset += CheckRequest.ROW_UNIT_BYTES;
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
