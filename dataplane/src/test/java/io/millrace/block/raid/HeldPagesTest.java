package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.block.MemoryHold;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.bindings.NativeMemory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Pages of an array that a member may still read although it has ended what it was asked for. */
class HeldPagesTest
{
    private static final int BLOCK = 4096;
    private static final int STRIP = 16 << 10;
    private static final int MEMBER_BYTES = 1 << 20;

    private final RaidFixture fixture = new RaidFixture();
    private final List<HeldMember> members = new ArrayList<>();
    private final RaidDevice array;
    private final Initiator host;

    HeldPagesTest()
    {
        for (int i = 0; i < 4; i++)
        {
            members.add(new HeldMember(MemoryDevice.create("m" + i, RaidFixture.deviceBytes(MEMBER_BYTES), BLOCK)));
            fixture.own(members.get(i));
        }
        array = fixture.create(RaidLevel.RAID6, STRIP, List.<BlockDevice>copyOf(members));
        host = new Initiator("host", array);
        ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
    }

    @AfterEach
    void close()
    {
        fixture.close();
    }

    /** The array is gone, and its pages are there until the member is done with them. */
    private void checkHeld(final HeldMember member)
    {
        assertTrue(array.pages().isHeld());
        final long address = array.pages().zeroesAddress();
        host.close();
        fixture.stop();
        array.close();
        assertArrayEquals(new byte[STRIP], NativeMemory.bytes(address, STRIP));
        member.holds().forEach(MemoryHold::release);
        assertFalse(array.pages().isHeld());
    }

    @Test
    void shouldKeepZeroes()
    {
        array.raidMembers().forEach((each) -> each.onRefused(BlockOperation.WRITE_ZEROES));
        final HeldMember failing = members.get(1);
        failing.keepMemory();
        failing.hold((operation, block) -> BlockOperation.WRITE == operation && 0 == block);
        final RoomZeroes zeroes = host.call(() ->
        {
            final RoomZeroes begun = new RoomZeroes(array, (RaidChannel)host.channel());
            begun.begin(array.raidMembers(), 0, STRIP, STRIP, 1);
            return begun;
        });
        ArrayFixture.await(() -> 1 == failing.held(), "begun");
        failing.end(BlockStatus.DEVICE_ERROR);
        ArrayFixture.await(() -> host.call(() -> !zeroes.isBusy()), "ended");
        assertTrue(zeroes.hasFailed());
        checkHeld(failing);
    }

    @Test
    void shouldKeepSuperblocks()
    {
        final HeldMember failing = members.get(1);
        failing.keepMemory();
        failing.hold((operation, block) -> BlockOperation.WRITE == operation && MEMBER_BYTES / BLOCK <= block);
        array.fail("m0");
        ArrayFixture.await(() -> 1 == failing.held(), "begun");
        failing.end(BlockStatus.DEVICE_ERROR);
        ArrayFixture.await(() -> !array.view().isWritten(array.raidMembers().get(1)), "failed");
        checkHeld(failing);
    }

    /** A spare that is rebuilt is in sync when its checksums are stored. */
    @Test
    void shouldKeepChecksumsOfASpareThatIsNotInSyncBefore()
    {
        final List<BlockDevice> devices = new ArrayList<>();
        for (int i = 0; i < 4; i++)
        {
            devices.add(new HeldMember(MemoryDevice.create("c" + i, RaidFixture.deviceBytes(MEMBER_BYTES) + BLOCK,
                BLOCK)));
            fixture.own(devices.get(i));
        }
        final RaidDevice summed = fixture.assemble(new RaidConfig("summed", RaidLevel.RAID5, STRIP,
            List.of("c0", "c1", "c2"), List.of("c3"), false, false, false, CopyRates.DEFAULT, JournalMode.DEGRADED, "",
            true), devices);
        final HeldMember spare = (HeldMember)devices.get(3);
        spare.keepMemory();
        spare.hold((operation, block) -> BlockOperation.WRITE == operation && MEMBER_BYTES / BLOCK == block);
        ArrayFixture.await(() -> summed.intent().nextResync(0) < 0, "resynchronized");
        summed.fail("c0");
        ArrayFixture.await(() -> 1 == spare.held(), "stored");
        assertFalse(summed.view().isComplete());
        spare.end(BlockStatus.DEVICE_ERROR);
        ArrayFixture.await(() -> !summed.view().isWritten(summed.raidMembers().get(3)), "failed");
        assertTrue(summed.pages().isHeld());
        host.close();
        fixture.stop();
        spare.holds().forEach(MemoryHold::release);
        assertFalse(summed.pages().isHeld());
        summed.close();
        array.close();
    }

    @Test
    void shouldFreeThemWhenNobodyReadsThem()
    {
        host.close();
        fixture.stop();
        assertFalse(array.pages().isHeld());
        array.close();
    }
}
