package io.millrace.block;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.millrace.bindings.NativeMemory;
import io.millrace.memory.BufferGroup;
import io.millrace.memory.BufferPool;
import io.millrace.memory.BufferShare;
import io.millrace.memory.BufferWaiter;
import io.millrace.memory.DmaMemory;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compare, Verify and Write Zeroes where the device has none: over a channel that a test completes by hand. */
class EmulationTest
{
    private static final int BLOCK = 512;
    private static final int BUFFER_BYTES = 128 << 10;
    private static final int BUFFER_BLOCKS = BUFFER_BYTES / BLOCK;
    private static final int POOL_BYTES = 4 * BUFFER_BYTES;
    private static final int PAYLOAD_BYTES = 1 << 20;

    private final DmaMemory memory = DmaMemory.map(POOL_BYTES + PAYLOAD_BYTES);
    private final BufferPool pool = new BufferPool(memory.address(), POOL_BYTES, BUFFER_BYTES);
    private final long payload = memory.address() + POOL_BYTES;
    private final EmulationBuffers buffers = new EmulationBuffers(pool);
    private final Queue<BlockRequest> submitted = new ArrayDeque<>();
    private final List<BlockRequest> completed = new ArrayList<>();
    private int capacity = Integer.MAX_VALUE;
    /** Of the channel, which completes everything at once with it; null: completed by the test. */
    private BlockStatus inline;
    private final Emulation emulation = emulation(plain(), buffers);

    @AfterEach
    void close()
    {
        assertEquals(0, emulation.inFlight());
        buffers.close();
        assertEquals(0, pool.usedBytes());
        memory.close();
    }

    private static BlockGeometry plain()
    {
        return BlockGeometry.builder(BLOCK, 1 << 20).build();
    }

    private static BlockGeometry able()
    {
        return plain().toBuilder().supportsCompare(true).supportsVerify(true).supportsWriteZeroes(true).build();
    }

    private Emulation emulation(final BlockGeometry geometry, final EmulationBuffers own)
    {
        final BlockDevice device = new BlockDevice()
        {
            @Override
            public String name()
            {
                return "manual";
            }

            @Override
            public BlockGeometry geometry()
            {
                return geometry;
            }

            @Override
            public void open(final ReactorContext context, final OpenListener listener)
            {
                listener.onOpenFailed(new BlockDeviceException("is not opened"));
            }

            @Override
            public void close()
            {
            }
        };
        return new Emulation(device, new ManualChannel(), own);
    }

    private final class ManualChannel implements BlockChannel
    {
        @Override
        public boolean submit(final BlockRequest request)
        {
            if (null != inline)
            {
                request.complete(inline);
                return true;
            }
            return submitted.size() < capacity && submitted.add(request);
        }

        @Override
        public int inFlight()
        {
            return submitted.size();
        }

        @Override
        public int poll()
        {
            return 0;
        }

        @Override
        public void close(final CloseListener listener)
        {
            listener.onClosed(this);
        }
    }

    /** Of blocks that all hold the number of their LBA. */
    private BlockRequest compare(final long lba, final int blocks)
    {
        for (int i = 0; i < blocks; i++)
        {
            NativeMemory.fill(payload + (long)i * BLOCK, BLOCK, (byte)(lba + i));
        }
        return new BlockRequest(null, completed::add).reset(BlockOperation.COMPARE, lba, blocks)
            .addSegment(payload, BLOCK).addSegment(payload + BLOCK, (blocks - 1) * BLOCK);
    }

    private BlockRequest request(final BlockOperation operation, final long lba, final int blocks)
    {
        return new BlockRequest(null, completed::add).reset(operation, lba, blocks);
    }

    /** Answers the oldest read with what its blocks hold. */
    private BlockRequest answer()
    {
        final BlockRequest read = submitted.remove();
        assertEquals(BlockOperation.READ, read.operation());
        for (int i = 0; i < read.blocks(); i++)
        {
            NativeMemory.fill(read.segments().address(0) + (long)i * BLOCK, BLOCK, (byte)(read.lba() + i));
        }
        return read;
    }

    private BlockStatus outcome()
    {
        assertEquals(1, completed.size());
        return completed.removeFirst().status();
    }

    @Test
    void shouldPassOnWhatTheDeviceDoesItself()
    {
        final BlockRequest write = new BlockRequest(null, completed::add).reset(BlockOperation.WRITE, 0, 1);
        assertTrue(emulation.submit(write));
        assertEquals(write, submitted.remove());
        final BlockRequest compare = compare(3, 2);
        final Emulation none = emulation(able(), buffers);
        assertTrue(none.submit(compare));
        assertEquals(compare, submitted.remove());
        for (final BlockOperation operation : List.of(BlockOperation.VERIFY, BlockOperation.WRITE_ZEROES))
        {
            final BlockRequest request = request(operation, 3, 2);
            assertTrue(none.submit(request));
            assertEquals(request, submitted.remove());
            request.complete(BlockStatus.SUCCESS);
            assertEquals(BlockStatus.SUCCESS, outcome());
        }
        assertEquals(0, none.inFlight());
        assertEquals(0, emulation.inFlight());
    }

    @Test
    void shouldComparePieceByPiece()
    {
        assertTrue(emulation.submit(compare(7, 2 * BUFFER_BLOCKS + 1)));
        for (final int blocks : new int[]{BUFFER_BLOCKS, BUFFER_BLOCKS, 1})
        {
            assertEquals(1, emulation.inFlight());
            final BlockRequest read = answer();
            assertEquals(blocks, read.blocks());
            read.complete(BlockStatus.SUCCESS);
        }
        assertEquals(BlockStatus.SUCCESS, outcome());
    }

    @Test
    void shouldFindADifferenceInTheLastPiece()
    {
        assertTrue(emulation.submit(compare(7, BUFFER_BLOCKS + 2)));
        answer().complete(BlockStatus.SUCCESS);
        final BlockRequest last = answer();
        NativeMemory.fill(last.segments().address(0) + 2 * BLOCK - 1, 1, (byte)0x7E);
        last.complete(BlockStatus.SUCCESS);
        assertEquals(BlockStatus.COMPARE_FAILURE, outcome());
    }

    @Test
    void shouldEndWithTheErrorOfAPiece()
    {
        assertTrue(emulation.submit(compare(7, 2 * BUFFER_BLOCKS)));
        final BlockRequest read = answer();
        read.failedWithNvme(0x4281);
        read.complete(BlockStatus.MEDIA_ERROR);
        assertEquals(0x4281, completed.getFirst().nvmeStatus());
        assertEquals(BlockStatus.MEDIA_ERROR, outcome());
        assertTrue(submitted.isEmpty());
    }

    @Test
    void shouldWaitForRoomInTheChannel()
    {
        capacity = 1;
        assertTrue(emulation.submit(compare(7, 2)));
        assertTrue(emulation.submit(compare(7, 2)));
        assertEquals(1, submitted.size());
        assertFalse(emulation.canSleep());
        assertEquals(0, emulation.poll());
        answer().complete(BlockStatus.SUCCESS);
        assertEquals(BlockStatus.SUCCESS, outcome());
        assertEquals(1, emulation.poll());
        assertTrue(emulation.canSleep());
        answer().complete(BlockStatus.SUCCESS);
        assertEquals(BlockStatus.SUCCESS, outcome());
    }

    /** What hosts may take of the pool, in the smallest buffers. */
    private List<Long> exhaust(final BufferShare hosts)
    {
        final List<Long> taken = new ArrayList<>();
        for (long address = hosts.pool().acquire(hosts, 4096);
            0 != address;
            address = hosts.pool().acquire(hosts, 4096))
        {
            taken.add(address);
        }
        return taken;
    }

    @Test
    void shouldTakeNothingBeforeACommandComesAndKeepOneBufferFromThenOn()
    {
        assertEquals(0, pool.usedBytes());
        assertTrue(emulation.submit(compare(7, 2)));
        answer().complete(BlockStatus.SUCCESS);
        assertEquals(BlockStatus.SUCCESS, outcome());
        assertEquals(BUFFER_BYTES, pool.usedBytes());
    }

    /** Hosts that have what the pool gives. */
    private final class Hosts
    {
        private final BufferShare[] shares;
        private final List<List<Long>> taken = new ArrayList<>();

        Hosts(final BufferPool from, final int count)
        {
            shares = new BufferShare[count];
            for (int i = 0; i < count; i++)
            {
                shares[i] = from.newShare(new BufferGroup());
                taken.add(exhaust(shares[i]));
            }
        }

        void release()
        {
            for (int i = 0; i < shares.length; i++)
            {
                final BufferShare host = shares[i];
                taken.get(i).forEach((address) -> host.pool().release(host, address, 4096));
                taken.get(i).clear();
            }
        }
    }

    @Test
    void shouldGoOnWithTheKeptBufferWhenTheHostsHaveAllOthers()
    {
        assertTrue(emulation.submit(compare(7, 2)));
        answer().complete(BlockStatus.SUCCESS);
        assertEquals(BlockStatus.SUCCESS, outcome());
        final Hosts hosts = new Hosts(pool, 8);
        for (int i = 0; i < 3; i++)
        {
            assertTrue(emulation.submit(compare(7, 2)));
        }
        for (int left = 3; left > 0; left--)
        {
            assertEquals(1, submitted.size());
            assertEquals(left, emulation.inFlight());
            answer().complete(BlockStatus.SUCCESS);
            assertEquals(BlockStatus.SUCCESS, outcome());
        }
        hosts.release();
    }

    /** Waits for the pool and takes what it gets, again and again. */
    private static final class GreedyHost extends BufferWaiter
    {
        private final BufferPool pool;
        private final BufferShare share;
        private final Queue<Long> taken = new ArrayDeque<>();

        GreedyHost(final BufferPool pool)
        {
            this.pool = pool;
            share = pool.newShare(new BufferGroup());
            pool.await(this, share, 4096);
        }

        @Override
        public void onBuffer(final long address, final int lengthBytes)
        {
            taken.add(address);
            pool.await(this, share, 4096);
        }

        void end()
        {
            pool.cancel(this);
            while (!taken.isEmpty())
            {
                pool.release(share, taken.remove(), 4096);
            }
        }
    }

    @Test
    void shouldGetItsFirstBufferInTurnWhenOthersTakeWhatComesBack()
    {
        final List<GreedyHost> hosts = new ArrayList<>();
        for (int i = 0; i < POOL_BYTES / 4096; i++)
        {
            hosts.add(new GreedyHost(pool));
        }
        while (0 != pool.poll())
        {
            // Until none gets more.
        }
        assertTrue(emulation.submit(compare(7, 2)));
        assertTrue(submitted.isEmpty());
        assertTrue(emulation.canSleep());
        for (int i = 0; i < 10 * hosts.size() && submitted.isEmpty(); i++)
        {
            // One I/O of a host ends, which waits for the buffer of its next one already, as all hosts do.
            final GreedyHost host = hosts.get(i % hosts.size());
            if (!host.taken.isEmpty())
            {
                pool.release(host.share, host.taken.remove(), 4096);
                pool.poll();
            }
        }
        answer().complete(BlockStatus.SUCCESS);
        assertEquals(BlockStatus.SUCCESS, outcome());
        hosts.forEach(GreedyHost::end);
    }

    @Test
    void shouldGetAFloorWhenHostsKeepAllTheyGet()
    {
        final BufferPool floors = BufferPool.withFloors(memory.address(), POOL_BYTES, BUFFER_BYTES);
        final Hosts hosts = new Hosts(floors, 40);
        final EmulationBuffers own = new EmulationBuffers(floors);
        final Emulation other = emulation(plain(), own);
        assertTrue(other.submit(compare(7, BUFFER_BLOCKS)));
        assertTrue(other.submit(compare(7, 2)));
        assertTrue(submitted.isEmpty());
        floors.poll();
        for (int part = 0; part < 4; part++)
        {
            assertEquals(64, submitted.element().blocks());
            answer().complete(BlockStatus.SUCCESS);
        }
        assertEquals(BlockStatus.SUCCESS, outcome());
        answer().complete(BlockStatus.SUCCESS);
        assertEquals(BlockStatus.SUCCESS, outcome());
        hosts.release();
        assertEquals(0, floors.usedBytes(), "a small buffer is not kept");
    }

    @Test
    void shouldCompareInSmallPiecesWhenThePoolHasNothingElse()
    {
        final Hosts hosts = new Hosts(pool, 3);
        assertTrue(emulation.submit(compare(7, BUFFER_BLOCKS)));
        int reads = 0;
        while (!submitted.isEmpty())
        {
            answer().complete(BlockStatus.SUCCESS);
            reads++;
        }
        assertTrue(reads > 1, "reads: " + reads);
        assertEquals(BlockStatus.SUCCESS, outcome());
        hosts.release();
        assertEquals(0, pool.usedBytes(), "a small buffer is not kept");
    }

    @Test
    void shouldKeepABufferThatTheDeviceMayStillUse()
    {
        final MemoryQuarantine quarantine = new MemoryQuarantine();
        assertTrue(emulation.submit(compare(7, 2)));
        final long usedBefore = pool.usedBytes();
        final MemoryHold hold = quarantine.completeHeld(submitted.remove(), BlockStatus.ABORTED);
        assertEquals(BlockStatus.ABORTED, outcome());
        buffers.close();
        assertEquals(usedBefore, pool.usedBytes());
        hold.release();
        assertEquals(0, pool.usedBytes());
    }

    @Test
    void shouldEndWhatItHasWhenTheChannelIsClosed()
    {
        capacity = 1;
        assertTrue(emulation.submit(compare(7, 2 * BUFFER_BLOCKS)));
        assertTrue(emulation.submit(compare(7, 2)));
        emulation.close();
        assertEquals(BlockStatus.ABORTED, outcome());
        // It was read in time, but no other piece is.
        answer().complete(BlockStatus.SUCCESS);
        assertEquals(BlockStatus.ABORTED, outcome());
        assertTrue(submitted.isEmpty());
    }

    @Test
    void shouldNotCompareWithoutBuffers()
    {
        assertTrue(emulation(plain(), new EmulationBuffers(null)).submit(compare(7, 2)));
        assertEquals(BlockStatus.NOT_SUPPORTED, outcome());
    }

    @Test
    void shouldVerifyByReadsThatAreDropped()
    {
        assertTrue(emulation.submit(request(BlockOperation.VERIFY, 9, BUFFER_BLOCKS + 5)));
        assertEquals("READ 9+256", text(submitted.element()));
        submitted.remove().complete(BlockStatus.SUCCESS);
        assertEquals("READ 265+5", text(submitted.element()));
        submitted.remove().complete(BlockStatus.SUCCESS);
        assertEquals(BlockStatus.SUCCESS, outcome());
    }

    @Test
    void shouldKeepToTheLargestTransferOfTheDevice()
    {
        final Emulation small = emulation(plain().toBuilder().maxTransferBytes(3 * BLOCK).build(), buffers);
        assertTrue(small.submit(request(BlockOperation.VERIFY, 0, 7)));
        for (final String expected : List.of("READ 0+3", "READ 3+3", "READ 6+1"))
        {
            assertEquals(expected, text(submitted.element()));
            submitted.remove().complete(BlockStatus.SUCCESS);
        }
        assertEquals(BlockStatus.SUCCESS, outcome());
    }

    @Test
    void shouldRefuseWhatIsBehindTheEnd()
    {
        for (final BlockOperation operation : List.of(BlockOperation.VERIFY, BlockOperation.WRITE_ZEROES))
        {
            assertTrue(emulation.submit(request(operation, (1 << 20) - 1, 2)));
            assertEquals(BlockStatus.OUT_OF_RANGE, outcome());
        }
        assertTrue(submitted.isEmpty());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldWriteZeroesWithAFewPartsAtOnce(final boolean isForced)
    {
        dirtyPool();
        assertTrue(emulation.submit(
            request(BlockOperation.WRITE_ZEROES, 3, 6 * BUFFER_BLOCKS + 1).forceUnitAccess(isForced)));
        final Set<Long> addresses = new HashSet<>();
        final List<String> writes = new ArrayList<>();
        while (!submitted.isEmpty())
        {
            assertTrue(submitted.size() <= EmulatedRequest.PARTS_MAX);
            assertTrue(completed.isEmpty());
            final BlockRequest part = submitted.remove();
            addresses.add(part.segments().address(0));
            assertZero(part);
            assertEquals(isForced, part.forceUnitAccess());
            writes.add(text(part));
            part.complete(BlockStatus.SUCCESS);
        }
        assertEquals(BlockStatus.SUCCESS, outcome());
        assertEquals(1, addresses.size(), "one buffer for all");
        assertEquals(List.of("WRITE 3+256", "WRITE 259+256", "WRITE 515+256", "WRITE 771+256", "WRITE 1027+256",
            "WRITE 1283+256", "WRITE 1539+1"), writes);
    }

    @Test
    void shouldShareOneBufferOfZeroesAndFillItAgainAfterOtherUse()
    {
        assertTrue(emulation.submit(request(BlockOperation.WRITE_ZEROES, 0, 1)));
        final Emulation other = emulation(plain(), buffers);
        assertTrue(other.submit(request(BlockOperation.WRITE_ZEROES, 8, 1)));
        assertEquals(BUFFER_BYTES, pool.usedBytes());
        while (!submitted.isEmpty())
        {
            assertZero(submitted.element());
            submitted.remove().complete(BlockStatus.SUCCESS);
        }
        completed.clear();
        assertTrue(emulation.submit(compare(7, 2)));
        answer().complete(BlockStatus.SUCCESS);
        assertEquals(BlockStatus.SUCCESS, outcome());
        assertTrue(emulation.submit(request(BlockOperation.WRITE_ZEROES, 0, 1)));
        assertEquals(BUFFER_BYTES, pool.usedBytes());
        assertZero(submitted.element());
        submitted.remove().complete(BlockStatus.SUCCESS);
        assertEquals(BlockStatus.SUCCESS, outcome());
    }

    @Test
    void shouldEndWithTheFirstErrorWhenThoseInFlightAreDone()
    {
        assertTrue(emulation.submit(request(BlockOperation.WRITE_ZEROES, 0, 9 * BUFFER_BLOCKS)));
        final List<BlockRequest> parts = List.copyOf(submitted);
        assertEquals(EmulatedRequest.PARTS_MAX, parts.size());
        submitted.clear();
        parts.get(1).complete(BlockStatus.CAPACITY_EXCEEDED);
        parts.get(3).complete(BlockStatus.MEDIA_ERROR);
        parts.get(0).complete(BlockStatus.SUCCESS);
        assertTrue(completed.isEmpty());
        parts.get(2).complete(BlockStatus.SUCCESS);
        assertEquals(BlockStatus.CAPACITY_EXCEEDED, outcome());
        assertTrue(submitted.isEmpty());
    }

    @Test
    void shouldDoWhatTheDeviceRefusesAtLast()
    {
        final Emulation tried = emulation(able(), buffers);
        for (final BlockOperation operation : List.of(BlockOperation.VERIFY, BlockOperation.WRITE_ZEROES))
        {
            final BlockRequest request = request(operation, 5, 3);
            assertTrue(tried.submit(request));
            assertEquals(request, submitted.remove());
            request.failedWithNvme(0x4001);
            request.complete(BlockStatus.NOT_SUPPORTED);
            assertEquals(1, tried.inFlight());
            assertTrue(completed.isEmpty());
            submitted.remove().complete(BlockStatus.SUCCESS);
            assertEquals(0, completed.getFirst().nvmeStatus());
            assertEquals(BlockStatus.SUCCESS, outcome());
        }
        final BlockRequest reused = request(BlockOperation.VERIFY, 5, 3);
        tried.submit(reused);
        submitted.remove().complete(BlockStatus.SUCCESS);
        assertEquals(BlockStatus.SUCCESS, outcome());
        reused.reset(BlockOperation.DEALLOCATE, 5, 3);
        tried.submit(reused);
        submitted.remove().complete(BlockStatus.NOT_SUPPORTED);
        assertEquals(BlockStatus.NOT_SUPPORTED, outcome());
    }

    /** Its payload may lie in a capsule that is received over once the device has answered. */
    @Test
    void shouldNotCompareForADeviceThatCompletesInline()
    {
        final Emulation tried = emulation(able().toBuilder().completesInline(true).build(), buffers);
        assertTrue(tried.submit(compare(5, 3)));
        submitted.remove().complete(BlockStatus.NOT_SUPPORTED);
        assertEquals(BlockStatus.NOT_SUPPORTED, outcome());
        assertTrue(submitted.isEmpty());
        assertEquals(0, tried.inFlight());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldReadWithTheForceUnitAccessOfTheCommand(final boolean isForced)
    {
        assertTrue(emulation.submit(request(BlockOperation.VERIFY, 9, 5).forceUnitAccess(isForced)));
        assertEquals(isForced, submitted.element().forceUnitAccess());
        submitted.remove().complete(BlockStatus.SUCCESS);
        assertEquals(BlockStatus.SUCCESS, outcome());
    }

    @Test
    void shouldStaySubmittersWhenAnAbleChannelIsFull()
    {
        capacity = 0;
        final Emulation tried = emulation(able(), buffers);
        final BlockRequest request = request(BlockOperation.VERIFY, 5, 3);
        assertFalse(tried.submit(request));
        request.complete(BlockStatus.NOT_SUPPORTED);
        assertEquals(BlockStatus.NOT_SUPPORTED, outcome());
        assertEquals(0, tried.inFlight());
    }

    /** A channel that is full before each part, and closed after some of them, while others wait for a buffer. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 100})
    void shouldAnswerEachOnceWhenTheFullChannelIsClosedAfterSomeParts(final int partsBefore)
    {
        capacity = 1;
        final int count = 12;
        for (int i = 0; i < count; i++)
        {
            final BlockOperation operation = 0 == i % 2 ? BlockOperation.WRITE_ZEROES : BlockOperation.VERIFY;
            assertTrue(emulation.submit(request(operation, i, 2 * BUFFER_BLOCKS)));
        }
        assertEquals(count, emulation.inFlight());
        for (int done = 0; done < partsBefore && !submitted.isEmpty(); done++)
        {
            submitted.remove().complete(BlockStatus.SUCCESS);
            emulation.poll();
            pool.poll();
        }
        emulation.close();
        while (!submitted.isEmpty())
        {
            submitted.remove().complete(BlockStatus.SUCCESS);
        }
        assertEquals(count, completed.size());
        assertEquals(count, Set.copyOf(completed).size());
        final long succeeded =
            completed.stream().filter((each) -> BlockStatus.SUCCESS == each.status()).count();
        assertEquals(100 == partsBefore, count == succeeded);
        assertTrue(completed.stream()
            .allMatch((each) -> BlockStatus.SUCCESS == each.status() || BlockStatus.ABORTED == each.status()));
        assertTrue(2 * succeeded <= partsBefore + 1, "parts " + partsBefore + ", requests " + succeeded);
    }

    @Test
    void shouldKeepZeroesThatTheDeviceMayStillRead()
    {
        final MemoryQuarantine quarantine = new MemoryQuarantine();
        assertTrue(emulation.submit(request(BlockOperation.WRITE_ZEROES, 0, 2 * BUFFER_BLOCKS)));
        final MemoryHold first = quarantine.completeHeld(submitted.remove(), BlockStatus.ABORTED);
        final MemoryHold second = quarantine.completeHeld(submitted.remove(), BlockStatus.ABORTED);
        assertEquals(BlockStatus.ABORTED, outcome());
        assertTrue(emulation.submit(compare(7, 2)));
        assertEquals(2 * BUFFER_BYTES, pool.usedBytes(), "not the same buffer");
        answer().complete(BlockStatus.SUCCESS);
        assertEquals(BlockStatus.SUCCESS, outcome());
        buffers.close();
        first.release();
        assertEquals(BUFFER_BYTES, pool.usedBytes());
        second.release();
        assertEquals(0, pool.usedBytes());
    }

    @Test
    void shouldAllocateNothingPerRequest()
    {
        inline = BlockStatus.SUCCESS;
        final ThreadMXBean threads = (ThreadMXBean)ManagementFactory.getThreadMXBean();
        final int[] ended = new int[1];
        final BlockRequest verify = new BlockRequest(null, (request) -> ended[0]++);
        final BlockRequest zeroes = new BlockRequest(null, (request) -> ended[0]++);
        long allocatedBytes = 1;
        for (int round = 0; round < 200 && 0 != allocatedBytes; round++)
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
            allocatedBytes = threads.getCurrentThreadAllocatedBytes() - before;
        }
        assertEquals(0, allocatedBytes);
        assertTrue(ended[0] >= 1000 && 0 == ended[0] % 1000);
    }

    private void dirtyPool()
    {
        NativeMemory.fill(memory.address(), POOL_BYTES, (byte)0x5A);
    }

    private static void assertZero(final BlockRequest write)
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
