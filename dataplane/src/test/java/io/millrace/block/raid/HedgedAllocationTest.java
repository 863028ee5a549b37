package io.millrace.block.raid;

import com.sun.management.ThreadMXBean;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.Initiator;
import io.millrace.block.fault.FaultDevice;
import io.millrace.block.fault.FaultPlan;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import io.millrace.reactor.Poller;
import io.millrace.testing.AllocationWindows;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reads that could be hedged and are not allocate nothing, timers included. */
class HedgedAllocationTest
{
    private static final ThreadMXBean THREADS = (ThreadMXBean)ManagementFactory.getThreadMXBean();
    private static final int BLOCK = 4096;
    private static final int MEMBER_BYTES = 2 << 20;
    /** Many times as long as a read may take before others are asked. */
    private static final long ROUND_NS = 20_000_000;
    private static final int ROUNDS_MIN = 200;
    private static final int CLEAN_ROUNDS = 3;

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID5,4", "EC3,6"})
    void shouldAllocateNothing(final RaidLevel level, final int memberCount)
    {
        final RaidFixture fixture = new RaidFixture();
        final List<BlockDevice> members = new ArrayList<>();
        for (int i = 0; i < memberCount; i++)
        {
            final BlockDevice memory = MemoryDevice.create("m" + i, RaidFixture.deviceBytes(MEMBER_BYTES), BLOCK);
            members.add(FaultDevice.wrap(memory, FaultPlan.NONE));
            fixture.own(members.getLast());
        }
        final RaidDevice array = fixture.assemble(RaidFixture.config(level, 16 << 10, members, List.of()), members,
            new RaidTimes(2_000_000_000L, 5_000_000_000L, 10_000_000_000L, 1000));
        try (DmaMemory arena = DmaMemory.map(BLOCK); Initiator host = new Initiator("host", array))
        {
            ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
            final BlockRequest request = new BlockRequest(null, (completed) ->
            {
            });
            final AllocationWindows rounds = new AllocationWindows(CLEAN_ROUNDS, ROUNDS_MIN);
            while (!rounds.isOver())
            {
                rounds.end(round(host, request, arena.address()));
            }
            rounds.assertClean(ROUND_NS + " ns");
        }
        finally
        {
            fixture.stop();
            array.close();
            fixture.close();
        }
    }

    /** Within cycles of the reactor, so that timers of hedges expire. */
    private static long round(final Initiator host, final BlockRequest request, final long address)
    {
        final CompletableFuture<Long> bytes = new CompletableFuture<>();
        host.call(() ->
        {
            host.reactor().addPoller(new Poller()
            {
                private final long before = THREADS.getCurrentThreadAllocatedBytes();
                private final long endNs = host.reactor().nowNs() + ROUND_NS;
                private int count;

                @Override
                public int poll()
                {
                    if (0 == host.channel().inFlight())
                    {
                        request.reset(BlockOperation.READ, count++ % 64, 1).addSegment(address, BLOCK).lendable(true);
                        host.channel().submit(request);
                    }
                    if (host.reactor().nowNs() - endNs > 0)
                    {
                        final long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
                        host.reactor().removePoller(this);
                        bytes.complete(allocated);
                    }
                    return 1;
                }
            });
            return null;
        });
        return RaidFixture.get(bytes);
    }
}
