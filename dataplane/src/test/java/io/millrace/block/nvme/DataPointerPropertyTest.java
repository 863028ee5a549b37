package io.millrace.block.nvme;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.nvme.queue.DataPointer;
import io.millrace.block.nvme.queue.DriverMemory;
import io.millrace.block.nvme.queue.PayloadMemory;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import io.millrace.memory.MemoryRole;
import io.millrace.memory.Segments;
import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

/**
 * Data pointers against a naive reference for all offsets and lengths, and against a controller that follows them.
 */
public class DataPointerPropertyTest
{
    private static final int TRANSFER_BYTES_MAX = 1 << 20;
    private static final int BLOCK = 512;
    private static final int GROWTH_BYTES = 2 << 20;
    private static ModelDma dma;
    private static DmaMemory arena;
    private static DmaMemory other;
    private static DmaMemory grown;
    private static DriverMemory driver;
    private static PayloadMemory payload;
    private static long entry;
    private static long list;

    @BeforeContainer
    static void map()
    {
        dma = new ModelDma();
        arena = DmaMemory.map(8 << 20);
        dma.skew(4096 * 3);
        other = DmaMemory.map(2 << 20);
        payload = new PayloadMemory("drive", dma, Assertions::fail);
        final MemoryRegistry registry = MemoryRegistry.of(arena, other);
        registry.addListener(payload);
        grown = DmaMemory.mapGrowable(GROWTH_BYTES, 4 * GROWTH_BYTES);
        registry.add(grown, MemoryRole.BUFFERS);
        grown.grow(2 * GROWTH_BYTES);
        grown.grow(4 * GROWTH_BYTES);
        dma.skew(0);
        driver = DriverMemory.map(dma, 64 << 10);
        entry = driver.allocate(SubmissionQueueEntry.SIZE_BYTES, 64);
        list = driver.allocate(8192, 8192);
    }

    @AfterContainer
    static void unmap()
    {
        driver.close();
        arena.close();
        other.close();
        grown.close();
    }

    private static void clear()
    {
        NativeMemory.fill(entry, SubmissionQueueEntry.SIZE_BYTES, (byte)0);
        NativeMemory.fill(list, 8192, (byte)0xDD);
    }

    /** The pages of a run, as the specification's first example counts them. */
    private static List<Long> pages(final long iova, final int lengthBytes, final int pageBytes)
    {
        final List<Long> pages = new ArrayList<>();
        for (long at = iova; at < iova + lengthBytes; at = (at / pageBytes + 1) * pageBytes)
        {
            pages.add(at);
        }
        return pages;
    }

    private static void checkRun(final int offset, final int lengthBytes, final int pageShift)
    {
        final int pageBytes = 1 << pageShift;
        clear();
        final DataPointer pointer = new DataPointer(payload, pageShift, false);
        final BlockRequest request = new BlockRequest(null, null)
            .reset(BlockOperation.READ, 0, 1).addSegment(arena.address() + offset, lengthBytes);
        assertTrue(pointer.put(entry, request, 0, lengthBytes, list, driver.iova(list)));
        final List<Long> pages = pages(dma.iova(arena.address()) + offset, lengthBytes, pageBytes);
        assertEquals(pages.getFirst(), NativeMemory.getLong(entry + 24));
        final long prp2 = NativeMemory.getLong(entry + 32);
        switch (pages.size())
        {
            case 1 -> assertEquals(0, prp2);
            case 2 -> assertEquals(pages.get(1), prp2);
            default ->
            {
                assertEquals(driver.iova(list), prp2);
                for (int i = 1; i < pages.size(); i++)
                {
                    assertEquals(pages.get(i), NativeMemory.getLong(list + 8L * (i - 1)));
                }
                final int listBytes = DataPointer.listBytes(TRANSFER_BYTES_MAX, pageShift);
                assertTrue(pages.size() - 1 <= listBytes / 8);
                assertEquals(0xDD, NativeMemory.getByte(list + 8L * (pages.size() - 1)) & 0xFF);
            }
        }
    }

    @Test
    void shouldWriteThePagesOfEveryOffsetAndLength()
    {
        map();
        for (final int pageShift : new int[]{12, 13})
        {
            for (int offset = 0; offset < 2 << pageShift; offset += offset % 512 < 16 ? 4 : 124)
            {
                for (int lengthBytes = BLOCK; lengthBytes <= 5 << pageShift; lengthBytes += BLOCK)
                {
                    checkRun(offset, lengthBytes, pageShift);
                }
            }
        }
        unmap();
    }

    @Property(tries = 300)
    void shouldWriteThePagesOfLongRuns(
        @ForAll @IntRange(max = (4 << 20) / 4) final int offsetDwords,
        @ForAll @IntRange(min = 1, max = TRANSFER_BYTES_MAX / BLOCK) final int blocks)
    {
        checkRun(4 * offsetDwords, blocks * BLOCK, 12);
    }

    @Property(tries = 1000)
    void shouldCoverEveryByteOfSegmentsOnceAndInOrder(@ForAll final long seed, @ForAll final boolean isSglSupported)
    {
        final Random random = TestSeeds.fixed(seed);
        final BlockRequest request = segments(random);
        final List<long[]> expected = new ArrayList<>();
        int total = 0;
        for (int i = 0; i < request.segments().count(); i++)
        {
            expected.add(new long[]{request.segments().address(i), request.segments().lengthBytes(i)});
            total += request.segments().lengthBytes(i);
        }
        final DataPointer pointer = new DataPointer(payload, 12, isSglSupported);
        final List<long[]> found = new ArrayList<>();
        for (int offset = 0; offset < total;)
        {
            final int wanted = Math.min(total - offset, BLOCK * (1 + random.nextInt(TRANSFER_BYTES_MAX / BLOCK)));
            final int reached = pointer.reach(request, offset, wanted, BLOCK);
            assertTrue(reached > 0 && reached <= wanted && 0 == reached % BLOCK, () -> "reach of " + wanted);
            clear();
            assertTrue(pointer.put(entry, request, offset, reached, list, driver.iova(list)));
            final ModelCommand command = ModelCommand.fetch(1, entry);
            found.addAll(new ModelData(dma, 4096).runs(command, reached));
            if (reached < wanted)
            {
                // It goes no further because no page begins here, on one side or the other.
                final long end = found.getLast()[0] + found.getLast()[1];
                assertFalse(0 == (end & 4095) && 0 == (addressAt(request, offset + reached) & 4095));
            }
            offset += reached;
        }
        assertEquals(text(merged(expected)), text(merged(found)));
    }

    /** Only lists tell where such a payload lies; without them the geometry asks for whole blocks. */
    @Property(tries = 100)
    void shouldRefuseBlocksInPiecesWherePagesCannotTell(
        @ForAll @IntRange(min = 1, max = BLOCK / 4 - 1) final int firstDwords)
    {
        final int first = 4 * firstDwords;
        final BlockRequest request = new BlockRequest(null, null).reset(BlockOperation.READ, 0, 1)
            .addSegment(arena.address(), first).addSegment(arena.address() + 8192, BLOCK - first);
        assertThrows(IllegalStateException.class,
            () -> new DataPointer(payload, 12, false).reach(request, 0, BLOCK, BLOCK));
        assertEquals(BLOCK, new DataPointer(payload, 12, true).reach(request, 0, BLOCK, BLOCK));
    }

    @Property(tries = 100)
    void shouldRefuseMemoryThatIsNotMapped(@ForAll final long seed)
    {
        final Random random = TestSeeds.fixed(seed);
        final BlockRequest request = new BlockRequest(null, null).reset(BlockOperation.READ, 0, 2);
        if (random.nextBoolean())
        {
            request.addSegment(arena.address(), BLOCK);
        }
        final long outside = random.nextBoolean() ? arena.address() + arena.lengthBytes() - BLOCK + 4 :
            arena.address() - 4;
        request.addSegment(outside, BLOCK);
        final int total = BLOCK * request.segments().count();
        assertFalse(new DataPointer(payload, 12, true).put(entry, request, 0, total, list, driver.iova(list)));
    }

    private static BlockRequest segments(final Random random)
    {
        final BlockRequest request = new BlockRequest(null, null).reset(BlockOperation.READ, 0, 1);
        final int count = 1 + random.nextInt(Segments.COUNT_MAX);
        long touching = 0;
        for (int i = 0; i < count; i++)
        {
            final int lengthBytes =
                random.nextBoolean() ? 4096 * (1 + random.nextInt(8)) : BLOCK * (1 + random.nextInt(24));
            final DmaMemory region = random.nextInt(4) == 0 ? other : arena;
            final int room = (int)region.lengthBytes() - lengthBytes;
            final long scattered = region.address() + (random.nextBoolean() ?
                random.nextInt(room / 4096) * 4096L : random.nextInt(room / 4) * 4L);
            // Across the end of one mapping, where the memory grew.
            final long crossing = grown.address() + GROWTH_BYTES * (1L + random.nextInt(2)) -
                lengthBytes / BLOCK * random.nextInt(BLOCK) / 4 * 4L;
            final boolean touches = 0 != touching && random.nextInt(3) == 0 &&
                PayloadMemory.NOT_MAPPED != payload.iova(touching, lengthBytes);
            final long address = touches ? touching : 0 == random.nextInt(4) ? crossing : scattered;
            request.addSegment(address, lengthBytes);
            touching = address + lengthBytes;
        }
        return request;
    }

    private static long addressAt(final BlockRequest request, final int offset)
    {
        int index = 0;
        int skip = offset;
        while (skip >= request.segments().lengthBytes(index))
        {
            skip -= request.segments().lengthBytes(index);
            index++;
        }
        return request.segments().address(index) + skip;
    }

    private static List<long[]> merged(final List<long[]> runs)
    {
        final List<long[]> merged = new ArrayList<>();
        for (final long[] run : runs)
        {
            if (!merged.isEmpty() && merged.getLast()[0] + merged.getLast()[1] == run[0])
            {
                merged.getLast()[1] += run[1];
            }
            else
            {
                merged.add(run.clone());
            }
        }
        return merged;
    }

    private static String text(final List<long[]> runs)
    {
        final StringBuilder text = new StringBuilder();
        runs.forEach((run) -> text.append(Long.toHexString(run[0])).append('+').append(run[1]).append(' '));
        return text.toString();
    }
}
