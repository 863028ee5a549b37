package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDeviceException;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.seed.TestSeeds;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rows that a scrub has found not to match are known after a stop or a crash, until they are made right. */
class MismatchRestartTest
{
    private static final CopyRates SLOW = new CopyRates(64 << 10, 64 << 10);
    /** Far more than a scrub of a small array has. */
    private static final int STEPS_MAX = 500;

    private final Random random = TestSeeds.random();

    /** What the member has is stable. */
    private static void corrupt(final ArrayFixture fixture, final int slot, final long memberOffset)
    {
        fixture.corrupt(slot, memberOffset);
        fixture.flush(slot);
    }

    /** No region of the bitmap is marked: a resync after a crash would compute parity of what does not match. */
    private ArrayFixture createClean(final RaidLevel level, final int memberCount)
    {
        final ArrayFixture fixture = new ArrayFixture(random, level, memberCount, 0);
        fixture.restart();
        return fixture;
    }

    private static boolean isStored(final ArrayFixture fixture, final boolean hasMismatches)
    {
        return fixture.array().raidMembers().stream().allMatch((each) ->
            hasMismatches == fixture.read(each.index()).superblock().hasMismatches());
    }

    private static void awaitStored(final ArrayFixture fixture, final boolean hasMismatches)
    {
        ArrayFixture.await(() -> isStored(fixture, hasMismatches), "stored");
    }

    /** At each start, and no sooner. */
    private static void awaitAnnounced(final ArrayFixture fixture, final long starts)
    {
        ArrayFixture.await(() -> starts == fixture.events().stream()
            .filter((each) -> each.contains("a scrub before this start found rows that do not match")).count(),
            "announced");
    }

    @ParameterizedTest
    @CsvSource({"RAID6,4", "RAID6_Q_LAST,5", "RAID5,3", "EC3,6", "RAID1,3", "RAID10,4"})
    void shouldBeKnownUntilTheyAreRepaired(final RaidLevel level, final int memberCount)
    {
        try (ArrayFixture fixture = createClean(level, memberCount))
        {
            assertFalse(fixture.array().scrubControl().hasMismatches());
            corrupt(fixture, 1, 0);
            LevelChangeTest.scrub(fixture.array(), ScrubMode.CHECK, 1);
            awaitStored(fixture, true);
            fixture.losePower();
            assertTrue(fixture.array().scrubControl().hasMismatches(), "forgotten by a crash");
            assertTrue(fixture.array().details().hasMismatches(), "not shown");
            awaitAnnounced(fixture, 1);
            fixture.assembleAlone();
            fixture.restart();
            assertTrue(fixture.array().scrubControl().hasMismatches(), "forgotten by a stop, or by a start");
            awaitAnnounced(fixture, 2);
            LevelChangeTest.scrub(fixture.array(), ScrubMode.REPAIR, 1);
            assertFalse(fixture.array().scrubControl().hasMismatches());
            assertFalse(fixture.array().details().hasMismatches(), "shown");
            awaitStored(fixture, false);
            fixture.losePower();
            assertFalse(fixture.array().scrubControl().hasMismatches(), "known, and not there any more");
        }
    }

    @Test
    void shouldRefuseAfterACrashWhatWouldComputeOfThem()
    {
        try (ArrayFixture fixture = createClean(RaidLevel.RAID6, 4))
        {
            corrupt(fixture, fixture.layout().dataSlot(0, 0), 0);
            LevelChangeTest.scrub(fixture.array(), ScrubMode.CHECK, 1);
            awaitStored(fixture, true);
            fixture.losePower();
            ArrayFixture.await(() -> fixture.array().intent().nextResync(0) < 0, "resynchronized");
            final String reason = "has rows that do not match, of which parity may tell what is wrong";
            final String moved = assertThrows(CompletionException.class,
                () -> fixture.array().moveQ().join()).getCause().getMessage();
            assertTrue(moved.contains(reason), moved);
            fixture.addDisk();
            final String grown = assertThrows(BlockDeviceException.class,
                () -> fixture.set("d0 d1 d2 d3 d4", "")).getMessage();
            assertTrue(grown.contains(reason), grown);
            LevelChangeTest.scrub(fixture.array(), ScrubMode.REPAIR, 1);
            fixture.verify();
        }
    }

    /** A scrub of a large array takes hours. */
    @Test
    void shouldBeStoredWhileTheScrubGoesOn()
    {
        try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID6, 4, 0))
        {
            fixture.copyRates(SLOW);
            corrupt(fixture, 1, 0);
            fixture.array().scrub(ScrubMode.CHECK);
            awaitStored(fixture, true);
            assertTrue(fixture.array().scrubControl().isActive(), "it has ended too early");
            fixture.losePower();
            assertTrue(fixture.array().scrubControl().hasMismatches());
        }
    }

    /** A scrub that cannot read such a row has not found that it matches, and it may be readable again. */
    @Test
    void shouldBeKnownWhenItsRowCannotBeRead()
    {
        try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID6, 4, 0))
        {
            fixture.corrupt(0, 0);
            LevelChangeTest.scrub(fixture.array(), ScrubMode.CHECK, 1);
            for (int slot = 1; slot < 4; slot++)
            {
                fixture.failBlock(slot, 0);
            }
            LevelChangeTest.scrub(fixture.array(), ScrubMode.CHECK, 0);
            assertEquals(1, fixture.array().scrubControl().result().unreadable());
            assertTrue(fixture.array().scrubControl().hasMismatches(), "forgotten");
            for (int slot = 1; slot < 4; slot++)
            {
                fixture.disk(slot).healMedia();
            }
            fixture.restart();
            assertTrue(fixture.array().scrubControl().hasMismatches(), "forgotten by superblocks");
            LevelChangeTest.scrub(fixture.array(), ScrubMode.CHECK, 1);
        }
    }

    /** Wherever a member fails: within the first batch, or when a row is compared by itself, or made right. */
    @ParameterizedTest
    @CsvSource({"CHECK,4", "CHECK,5", "REPAIR,4", "REPAIR,5", "REPAIR,6"})
    void shouldBeKnownWhenAMemberFailsMeanwhile(final ScrubMode mode, final int reads)
    {
        try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID6, 4, 1))
        {
            fixture.corrupt(fixture.layout().dataSlot(0, 0), 0);
            final RaidDevice array = fixture.array();
            LevelChangeTest.scrub(array, ScrubMode.CHECK, 1);
            fixture.disk(fixture.layout().dataSlot(0, 1)).failAfterReads(reads);
            array.scrub(mode);
            ArrayFixture.await(() -> !array.scrubControl().isActive(), "scrubbed");
            fixture.awaitOnline();
            final ScrubResult result = array.scrubControl().result();
            assertEquals(ScrubStatus.COMPLETED, result.status());
            assertEquals(fixture.layout().dataBytes(), result.checkedBytes() + result.skippedBytes());
            final boolean isKnown = array.scrubControl().hasMismatches();
            array.scrub(ScrubMode.CHECK);
            ArrayFixture.await(() -> !array.scrubControl().isActive(), "scrubbed again");
            final long left = array.scrubControl().result().mismatches();
            assertTrue(isKnown || 0 == left, () -> left + " rows differ, and nobody knows, after " + result);
        }
    }

    /** Wherever the power is cut, superblocks say so while any row differs. */
    @ParameterizedTest
    @CsvSource({"RAID6,4,ALWAYS", "RAID5,3,ALWAYS", "EC3,6,ALWAYS", "RAID6,4,DEGRADED", "RAID1,3,DEGRADED"})
    void shouldBeKnownUntilRepairsAreStable(final RaidLevel level, final int memberCount, final JournalMode journal)
    {
        boolean isOver = false;
        for (int step = 1; !isOver; step++)
        {
            try (ArrayFixture fixture = new ArrayFixture(random, level, memberCount, 0, journal))
            {
                // No resync after the cut makes rows match.
                fixture.restart();
                for (final int row : List.of(0, 20))
                {
                    corrupt(fixture, 1, row * (long)ArrayFixture.STRIP_BYTES);
                }
                LevelChangeTest.scrub(fixture.array(), ScrubMode.CHECK, 2);
                awaitStored(fixture, true);
                final RaidDevice array = fixture.array();
                final long event = array.view().eventCount();
                fixture.cutBefore(step);
                array.scrub(ScrubMode.REPAIR);
                ArrayFixture.await(() -> fixture.isCut() || !array.scrubControl().hasMismatches() &&
                    event != array.view().eventCount(), "cut or stored");
                isOver = !fixture.isCut();
                fixture.losePower();
                final boolean isKnown = fixture.array().scrubControl().hasMismatches();
                fixture.array().scrub(ScrubMode.CHECK);
                ArrayFixture.await(() -> !fixture.array().scrubControl().isActive(), "scrubbed");
                final ScrubResult result = fixture.array().scrubControl().result();
                final int cut = step;
                assertTrue(isKnown || 0 == result.mismatches(),
                    () -> "cut before step " + cut + ": " + result.mismatches() + " rows differ, and nobody knows");
                assertEquals(ScrubStatus.COMPLETED, result.status());
            }
            assertTrue(step < STEPS_MAX, "the steps come to an end");
        }
    }
}
