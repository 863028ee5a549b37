package io.millrace.block;

import static io.millrace.block.ManualEmulation.BUFFER_BLOCKS;
import static io.millrace.block.ManualEmulation.BUFFER_BYTES;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.memory.BufferGroup;
import io.millrace.memory.BufferPool;
import io.millrace.memory.BufferShare;
import io.millrace.memory.BufferWaiter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which buffers emulated requests take of a pool that hosts use too, and when they are given back. */
class EmulationPoolTest
{
    private static final int POOL_BYTES = 4 * BUFFER_BYTES;

    private final ManualEmulation manual = new ManualEmulation(ManualEmulation.plain(), 4, false);
    private final Emulation emulation = manual.emulation;
    private final BufferPool pool = manual.pool();

    @AfterEach
    void close()
    {
        manual.close();
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
        assertTrue(emulation.submit(manual.compare(7, 2)));
        manual.answer().complete(BlockStatus.SUCCESS);
        assertEquals(BlockStatus.SUCCESS, manual.outcome());
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
        assertTrue(emulation.submit(manual.compare(7, 2)));
        manual.answer().complete(BlockStatus.SUCCESS);
        assertEquals(BlockStatus.SUCCESS, manual.outcome());
        final Hosts hosts = new Hosts(pool, 8);
        for (int i = 0; i < 3; i++)
        {
            assertTrue(emulation.submit(manual.compare(7, 2)));
        }
        for (int left = 3; left > 0; left--)
        {
            assertEquals(1, manual.submitted.size());
            assertEquals(left, emulation.inFlight());
            manual.answer().complete(BlockStatus.SUCCESS);
            assertEquals(BlockStatus.SUCCESS, manual.outcome());
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
        assertTrue(emulation.submit(manual.compare(7, 2)));
        assertTrue(manual.submitted.isEmpty());
        assertTrue(emulation.canSleep());
        for (int i = 0; i < 10 * hosts.size() && manual.submitted.isEmpty(); i++)
        {
            // One I/O of a host ends, which waits for the buffer of its next one already, as all hosts do.
            final GreedyHost host = hosts.get(i % hosts.size());
            if (!host.taken.isEmpty())
            {
                pool.release(host.share, host.taken.remove(), 4096);
                pool.poll();
            }
        }
        manual.answer().complete(BlockStatus.SUCCESS);
        assertEquals(BlockStatus.SUCCESS, manual.outcome());
        hosts.forEach(GreedyHost::end);
    }

    @Test
    void shouldGetAFloorWhenHostsKeepAllTheyGet()
    {
        try (ManualEmulation floors = new ManualEmulation(ManualEmulation.plain(), 4, true))
        {
            final Hosts hosts = new Hosts(floors.pool(), 40);
            assertTrue(floors.emulation.submit(floors.compare(7, BUFFER_BLOCKS)));
            assertTrue(floors.emulation.submit(floors.compare(7, 2)));
            assertTrue(floors.submitted.isEmpty());
            floors.pool().poll();
            for (int part = 0; part < 4; part++)
            {
                assertEquals(64, floors.submitted.element().blocks());
                floors.answer().complete(BlockStatus.SUCCESS);
            }
            assertEquals(BlockStatus.SUCCESS, floors.outcome());
            floors.answer().complete(BlockStatus.SUCCESS);
            assertEquals(BlockStatus.SUCCESS, floors.outcome());
            hosts.release();
            assertEquals(0, floors.pool().usedBytes(), "a small buffer is not kept");
        }
    }

    @Test
    void shouldCompareInSmallPiecesWhenThePoolHasNothingElse()
    {
        final Hosts hosts = new Hosts(pool, 3);
        assertTrue(emulation.submit(manual.compare(7, BUFFER_BLOCKS)));
        int reads = 0;
        while (!manual.submitted.isEmpty())
        {
            manual.answer().complete(BlockStatus.SUCCESS);
            reads++;
        }
        assertTrue(reads > 1, "reads: " + reads);
        assertEquals(BlockStatus.SUCCESS, manual.outcome());
        hosts.release();
        assertEquals(0, pool.usedBytes(), "a small buffer is not kept");
    }

    @Test
    void shouldKeepABufferThatTheDeviceMayStillUse()
    {
        final MemoryQuarantine quarantine = new MemoryQuarantine();
        assertTrue(emulation.submit(manual.compare(7, 2)));
        final long usedBefore = pool.usedBytes();
        final MemoryHold hold = quarantine.completeHeld(manual.submitted.remove(), BlockStatus.ABORTED);
        assertEquals(BlockStatus.ABORTED, manual.outcome());
        manual.buffers().close();
        assertEquals(usedBefore, pool.usedBytes());
        hold.release();
        assertEquals(0, pool.usedBytes());
    }

    @Test
    void shouldShareOneBufferOfZeroesAndFillItAgainAfterOtherUse()
    {
        assertTrue(emulation.submit(manual.request(BlockOperation.WRITE_ZEROES, 0, 1)));
        final Emulation other = manual.another();
        assertTrue(other.submit(manual.request(BlockOperation.WRITE_ZEROES, 8, 1)));
        assertEquals(BUFFER_BYTES, pool.usedBytes());
        while (!manual.submitted.isEmpty())
        {
            EmulationTest.assertZero(manual.submitted.element());
            manual.submitted.remove().complete(BlockStatus.SUCCESS);
        }
        manual.completed.clear();
        assertTrue(emulation.submit(manual.compare(7, 2)));
        manual.answer().complete(BlockStatus.SUCCESS);
        assertEquals(BlockStatus.SUCCESS, manual.outcome());
        assertTrue(emulation.submit(manual.request(BlockOperation.WRITE_ZEROES, 0, 1)));
        assertEquals(BUFFER_BYTES, pool.usedBytes());
        EmulationTest.assertZero(manual.submitted.element());
        manual.submitted.remove().complete(BlockStatus.SUCCESS);
        assertEquals(BlockStatus.SUCCESS, manual.outcome());
    }

    @Test
    void shouldKeepZeroesThatTheDeviceMayStillRead()
    {
        final MemoryQuarantine quarantine = new MemoryQuarantine();
        assertTrue(emulation.submit(manual.request(BlockOperation.WRITE_ZEROES, 0, 2 * BUFFER_BLOCKS)));
        final MemoryHold first = quarantine.completeHeld(manual.submitted.remove(), BlockStatus.ABORTED);
        final MemoryHold second = quarantine.completeHeld(manual.submitted.remove(), BlockStatus.ABORTED);
        assertEquals(BlockStatus.ABORTED, manual.outcome());
        assertTrue(emulation.submit(manual.compare(7, 2)));
        assertEquals(2 * BUFFER_BYTES, pool.usedBytes(), "not the same buffer");
        manual.answer().complete(BlockStatus.SUCCESS);
        assertEquals(BlockStatus.SUCCESS, manual.outcome());
        manual.buffers().close();
        first.release();
        assertEquals(BUFFER_BYTES, pool.usedBytes());
        second.release();
        assertEquals(0, pool.usedBytes());
    }
}
