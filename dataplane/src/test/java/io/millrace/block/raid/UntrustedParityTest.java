package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Blocks that are known to be lost, in rows whose parity may not match since a crash. */
class UntrustedParityTest
{
    private static final int BLOCK = 4096;
    private static final int STRIP = 16 << 10;

    @ParameterizedTest
    @CsvSource({"RAID5,4", "RAID6,5"})
    void shouldNotComputeLostBlocksFromIt(final RaidLevel level, final int memberCount)
    {
        try (RaidFixture fixture = new RaidFixture();
            DmaMemory memory = DmaMemory.map(STRIP))
        {
            final List<BlockDevice> members = fixture.memoryMembers(memberCount, 1 << 20, BLOCK);
            final RaidDevice array = fixture.create(level, STRIP, members);
            try (Initiator host = new Initiator("host", array))
            {
                ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
                // Nobody repairs or resynchronizes.
                fixture.stop();
                final RaidMember losing = array.view().member(array.layout().dataSlot(0, 0));
                RaidFixture.get(fixture.reactor().call(() -> array.lostBlockChanges().lose(losing, 0, BLOCK)));
                array.intent().assembledDirty(0);
                assertTrue(array.intent().needsResync(0), "marked");
                assertTrue(losing.lostBlocks().covers(0, BLOCK, 12), "lost");
                assertEquals(BlockStatus.MEDIA_ERROR,
                    host.run(BlockOperation.READ, 0, 1, false, memory.address(), BLOCK));
            }
            array.close();
        }
    }
}
