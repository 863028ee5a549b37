package io.millrace.block.raid;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.raid.layout.ArrayLayout;

/**
 * Writes rows of a stripe of the new layout, with parity: its data strips are read from where the old layout has them,
 * each of another member, or in the head from the backup of that. Behind the capacity that the array had there are
 * zeroes.
 */
final class MoveRequest extends ReshapeRequest
{
    /** In the order in which parity takes the data, then of parity. */
    private long[] areas = {};
    private int firstOfQ;

    /**
     * A request of its owner.
     *
     * @param channel that it is of.
     */
    MoveRequest(final RaidChannel channel)
    {
        super(channel);
    }

    @Override
    protected BlockStatus plan()
    {
        final BlockStatus problem = problem();
        if (BlockStatus.SUCCESS != problem)
        {
            return problem;
        }
        final ArrayLayout layout = map.layout();
        final long buffer = acquireAreas(layout.memberCount());
        if (0 == buffer)
        {
            return null;
        }
        if (areas.length != layout.memberCount())
        {
            areas = new long[layout.memberCount()];
        }
        for (int place = 0; place < areas.length; place++)
        {
            areas[place] = buffer + (long)place * areaBytes();
        }
        firstOfQ = layout.firstOfQ(layout.parityP(stripe));
        issuing(StripeState.READING);
        for (int index = 0; index < layout.dataCount(); index++)
        {
            final long strip = map.strip(stripe, index);
            if (strip < 0)
            {
                NativeMemory.fill(area(layout, index), length, (byte)0);
            }
            else
            {
                final int slot = map.oldSlot(strip);
                part(slot, BlockOperation.READ, source(map.oldRow(strip)), length)
                    .addSegment(area(layout, index), length);
                submit(slot);
            }
        }
        issued();
        return BlockStatus.SUCCESS;
    }

    private long area(final ArrayLayout layout, final int index)
    {
        return areas[index >= layout.dataCount() ? index : StripeCodes.place(index, firstOfQ, layout.dataCount())];
    }

    /** Offset on a member of what is read. */
    private long source(final long row)
    {
        return map.isExclusive() ? map.backupOffset(row, start) : (row << map.layout().stripShift()) + start;
    }

    @Override
    protected void onRead()
    {
        final ArrayLayout layout = map.layout();
        final int dataCount = layout.dataCount();
        channel.codes().of(layout.parityCount()).generate(areas, dataCount, length);
        issuing(StripeState.WRITING);
        for (int index = 0; index < areas.length; index++)
        {
            final int slot = index < dataCount ? layout.dataSlot(stripe, index) :
                layout.paritySlot(stripe, index - dataCount);
            final BlockRequest part =
                part(slot, BlockOperation.WRITE, (stripe << layout.stripShift()) + start, length);
            part.addSegment(area(layout, index), length);
            submit(slot);
        }
        issued();
    }
}
