package io.millrace.block.raid;

import io.millrace.block.AllocationProbe;
import io.millrace.block.BlockDevice;
import io.millrace.block.Initiator;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests of arrays with checksums allocate nothing. */
class ChecksumAllocationTest
{
    private static final int ARENA_BYTES = 16 << 20;

    @ParameterizedTest
    @CsvSource({"RAID5,4,0,4096", "RAID6,6,0,512", "RAID6,6,1,4096"})
    void shouldAllocateNothing(final RaidLevel level, final int memberCount, final int lost, final int blockBytes)
    {
        try (RaidFixture fixture = new RaidFixture(); DmaMemory arena = DmaMemory.map(ARENA_BYTES))
        {
            final List<BlockDevice> members = fixture.memoryMembers(memberCount, 1 << 20, blockBytes);
            final List<String> names = members.stream().map(BlockDevice::name).toList();
            final RaidConfig config = new RaidConfig("array", level, 16 << 10, names, List.of(), false, false, false,
                CopyRates.DEFAULT, JournalMode.DEGRADED, "", true);
            final RaidDevice array = fixture.assemble(config, members, List.of(), RaidTimes.DEFAULT);
            ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
            for (int i = 0; i < lost; i++)
            {
                RaidFixture.get(array.fail(members.get(i).name()));
            }
            try (Initiator host = new Initiator("host", array))
            {
                new AllocationProbe(host, arena.address(), array.geometry()).assertAllocatesNothingWhenWarm();
            }
            fixture.stop();
            array.close();
        }
    }
}
