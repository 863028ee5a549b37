package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.DeviceHealth;
import io.millrace.block.Initiator;
import io.millrace.block.fault.FaultDevice;
import io.millrace.block.fault.FaultPlan;
import io.millrace.block.fault.FaultRule;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Members without space for all their data, as sparse files on a disk that is full: what they have, they have. */
class RaidFullMemberTest
{
    private static final int BLOCK = 4096;
    private static final int STRIP = 16 << 10;
    private static final int MEMBER_BYTES = 2 << 20;
    /** Of a member's data: from there on it has no space. */
    private static final int ALLOCATED = MEMBER_BYTES / 2;
    private static final String REMEDY = " (no space is left below it: free some before it is used again)";

    private final Random random = TestSeeds.random();
    private final RaidFixture fixture = new RaidFixture();
    private final DmaMemory arena = DmaMemory.map(MEMBER_BYTES);
    private final List<FaultDevice> members = new ArrayList<>();
    private RaidDevice array;
    private Initiator host;

    @AfterEach
    void close()
    {
        stop();
        fixture.close();
        arena.close();
    }

    private void stop()
    {
        host.close();
        fixture.stop();
        array.close();
    }

    private void create(final RaidLevel level, final int memberCount)
    {
        for (int i = 0; i < memberCount; i++)
        {
            final FaultDevice member = FaultDevice.wrap(
                MemoryDevice.create("m" + i, RaidFixture.deviceBytes(MEMBER_BYTES), BLOCK), FaultPlan.NONE);
            fixture.own(member);
            members.add(member);
        }
        start(level);
    }

    private void start(final RaidLevel level)
    {
        array = fixture.assemble(new RaidConfig("array", level, STRIP, members.stream().map(BlockDevice::name).toList(),
            List.of(), true, false, false, CopyRates.DEFAULT), List.copyOf(members));
        host = new Initiator("host", array);
    }

    private void fill(final int member)
    {
        final long first = (RaidChannel.dataOffsetBytes() + ALLOCATED) / BLOCK;
        final long end = (RaidChannel.dataOffsetBytes() + MEMBER_BYTES) / BLOCK;
        RaidFixture.get(members.get(member).plan(FaultPlan.of(1, FaultRule.error(BlockStatus.CAPACITY_EXCEEDED)
            .withOperations(Set.of(BlockOperation.WRITE)).withRange(first, end - 1))));
    }

    private void free()
    {
        members.forEach((each) -> RaidFixture.get(each.plan(FaultPlan.NONE)));
    }

    private byte[] fillArena(final int length)
    {
        final byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        NativeMemory.asByteBuffer(arena.address(), length).put(bytes);
        return bytes;
    }

    private BlockStatus run(final BlockOperation operation, final int offset, final int length)
    {
        return host.run(operation, offset / BLOCK, length / BLOCK, false, arena.address(), length);
    }

    private void verify(final int offset, final byte... expected)
    {
        NativeMemory.fill(arena.address(), expected.length, (byte)0);
        assertEquals(BlockStatus.SUCCESS, run(BlockOperation.READ, offset, expected.length));
        final byte[] bytes = new byte[expected.length];
        NativeMemory.asByteBuffer(arena.address(), expected.length).get(bytes);
        assertArrayEquals(expected, bytes);
    }

    @Test
    void shouldGoOnWithoutAMemberThatIsFullAndSayWhatToDo()
    {
        create(RaidLevel.RAID1, 2);
        fill(0);
        final byte[] bytes = fillArena(4 * STRIP);
        assertEquals(BlockStatus.SUCCESS, run(BlockOperation.WRITE, ALLOCATED - 2 * STRIP, bytes.length));
        assertEquals("slot 0 (m0) is FAILED; m0 WRITE ended with CAPACITY_EXCEEDED" + REMEDY, array.status().reason());
        verify(ALLOCATED - 2 * STRIP, bytes);
        stop();
        free();
        start(RaidLevel.RAID1);
        ArrayFixture.await(() -> array.view().isComplete(), "rebuilt");
        RaidFixture.get(array.fail("m1"));
        verify(ALLOCATED - 2 * STRIP, bytes);
    }

    @Test
    void shouldFailWhenTooManyMembersAreFullAndLoseNothing()
    {
        create(RaidLevel.RAID5, 3);
        fill(0);
        fill(2);
        final byte[] bytes = fillArena(2 * ALLOCATED);
        assertEquals(BlockStatus.SUCCESS, run(BlockOperation.WRITE, 0, bytes.length));
        assertEquals(BlockStatus.DEVICE_ERROR, run(BlockOperation.WRITE, 2 * ALLOCATED, 4 * STRIP));
        assertEquals(DeviceHealth.FAILED, array.status().health());
        assertTrue(array.status().reason().contains(" WRITE ended with CAPACITY_EXCEEDED" + REMEDY + ": repair or "),
            () -> array.status().reason());
        assertEquals(BlockStatus.DEVICE_ERROR, run(BlockOperation.READ, 0, BLOCK));
        stop();
        free();
        start(RaidLevel.RAID5);
        verify(0, bytes);
        final byte[] more = fillArena(4 * STRIP);
        assertEquals(BlockStatus.SUCCESS, run(BlockOperation.WRITE, 2 * ALLOCATED, more.length));
        verify(2 * ALLOCATED, more);
        verify(0, bytes);
    }
}
