package io.millrace.block.raid;

import io.millrace.block.AllocationProbe;
import io.millrace.block.BlockDevice;
import io.millrace.block.Initiator;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests allocate nothing, where short writes update parity by the difference, and where data is computed. */
class ErasureCodeAllocationTest
{
    private static final int ARENA_BYTES = 16 << 20;

    @ParameterizedTest
    @CsvSource({"EC2,10,0", "EC2,10,1", "EC3,11,3"})
    void shouldAllocateNothing(final RaidLevel level, final int memberCount, final int lost)
    {
        try (RaidFixture fixture = new RaidFixture(); DmaMemory arena = DmaMemory.map(ARENA_BYTES))
        {
            final List<BlockDevice> members = fixture.memoryMembers(memberCount, 1 << 20, 4096);
            final RaidDevice array = fixture.create(level, 16 << 10, members);
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
