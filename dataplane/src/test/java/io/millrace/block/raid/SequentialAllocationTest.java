package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.Initiator;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import io.millrace.testing.AllocationWindows;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Gathered writes allocate nothing. */
class SequentialAllocationTest
{
    private static final ThreadMXBean THREADS = (ThreadMXBean)ManagementFactory.getThreadMXBean();
    private static final int BLOCK = 4096;
    private static final int DEPTH = 24;
    private static final int BLOCKS = 192;
    private static final int BATCHES = 200;
    private static final int CLEAN_ROUNDS = 3;
    private static final int ROUNDS_MIN = 400;

    private int ended;

    @ParameterizedTest
    @CsvSource({"RAID5,5", "RAID6,6"})
    void shouldAllocateNothing(final RaidLevel level, final int memberCount)
    {
        try (RaidFixture fixture = new RaidFixture(); DmaMemory arena = DmaMemory.map(2L * DEPTH * BLOCK))
        {
            final RaidDevice array =
                fixture.create(level, 16 << 10, fixture.memoryMembers(memberCount, 1 << 20, BLOCK));
            ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
            final BlockRequest[] requests = new BlockRequest[DEPTH];
            for (int i = 0; i < DEPTH; i++)
            {
                requests[i] = new BlockRequest(null, (request) -> ended++);
            }
            try (RoomyArray roomy = new RoomyArray(array); Initiator host = new Initiator("host", roomy))
            {
                final AllocationWindows rounds = new AllocationWindows(CLEAN_ROUNDS, ROUNDS_MIN);
                while (!rounds.isOver())
                {
                    // The first waits for its region, which other rounds find set.
                    rounds.end(host.call(() -> run(host, requests, arena.address())));
                    ArrayFixture.await(() -> 0 == host.call(() -> host.channel().inFlight()), "ended");
                }
                rounds.assertClean(BATCHES + " batches");
                assertTrue(array.details().writes().gathered() > 0);
            }
            fixture.stop();
            array.close();
        }
    }

    /** {@return bytes that were allocated; -1 when requests have to wait} */
    private long run(final Initiator host, final BlockRequest[] requests, final long address)
    {
        final long before = THREADS.getCurrentThreadAllocatedBytes();
        int block = 0;
        for (int batch = 0; batch < BATCHES; batch++)
        {
            ended = 0;
            for (int i = 0; i < DEPTH; i++)
            {
                requests[i].reset(BlockOperation.WRITE, block, 1).addSegment(address + 2L * i * BLOCK, BLOCK);
                host.channel().submit(requests[i]);
                block = (block + 1) % BLOCKS;
            }
            host.channel().poll();
            if (DEPTH != ended)
            {
                return -1;
            }
        }
        return THREADS.getCurrentThreadAllocatedBytes() - before;
    }
}
