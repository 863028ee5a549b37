package io.millrace.block;

import static io.millrace.block.ManualEmulation.BUFFER_BLOCKS;
import static io.millrace.block.ManualEmulation.BUFFER_BYTES;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.memory.MemoryDomain;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Sizes of the buffers of emulated commands when hosts have most of the pool, and which commands share one. */
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

    /** Other data in the shared buffer would be written as zeroes. */
    @Test
    void shouldNotUseZeroesOfWriteZeroesForAVerify()
    {
        submit(BlockOperation.WRITE_ZEROES);
        manual.completeAll();
        assertEquals(BlockStatus.SUCCESS, manual.outcome());
        submit(BlockOperation.WRITE_ZEROES);
        submit(BlockOperation.VERIFY);
        final BlockRequest zeroes = manual.submitted.remove();
        final BlockRequest read = manual.submitted.remove();
        final boolean isShared = zeroes.segments().address(0) == read.segments().address(0);
        zeroes.complete(BlockStatus.SUCCESS);
        read.complete(BlockStatus.SUCCESS);
        assertFalse(isShared);
    }

    @Test
    void shouldNotGiveZeroesThatAreWrittenToAVerifyThatWaitsBehind()
    {
        manual.takeSharedBuffers();
        submit(BlockOperation.VERIFY);
        manual.pool().poll();
        submit(BlockOperation.WRITE_ZEROES);
        submit(BlockOperation.VERIFY);
        assertEquals(List.of(BlockOperation.READ), submittedOperations());
        manual.completeFirst(BlockStatus.SUCCESS);
        final List<BlockOperation> second = submittedOperations();
        manual.completeFirst(BlockStatus.SUCCESS);
        final List<BlockOperation> third = submittedOperations();
        manual.completeAll();
        assertEquals(List.of(BlockOperation.WRITE), second);
        assertEquals(List.of(BlockOperation.READ), third);
        assertEquals(3, manual.completed.size());
    }

    @Test
    void shouldServeRequestsQueuedAfterTheLastOneLeft()
    {
        manual.takeSharedBuffers();
        final Emulation other = manual.another();
        submit(BlockOperation.VERIFY);
        manual.pool().poll();
        submit(BlockOperation.VERIFY);
        assertTrue(other.submit(manual.request(BlockOperation.VERIFY, 0, 1)));
        other.close();
        assertEquals(BlockStatus.ABORTED, manual.outcome());
        submit(BlockOperation.VERIFY);
        manual.completeAll();
        assertEquals(3, manual.completed.size());
    }

    @Test
    void shouldNotEmulateForADeviceThatCannotUseHostMemory()
    {
        final BlockGeometry geometry = BlockGeometry.builder(ManualEmulation.BLOCK, 1 << 20)
            .memoryDomains(MemoryDomain.ofDevice("gpu of a test").bit()).build();
        try (ManualEmulation gpuOnly = new ManualEmulation(geometry))
        {
            assertTrue(gpuOnly.emulation.submit(gpuOnly.request(BlockOperation.VERIFY, 0, 1)));
            assertTrue(gpuOnly.submitted.isEmpty());
            assertEquals(BlockStatus.NOT_SUPPORTED, gpuOnly.outcome());
        }
    }

    private void submit(final BlockOperation operation)
    {
        assertTrue(manual.emulation.submit(manual.request(operation, 0, 1)));
    }

    private List<BlockOperation> submittedOperations()
    {
        return manual.submitted.stream().map(BlockRequest::operation).toList();
    }
}
