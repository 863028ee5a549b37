package io.millrace.block.nvme;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.nvme.queue.DataPointer;
import io.millrace.block.nvme.queue.PayloadMemory;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Where requests are cut.
 */
class CommandSizesTest
{
    private static final int BLOCK_SHIFT = 9;
    private static final int BLOCK = 1 << BLOCK_SHIFT;
    private static final int PAGE_SHIFT = 12;
    private static final int PAGE = 1 << PAGE_SHIFT;
    private static final int BLOCKS_MAX = 256;
    private static final int ZEROES_BLOCKS_MAX = 1000;
    private static final int VERIFY_BLOCKS_MAX = 700;
    private static final int DATASET_BLOCKS_MAX = 5000;
    private static final int COPY_BLOCKS_MAX = 70;

    private final DmaMemory memory = DmaMemory.map(1 << 20);
    private final PayloadMemory payload =
        new PayloadMemory("drive", new ModelDma(), Assertions::fail);

    @BeforeEach
    void open()
    {
        MemoryRegistry.of(memory).addListener(payload);
    }

    @AfterEach
    void close()
    {
        memory.close();
    }

    private CommandSizes sizes(final int boundaryBlocks, final boolean isSglSupported)
    {
        return sizes(new TransferLimits(PAGE_SHIFT, BLOCKS_MAX, ZEROES_BLOCKS_MAX, VERIFY_BLOCKS_MAX,
            DATASET_BLOCKS_MAX, boundaryBlocks, isSglSupported, COPY_BLOCKS_MAX));
    }

    private CommandSizes sizes(final TransferLimits limits)
    {
        return new CommandSizes(
            limits, new DataPointer(payload, limits.pageShift(), limits.isSglSupported()), BLOCK_SHIFT);
    }

    private BlockRequest request(final BlockOperation operation, final long lba, final int blocks)
    {
        return new BlockRequest(null, null).reset(operation, lba, blocks);
    }

    private BlockRequest transfer(final BlockOperation operation, final long lba, final int blocks)
    {
        return request(operation, lba, blocks).addSegment(memory.address(), blocks * BLOCK);
    }

    /** Blocks of all commands of a request. */
    private static List<Integer> parts(final CommandSizes sizes, final BlockRequest request)
    {
        final List<Integer> parts = new ArrayList<>();
        for (int offset = 0; offset < request.blocks(); offset += parts.getLast())
        {
            parts.add(sizes.ofPart(request, offset));
        }
        return parts;
    }

    @Test
    void shouldCutAtTheLargestTransfer()
    {
        for (final BlockOperation operation : List.of(
            BlockOperation.READ, BlockOperation.WRITE, BlockOperation.COMPARE))
        {
            final CommandSizes sizes = sizes(0, false);
            assertEquals(List.of(256), parts(sizes, transfer(operation, 3, 256)));
            assertEquals(List.of(256, 256, 88), parts(sizes, transfer(operation, 3, 600)));
        }
    }

    @Test
    void shouldNotCrossABoundaryWithPayload()
    {
        final CommandSizes sizes = sizes(100, false);
        assertEquals(List.of(7, 100, 100, 3), parts(sizes, transfer(BlockOperation.READ, 93, 210)));
        assertEquals(List.of(100), parts(sizes, transfer(BlockOperation.READ, 100_000_000_000_000L, 100)));
        // What carries no payload may.
        assertEquals(List.of(210), parts(sizes, request(BlockOperation.WRITE_ZEROES, 93, 210)));
        assertEquals(List.of(210), parts(sizes, request(BlockOperation.VERIFY, 93, 210)));
        assertEquals(List.of(210), parts(sizes, request(BlockOperation.DEALLOCATE, 93, 210)));
    }

    @Test
    void shouldCutWhatHasNoPayloadAtItsOwnLimits()
    {
        final CommandSizes sizes = sizes(0, false);
        assertEquals(List.of(1000, 1000, 500), parts(sizes, request(BlockOperation.WRITE_ZEROES, 0, 2500)));
        assertEquals(List.of(700, 700, 100), parts(sizes, request(BlockOperation.VERIFY, 0, 1500)));
        assertEquals(List.of(5000, 1), parts(sizes, request(BlockOperation.DEALLOCATE, 0, 5001)));
        assertEquals(0, sizes.ofPart(request(BlockOperation.FLUSH, 0, 0), 0));
    }

    @Test
    void shouldCutCopiesAtTheirOwnLimitWhateverTheBoundary()
    {
        final CommandSizes sizes = sizes(100, false);
        final BlockRequest request = new BlockRequest(null, null).resetCopy(5000, 93, 150);
        assertEquals(List.of(70, 70, 10), parts(sizes, request));
    }

    @Test
    void shouldCutWherePagesCannotTellWhereMemoryLiesButListsCan()
    {
        final BlockRequest request = request(BlockOperation.WRITE, 0, 13)
            .addSegment(memory.address() + PAGE - 2 * BLOCK, 2 * BLOCK)
            .addSegment(memory.address() + 4 * PAGE, PAGE + BLOCK)
            .addSegment(memory.address() + 8 * PAGE + BLOCK, 2 * BLOCK);
        assertEquals(List.of(11, 2), parts(sizes(0, false), request));
        assertEquals(List.of(13), parts(sizes(0, true), request));
        assertEquals(List.of(10, 1, 2), parts(sizes(10, false), request));
    }
}
