package io.millrace.block;

import static io.millrace.block.ManualEmulation.BUFFER_BLOCKS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.millrace.bindings.NativeMemory;
import io.millrace.testing.AllocationWindows;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compare, Verify and Write Zeroes where the device has none: over a channel that a test completes by hand. */
class EmulationTest
{
    private static final int BLOCK = ManualEmulation.BLOCK;

    private final ManualEmulation manual = new ManualEmulation(ManualEmulation.plain(), 4, false);
    private final Emulation emulation = manual.emulation;

    @AfterEach
    void close()
    {
        manual.close();
    }

    @Test
    void shouldPassOnWhatTheDeviceDoesItself()
    {
        final BlockRequest write = new BlockRequest(null, manual.completed::add).reset(BlockOperation.WRITE, 0, 1);
        assertTrue(emulation.submit(write));
        assertEquals(write, manual.submitted.remove());
        final BlockRequest compare = manual.compare(3, 2);
        final Emulation none = manual.another(ManualEmulation.able());
        assertTrue(none.submit(compare));
        assertEquals(compare, manual.submitted.remove());
        for (final BlockOperation operation : List.of(BlockOperation.VERIFY, BlockOperation.WRITE_ZEROES))
        {
            final BlockRequest request = manual.request(operation, 3, 2);
            assertTrue(none.submit(request));
            assertEquals(request, manual.submitted.remove());
            request.complete(BlockStatus.SUCCESS);
            assertEquals(BlockStatus.SUCCESS, manual.outcome());
        }
        assertEquals(0, none.inFlight());
        assertEquals(0, emulation.inFlight());
    }

    @Test
    void shouldComparePieceByPiece()
    {
        assertTrue(emulation.submit(manual.compare(7, 2 * BUFFER_BLOCKS + 1)));
        for (final int blocks : new int[]{BUFFER_BLOCKS, BUFFER_BLOCKS, 1})
        {
            assertEquals(1, emulation.inFlight());
            final BlockRequest read = manual.answer();
            assertEquals(blocks, read.blocks());
            read.complete(BlockStatus.SUCCESS);
        }
        assertEquals(BlockStatus.SUCCESS, manual.outcome());
    }

    @Test
    void shouldFindADifferenceInTheLastPiece()
    {
        assertTrue(emulation.submit(manual.compare(7, BUFFER_BLOCKS + 2)));
        manual.answer().complete(BlockStatus.SUCCESS);
        final BlockRequest last = manual.answer();
        NativeMemory.fill(last.segments().address(0) + 2 * BLOCK - 1, 1, (byte)0x7E);
        last.complete(BlockStatus.SUCCESS);
        assertEquals(BlockStatus.COMPARE_FAILURE, manual.outcome());
    }

    @Test
    void shouldEndWithTheErrorOfAPiece()
    {
        assertTrue(emulation.submit(manual.compare(7, 2 * BUFFER_BLOCKS)));
        final BlockRequest read = manual.answer();
        read.failedWithNvme(0x4281);
        read.complete(BlockStatus.MEDIA_ERROR);
        assertEquals(0x4281, manual.completed.getFirst().nvmeStatus());
        assertEquals(BlockStatus.MEDIA_ERROR, manual.outcome());
        assertTrue(manual.submitted.isEmpty());
    }

    @Test
    void shouldWaitForRoomInTheChannel()
    {
        manual.capacity = 1;
        assertTrue(emulation.submit(manual.compare(7, 2)));
        assertTrue(emulation.submit(manual.compare(7, 2)));
        assertEquals(1, manual.submitted.size());
        assertFalse(emulation.canSleep());
        assertEquals(0, emulation.poll());
        manual.answer().complete(BlockStatus.SUCCESS);
        assertEquals(BlockStatus.SUCCESS, manual.outcome());
        assertEquals(1, emulation.poll());
        assertTrue(emulation.canSleep());
        manual.answer().complete(BlockStatus.SUCCESS);
        assertEquals(BlockStatus.SUCCESS, manual.outcome());
    }

    @Test
    void shouldEndWhatItHasWhenTheChannelIsClosed()
    {
        manual.capacity = 1;
        assertTrue(emulation.submit(manual.compare(7, 2 * BUFFER_BLOCKS)));
        assertTrue(emulation.submit(manual.compare(7, 2)));
        emulation.close();
        assertEquals(BlockStatus.ABORTED, manual.outcome());
        // It was read in time, but no other piece is.
        manual.answer().complete(BlockStatus.SUCCESS);
        assertEquals(BlockStatus.ABORTED, manual.outcome());
        assertTrue(manual.submitted.isEmpty());
    }

    @Test
    void shouldNotCompareWithoutBuffers()
    {
        assertTrue(manual.another(ManualEmulation.plain(), new EmulationBuffers(null)).submit(manual.compare(7, 2)));
        assertEquals(BlockStatus.NOT_SUPPORTED, manual.outcome());
    }

    @Test
    void shouldVerifyByReadsThatAreDropped()
    {
        assertTrue(emulation.submit(manual.request(BlockOperation.VERIFY, 9, BUFFER_BLOCKS + 5)));
        assertEquals("READ 9+256", text(manual.submitted.element()));
        manual.submitted.remove().complete(BlockStatus.SUCCESS);
        assertEquals("READ 265+5", text(manual.submitted.element()));
        manual.submitted.remove().complete(BlockStatus.SUCCESS);
        assertEquals(BlockStatus.SUCCESS, manual.outcome());
    }

    @Test
    void shouldKeepToTheLargestTransferOfTheDevice()
    {
        final Emulation small = manual.another(ManualEmulation.plain().toBuilder().maxTransferBytes(3 * BLOCK).build());
        assertTrue(small.submit(manual.request(BlockOperation.VERIFY, 0, 7)));
        for (final String expected : List.of("READ 0+3", "READ 3+3", "READ 6+1"))
        {
            assertEquals(expected, text(manual.submitted.element()));
            manual.submitted.remove().complete(BlockStatus.SUCCESS);
        }
        assertEquals(BlockStatus.SUCCESS, manual.outcome());
    }

    @Test
    void shouldRefuseWhatIsBehindTheEnd()
    {
        for (final BlockOperation operation : List.of(BlockOperation.VERIFY, BlockOperation.WRITE_ZEROES))
        {
            assertTrue(emulation.submit(manual.request(operation, (1 << 20) - 1, 2)));
            assertEquals(BlockStatus.OUT_OF_RANGE, manual.outcome());
        }
        assertTrue(manual.submitted.isEmpty());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldWriteZeroesWithAFewPartsAtOnce(final boolean isForced)
    {
        manual.dirtyPool();
        assertTrue(emulation.submit(
            manual.request(BlockOperation.WRITE_ZEROES, 3, 6 * BUFFER_BLOCKS + 1).forceUnitAccess(isForced)));
        final Set<Long> addresses = new HashSet<>();
        final List<String> writes = new ArrayList<>();
        while (!manual.submitted.isEmpty())
        {
            assertTrue(manual.submitted.size() <= EmulatedRequest.PARTS_MAX);
            assertTrue(manual.completed.isEmpty());
            final BlockRequest part = manual.submitted.remove();
            addresses.add(part.segments().address(0));
            assertZero(part);
            assertEquals(isForced, part.forceUnitAccess());
            writes.add(text(part));
            part.complete(BlockStatus.SUCCESS);
        }
        assertEquals(BlockStatus.SUCCESS, manual.outcome());
        assertEquals(1, addresses.size(), "one buffer for all");
        assertEquals(List.of("WRITE 3+256", "WRITE 259+256", "WRITE 515+256", "WRITE 771+256", "WRITE 1027+256",
            "WRITE 1283+256", "WRITE 1539+1"), writes);
    }

    @Test
    void shouldEndWithTheFirstErrorWhenThoseInFlightAreDone()
    {
        assertTrue(emulation.submit(manual.request(BlockOperation.WRITE_ZEROES, 0, 9 * BUFFER_BLOCKS)));
        final List<BlockRequest> parts = List.copyOf(manual.submitted);
        assertEquals(EmulatedRequest.PARTS_MAX, parts.size());
        manual.submitted.clear();
        parts.get(1).complete(BlockStatus.CAPACITY_EXCEEDED);
        parts.get(3).complete(BlockStatus.MEDIA_ERROR);
        parts.get(0).complete(BlockStatus.SUCCESS);
        assertTrue(manual.completed.isEmpty());
        parts.get(2).complete(BlockStatus.SUCCESS);
        assertEquals(BlockStatus.CAPACITY_EXCEEDED, manual.outcome());
        assertTrue(manual.submitted.isEmpty());
    }

    @Test
    void shouldDoWhatTheDeviceRefusesAtLast()
    {
        final Emulation tried = manual.another(ManualEmulation.able());
        for (final BlockOperation operation : List.of(BlockOperation.VERIFY, BlockOperation.WRITE_ZEROES))
        {
            final BlockRequest request = manual.request(operation, 5, 3);
            assertTrue(tried.submit(request));
            assertEquals(request, manual.submitted.remove());
            request.failedWithNvme(0x4001);
            request.complete(BlockStatus.NOT_SUPPORTED);
            assertEquals(1, tried.inFlight());
            assertTrue(manual.completed.isEmpty());
            manual.submitted.remove().complete(BlockStatus.SUCCESS);
            assertEquals(0, manual.completed.getFirst().nvmeStatus());
            assertEquals(BlockStatus.SUCCESS, manual.outcome());
        }
        final BlockRequest reused = manual.request(BlockOperation.VERIFY, 5, 3);
        tried.submit(reused);
        manual.submitted.remove().complete(BlockStatus.SUCCESS);
        assertEquals(BlockStatus.SUCCESS, manual.outcome());
        reused.reset(BlockOperation.DEALLOCATE, 5, 3);
        tried.submit(reused);
        manual.submitted.remove().complete(BlockStatus.NOT_SUPPORTED);
        assertEquals(BlockStatus.NOT_SUPPORTED, manual.outcome());
    }

    /** Its payload may lie in a capsule that is received over once the device has answered. */
    @Test
    void shouldNotCompareForADeviceThatCompletesInline()
    {
        final Emulation tried = manual.another(ManualEmulation.able().toBuilder().completesInline(true).build());
        assertTrue(tried.submit(manual.compare(5, 3)));
        manual.submitted.remove().complete(BlockStatus.NOT_SUPPORTED);
        assertEquals(BlockStatus.NOT_SUPPORTED, manual.outcome());
        assertTrue(manual.submitted.isEmpty());
        assertEquals(0, tried.inFlight());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldReadWithTheForceUnitAccessOfTheCommand(final boolean isForced)
    {
        assertTrue(emulation.submit(manual.request(BlockOperation.VERIFY, 9, 5).forceUnitAccess(isForced)));
        assertEquals(isForced, manual.submitted.element().forceUnitAccess());
        manual.submitted.remove().complete(BlockStatus.SUCCESS);
        assertEquals(BlockStatus.SUCCESS, manual.outcome());
    }

    @Test
    void shouldStaySubmittersWhenAnAbleChannelIsFull()
    {
        manual.capacity = 0;
        final Emulation tried = manual.another(ManualEmulation.able());
        final BlockRequest request = manual.request(BlockOperation.VERIFY, 5, 3);
        assertFalse(tried.submit(request));
        request.complete(BlockStatus.NOT_SUPPORTED);
        assertEquals(BlockStatus.NOT_SUPPORTED, manual.outcome());
        assertEquals(0, tried.inFlight());
    }

    /** A channel that is full before each part, and closed after some of them, while others wait for a buffer. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 100})
    void shouldAnswerEachOnceWhenTheFullChannelIsClosedAfterSomeParts(final int partsBefore)
    {
        manual.capacity = 1;
        final int count = 12;
        for (int i = 0; i < count; i++)
        {
            final BlockOperation operation = 0 == i % 2 ? BlockOperation.WRITE_ZEROES : BlockOperation.VERIFY;
            assertTrue(emulation.submit(manual.request(operation, i, 2 * BUFFER_BLOCKS)));
        }
        assertEquals(count, emulation.inFlight());
        for (int done = 0; done < partsBefore && !manual.submitted.isEmpty(); done++)
        {
            manual.submitted.remove().complete(BlockStatus.SUCCESS);
            emulation.poll();
            manual.pool().poll();
        }
        emulation.close();
        while (!manual.submitted.isEmpty())
        {
            manual.submitted.remove().complete(BlockStatus.SUCCESS);
        }
        assertEquals(count, manual.completed.size());
        assertEquals(count, Set.copyOf(manual.completed).size());
        final long succeeded =
            manual.completed.stream().filter((each) -> BlockStatus.SUCCESS == each.status()).count();
        assertEquals(100 == partsBefore, count == succeeded);
        assertTrue(manual.completed.stream()
            .allMatch((each) -> BlockStatus.SUCCESS == each.status() || BlockStatus.ABORTED == each.status()));
        assertTrue(2 * succeeded <= partsBefore + 1, "parts " + partsBefore + ", requests " + succeeded);
    }

    /** A part a block: had each the stack of the one before, it would not be enough for all of them. */
    @ParameterizedTest
    @ValueSource(strings = {"VERIFY", "WRITE_ZEROES"})
    void shouldTakeNoStackPerPartWhenTheDeviceCompletesInline(final BlockOperation operation)
    {
        manual.inline = BlockStatus.SUCCESS;
        final Emulation small = manual.another(ManualEmulation.plain().toBuilder().maxTransferBytes(BLOCK).build());
        assertTrue(small.submit(manual.request(operation, 0, 1 << 16)));
        assertEquals(BlockStatus.SUCCESS, manual.outcome());
        assertEquals(1 << 16, manual.inlineParts);
        assertEquals(0, small.inFlight());
    }

    @Test
    void shouldAllocateNothingPerRequest()
    {
        manual.inline = BlockStatus.SUCCESS;
        final ThreadMXBean threads = (ThreadMXBean)ManagementFactory.getThreadMXBean();
        final int[] ended = new int[1];
        final BlockRequest verify = new BlockRequest(null, (request) -> ended[0]++);
        final BlockRequest zeroes = new BlockRequest(null, (request) -> ended[0]++);
        final AllocationWindows rounds = new AllocationWindows(1, 200);
        while (!rounds.isOver())
        {
            final long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 500; i++)
            {
                emulation.submit(verify.reset(BlockOperation.VERIFY, i, BUFFER_BLOCKS + 1));
                emulation.submit(zeroes.reset(BlockOperation.WRITE_ZEROES, i, 5 * BUFFER_BLOCKS));
                while (0 != emulation.inFlight())
                {
                    emulation.poll();
                }
            }
            rounds.end(threads.getCurrentThreadAllocatedBytes() - before);
        }
        rounds.assertClean("1000 requests");
        assertTrue(ended[0] >= 1000 && 0 == ended[0] % 1000);
    }

    static void assertZero(final BlockRequest write)
    {
        for (int i = 0; i < write.segments().totalBytes(); i++)
        {
            assertEquals(0, NativeMemory.getByte(write.segments().address(0) + i));
        }
    }

    private static String text(final BlockRequest part)
    {
        return part.operation() + " " + part.lba() + "+" + part.blocks();
    }
}
