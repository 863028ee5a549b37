package io.millrace.block.raid;

import static io.millrace.block.raid.ArrayFixture.BLOCK_BYTES;
import static io.millrace.block.raid.ArrayFixture.STRIP_BYTES;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDeviceException;
import io.millrace.block.DeviceHealth;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.seed.TestSeeds;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Arrays that are read as a whole and compared. */
class ScrubTest
{
    private static final CopyRates SLOW = new CopyRates(1, 512 << 10);
    private static final long DAY_MS = 86_400_000;

    private final Random random = TestSeeds.random();

    private ArrayFixture create(final RaidLevel level, final int memberCount)
    {
        return new ArrayFixture(random, level, memberCount, 0);
    }

    private static ScrubResult awaitEnd(final ArrayFixture fixture)
    {
        ArrayFixture.await(() -> !fixture.array().scrubControl().isActive(), "ended");
        return fixture.array().scrubControl().result();
    }

    private static ScrubResult scrub(final ArrayFixture fixture, final ScrubMode mode)
    {
        fixture.array().scrub(mode);
        final ScrubResult result = awaitEnd(fixture);
        assertEquals(mode, result.mode());
        assertEquals(ScrubStatus.COMPLETED, result.status());
        assertEquals(fixture.layout().dataBytes(), result.checkedBytes() + result.skippedBytes());
        return result;
    }

    private static void assertClean(final ArrayFixture fixture)
    {
        final ScrubResult result = scrub(fixture, ScrubMode.CHECK);
        assertEquals(0, result.mismatches());
        assertEquals(List.of(), result.offsets());
        assertEquals(0, result.skippedBytes());
        assertEquals(0, result.correctedErrors() + result.unreadable());
    }

    private static void await(final ArrayFixture fixture, final ScrubStatus status)
    {
        ArrayFixture.await(() -> null != fixture.array().scrubControl().result() &&
            status == fixture.array().scrubControl().result().status(), status.toString());
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID1,3", "RAID10,4", "RAID10,3", "RAID5,3", "RAID5,4", "RAID6,4", "RAID6,6",
        "RAID6_Q_LAST,5", "EC3,6",
        "EC1,3"})
    void shouldFindNothingWhenMembersAgree(final RaidLevel level, final int memberCount)
    {
        try (ArrayFixture fixture = create(level, memberCount))
        {
            assertNull(fixture.array().scrubControl().result());
            final long beganMs = System.currentTimeMillis();
            assertClean(fixture);
            assertTrue(fixture.array().scrubControl().scrubbedMs() >= beganMs);
            assertTrue(fixture.array().scrubControl().result().beganMs() >= beganMs);
            assertNull(fixture.array().status().progress());
        }
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID1,3", "RAID10,4", "RAID10,3", "RAID5,3", "RAID5,4", "RAID6,4", "RAID6,6",
        "RAID6_Q_LAST,5", "EC3,6",
        "EC1,3"})
    void shouldReportRowsThatDifferWhenItChecks(final RaidLevel level, final int memberCount)
    {
        try (ArrayFixture fixture = create(level, memberCount))
        {
            final boolean hasParity = level.parityCount() > 0;
            fixture.corrupt(1, 0);
            fixture.corrupt(memberCount - 1, 5L * STRIP_BYTES + 2 * BLOCK_BYTES);
            final long first = hasParity ? 0 : fixture.layout().strip(1, 0) * STRIP_BYTES;
            final long second = 2 * BLOCK_BYTES + STRIP_BYTES * (hasParity ? 5L * fixture.layout().dataCount() :
                fixture.layout().strip(memberCount - 1, 5));
            for (int i = 0; i < 2; i++)
            {
                final ScrubResult result = scrub(fixture, ScrubMode.CHECK);
                assertEquals(2, result.mismatches());
                assertEquals(List.of(first, second), result.offsets());
                assertEquals(0, result.repaired());
            }
            assertEquals(DeviceHealth.ONLINE, fixture.array().status().health());
        }
    }

    @Test
    void shouldNameTheFirstOffsetsOfMany()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID1, 2))
        {
            for (int row = 0; row < 2 * ScrubResult.OFFSETS_MAX; row++)
            {
                fixture.corrupt(0, (long)row * BLOCK_BYTES);
            }
            final ScrubResult result = scrub(fixture, ScrubMode.CHECK);
            assertEquals(2 * ScrubResult.OFFSETS_MAX, result.mismatches());
            assertEquals(ScrubResult.OFFSETS_MAX, result.offsets().size());
            assertEquals((ScrubResult.OFFSETS_MAX - 1L) * BLOCK_BYTES, result.offsets().getLast());
        }
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID10,4", "RAID10,3"})
    void shouldMakeTwoCopiesEqualToTheFirst(final RaidLevel level, final int memberCount)
    {
        try (ArrayFixture fixture = create(level, memberCount))
        {
            final long strip = fixture.layout().strip(0, 3);
            fixture.corrupt(fixture.layout().slot(strip, 1), fixture.layout().memberStrip(strip, 1) * STRIP_BYTES);
            final ScrubResult result = scrub(fixture, ScrubMode.REPAIR);
            assertEquals(1, result.mismatches());
            assertEquals(1, result.repaired());
            assertEquals(0, fixture.array().correctedErrors());
            fixture.verify();
            assertClean(fixture);
        }
    }

    @ParameterizedTest
    @CsvSource({"3,0", "3,1", "3,2", "4,0", "5,4"})
    void shouldRewriteTheCopyThatMostDifferFrom(final int memberCount, final int slot)
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID1, memberCount))
        {
            fixture.corrupt(slot, 7L * BLOCK_BYTES);
            assertEquals(1, scrub(fixture, ScrubMode.REPAIR).repaired());
            assertEquals(1, fixture.array().raidMembers().get(slot).correctedErrors());
            assertEquals(1, fixture.array().correctedErrors());
            fixture.verify();
            assertClean(fixture);
        }
    }

    @Test
    void shouldTakeTheFirstCopyWhenNoneHasAMajority()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID1, 3))
        {
            fixture.corrupt(1, 0);
            fixture.corrupt(2, 0);
            assertEquals(1, scrub(fixture, ScrubMode.REPAIR).repaired());
            assertEquals(0, fixture.array().correctedErrors());
            fixture.verify();
            assertClean(fixture);
        }
    }

    @ParameterizedTest
    @CsvSource({"3", "5"})
    void shouldComputeParityFromDataWhenItIsTheOnlyOne(final int memberCount)
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, memberCount))
        {
            fixture.corrupt(fixture.layout().parityP(4), 4L * STRIP_BYTES);
            final ScrubResult result = scrub(fixture, ScrubMode.REPAIR);
            assertEquals(1, result.repaired());
            assertEquals(0, fixture.array().correctedErrors());
            fixture.verify();
            assertClean(fixture);
            fixture.disk(fixture.layout().dataSlot(4, 0)).state(MemberState.FAILING);
            fixture.verify();
        }
    }

    @ParameterizedTest
    @CsvSource({"RAID6,4", "RAID6,5", "RAID6,8", "RAID6_Q_LAST,4", "RAID6_Q_LAST,7"})
    void shouldRewriteTheStripThatTwoParitiesIdentify(final RaidLevel level, final int memberCount)
    {
        try (ArrayFixture fixture = create(level, memberCount))
        {
            for (int slot = 0; slot < memberCount; slot++)
            {
                fixture.corrupt(slot, (long)(slot + 3) * STRIP_BYTES + BLOCK_BYTES);
            }
            final ScrubResult result = scrub(fixture, ScrubMode.REPAIR);
            assertEquals(memberCount, result.mismatches());
            assertEquals(memberCount, result.repaired());
            for (int slot = 0; slot < memberCount; slot++)
            {
                assertEquals(1, fixture.array().raidMembers().get(slot).correctedErrors());
            }
            fixture.verify();
            assertClean(fixture);
            // What was computed is right: it is needed when others are gone.
            fixture.disk(0).state(MemberState.FAILING);
            fixture.disk(2).state(MemberState.FAILING);
            fixture.verify();
        }
    }

    @Test
    void shouldComputeParityFromDataWhenTwoStripsAreWrong()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID6, 5))
        {
            fixture.corrupt(fixture.layout().parityP(2), 2L * STRIP_BYTES);
            fixture.corrupt(fixture.layout().paritySlot(2, 1), 2L * STRIP_BYTES);
            final ScrubResult result = scrub(fixture, ScrubMode.REPAIR);
            assertEquals(1, result.mismatches());
            assertEquals(1, result.repaired());
            assertEquals(0, fixture.array().correctedErrors());
            fixture.verify();
            assertClean(fixture);
        }
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID1,3", "RAID10,4", "RAID5,4", "RAID6,5", "EC3,6"})
    void shouldRewriteBlocksThatCannotBeReadWhenItChecks(final RaidLevel level, final int memberCount)
    {
        try (ArrayFixture fixture = create(level, memberCount))
        {
            fixture.failBlock(0, 0);
            fixture.failBlock(1, 9L * STRIP_BYTES + BLOCK_BYTES);
            fixture.failBlock(1, ArrayFixture.MEMBER_BYTES - BLOCK_BYTES);
            final ScrubResult result = scrub(fixture, ScrubMode.CHECK);
            assertEquals(0, fixture.badBlocks());
            assertEquals(3, result.correctedErrors());
            assertEquals(0, result.mismatches() + result.unreadable());
            assertEquals(3, fixture.array().correctedErrors());
            fixture.verify();
            assertClean(fixture);
        }
    }

    @Test
    void shouldCountRowsThatTooManyCannotRead()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3))
        {
            fixture.failBlock(0, 0);
            fixture.failBlock(1, 0);
            fixture.failBlock(1, BLOCK_BYTES);
            final ScrubResult result = scrub(fixture, ScrubMode.REPAIR);
            assertEquals(1, result.unreadable());
            assertEquals(1, result.correctedErrors());
            assertEquals(2, fixture.badBlocks());
            assertEquals(DeviceHealth.ONLINE, fixture.array().status().health());
        }
    }

    @Test
    void shouldSkipRegionsThatNeedAResync()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3))
        {
            // Parity may be needed for it.
            fixture.failBlock(fixture.layout().dataSlot(0, 0), 0);
            fixture.array().intent().assembledDirty(0);
            fixture.array().onUnreadable(0, BLOCK_BYTES);
            ArrayFixture.await(() -> fixture.array().status().reason().contains("resync stopped"), "stopped");
            fixture.corrupt(0, 3L * STRIP_BYTES);
            final ScrubResult result = scrub(fixture, ScrubMode.REPAIR);
            assertEquals(0, result.mismatches());
            assertEquals(fixture.array().intent().regionBytes() * 2, result.skippedBytes());
        }
    }

    @Test
    void shouldNotCountAScrubThatComparedNothing()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID1, 2))
        {
            RaidFixture.get(fixture.array().fail("d1"));
            fixture.array().scrub(ScrubMode.CHECK);
            final ScrubResult result = awaitEnd(fixture);
            assertEquals(ScrubStatus.SKIPPED, result.status());
            assertEquals(fixture.layout().dataBytes(), result.skippedBytes());
            assertEquals(0, fixture.array().details().scrubbedMs());
            assertFalse(result.isClean());
        }
    }

    @Test
    void shouldWaitWhileAMemberIsRebuilt()
    {
        try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID5, 3, 1))
        {
            fixture.array().copyRates(SLOW);
            fixture.disk(1).state(MemberState.FAILING);
            fixture.verify();
            ArrayFixture.await(() -> fixture.array().view().firstOf(SlotState.REBUILDING) >= 0, "rebuilding");
            fixture.array().scrub(ScrubMode.CHECK);
            await(fixture, ScrubStatus.WAITING);
            ArrayFixture.await(() -> null != fixture.array().status().progress() &&
                "rebuild".equals(fixture.array().status().progress().operation()), "shows the rebuild");
            assertEquals(0, fixture.array().scrubControl().result().checkedBytes());
            fixture.array().copyRates(CopyRates.DEFAULT);
            final ScrubResult result = awaitEnd(fixture);
            assertEquals(ScrubStatus.COMPLETED, result.status());
            assertEquals(fixture.layout().dataBytes(), result.checkedBytes());
            assertEquals(0, result.mismatches());
        }
    }

    @ParameterizedTest
    @CsvSource({"RAID1,3", "RAID6,5", "EC3,6"})
    void shouldGoOnWhenAMemberHasFailed(final RaidLevel level, final int memberCount)
    {
        try (ArrayFixture fixture = new ArrayFixture(random, level, memberCount, 1))
        {
            fixture.array().copyRates(SLOW);
            fixture.array().scrub(ScrubMode.CHECK);
            ArrayFixture.await(() -> null != fixture.array().scrubControl().result() &&
                fixture.array().scrubControl().result().checkedBytes() > 0, "begun");
            fixture.disk(1).state(MemberState.FAILING);
            ArrayFixture.await(() -> fixture.array().view().firstOf(SlotState.REBUILDING) >= 0, "rebuilding");
            assertTrue(fixture.array().scrubControl().isActive());
            fixture.array().copyRates(CopyRates.DEFAULT);
            final ScrubResult result = awaitEnd(fixture);
            assertEquals(ScrubStatus.COMPLETED, result.status());
            assertEquals(0, result.mismatches());
            assertEquals(fixture.layout().dataBytes(), result.checkedBytes() + result.skippedBytes());
            fixture.verify();
        }
    }

    @Test
    void shouldEndWhenItIsStopped()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID6, 4))
        {
            assertThrows(BlockDeviceException.class, () -> fixture.array().stopScrub());
            fixture.array().copyRates(SLOW);
            fixture.array().scrub(ScrubMode.CHECK);
            await(fixture, ScrubStatus.RUNNING);
            ArrayFixture.await(() -> null != fixture.array().status().progress(), "progress");
            assertEquals("scrub", fixture.array().status().progress().operation());
            assertThrows(BlockDeviceException.class, () -> fixture.array().scrub(ScrubMode.REPAIR));
            fixture.array().stopScrub();
            final ScrubResult result = awaitEnd(fixture);
            assertEquals(ScrubStatus.STOPPED, result.status());
            assertTrue(result.endedMs() >= result.beganMs());
            assertEquals(0, fixture.array().scrubControl().scrubbedMs());
            assertNull(fixture.array().status().progress());
            fixture.array().copyRates(CopyRates.DEFAULT);
            assertClean(fixture);
        }
    }

    @Test
    void shouldEndWhenTheArrayFails()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3))
        {
            fixture.array().copyRates(SLOW);
            fixture.array().scrub(ScrubMode.CHECK);
            await(fixture, ScrubStatus.RUNNING);
            fixture.disk(0).state(MemberState.FAILING);
            fixture.disk(1).state(MemberState.FAILING);
            assertEquals(ScrubStatus.ABORTED, awaitEnd(fixture).status());
            assertThrows(BlockDeviceException.class, () -> fixture.array().scrub(ScrubMode.CHECK));
        }
    }

    @Test
    void shouldRefuseAnArrayWithoutRedundancy()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID0, 2))
        {
            assertThrows(BlockDeviceException.class, () -> fixture.array().scrub(ScrubMode.CHECK));
        }
    }

    @Test
    void shouldKnowTheLastScrubAfterARestart()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3))
        {
            assertClean(fixture);
            final long scrubbedMs = fixture.array().scrubControl().scrubbedMs();
            fixture.restart();
            assertEquals(scrubbedMs, fixture.array().scrubControl().scrubbedMs());
            assertNull(fixture.array().scrubControl().result());
            fixture.restart();
            assertEquals(scrubbedMs, fixture.array().scrubControl().scrubbedMs());
        }
    }

    @Test
    void shouldBeginByItselfWhenTheLastIsTooOld()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID6, 4))
        {
            fixture.array().scrubIntervalMs(DAY_MS);
            ArrayFixture.await(() -> 0 != fixture.array().scrubControl().scrubbedMs(), "scrubbed");
            final ScrubResult result = awaitEnd(fixture);
            assertEquals(ScrubMode.CHECK, result.mode());
            assertEquals(ScrubStatus.COMPLETED, result.status());
            // Not again before the interval has passed.
            fixture.restart();
            fixture.array().scrubIntervalMs(DAY_MS);
            fixture.verify();
            assertNull(fixture.array().scrubControl().result());
            fixture.array().scrubIntervalMs(1);
            ArrayFixture.await(() -> null != fixture.array().scrubControl().result(), "scrubbed again");
        }
    }

    @Test
    void shouldNotBeginByItselfAgainWhenItWasStopped()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID1, 2))
        {
            fixture.array().copyRates(SLOW);
            fixture.array().scrubIntervalMs(DAY_MS);
            await(fixture, ScrubStatus.RUNNING);
            fixture.array().stopScrub();
            assertEquals(ScrubStatus.STOPPED, awaitEnd(fixture).status());
            fixture.verify();
            assertEquals(ScrubStatus.STOPPED, fixture.array().scrubControl().result().status());
        }
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID10,3", "RAID5,4", "RAID6,5", "EC3,6"})
    void shouldFindNothingWhileHostsWrite(final RaidLevel level, final int memberCount)
    {
        try (ArrayFixture fixture = create(level, memberCount))
        {
            final int blocks = (int)(fixture.layout().dataBytes() / BLOCK_BYTES);
            for (int scrubs = 0; scrubs < 4; scrubs++)
            {
                fixture.array().scrub(ScrubMode.REPAIR);
                while (fixture.array().scrubControl().isActive())
                {
                    final int at = random.nextInt(blocks);
                    fixture.write(at * BLOCK_BYTES, BLOCK_BYTES * (1 + random.nextInt(Math.min(16, blocks - at))));
                }
                final ScrubResult result = fixture.array().scrubControl().result();
                assertEquals(ScrubStatus.COMPLETED, result.status());
                assertEquals(0, result.mismatches());
            }
            fixture.verify();
            assertClean(fixture);
        }
    }
}
