package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.MemoryQuarantine;
import io.millrace.block.raid.format.ReshapeState;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.block.raid.layout.RaidLevel;
import org.junit.jupiter.api.Test;

class StripeRowsReshapeTest
{
    private static final int STRIP_BYTES = 1 << 20;
    private static final int BLOCK_SHIFT = 12;
    private static final int HALF_BYTES = 8192;

    @Test
    void shouldCutRequestsWhereASliceOfTheHeadEnds()
    {
        final ArrayLayout layout = ArrayLayout.of(RaidLevel.RAID5, 4, STRIP_BYTES, 16L * STRIP_BYTES);
        final StripMap head = StripMap.of(layout, new ReshapeState(3, 0, 0, ReshapeState.Stage.MOVING));
        final int slice = head.sliceBytes();
        final StripMap map = head.at(head.next(1));
        final BlockRequest request = new BlockRequest(this, (done) ->
        {
        }).reset(BlockOperation.READ, slice - HALF_BYTES >>> BLOCK_SHIFT, 2 * HALF_BYTES >>> BLOCK_SHIFT);
        final ArrayRequest parent = new ArrayRequest(new MemoryQuarantine(), ArrayRequest::complete);
        parent.begin(request, BLOCK_SHIFT, 0);
        final StripeRows rows = new StripeRows(layout);
        rows.take(map, parent, STRIP_BYTES);
        assertEquals(3, rows.dataCount());
        assertEquals(slice, rows.arrayEnd());
        assertEquals(slice, rows.end());
        assertEquals(slice, parent.nextOffset());
        rows.take(map, parent, STRIP_BYTES);
        assertEquals(2, rows.dataCount());
        assertEquals(slice, rows.start());
        assertEquals(slice + HALF_BYTES, rows.arrayEnd());
    }
}
