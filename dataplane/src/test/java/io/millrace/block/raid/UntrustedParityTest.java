package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.block.fault.FaultDevice;
import io.millrace.block.fault.FaultPlan;
import io.millrace.block.fault.FaultRule;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Blocks that are known to be lost, in rows whose parity may not match since a crash. */
class UntrustedParityTest
{
    private static final int BLOCK = 4096;
    private static final int BLOCK_SHIFT = 12;
    private static final int STRIP = 16 << 10;

    /** With what a test does to an array whose own work has ended, so that nobody repairs or resynchronizes. */
    private static BlockStatus read(final RaidLevel level, final int memberCount, final Consumer<Parts> prepare)
    {
        try (RaidFixture fixture = new RaidFixture();
            DmaMemory memory = DmaMemory.map(STRIP))
        {
            final List<BlockDevice> members = fixture.memoryMembers(memberCount, 1 << 20, BLOCK);
            members.replaceAll((each) -> FaultDevice.wrapBorrowed("bad-" + each.name(), each, FaultPlan.NONE));
            final RaidDevice array = fixture.create(level, STRIP, members);
            final BlockStatus status;
            try (Initiator host = new Initiator("host", array))
            {
                ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
                fixture.stop();
                prepare.accept(new Parts(fixture, array));
                status = host.run(BlockOperation.READ, 0, 1, false, memory.address(), BLOCK);
            }
            array.close();
            members.forEach(BlockDevice::close);
            return status;
        }
    }

    /** An array, and what can happen to its first row. */
    private record Parts(RaidFixture fixture, RaidDevice array)
    {
        int dataSlot()
        {
            return array.layout().dataSlot(0, 0);
        }

        /** Of the first parity, or of one behind it. */
        int paritySlot(final int index)
        {
            return IntStream.range(0, array.view().slotCount())
                .filter((slot) -> array.layout().dataIndex(0, slot) < 0).skip(index).findFirst().orElseThrow();
        }

        void lose(final int slot)
        {
            final RaidMember losing = array.view().member(slot);
            RaidFixture.get(fixture.reactor().call(() -> array.lostBlockChanges().lose(losing, 0, BLOCK)));
            assertTrue(losing.lostBlocks().covers(0, BLOCK, BLOCK_SHIFT), "lost");
        }

        void failReads(final int slot)
        {
            RaidFixture.get(((FaultDevice)array.view().member(slot).device()).plan(FaultPlan.of(1,
                FaultRule.error(BlockStatus.MEDIA_ERROR).withOperations(Set.of(BlockOperation.READ)))));
        }

        void crash()
        {
            array.intent().assembledDirty(0);
            assertTrue(array.intent().needsResync(0), "marked");
        }
    }

    @ParameterizedTest
    @CsvSource({"RAID5,4", "RAID6,5"})
    void shouldNotComputeLostBlocksFromIt(final RaidLevel level, final int memberCount)
    {
        assertEquals(BlockStatus.MEDIA_ERROR, read(level, memberCount, (parts) ->
        {
            parts.lose(parts.dataSlot());
            parts.crash();
        }));
    }

    @ParameterizedTest
    @CsvSource({"RAID5,4", "RAID6,5"})
    void shouldComputeLostBlocksWhereNothingWasWrittenAtACrash(final RaidLevel level, final int memberCount)
    {
        assertEquals(BlockStatus.SUCCESS, read(level, memberCount, (parts) -> parts.lose(parts.dataSlot())));
    }

    /** Parity was computed from them until now. */
    @ParameterizedTest
    @CsvSource({"RAID5,4", "RAID6,5"})
    void shouldComputeBlocksThatBecomeUnreadableLater(final RaidLevel level, final int memberCount)
    {
        assertEquals(BlockStatus.SUCCESS, read(level, memberCount, (parts) ->
        {
            parts.failReads(parts.dataSlot());
            parts.crash();
        }));
    }

    /** What is lost of parity says nothing of data. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldComputeBlocksThoughAParityIsLost(final int parity)
    {
        assertEquals(BlockStatus.SUCCESS, read(RaidLevel.RAID6, 5, (parts) ->
        {
            parts.lose(parts.paritySlot(parity));
            parts.failReads(parts.dataSlot());
            parts.crash();
        }));
    }

    /** A resync that cannot know the data gives parity up, and goes on. */
    @ParameterizedTest
    @CsvSource({"RAID5,4", "RAID6,5"})
    void shouldGiveParityUpInAResync(final RaidLevel level, final int memberCount)
    {
        try (RaidFixture fixture = new RaidFixture())
        {
            final List<BlockDevice> members = fixture.memoryMembers(memberCount, 1 << 20, BLOCK);
            final RaidDevice array = fixture.create(level, STRIP, members);
            ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
            final Parts parts = new Parts(fixture, array);
            final RaidMember parity = array.view().member(parts.paritySlot(0));
            assertFalse(parity.lostBlocks().covers(0, BLOCK, BLOCK_SHIFT), "lost already");
            RaidFixture.get(fixture.reactor().call(() ->
            {
                array.intent().assembledDirty(0);
                return array.lostBlockChanges().lose(array.view().member(parts.dataSlot()), 0, BLOCK);
            }));
            array.onUnreadable(0, BLOCK);
            ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized again");
            assertTrue(parity.lostBlocks().covers(0, BLOCK, BLOCK_SHIFT), "parity is kept");
            fixture.stop();
            array.close();
        }
    }
}
