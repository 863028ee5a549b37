package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an operator reads of blocks that are lost, in arrays with strips of one block and of more. */
class LostBlocksEventTest
{
    private static final int BLOCK = 4096;
    private static final int MEMBER_BYTES = 2 << 20;
    private static final int FIRST = 5;
    /** Far enough to be copied later. */
    private static final int SECOND = 300;

    private final PowerSupply supply = new PowerSupply(TestSeeds.random().nextLong());
    private final RaidFixture fixture = new RaidFixture();
    private final List<MemberDisk> disks = new ArrayList<>();
    private RaidDevice array;

    @AfterEach
    void close()
    {
        fixture.stop();
        array.close();
        fixture.close();
    }

    private void assemble(final int stripBytes)
    {
        for (int i = 0; i < 3; i++)
        {
            disks.add(MemberDisk.create("m" + i, RaidFixture.deviceBytes(MEMBER_BYTES), BLOCK, supply));
            fixture.own(disks.get(i));
        }
        start(stripBytes);
    }

    private void start(final int stripBytes)
    {
        array = fixture.assemble(new RaidConfig("array", RaidLevel.RAID1, stripBytes, List.of("m0", "m1"),
            List.of("m2"), true, false, false, new CopyRates(1L << 40, 1L << 40)), List.<BlockDevice>copyOf(disks));
    }

    private void failBlock(final int index, final int block)
    {
        disks.get(index).failMedia(RaidChannel.dataOffsetBytes() / BLOCK + block, 1);
    }

    private List<String> events()
    {
        assertEquals(List.copyOf(fixture.failures()),
            fixture.events().stream().filter((each) -> each.contains("lost")).toList());
        return fixture.events().stream().filter((each) -> each.contains("lost")).toList();
    }

    private static String sentence(final int block)
    {
        return "slot 0 (m2): 1 block is lost, which other members cannot read: the first at byte " + block * BLOCK +
            " of the member's data (LBA " + block + " of the array); overwrite it from a host";
    }

    @ParameterizedTest
    @ValueSource(ints = {BLOCK, 4 * BLOCK})
    void shouldSayWhatARebuildLost(final int stripBytes)
    {
        assemble(stripBytes);
        failBlock(1, FIRST);
        failBlock(1, SECOND);
        RaidFixture.get(array.fail("m0"));
        ArrayFixture.await(() -> array.view().isComplete(), "rebuilt");
        assertEquals(2, array.view().member(0).lostBlocks().count());
        assertEquals(List.of(sentence(FIRST), sentence(SECOND)), events());
    }

    @ParameterizedTest
    @ValueSource(ints = {BLOCK, 4 * BLOCK})
    void shouldSayWhatAResyncLost(final int stripBytes)
    {
        assemble(stripBytes);
        failBlock(0, FIRST);
        failBlock(1, FIRST);
        array.intent().assembledDirty(0);
        array.onUnreadable(0, BLOCK);
        ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
        assertEquals(1, array.view().member(1).lostBlocks().count());
        assertEquals(List.of("resync: 1 block of members is lost, since what others have of the same rows cannot be " +
            "read, from byte " + FIRST * BLOCK + " of the members' data (LBA " + FIRST + " of the array) on"),
            events());
    }

    /** Also of those that were listed when the array was stopped, and that nothing had said of by then. */
    @ParameterizedTest
    @ValueSource(ints = {BLOCK, 4 * BLOCK})
    void shouldSayAtAStartWhatWasLostBefore(final int stripBytes)
    {
        assemble(stripBytes);
        failBlock(1, FIRST);
        failBlock(1, SECOND);
        RaidFixture.get(array.fail("m0"));
        ArrayFixture.await(() -> array.view().isComplete(), "rebuilt");
        restart(stripBytes);
        assertEquals(List.of("slot 0 (m2): 2 blocks were lost before this start: the first at byte " + FIRST * BLOCK +
            " of the member's data (LBA " + FIRST + " of the array); overwrite them from a host"), events());
        try (Initiator host = new Initiator("host", array); DmaMemory arena = DmaMemory.map(BLOCK))
        {
            assertEquals(BlockStatus.SUCCESS,
                host.run(BlockOperation.WRITE, FIRST, 1, false, arena.address(), BLOCK));
        }
        restart(stripBytes);
        assertEquals(List.of("slot 0 (m2): 1 block was lost before this start: the first at byte " + SECOND * BLOCK +
            " of the member's data (LBA " + SECOND + " of the array); overwrite it from a host"), events());
    }

    private void restart(final int stripBytes)
    {
        fixture.stop();
        array.close();
        fixture.events().clear();
        fixture.failures().clear();
        start(stripBytes);
        // Its work has begun when a change is answered.
        assertThrows(AssertionError.class, () -> RaidFixture.get(array.fail("nobody")));
    }
}
