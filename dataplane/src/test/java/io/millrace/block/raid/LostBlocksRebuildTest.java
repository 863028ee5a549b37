package io.millrace.block.raid;

import static io.millrace.block.raid.ArrayFixture.BLOCK_BYTES;
import static io.millrace.block.raid.ArrayFixture.MEMBER_BYTES;
import static io.millrace.block.raid.ArrayFixture.STRIP_BYTES;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockStatus;
import io.millrace.block.DeviceHealth;
import io.millrace.block.DeviceStatus;
import io.millrace.block.raid.format.LostBlocksPage;
import io.millrace.block.raid.format.MemberArea;
import io.millrace.block.raid.format.Slot;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.seed.TestSeeds;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A rebuild goes on past blocks that it cannot compute, and nobody reads anything in their place. */
class LostBlocksRebuildTest
{
    private static final long STRIPE = 7;
    private static final long ROW = 2L * BLOCK_BYTES;

    private final Random random = TestSeeds.random();

    /** Makes a block unreadable on as many members as are needed to compute that of slot 0. */
    private static Set<Integer> failRow(final ArrayFixture fixture, final long memberStrip, final long row)
    {
        final ArrayLayout layout = fixture.layout();
        final Set<Integer> unreadable = new TreeSet<>();
        final long offset = memberStrip * STRIP_BYTES + row;
        if (0 == layout.level().parityCount())
        {
            final long strip = layout.strip(0, memberStrip);
            for (int copy = 0; copy < layout.copyCount(); copy++)
            {
                if (0 != layout.slot(strip, copy))
                {
                    fixture.failBlock(layout.slot(strip, copy), layout.memberStrip(strip, copy) * STRIP_BYTES + row);
                }
            }
            unreadable.add((int)((strip * STRIP_BYTES + row) / BLOCK_BYTES));
            return unreadable;
        }
        for (int slot = 1; slot <= layout.level().parityCount(); slot++)
        {
            fixture.failBlock(slot, offset);
        }
        for (int index = 0; index < layout.dataCount(); index++)
        {
            if (layout.dataSlot(memberStrip, index) <= layout.level().parityCount())
            {
                unreadable.add((int)(((memberStrip * layout.dataCount() + index) * STRIP_BYTES + row) / BLOCK_BYTES));
            }
        }
        return unreadable;
    }

    private static void rebuild(final ArrayFixture fixture)
    {
        RaidFixture.get(fixture.array().fail("d0"));
        fixture.awaitOnline();
    }

    /** Writes the rows of both members whole, as a host does that overwrites a stripe. */
    private static void overwrite(final ArrayFixture fixture, final Set<Integer> unreadable)
    {
        final ArrayLayout layout = fixture.layout();
        final int stripeBytes = 0 == layout.level().parityCount() ? BLOCK_BYTES : layout.dataCount() * STRIP_BYTES;
        for (final int block : unreadable)
        {
            fixture.write(block * BLOCK_BYTES / stripeBytes * stripeBytes, stripeBytes);
        }
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID1,3", "RAID5,3", "RAID5,5", "RAID6,4", "RAID6,6", "RAID6_Q_LAST,5", "EC3,6",
        "RAID10,4", "RAID10,3"})
    void shouldGoOnPastWhatCannotBeComputed(final RaidLevel level, final int memberCount)
    {
        try (ArrayFixture fixture = new ArrayFixture(random, level, memberCount, 1))
        {
            final Set<Integer> unreadable = failRow(fixture, STRIPE, ROW);
            unreadable.addAll(failRow(fixture, STRIPE + 1, 0));
            rebuild(fixture);
            assertEquals(2, fixture.lostBlocks());
            assertEquals(2, fixture.array().view().member(0).lostBlocks().count());
            assertEquals(unreadable, fixture.unreadable());
            final DeviceStatus lost = new DeviceStatus(DeviceHealth.DEGRADED,
                "2 blocks of members are lost: overwrite what ends with media errors from a host" +
                (0 == level.parityCount() ? "" : ", in whole stripes of " +
                fixture.layout().dataCount() * STRIP_BYTES / 1024 + " KiB"));
            assertEquals(lost, fixture.array().status());
            fixture.restart();
            assertEquals(lost, fixture.array().status());
            assertTrue(fixture.array().view().isComplete());
            assertEquals(2, fixture.lostBlocks());
            assertEquals(unreadable, fixture.unreadable());
            overwrite(fixture, unreadable);
            assertEquals(0, fixture.lostBlocks());
            assertEquals(new DeviceStatus(DeviceHealth.ONLINE, ""), fixture.array().status());
            fixture.verify();
            fixture.restart();
            assertEquals(0, fixture.lostBlocks());
            fixture.verify();
            // Nothing was lost for good: what is rebuilt from the rows is right.
            fixture.disk(1).state(MemberState.FAILING);
            fixture.verify();
        }
    }

    @Test
    void shouldSayOnceWhatWasLost()
    {
        try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID1, 2, 1))
        {
            fixture.failBlock(1, 5L * STRIP_BYTES + BLOCK_BYTES);
            fixture.failBlock(1, 5L * STRIP_BYTES + 2 * BLOCK_BYTES);
            rebuild(fixture);
            assertEquals(1, fixture.events().stream().filter((each) -> each.contains("lost")).count());
            assertTrue(fixture.events().stream().anyMatch((each) -> each.contains(
                "slot 0 (d2): 2 blocks are lost, which other members cannot read: the first at byte " +
                (5 * STRIP_BYTES + BLOCK_BYTES) + " ")), () -> fixture.events().toString());
        }
    }

    @Test
    void shouldNotReadALostBlockWhenItsMemberIsTheLastOne()
    {
        try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID1, 2, 1))
        {
            final Set<Integer> unreadable = failRow(fixture, STRIPE, ROW);
            rebuild(fixture);
            RaidFixture.get(fixture.array().fail("d1"));
            assertEquals(unreadable, fixture.unreadable());
            overwrite(fixture, unreadable);
            fixture.verify();
            assertEquals(0, fixture.lostBlocks());
        }
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID5,4", "RAID6,5", "EC3,6", "RAID10,4"})
    void shouldLoseTheBlockOfTheNextMemberToo(final RaidLevel level, final int memberCount)
    {
        try (ArrayFixture fixture = new ArrayFixture(random, level, memberCount, 1))
        {
            final Set<Integer> unreadable = failRow(fixture, STRIPE, ROW);
            rebuild(fixture);
            fixture.addDisk();
            fixture.set("d0 " + names(1, memberCount), "d" + memberCount + " d" + (memberCount + 1));
            // Its bad block goes with it: the block is lost on the one that was rebuilt alone.
            RaidFixture.get(fixture.array().fail("d1"));
            fixture.awaitOnline();
            assertEquals(2, fixture.lostBlocks());
            assertEquals(unreadable, fixture.unreadable());
            overwrite(fixture, unreadable);
            assertEquals(0, fixture.lostBlocks());
            fixture.verify();
        }
    }

    private static String names(final int from, final int to)
    {
        final StringBuilder names = new StringBuilder();
        for (int i = from; i < to; i++)
        {
            names.append(names.isEmpty() ? "d" : " d").append(i);
        }
        return names.toString();
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID5,4", "RAID6,5", "EC3,6", "RAID10,4"})
    void shouldLoseWhatAReplacementCannotCopy(final RaidLevel level, final int memberCount)
    {
        try (ArrayFixture fixture = new ArrayFixture(random, level, memberCount, 0))
        {
            final Set<Integer> unreadable = failRow(fixture, STRIPE, ROW);
            fixture.failBlock(0, STRIPE * STRIP_BYTES + ROW);
            fixture.addDisk();
            fixture.set(names(1, memberCount + 1), "");
            ArrayFixture.await(() -> fixture.array().view().member(0).device() == fixture.disk(memberCount), "copied");
            fixture.awaitOnline();
            assertEquals(1, fixture.lostBlocks());
            assertEquals(unreadable, fixture.unreadable());
            fixture.restart();
            assertEquals(1, fixture.lostBlocks());
            assertEquals(unreadable, fixture.unreadable());
        }
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID5,4", "RAID6,5", "EC3,6", "RAID10,4"})
    void shouldRepairALostBlockThatCanBeComputed(final RaidLevel level, final int memberCount)
    {
        try (ArrayFixture fixture = new ArrayFixture(random, level, memberCount, 1))
        {
            failRow(fixture, STRIPE, ROW);
            rebuild(fixture);
            for (int i = 0; i < memberCount; i++)
            {
                fixture.disk(i).healMedia();
            }
            ArrayFixture.await(() ->
            {
                fixture.verify();
                fixture.array().onUnreadable(offset(fixture), BLOCK_BYTES);
                return 0 == fixture.lostBlocks();
            }, "repaired");
            fixture.restart();
            assertEquals(0, fixture.lostBlocks());
            fixture.disk(1).state(MemberState.FAILING);
            fixture.verify();
        }
    }

    private static long offset(final ArrayFixture fixture)
    {
        return ROW + STRIP_BYTES * (0 == fixture.layout().level().parityCount() ? fixture.layout().strip(0, STRIPE) :
            STRIPE);
    }

    @Test
    void shouldCountLostBlocksOfAScrubAsUnreadable()
    {
        try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID5, 4, 1))
        {
            final Set<Integer> unreadable = failRow(fixture, STRIPE, ROW);
            rebuild(fixture);
            fixture.array().scrub(ScrubMode.REPAIR);
            ArrayFixture.await(() -> null != fixture.array().scrubControl().result() &&
                ScrubStatus.COMPLETED == fixture.array().scrubControl().result().status(), "ended");
            assertEquals(1, fixture.array().scrubControl().result().unreadable());
            assertEquals(0, fixture.array().scrubControl().result().mismatches());
            assertEquals(1, fixture.lostBlocks());
            assertEquals(unreadable, fixture.unreadable());
        }
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2,1", "RAID1,3,2", "RAID5,4,1", "RAID6,5,2", "EC3,7,3"})
    void shouldListWhatAResyncCannotMakeMatch(final RaidLevel level, final int memberCount, final int lost)
    {
        try (ArrayFixture fixture = new ArrayFixture(random, level, memberCount, 0))
        {
            final Set<Integer> unreadable = new TreeSet<>();
            for (int slot = 0; slot < memberCount; slot++)
            {
                final boolean isParity = 0 != level.parityCount() && fixture.layout().dataIndex(0, slot) < 0;
                if (!isParity)
                {
                    fixture.failBlock(slot, ROW);
                }
            }
            for (int index = 0; index < Math.max(1, fixture.layout().dataCount()); index++)
            {
                unreadable.add((int)((index * STRIP_BYTES + ROW) / BLOCK_BYTES));
            }
            fixture.array().intent().assembledDirty(0);
            fixture.array().onUnreadable(0, BLOCK_BYTES);
            ArrayFixture.await(() -> fixture.array().intent().nextResync(0) < 0, "resynchronized");
            assertEquals(lost, fixture.lostBlocks());
            fixture.awaitOnline();
            assertEquals(0 == level.parityCount() ? Set.of((int)(ROW / BLOCK_BYTES)) : unreadable,
                fixture.unreadable());
            // As after a crash at once.
            assertTrue(fixture.array().view().slots().stream().anyMatch((slot) -> slot.hasLostBlocks()));
            fixture.restart();
            assertEquals(lost, fixture.lostBlocks());
            for (int slot = 0; slot < memberCount; slot++)
            {
                fixture.disk(slot).healMedia();
            }
            fixture.verify();
            fixture.array().onUnreadable(ROW, BLOCK_BYTES);
            ArrayFixture.await(() -> 0 == fixture.lostBlocks(), "repaired");
            fixture.verify();
        }
    }

    @Test
    void shouldStopWhenTheListIsFull()
    {
        try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID1, 2, 1))
        {
            for (int block = 0; block < MEMBER_BYTES / BLOCK_BYTES; block++)
            {
                fixture.failBlock(1, (long)block * BLOCK_BYTES);
            }
            RaidFixture.get(fixture.array().fail("d0"));
            ArrayFixture.await(
                () -> fixture.array().status().reason().contains("list of lost blocks of d2 is full"), "stopped");
            assertEquals(LostBlocksPage.ENTRIES_MAX, fixture.lostBlocks());
            assertEquals(SlotState.REBUILDING, fixture.array().view().state(0));
            assertEquals(BlockStatus.MEDIA_ERROR, fixture.read(0, BLOCK_BYTES));
            assertEquals(DeviceHealth.DEGRADED, fixture.array().status().health());
        }
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID5,4", "RAID10,4"})
    void shouldKeepTheListOfAMemberThatComesBack(final RaidLevel level, final int memberCount)
    {
        try (ArrayFixture fixture = new ArrayFixture(random, level, memberCount, 1))
        {
            final Set<Integer> unreadable = failRow(fixture, STRIPE, ROW);
            rebuild(fixture);
            fixture.set(names(1, memberCount) + " d" + memberCount, "");
            RaidFixture.get(fixture.array().fail("d" + memberCount));
            // In the first region; the lost block is in none that is written.
            fixture.write(0, BLOCK_BYTES);
            fixture.restart();
            fixture.awaitOnline();
            assertEquals(1, fixture.lostBlocks());
            assertEquals(unreadable, fixture.unreadable());
            assertFalse(fixture.array().view().member(0).lostBlocks().isEmpty());
        }
    }

    /** Who assembles it next leaves out one that has no list where there has to be one, and reads none that may be. */
    @ParameterizedTest
    @CsvSource({"false", "true"})
    void shouldSayWhetherAMemberThatComesBackHasAListBeforeAnythingElse(final boolean hasList)
    {
        try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID5, 4, 1))
        {
            final Set<Integer> unreadable = hasList ? failRow(fixture, STRIPE, ROW) : Set.of();
            rebuild(fixture);
            fixture.set("d1 d2 d3 d4", "");
            RaidFixture.get(fixture.array().fail("d4"));
            fixture.write(0, BLOCK_BYTES);
            fixture.assembleAlone();
            for (int disk = 1; disk <= 4; disk++)
            {
                final Slot slot = fixture.read(disk).superblock().slots().getFirst();
                assertEquals(SlotState.REBUILDING, slot.state());
                assertEquals(hasList, slot.hasLostBlocks());
            }
            fixture.restart();
            fixture.awaitOnline();
            assertEquals(fixture.disk(4), fixture.array().view().member(0).device());
            assertEquals(hasList ? 1 : 0, fixture.lostBlocks());
            assertEquals(unreadable, fixture.unreadable());
        }
    }

    /** A copy that a crash left as it was, or that cannot be read, is not there when the other one is needed. */
    @ParameterizedTest
    @CsvSource({"0", "1"})
    void shouldStoreBothCopiesAgainWhenOneIsOutdated(final int outdated)
    {
        try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID5, 4, 1))
        {
            final Set<Integer> unreadable = failRow(fixture, STRIPE, ROW);
            rebuild(fixture);
            fixture.corrupt(4, MemberArea.lostBlocksOffset(outdated) - RaidChannel.dataOffsetBytes());
            fixture.restart();
            ArrayFixture.await(() -> fixture.array().view().member(0).lostBlocks().isStored(), "stored");
            fixture.corrupt(4, MemberArea.lostBlocksOffset(1 - outdated) - RaidChannel.dataOffsetBytes());
            fixture.restart();
            assertTrue(fixture.array().view().isComplete());
            assertEquals(1, fixture.lostBlocks());
            assertEquals(unreadable, fixture.unreadable());
        }
    }
}
