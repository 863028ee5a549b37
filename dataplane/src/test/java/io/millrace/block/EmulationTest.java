package io.millrace.block;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.memory.BufferGroup;
import io.millrace.memory.BufferPool;
import io.millrace.memory.BufferShare;
import io.millrace.memory.DmaMemory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Compare where the device has none: over a channel that a test completes by hand. */
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
    private final Emulation emulation = emulation(false, buffers);

    @AfterEach
    void close()
    {
        assertEquals(0, emulation.inFlight());
        buffers.close();
        assertEquals(0, pool.usedBytes());
        memory.close();
    }

    private Emulation emulation(final boolean supportsCompare, final EmulationBuffers own)
    {
        final BlockGeometry geometry =
            BlockGeometry.builder(BLOCK, 1 << 20).supportsCompare(supportsCompare).build();
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
        assertTrue(emulation(true, buffers).submit(compare));
        assertEquals(compare, submitted.remove());
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
        for (long address = pool.acquire(hosts, 4096); 0 != address; address = pool.acquire(hosts, 4096))
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

    @Test
    void shouldGoOnWithTheKeptBufferWhenTheHostsHaveAllOthers()
    {
        assertTrue(emulation.submit(compare(7, 2)));
        answer().complete(BlockStatus.SUCCESS);
        assertEquals(BlockStatus.SUCCESS, outcome());
        final BufferShare[] hosts = new BufferShare[8];
        final List<List<Long>> taken = new ArrayList<>();
        for (int i = 0; i < hosts.length; i++)
        {
            hosts[i] = pool.newShare(new BufferGroup());
            taken.add(exhaust(hosts[i]));
        }
        assertTrue(emulation.submit(compare(7, 2)));
        assertFalse(emulation.submit(compare(7, 2)));
        answer().complete(BlockStatus.SUCCESS);
        assertEquals(BlockStatus.SUCCESS, outcome());
        assertTrue(emulation.submit(compare(7, 2)));
        answer().complete(BlockStatus.SUCCESS);
        assertEquals(BlockStatus.SUCCESS, outcome());
        for (int i = 0; i < hosts.length; i++)
        {
            final BufferShare host = hosts[i];
            taken.get(i).forEach((address) -> pool.release(host, address, 4096));
        }
    }

    @Test
    void shouldCompareInSmallPiecesWhenThePoolHasNothingElse()
    {
        final BufferShare[] hosts = new BufferShare[3];
        final List<List<Long>> taken = new ArrayList<>();
        for (int i = 0; i < hosts.length; i++)
        {
            hosts[i] = pool.newShare(new BufferGroup());
            taken.add(exhaust(hosts[i]));
        }
        assertTrue(emulation.submit(compare(7, BUFFER_BLOCKS)));
        int reads = 0;
        while (!submitted.isEmpty())
        {
            answer().complete(BlockStatus.SUCCESS);
            reads++;
        }
        assertTrue(reads > 1, "reads: " + reads);
        assertEquals(BlockStatus.SUCCESS, outcome());
        for (int i = 0; i < hosts.length; i++)
        {
            final BufferShare host = hosts[i];
            taken.get(i).forEach((address) -> pool.release(host, address, 4096));
        }
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
        assertTrue(emulation(false, new EmulationBuffers(null)).submit(compare(7, 2)));
        assertEquals(BlockStatus.NOT_SUPPORTED, outcome());
    }
}
