package io.millrace.block.raid;

import static io.millrace.block.raid.ArrayFixture.MEMBER_BYTES;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDeviceException;
import io.millrace.block.DeviceHealth;
import io.millrace.block.Initiator;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Members that are added, removed, replaced and failed by hand while the array serves. */
class RaidMembershipTest
{
    private static final int PATIENCE_S = 30;
    private static final CopyRates SLOW = new CopyRates(2 << 20, 2 << 20);

    private final Random random = TestSeeds.random();

    private ArrayFixture create(final RaidLevel level, final int memberCount, final int spareCount)
    {
        return new ArrayFixture(random, level, memberCount, spareCount);
    }

    private static String refusal(final ArrayFixture fixture, final String members, final String spares)
    {
        return assertThrows(BlockDeviceException.class, () -> fixture.set(members, spares)).getMessage();
    }

    private static String refusal(final Future<Void> done)
    {
        final Throwable cause =
            assertThrows(ExecutionException.class, () -> done.get(PATIENCE_S, TimeUnit.SECONDS)).getCause();
        assertEquals(BlockDeviceException.class, cause.getClass());
        return cause.getMessage();
    }

    private static void fail(final ArrayFixture fixture, final String name)
    {
        RaidFixture.get(fixture.array().fail(name));
    }

    private static List<String> members(final ArrayFixture fixture)
    {
        return fixture.array().raidMembers().stream().map(RaidMember::toString).toList();
    }

    /** Devices for a new array, of which one was a member of another one. */
    @Test
    void shouldNameTheDeviceThatHoldsWhatAnotherArrayHasLeft()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3, 0))
        {
            fixture.addDisk();
            fixture.addDisk();
            final String held = fixture.array().view().member(1).id().toString();
            final List<String> missing = IntStream.of(0, 2)
                .mapToObj((slot) -> "slot " + slot + " (" + fixture.array().view().member(slot).id() + ')').toList();
            fixture.configure("d1 d3 d4", "");
            fixture.lose(0);
            fixture.lose(2);
            final String message = assertThrows(BlockDeviceException.class, fixture::restart).getMessage();
            assertEquals("array array: too few members are there: without " + String.join(", ", missing) + " some " +
                "data cannot be read: make them available and start again, or, for a new array, erase the " +
                "superblocks that are on d1 (" + held + ") first (docs/raid.md, Erasing a member)", message);
        }
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID5,3", "RAID6,4", "RAID6_Q_LAST,4", "EC3,5", "RAID10,4"})
    void shouldRebuildASpareThatIsAddedWhenAMemberHasFailed(final RaidLevel level, final int memberCount)
    {
        try (ArrayFixture fixture = create(level, memberCount, 0); Initiator other = fixture.anotherHost("other"))
        {
            fixture.disk(1).state(MemberState.FAILING);
            fixture.writeAnywhere(5);
            assertEquals(DeviceHealth.DEGRADED, fixture.array().status().health());
            fixture.addDisk();
            fixture.set(String.join(" ", names(memberCount)), "d" + memberCount);
            fixture.writeAnywhere(20);
            fixture.awaitOnline();
            assertEquals(0, other.refusals());
            // All that the failed member had is on the new one.
            fixture.disk(0).state(MemberState.FAILING);
            fixture.writeAnywhere(5);
            fixture.verify();
        }
    }

    private static List<String> names(final int count)
    {
        return IntStream.range(0, count).mapToObj((i) -> "d" + i).toList();
    }

    @Test
    void shouldUseASpareThatWasAddedWhenAMemberFailsLater()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3, 0))
        {
            fixture.addDisk();
            fixture.set("d0 d1 d2", "d3");
            assertEquals(List.of("d0", "d1", "d2", "d3"), members(fixture));
            assertEquals(DeviceHealth.ONLINE, fixture.array().status().health());
            assertEquals(fixture.array().id(), fixture.read(3).superblock().array());
            fixture.disk(2).state(MemberState.FAILING);
            fixture.writeAnywhere(20);
            fixture.awaitOnline();
            assertEquals(2, fixture.array().view().slotOf(fixture.array().raidMembers().get(3)));
            fixture.restart();
            fixture.verify();
        }
    }

    @Test
    void shouldEraseASpareThatIsRemovedAndUseItsIndexAgain()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID1, 2, 1); Initiator other = fixture.anotherHost("other"))
        {
            fixture.writeAnywhere(3);
            assertNotNull(fixture.read(2).superblock());
            fixture.set("d0 d1", "");
            assertEquals(List.of("d0", "d1"), members(fixture));
            assertNull(fixture.read(2).superblock());
            assertEquals(0, other.refusals());
            fixture.addDisk();
            fixture.set("d0 d1", "d3");
            assertEquals(2, fixture.array().raidMembers().get(2).index());
            fixture.set("d0 d1", "d2");
            assertEquals(List.of("d0", "d1", "d2"), members(fixture));
            fixture.disk(0).state(MemberState.FAILING);
            fixture.writeAnywhere(10);
            fixture.awaitOnline();
            fixture.verify();
        }
    }

    @Test
    void shouldMakeARebuildStableBeforeSuperblocksWithItsProgress()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3, 1))
        {
            fixture.array().copyRates(SLOW);
            fixture.disk(0).state(MemberState.FAILING);
            fixture.writeAnywhere(5);
            final RaidMember spare = fixture.array().raidMembers().get(3);
            ArrayFixture.await(() -> spare.rebuiltBytes() > 0, "progress of the rebuild");
            fixture.addDisk();
            final long flushes = fixture.disk(3).flushes();
            fixture.set("d0 d1 d2", "d3 d4");
            assertTrue(fixture.disk(3).flushes() > flushes);
            assertEquals(SlotState.REBUILDING, fixture.array().view().state(0));
        }
    }

    @Test
    void shouldRefuseToRemoveAMemberThatIsInASlot()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3, 1))
        {
            fixture.disk(0).state(MemberState.FAILING);
            fixture.writeAnywhere(5);
            fixture.awaitOnline();
            final String refusal = refusal(fixture, "d0 d1 d2", "");
            assertTrue(refusal.contains("device d3 is in slot 0 and is IN_SYNC: name a new device in members"),
                refusal);
            fixture.verify();
        }
    }

    @Test
    void shouldRefuseADeviceThatCannotBeAMemberAndWriteNothingToIt()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID1, 2, 0);
            ArrayFixture another = create(RaidLevel.RAID1, 2, 1))
        {
            final MemberDisk small = fixture.addDisk(RaidFixture.deviceBytes(MEMBER_BYTES / 2));
            final String tooSmall = refusal(fixture, "d0 d1", "d2");
            assertTrue(tooSmall.contains("use a larger device"), tooSmall);
            assertEquals(0, small.writes());
            final MemberDisk good = fixture.addDisk();
            final String both = refusal(fixture, "d0 d1", "d3 d2");
            assertTrue(both.contains("use a larger device"), both);
            assertEquals(0, good.writes());
            final MemberDisk foreign = another.disk(2);
            final long before = foreign.writes();
            final RaidConfig config = RaidFixture.config(RaidLevel.RAID1, ArrayFixture.STRIP_BYTES,
                List.of(fixture.disk(0), fixture.disk(1)), List.of(foreign));
            final String ofOther = assertThrows(BlockDeviceException.class, () -> MembershipSettings.apply(
                fixture.array(), config, config, List.of(foreign), null)).getMessage();
            assertTrue(ofOther.startsWith("device d2 is a member of array array ("), ofOther);
            assertEquals(before, foreign.writes());
            assertEquals(List.of("d0", "d1"), members(fixture));
        }
    }

    @Test
    void shouldRefuseASpareThatCannotStoreItsSuperblock()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID1, 2, 0))
        {
            final MemberDisk disk = fixture.addDisk();
            // The step after those of erasing it.
            final long steps = disk.supply().steps();
            disk.supply().before(steps + 6, () -> disk.state(MemberState.FAILING));
            final String refusal = refusal(fixture, "d0 d1", "d2");
            assertTrue(refusal.contains("d2"), refusal);
            ArrayFixture.await(() -> List.of("d0", "d1").equals(members(fixture)), "let go of");
            assertEquals(DeviceHealth.ONLINE, fixture.array().status().health());
            fixture.verify();
        }
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID1,3", "RAID5,3", "RAID6,5", "EC3,6", "RAID10,4", "RAID10,3"})
    void shouldReplaceAMemberWhileItIsWritten(final RaidLevel level, final int memberCount)
    {
        try (ArrayFixture fixture = create(level, memberCount, 0))
        {
            final Initiator other = fixture.anotherHost("other");
            fixture.addDisk();
            fixture.array().copyRates(SLOW);
            final List<String> names = new ArrayList<>(names(memberCount));
            names.set(1, "d" + memberCount);
            fixture.set(String.join(" ", names), "");
            assertEquals(DeviceHealth.ONLINE, fixture.array().status().health());
            final RaidMember old = fixture.array().raidMembers().get(1);
            final RaidMember target = fixture.array().view().target();
            assertEquals(1, fixture.array().view().slotOf(old));
            fixture.failBlock(1, MEMBER_BYTES / 2);
            ArrayFixture.await(() -> target.rebuiltBytes() > MEMBER_BYTES / 4, "partly copied");
            fixture.writeAnywhere(30);
            fixture.verify();
            assertEquals("replacement", fixture.array().status().progress().operation());
            fixture.array().copyRates(CopyRates.DEFAULT);
            while (null != fixture.array().view().target())
            {
                fixture.writeAnywhere(2);
            }
            ArrayFixture.await(() -> !fixture.array().raidMembers().contains(old), "let go of");
            ArrayFixture.await(() -> null == fixture.read(1).superblock(), "erased");
            assertEquals(1, fixture.array().view().slotOf(target));
            assertEquals(0, other.refusals());
            other.close();
            fixture.verify();
            fixture.disk(0).state(MemberState.FAILING);
            fixture.writeAnywhere(5);
            fixture.verify();
            fixture.restart();
            fixture.verify();
        }
    }

    @Test
    void shouldRebuildTheReplacementWhereTheCopyWasWhenTheOldMemberFails()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3, 0))
        {
            fixture.addDisk();
            fixture.array().copyRates(SLOW);
            fixture.set("d0 d3 d2", "");
            final RaidMember target = fixture.array().view().target();
            ArrayFixture.await(() -> target.rebuiltBytes() > MEMBER_BYTES / 4, "partly copied");
            fixture.disk(1).state(MemberState.FAILING);
            fixture.writeAnywhere(4);
            ArrayFixture.await(() -> SlotState.REBUILDING == fixture.array().view().state(1), "rebuilding");
            assertTrue(target.rebuiltBytes() > MEMBER_BYTES / 4, target.rebuiltBytes() + " bytes");
            fixture.writeAnywhere(10);
            fixture.array().copyRates(CopyRates.DEFAULT);
            fixture.awaitOnline();
            ArrayFixture.await(() -> List.of("d0", "d2", "d3").equals(members(fixture)), "let go of");
            fixture.disk(0).state(MemberState.FAILING);
            fixture.writeAnywhere(5);
            fixture.verify();
        }
    }

    @Test
    void shouldKeepTheOldMemberWhenTheReplacementFails()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID1, 2, 0))
        {
            fixture.addDisk();
            fixture.array().copyRates(SLOW);
            fixture.set("d0 d2", "");
            final RaidMember target = fixture.array().view().target();
            ArrayFixture.await(() -> target.rebuiltBytes() > MEMBER_BYTES / 4, "partly copied");
            fixture.disk(2).state(MemberState.FAILING);
            fixture.writeAnywhere(4);
            ArrayFixture.await(() -> null == fixture.array().view().target(), "stopped");
            fixture.verify();
            ArrayFixture.await(() -> fixture.array().status().reason().contains("d2 failed, and does not replace d1"),
                "reported");
            // Another one replaces it.
            fixture.addDisk();
            fixture.set("d0 d3", "");
            fixture.array().copyRates(CopyRates.DEFAULT);
            fixture.awaitOnline();
            ArrayFixture.await(() -> List.of("d0", "d3").equals(members(fixture)), "let go of");
            fixture.disk(0).state(MemberState.FAILING);
            fixture.writeAnywhere(5);
            fixture.verify();
        }
    }

    @Test
    void shouldUndoAReplacement()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID1, 2, 0))
        {
            fixture.addDisk();
            fixture.array().copyRates(SLOW);
            fixture.set("d0 d2", "");
            fixture.set("d0 d1", "");
            assertEquals(List.of("d0", "d1"), members(fixture));
            assertNull(fixture.array().view().target());
            assertNull(fixture.read(2).superblock());
            fixture.awaitOnline();
            fixture.verify();
        }
    }

    @Test
    void shouldReplaceAMemberThatHasFailed()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID6, 4, 0))
        {
            fixture.disk(3).state(MemberState.FAILING);
            fixture.writeAnywhere(5);
            fixture.addDisk();
            fixture.set("d0 d1 d2 d4", "");
            assertEquals(List.of("d0", "d1", "d2", "d4"), members(fixture));
            fixture.awaitOnline();
            fixture.verify();
        }
    }

    @Test
    void shouldRefuseOtherCountsAndTwoReplacementsAtOnce()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID6, 4, 0))
        {
            fixture.addDisk();
            fixture.addDisk();
            final String count = refusal(fixture, "d0 d1 d2 d3 d4 d5", "");
            assertTrue(count.contains("members has 6 names, and the array 4 slots"), count);
            final String fewer = refusal(fixture, "d0 d1 d2", "");
            assertTrue(fewer.contains("members has 3 names, and the array 4 slots"), fewer);
            final String two = refusal(fixture, "d4 d5 d2 d3", "");
            assertTrue(two.contains("replace one, and the other when that has been copied"), two);
            assertEquals(List.of("d0", "d1", "d2", "d3"), members(fixture));
        }
    }

    @Test
    void shouldFailAMemberByHandAndRebuildOnASpare()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3, 1))
        {
            fail(fixture, "d1");
            assertFalse(fixture.array().view().isWritten(fixture.array().raidMembers().get(1)));
            fixture.writeAnywhere(10);
            fixture.awaitOnline();
            fixture.verify();
            final String again = refusal(fixture.array().fail("d1"));
            assertTrue(again.contains("device d1 is no member of array array that is in use"), again);
            // It comes back as a spare.
            fixture.set("d0 d3 d2", "");
            fixture.set("d0 d3 d2", "d1");
            fail(fixture, "d0");
            fixture.writeAnywhere(10);
            fixture.awaitOnline();
            fixture.verify();
            fixture.restart();
            fixture.verify();
        }
    }

    @ParameterizedTest
    @CsvSource({"RAID0,2,0", "RAID1,2,1", "RAID5,3,1", "RAID6,4,2", "EC3,6,3", "RAID10,4,1"})
    void shouldRefuseToFailAMemberThatDataIsLostWithout(
        final RaidLevel level, final int memberCount, final int tolerated)
    {
        try (ArrayFixture fixture = create(level, memberCount, 0))
        {
            for (int slot = 0; slot < tolerated; slot++)
            {
                fail(fixture, "d" + slot);
            }
            final String refusal = refusal(fixture.array().fail("d" + tolerated));
            assertTrue(refusal.contains("array array would lose data without d" + tolerated + ": " +
                (0 == tolerated ? "no other member has what it holds" : "rebuild what failed before first")), refusal);
            fixture.verify();
            fixture.writeAnywhere(5);
            fixture.verify();
            final String unknown = refusal(fixture.array().fail("d9"));
            assertTrue(unknown.contains("device d9 is no member of array array"), unknown);
        }
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID5,3"})
    void shouldRefuseToFailAMemberWhileOthersMayNotMatch(final RaidLevel level, final int memberCount)
    {
        try (ArrayFixture fixture = create(level, memberCount, 0))
        {
            fixture.array().copyRates(new CopyRates(1, 1));
            fixture.array().intent().assembledDirty(0);
            final String refusal = refusal(fixture.array().fail("d0"));
            assertTrue(refusal.contains("wait for that"), refusal);
        }
    }

    /** It comes first where copies differ, and hosts have read what it has. */
    @Test
    void shouldRefuseToFailAMemberThatIsRebuiltInPartWhileOthersMayNotMatch()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID1, 2, 1))
        {
            // The first copies alone.
            fixture.array().copyRates(new CopyRates(1, 1));
            fail(fixture, "d0");
            ArrayFixture.await(() -> fixture.disk(2) == fixture.array().view().member(0).device() &&
                fixture.array().view().member(0).rebuiltBytes() > 0, "rebuilt in part");
            fixture.array().intent().assembledDirty(0);
            final String refusal = refusal(fixture.array().fail("d2"));
            assertTrue(refusal.contains("wait for that"), refusal);
            assertEquals(SlotState.REBUILDING, fixture.array().view().state(0));
        }
    }

    @Test
    void shouldRefuseChangesWhenItHasStopped()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID1, 2, 0))
        {
            fixture.stopWork();
            final String refusal = refusal(fixture.array().fail("d0"));
            assertTrue(refusal.contains("array array"), refusal);
        }
    }

    /** Channels that open and close during changes have, and let go of, the same members as the others. */
    @Test
    void shouldGiveChannelsThatOpenAndCloseMeanwhileTheSameMembers() throws InterruptedException
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID1, 2, 0))
        {
            fixture.addDisk();
            final AtomicBoolean hasEnded = new AtomicBoolean();
            final AtomicReference<Throwable> problem = new AtomicReference<>();
            final Thread opener = Thread.ofPlatform().start(() ->
            {
                while (!hasEnded.get() && null == problem.get())
                {
                    try (Initiator other = fixture.anotherHost("other"))
                    {
                        assertEquals(0, other.refusals());
                    }
                    catch (final AssertionError | RuntimeException e)
                    {
                        problem.set(e);
                    }
                }
            });
            for (int i = 0; i < 40 && null == problem.get(); i++)
            {
                fixture.set("d0 d1", "d2");
                fixture.writeAnywhere(1);
                fixture.set("d0 d1", "");
                assertEquals(List.of("d0", "d1"), members(fixture));
            }
            hasEnded.set(true);
            opener.join();
            assertNull(problem.get(), () -> "problem: " + problem.get());
            assertEquals(DeviceHealth.ONLINE, fixture.array().status().health());
            fixture.verify();
            // Nothing is open any more, or this throws.
            fixture.restart();
            fixture.verify();
        }
    }

    /** Every pair of failures during a replacement: array, old member, new member, at any progress. */
    @ParameterizedTest
    @CsvSource({"RAID6,4", "RAID6,5", "EC3,5", "RAID1,3"})
    void shouldServeThroughEachPairOfFailuresDuringAReplacement(final RaidLevel level, final int memberCount)
    {
        for (int first = 0; first <= memberCount; first++)
        {
            for (int second = 0; second <= memberCount; second++)
            {
                if (first != second)
                {
                    checkPair(level, memberCount, first, second);
                }
            }
        }
    }

    private void checkPair(final RaidLevel level, final int memberCount, final int first, final int second)
    {
        try (ArrayFixture fixture = create(level, memberCount, 0))
        {
            fixture.addDisk();
            fixture.array().copyRates(new CopyRates(8 << 20, 8 << 20));
            final List<String> names = new ArrayList<>(names(memberCount));
            names.set(1, "d" + memberCount);
            fixture.set(String.join(" ", names), "");
            final long until = (long)(random.nextDouble() * MEMBER_BYTES / 2);
            final RaidMember target = fixture.array().view().target();
            ArrayFixture.await(() -> null == target || target.rebuiltBytes() >= until, "copied");
            fixture.disk(first).state(MemberState.FAILING);
            fixture.writeAnywhere(1 + random.nextInt(4));
            fixture.disk(second).state(MemberState.FAILING);
            fixture.writeAnywhere(4);
            fixture.verify();
            fixture.array().copyRates(CopyRates.DEFAULT);
            fixture.writeAnywhere(4);
            fixture.verify();
        }
        catch (final AssertionError | RuntimeException e)
        {
            throw new AssertionError("d" + first + " and d" + second + " failed: " + e.getMessage(), e);
        }
    }
}
