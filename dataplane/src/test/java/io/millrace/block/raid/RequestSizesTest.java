package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.BufferPool;
import io.millrace.memory.DmaMemory;
import io.millrace.seed.TestSeeds;
import org.junit.jupiter.api.Test;

class RequestSizesTest
{
    private static final int BUFFER_BYTES = 32 << 10;

    @Test
    void shouldKeepSizesWhenBuffersHaveNoRoomForAnotherSlot()
    {
        try (ArrayFixture fixture = new ArrayFixture(TestSeeds.random(), RaidLevel.RAID5, 3, 0);
            DmaMemory memory = DmaMemory.map(2 * BUFFER_BYTES))
        {
            final RaidDevice array = fixture.array();
            final BufferPool pool = new BufferPool(memory.address(), 2 * BUFFER_BYTES, BUFFER_BYTES);
            try (StripeBuffers buffers = new StripeBuffers(pool, RequestSizes.bytesMin(array, 3)))
            {
                assertTrue(buffers.exist());
                assertEquals(BUFFER_BYTES, buffers.bufferBytesMax());
                final RequestSizes sizes = new RequestSizes(array, buffers, null);
                final int rowBytes = sizes.rowBytesMax();
                assertFalse(sizes.fit(4));
                assertEquals(4096, sizes.journalRowBytesMax());
                assertEquals(rowBytes, sizes.rowBytesMax());
            }
        }
    }
}
