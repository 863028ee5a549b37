package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What waits for a list of lost blocks that the member has not stored yet: a rebuild, and a write of such a block. */
class LostBlocksOrderTest
{
    private static final int BLOCK = 4096;
    private static final int STRIP = 16 << 10;
    private static final int MEMBER_BYTES = 2 << 20;
    private static final int LOST = 7;

    private final RaidFixture fixture = new RaidFixture();
    private final DmaMemory arena = DmaMemory.map(BLOCK);
    private final List<MemberDisk> disks = new ArrayList<>();
    private final List<CountedDevice> members = new ArrayList<>();
    private RaidDevice array;
    private Initiator host;

    private void assemble()
    {
        final PowerSupply supply = new PowerSupply(TestSeeds.random().nextLong());
        for (int i = 0; i < 3; i++)
        {
            final MemberDisk disk =
                MemberDisk.create("m" + i, RaidFixture.deviceBytes(MEMBER_BYTES), BLOCK, supply);
            disks.add(disk);
            members.add(new CountedDevice(disk, (builder) -> builder));
            fixture.own(members.get(i));
        }
        array = fixture.assemble(new RaidConfig("array", RaidLevel.RAID1, STRIP, List.of("m0", "m1"), List.of("m2"),
            false, false, false, new CopyRates(1L << 40, 1L << 40)), List.<BlockDevice>copyOf(members));
        host = new Initiator("host", array);
        ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
        disks.get(1).failMedia(RaidChannel.dataOffsetBytes() / BLOCK + LOST, 1);
    }

    @AfterEach
    void close()
    {
        members.forEach(CountedDevice::letGo);
        host.close();
        fixture.stop();
        array.close();
        fixture.close();
        arena.close();
    }

    private Initiator.Io request(final BlockOperation operation)
    {
        final Initiator.Io io = host.io();
        Initiator.fill(io.request(), operation, LOST, 1, false, arena.address(), BLOCK);
        host.send(io);
        return io;
    }

    /** The array's own work has gone on for some cycles. */
    private void pass()
    {
        for (int i = 0; i < 20; i++)
        {
            assertThrows(ExecutionException.class, () -> array.fail("nobody").get());
        }
    }

    @Test
    void shouldNotReadWhatIsRebuiltBeforeTheListIsStored()
    {
        assemble();
        members.get(2).hangLists();
        RaidFixture.get(array.fail("m0"));
        ArrayFixture.await(() -> 0 != members.get(2).held(), "asked to store its list");
        final RaidMember target = array.view().member(0);
        // All that is copied beside the block.
        ArrayFixture.await(() -> members.get(2).asked().stream().filter((each) -> 1 == each.blocks()).count() > 14,
            "copied");
        pass();
        assertEquals(1, target.lostBlocks().count());
        assertTrue(target.rebuiltBytes() <= (long)LOST * BLOCK, () -> "rebuilt up to " + target.rebuiltBytes());
        assertFalse(target.lostBlocks().isRecorded());
        members.get(2).letGo();
        ArrayFixture.await(() -> array.view().isComplete(), "complete");
        assertTrue(target.lostBlocks().isRecorded());
        assertTrue(array.view().slots().getFirst().hasLostBlocks());
    }

    @Test
    void shouldEndAWriteWhenTheListIsStoredWithoutItsBlocks()
    {
        assemble();
        RaidFixture.get(array.fail("m0"));
        ArrayFixture.await(() -> array.view().isComplete(), "complete");
        members.get(2).hangLists();
        final Initiator.Io write = request(BlockOperation.WRITE);
        ArrayFixture.await(() -> 0 != members.get(2).held(), "asked to store its list");
        ArrayFixture.await(() -> 0 == disks.get(1).badBlockCount(), "written to the other member");
        assertEquals(BlockStatus.SUCCESS, host.await(request(BlockOperation.READ)));
        pass();
        assertFalse(write.result().isDone());
        assertEquals(1, array.view().member(0).lostBlocks().count());
        host.call(() ->
        {
            array.channels().onProgress();
            assertFalse(host.channel().canSleep(), "it is armed, to be woken when the list is stored");
            return null;
        });
        members.get(2).letGo();
        assertEquals(BlockStatus.SUCCESS, host.await(write));
        assertTrue(array.view().member(0).lostBlocks().isEmpty());
    }

    /** The list may never be stored: the member leaves the array, and the write goes on without it. */
    @Test
    void shouldEndAWriteWithoutAMemberThatDoesNotStoreItsList()
    {
        assemble();
        RaidFixture.get(array.fail("m0"));
        ArrayFixture.await(() -> array.view().isComplete(), "complete");
        members.get(2).hangLists();
        final Initiator.Io write = request(BlockOperation.WRITE);
        ArrayFixture.await(() -> 0 != members.get(2).held(), "asked to store its list");
        RaidFixture.get(array.fail("m2"));
        assertEquals(BlockStatus.SUCCESS, host.await(write));
        assertEquals(BlockStatus.SUCCESS, host.await(request(BlockOperation.READ)));
    }

    @Test
    void shouldEndAWriteWhenItsChannelCloses()
    {
        assemble();
        RaidFixture.get(array.fail("m0"));
        ArrayFixture.await(() -> array.view().isComplete(), "complete");
        members.get(2).hangLists();
        final Initiator.Io write = request(BlockOperation.WRITE);
        ArrayFixture.await(() -> 0 != members.get(2).held(), "asked to store its list");
        host.closeChannel();
        assertEquals(BlockStatus.ABORTED, host.await(write));
        members.get(2).letGo();
        ArrayFixture.await(() -> array.view().member(0).lostBlocks().isEmpty(), "stored");
        ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
    }
}
