package io.millrace.block.raid;

import static io.millrace.block.raid.ArrayFixture.BLOCK_BYTES;
import static io.millrace.block.raid.ArrayFixture.STRIP_BYTES;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockStatus;
import io.millrace.block.DeviceHealth;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.seed.TestSeeds;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Blocks that a member cannot read are rewritten when they are met. */
class RaidReadRepairTest
{
    private final Random random = TestSeeds.random();

    private ArrayFixture create(final RaidLevel level, final int memberCount)
    {
        return new ArrayFixture(random, level, memberCount, 0);
    }

    /** Reads until nothing is left to repair: reads of mirrors go to any copy. */
    private static void readUntilRepaired(final ArrayFixture fixture)
    {
        ArrayFixture.await(() ->
        {
            fixture.verify();
            return 0 == fixture.badBlocks();
        }, "repaired");
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID1,3", "RAID10,4", "RAID10,3"})
    void shouldRewriteACopyThatCannotBeRead(final RaidLevel level, final int memberCount)
    {
        try (ArrayFixture fixture = create(level, memberCount))
        {
            fixture.failBlock(0, 0);
            fixture.failBlock(1, STRIP_BYTES + BLOCK_BYTES);
            fixture.array().onUnreadable(0, STRIP_BYTES);
            fixture.array().onUnreadable(fixture.layout().strip(1, 1) * STRIP_BYTES, STRIP_BYTES);
            ArrayFixture.await(() -> 0 == fixture.badBlocks(), "repaired");
            ArrayFixture.await(() -> 2 == fixture.array().correctedErrors(), "counted");
            assertEquals(1, fixture.array().raidMembers().get(0).correctedErrors());
            assertEquals(1, fixture.array().raidMembers().get(1).correctedErrors());
            fixture.verify();
            assertEquals(DeviceHealth.ONLINE, fixture.array().status().health());
        }
    }

    @Test
    void shouldRewriteACopyAfterAReadOfIt()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID1, 2))
        {
            for (int strip = 0; strip < 4; strip++)
            {
                fixture.failBlock(0, (long)strip * STRIP_BYTES);
            }
            // Of each strip some read goes to the first copy.
            ArrayFixture.await(() ->
            {
                fixture.verify();
                return fixture.badBlocks() <= 2;
            }, "repaired");
        }
    }

    @ParameterizedTest
    @CsvSource({"RAID5,3", "RAID5,5", "RAID6,4", "RAID6,6", "RAID6_Q_LAST,5", "EC3,6"})
    void shouldRewriteDataThatCannotBeRead(final RaidLevel level, final int memberCount)
    {
        try (ArrayFixture fixture = create(level, memberCount))
        {
            final int slot = fixture.layout().dataSlot(3, 0);
            fixture.failBlock(slot, 3L * STRIP_BYTES + BLOCK_BYTES);
            readUntilRepaired(fixture);
            ArrayFixture.await(() -> 1 == fixture.array().correctedErrors(), "counted");
            assertEquals(1, fixture.array().raidMembers().get(slot).correctedErrors());
            // What was written is right: it is needed when another member is gone.
            fixture.disk(fixture.layout().dataSlot(3, 1)).state(MemberState.FAILING);
            fixture.verify();
        }
    }

    @Test
    void shouldRewriteTwoStripsOfAStripeWithTwoParities()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID6, 6))
        {
            final int first = fixture.layout().dataSlot(5, 1);
            fixture.failBlock(first, 5L * STRIP_BYTES);
            fixture.failBlock(fixture.layout().parityP(5), 5L * STRIP_BYTES);
            fixture.failBlock(fixture.layout().dataSlot(6, 0), 6L * STRIP_BYTES);
            fixture.failBlock(fixture.layout().dataSlot(6, 3), 6L * STRIP_BYTES);
            readUntilRepaired(fixture);
            ArrayFixture.await(() -> 4 == fixture.array().correctedErrors(), "counted");
            fixture.disk(fixture.layout().dataSlot(5, 0)).state(MemberState.FAILING);
            fixture.disk(fixture.layout().paritySlot(5, 1)).state(MemberState.FAILING);
            fixture.verify();
        }
    }

    @Test
    void shouldRepairRowsOfAStripWhoseMembersFailInDifferentOnes()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3))
        {
            // A read of the stripe fails, since each of two members lacks a part of its strip; no row lacks both.
            fixture.failBlock(fixture.layout().dataSlot(0, 0), 0);
            fixture.failBlock(fixture.layout().dataSlot(0, 1), BLOCK_BYTES);
            ArrayFixture.await(() -> BlockStatus.SUCCESS == fixture.read(0, 2 * STRIP_BYTES), "readable");
            readUntilRepaired(fixture);
            fixture.verify();
        }
    }

    @Test
    void shouldLeaveAloneWhatTooManyCannotRead()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3))
        {
            fixture.failBlock(fixture.layout().dataSlot(0, 0), 0);
            fixture.failBlock(fixture.layout().dataSlot(0, 1), 0);
            fixture.failBlock(fixture.layout().dataSlot(1, 0), STRIP_BYTES);
            assertEquals(BlockStatus.MEDIA_ERROR, fixture.read(0, BLOCK_BYTES));
            assertEquals(BlockStatus.SUCCESS, fixture.read(2L * STRIP_BYTES, BLOCK_BYTES));
            ArrayFixture.await(() -> 1 == fixture.array().correctedErrors(), "repaired where possible");
            ArrayFixture.await(() -> fixture.array().repairs().isEmpty(), "given up");
            assertEquals(2, fixture.badBlocks());
            assertEquals(BlockStatus.MEDIA_ERROR, fixture.read(0, BLOCK_BYTES));
            assertEquals(DeviceHealth.ONLINE, fixture.array().status().health());
            fixture.write(0, 2 * STRIP_BYTES);
            fixture.verify();
        }
    }

    @Test
    void shouldLeaveRowsThatNeedAResyncToThat()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3))
        {
            final int slot = fixture.layout().dataSlot(0, 0);
            fixture.failBlock(slot, 0);
            fixture.array().intent().assembledDirty(0);
            // Its parity may not match: what would be computed from it must not replace what may be read again one day.
            fixture.array().onUnreadable(0, BLOCK_BYTES);
            ArrayFixture.await(() -> fixture.array().repairs().isEmpty(), "taken");
            // The next one is taken when the first has ended.
            fixture.array().onUnreadable(BLOCK_BYTES, BLOCK_BYTES);
            fixture.array().onUnreadable(2 * BLOCK_BYTES, BLOCK_BYTES);
            ArrayFixture.await(() -> fixture.array().repairs().isEmpty(), "taken");
            assertEquals(1, fixture.badBlocks());
            assertEquals(0, fixture.array().correctedErrors());
            fixture.array().intent().onResynced(0, fixture.array().intent().tornCount());
        }
    }

    @Test
    void shouldFailAMemberThatDoesNotTakeTheRepair()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 4))
        {
            final int slot = fixture.layout().dataSlot(0, 0);
            fixture.disk(slot).refuseWrites();
            fixture.failBlock(slot, 0);
            assertEquals(BlockStatus.SUCCESS, fixture.read(0, BLOCK_BYTES));
            ArrayFixture.await(() -> SlotState.FAILED == fixture.array().view().state(slot), "failed");
            assertEquals(0, fixture.array().correctedErrors());
            fixture.verify();
        }
    }

    @Test
    void shouldDropPlacesThatFindNoRoom()
    {
        final RepairQueue queue = new RepairQueue();
        for (int i = 0; i < RepairQueue.CAPACITY; i++)
        {
            assertTrue(queue.add((long)i * STRIP_BYTES, STRIP_BYTES));
            // The same again is not another one.
            assertEquals(false, queue.add((long)i * STRIP_BYTES, STRIP_BYTES));
        }
        assertEquals(0, queue.dropped());
        assertEquals(false, queue.add((1L << 52) - 512, 512));
        assertEquals(1, queue.dropped());
        assertTrue(RepairQueue.NONE != queue.take());
        assertTrue(queue.add((1L << 58) - 512, 1 << 20));
        long last = 0;
        for (int i = 0; i < RepairQueue.CAPACITY; i++)
        {
            final long place = queue.take();
            last = RepairQueue.length(place) == 1 << 20 ? RepairQueue.offset(place) : last;
        }
        assertEquals((1L << 58) - 512, last);
        assertTrue(queue.isEmpty());
        assertEquals(RepairQueue.NONE, queue.take());
    }
}
