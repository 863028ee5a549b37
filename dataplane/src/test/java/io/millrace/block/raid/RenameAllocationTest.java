package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertFalse;

import io.millrace.block.AllocationProbe;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockOperation;
import io.millrace.block.Initiator;
import io.millrace.block.fault.FaultDevice;
import io.millrace.block.fault.FaultPlan;
import io.millrace.block.fault.FaultRule;
import io.millrace.block.raid.format.MemberArea;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests allocate nothing while the array is being renamed, and when it has been. */
class RenameAllocationTest
{
    private static final int ARENA_BYTES = 16 << 20;
    private static final int BLOCK = 4096;
    /** No bitmap is written meanwhile, which would hang as superblocks do. */
    private static final long NEVER_NS = Long.MAX_VALUE / 4;

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID5,3", "RAID10,4"})
    void shouldAllocateNothing(final RaidLevel level, final int memberCount)
    {
        try (RaidFixture fixture = new RaidFixture(); DmaMemory arena = DmaMemory.map(ARENA_BYTES))
        {
            final List<BlockDevice> members = fixture.memoryMembers(memberCount, 4 << 20, BLOCK);
            final FaultDevice slow = FaultDevice.wrapBorrowed("slow", members.getFirst(), FaultPlan.NONE);
            members.set(0, slow);
            final RaidDevice array = fixture.assemble(RaidFixture.config(level, 16 << 10, members, List.of()), members,
                new RaidTimes(NEVER_NS, NEVER_NS));
            ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
            try (Initiator host = new Initiator("host", array))
            {
                final AllocationProbe probe = new AllocationProbe(host, arena.address(), array.geometry());
                probe.assertAllocatesNothingWhenWarm();
                RaidFixture.get(slow.plan(FaultPlan.of(1, FaultRule.hang().withOperations(Set.of(BlockOperation.WRITE))
                    .withRange(0, MemberArea.DATA_OFFSET_BYTES / BLOCK - 1))));
                final CompletableFuture<Void> done = array.rename("vol1");
                ArrayFixture.await(() -> slow.faultCount(0) > 0, "superblocks are being written");
                probe.assertAllocatesNothingWhenWarm();
                assertFalse(done.isDone());
                RaidFixture.get(slow.plan(FaultPlan.NONE));
                RaidFixture.get(done);
                array.takeName();
                probe.assertAllocatesNothingWhenWarm();
            }
            fixture.stop();
            array.close();
            slow.close();
        }
    }
}
