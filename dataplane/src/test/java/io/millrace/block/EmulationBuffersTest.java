package io.millrace.block;

import static io.millrace.block.ManualEmulation.BUFFER_BLOCKS;
import static io.millrace.block.ManualEmulation.BUFFER_BYTES;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Sizes of the buffers of emulated commands when hosts have most of the pool. */
class EmulationBuffersTest
{
    private static final int FLOOR_BLOCKS = 64;

    private final ManualEmulation manual = new ManualEmulation(true);

    @AfterEach
    void close()
    {
        manual.close();
    }

    /** Up to 32 KiB are promised to be atomic: the floors of a pool, which an emulated command may wait for. */
    @Test
    void shouldWriteAnAtomicUnitOfZeroesAtOnceWhenOnlySmallerBuffersAreFree()
    {
        manual.takeSharedBuffers();
        manual.releaseUntilFree(3 * 4096);
        assertTrue(manual.emulation.submit(manual.request(BlockOperation.WRITE_ZEROES, 0, FLOOR_BLOCKS)));
        assertTrue(manual.submitted.isEmpty());
        manual.pool().poll();
        assertEquals(FLOOR_BLOCKS, manual.submitted.element().blocks());
        manual.completeAll();
        assertEquals(BlockStatus.SUCCESS, manual.outcome());
    }

    @Test
    void shouldWriteZeroesFromAFullBufferAgainWhenThePoolHasOne()
    {
        manual.takeSharedBuffers();
        assertTrue(manual.emulation.submit(manual.request(BlockOperation.WRITE_ZEROES, 0, FLOOR_BLOCKS)));
        manual.pool().poll();
        final BlockRequest small = manual.submitted.remove();
        assertEquals(FLOOR_BLOCKS, small.blocks());
        assertTrue(manual.emulation.submit(manual.request(BlockOperation.WRITE_ZEROES, 0, FLOOR_BLOCKS)));
        final BlockRequest shared = manual.submitted.remove();
        assertEquals(small.segments().address(0), shared.segments().address(0), "none other is free");

        manual.releaseSharedBuffers();
        final List<BlockRequest> parts = new ArrayList<>(List.of(small, shared));
        final long usedBytes = manual.pool().usedBytes();
        for (int i = 0; i < 2; i++)
        {
            assertTrue(manual.emulation.submit(manual.request(BlockOperation.WRITE_ZEROES, 0, BUFFER_BLOCKS)));
            final BlockRequest full = manual.submitted.remove();
            assertEquals(BUFFER_BLOCKS, full.blocks());
            parts.add(full);
            // By the first, which the second shares.
            assertEquals(usedBytes + BUFFER_BYTES, manual.pool().usedBytes());
        }
        parts.forEach((each) -> each.complete(BlockStatus.SUCCESS));
        assertEquals(4, manual.completed.size());
        assertEquals(BUFFER_BYTES, manual.pool().usedBytes(), "the full one is kept");
    }
}
