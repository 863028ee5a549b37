package io.millrace.block.raid;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;

/** Rows of a stripe with parity that are compared, or rewritten where a member cannot read. */
final class ParityCheckRequest extends CheckRequest
{
    private final StripeRows rows;
    private final StripeAreas areas;

    /**
     * A request of its owner.
     *
     * @param channel that it is of.
     */
    ParityCheckRequest(final RaidChannel channel)
    {
        super(channel);
        rows = new StripeRows(layout);
        areas = new StripeAreas(rows, channel.codes());
    }

    @Override
    protected void place(final long offset)
    {
        rows.take(channel.device().view().map(), offset, length);
        areas.fit();
    }

    @Override
    protected long memberOffset()
    {
        return rows.memberOffset();
    }

    @Override
    protected BlockStatus planReads()
    {
        if (rows.areFree())
        {
            finish(BlockStatus.SUCCESS);
            return BlockStatus.SUCCESS;
        }
        rows.follow(view.map());
        areas.fit();
        if (length > channel.sizes().checkBytesMax())
        {
            // It was begun before the array got another slot: there is no room for the rows of all.
            finish(BlockStatus.SUCCESS);
            return BlockStatus.SUCCESS;
        }
        rows.findReadable(view, badSlots);
        if (rows.unreadableData() > rows.readableParity())
        {
            return BlockStatus.MEDIA_ERROR;
        }
        final long buffer = acquireBuffer(rows.stripCount() * areas.bytes());
        if (0 == buffer)
        {
            return null;
        }
        areas.placeFrom(0, buffer);
        issuing(StripeState.READING);
        for (int index = 0; index < rows.stripCount(); index++)
        {
            if (rows.isReadable(index))
            {
                final int slot = rows.slot(index);
                part(slot, BlockOperation.READ, rows.memberOffset(), length).addSegment(areas.address(index), length);
                submit(slot);
            }
        }
        issued();
        return BlockStatus.SUCCESS;
    }

    @Override
    protected void onRead()
    {
        if (Purpose.CHECK == purpose)
        {
            // A member may have failed since the check was begun: then there is nothing to compare.
            if (view.isComplete())
            {
                comparing();
            }
            final boolean isEqual = !view.isComplete() || areas.isParityRight();
            finish(isEqual ? BlockStatus.SUCCESS : BlockStatus.COMPARE_FAILURE);
            return;
        }
        if (Purpose.RECONCILE == purpose)
        {
            reconcile();
            return;
        }
        if (0 != badSlots)
        {
            areas.recover();
            areas.generate();
        }
        issuing(StripeState.WRITING);
        for (int index = 0; index < rows.stripCount(); index++)
        {
            final int slot = rows.slot(index);
            if (repairs(slot, rows.memberOffset() + length))
            {
                part(slot, BlockOperation.WRITE, rows.memberOffset(), length).addSegment(areas.address(index), length);
                submit(slot);
            }
        }
        issued();
    }

    /**
     * Two parities or more tell which strip is wrong when no other one is: that one is computed again, else parity is,
     * from the data.
     */
    private void reconcile()
    {
        if (!view.isComplete() || areas.isParityRight())
        {
            finish(BlockStatus.SUCCESS);
            return;
        }
        final int dataCount = rows.dataCount();
        final int wrong = areas.wrongStrip();
        if (wrong >= 0 && wrong < dataCount)
        {
            areas.recover(wrong);
        }
        else
        {
            areas.generate();
        }
        if (wrong >= 0)
        {
            identified(rows.slot(wrong));
        }
        if (view.isJournaling())
        {
            // Writes were logged that updated what is wrong by the difference.
            channel.device().journal().expire();
        }
        issuing(StripeState.WRITING);
        final int end = wrong < 0 ? rows.stripCount() : wrong + 1;
        for (int index = wrong < 0 ? dataCount : wrong; index < end; index++)
        {
            final int slot = rows.slot(index);
            part(slot, BlockOperation.WRITE, rows.memberOffset(), length).addSegment(areas.address(index), length);
            submit(slot);
        }
        issued();
    }
}
