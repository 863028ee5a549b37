package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDeviceException;
import io.millrace.block.DeviceHealth;
import io.millrace.block.Initiator;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.seed.TestSeeds;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** RAID 6 with Q on all members, which is moved to the last one so that the array can become RAID 5. */
class QMoveTest
{
    private static final CopyRates FAST = new CopyRates(1L << 40, 1L << 40);
    /** The next step of 1 MiB is some seconds later. */
    private static final CopyRates SLOW = new CopyRates(128 << 10, 128 << 10);

    private final Random random = TestSeeds.random();

    private ArrayFixture create(final int memberCount, final JournalMode journal)
    {
        return new ArrayFixture(random, RaidLevel.RAID6, memberCount, 0, journal);
    }

    private static String names(final int count)
    {
        final StringBuilder names = new StringBuilder("d0");
        for (int i = 1; i < count; i++)
        {
            names.append(" d").append(i);
        }
        return names.toString();
    }

    private static void awaitMoved(final ArrayFixture fixture)
    {
        final RaidDevice array = fixture.array();
        ArrayFixture.await(() -> !array.view().map().isReshaping() && array.view().isComplete(), "moved");
        assertEquals(RaidLevel.RAID6_Q_LAST, array.layout().level());
    }

    /** Begins, and waits until some stripes are moved, and some are not. */
    private static void begin(final ArrayFixture fixture)
    {
        fixture.copyRates(SLOW);
        RaidFixture.get(fixture.array().moveQ());
        ArrayFixture.await(() -> 0 != fixture.array().view().map().state().position(), "begun");
        assertTrue(fixture.array().view().map().isReshaping(), "it is over too early");
    }

    /** Gives Q up, and checks that what is left is a RAID 5. */
    private static void lower(final ArrayFixture fixture, final int count)
    {
        final RaidDevice array = fixture.array();
        fixture.set(RaidLevel.RAID5, names(count - 1), "");
        assertEquals(RaidLevel.RAID5, array.layout().level());
        assertNull(fixture.read(count - 1).superblock(), "the member that has left has a superblock");
        fixture.writeAnywhere(10);
        fixture.verify();
        LevelChangeTest.scrub(array, ScrubMode.CHECK, 0);
        RaidFixture.get(array.fail("d1"));
        fixture.verify();
    }

    @ParameterizedTest
    @CsvSource({"4,DEGRADED", "5,ALWAYS", "7,DEGRADED"})
    void shouldBecomeRaid5WhileHostsWrite(final int count, final JournalMode journal)
    {
        try (ArrayFixture fixture = create(count, journal))
        {
            final RaidDevice array = fixture.array();
            final long sizeBytes = array.geometry().sizeBytes();
            fixture.copyRates(new CopyRates(8 << 20, 8 << 20));
            RaidFixture.get(array.moveQ());
            while (array.view().map().isReshaping())
            {
                fixture.writeAnywhere(5);
                fixture.zero(0, 6 * ArrayFixture.STRIP_BYTES * count);
            }
            awaitMoved(fixture);
            fixture.verify();
            LevelChangeTest.scrub(array, ScrubMode.CHECK, 0);
            LevelChangeTest.checkParity(fixture);
            assertEquals(sizeBytes, array.geometry().sizeBytes());
            assertEquals(sizeBytes, array.availableBytes());
            fixture.restart();
            fixture.awaitOnline();
            fixture.verify();
            lower(fixture, count);
        }
    }

    @ParameterizedTest
    @CsvSource({"4,0,3,DEGRADED", "5,4,1,ALWAYS", "6,2,3,DEGRADED", "4,1,2,ALWAYS"})
    void shouldWaitForMembersThatFail(final int count, final int first, final int second, final JournalMode journal)
    {
        try (ArrayFixture fixture = create(count, journal))
        {
            begin(fixture);
            final RaidDevice array = fixture.array();
            fixture.writeAnywhere(10);
            RaidFixture.get(array.fail("d" + first));
            fixture.writeAnywhere(10);
            RaidFixture.get(array.fail("d" + second));
            fixture.verify();
            fixture.writeAnywhere(10);
            fixture.verify();
            assertTrue(array.status().reason().contains("the reshape waits for that"), array.status()::reason);
            fixture.copyRates(FAST);
            fixture.writeAnywhere(10);
            assertTrue(array.view().map().isReshaping(), "data moves while a slot is not in sync");
            // They come back by the bitmap, rows of both layouts.
            fixture.restart();
            awaitMoved(fixture);
            fixture.verify();
            LevelChangeTest.scrub(fixture.array(), ScrubMode.CHECK, 0);
            LevelChangeTest.checkParity(fixture);
        }
    }

    @ParameterizedTest
    @CsvSource({"4,3", "5,0"})
    void shouldRebuildRowsOfBothLayouts(final int count, final int failed)
    {
        try (ArrayFixture fixture = create(count, JournalMode.DEGRADED))
        {
            begin(fixture);
            final RaidDevice array = fixture.array();
            RaidFixture.get(array.fail("d" + failed));
            fixture.writeAnywhere(10);
            fixture.addDisk();
            fixture.set(names(count), "d" + count);
            fixture.copyRates(FAST);
            awaitMoved(fixture);
            fixture.verify();
            LevelChangeTest.scrub(array, ScrubMode.CHECK, 0);
        }
    }

    @ParameterizedTest
    @CsvSource({"4,DEGRADED", "6,ALWAYS"})
    void shouldGoOnAfterStopsWhereItWas(final int count, final JournalMode journal)
    {
        try (ArrayFixture fixture = create(count, journal))
        {
            begin(fixture);
            for (int life = 0; life < 2; life++)
            {
                final long before = fixture.array().view().map().state().position();
                fixture.writeAnywhere(10);
                // By the settings of before, which name all members.
                fixture.restart();
                assertTrue(fixture.array().view().map().state().position() >= before ||
                    !fixture.array().view().map().isReshaping());
                fixture.verify();
            }
            fixture.copyRates(FAST);
            awaitMoved(fixture);
            fixture.verify();
            lower(fixture, count);
        }
    }

    @Test
    void shouldServeSeveralReactors() throws InterruptedException
    {
        try (ArrayFixture fixture = create(5, JournalMode.DEGRADED))
        {
            final RaidDevice array = fixture.array();
            final AtomicBoolean isOver = new AtomicBoolean();
            final AtomicReference<Throwable> problem = new AtomicReference<>();
            final Thread[] threads = new Thread[2];
            for (int i = 0; i < threads.length; i++)
            {
                final int number = i;
                threads[i] = new Thread(() ->
                {
                    try (Initiator other = fixture.anotherHost("other" + number))
                    {
                        ReshapeTest.write(other, fixture, number, isOver);
                    }
                    catch (final RuntimeException | AssertionError e)
                    {
                        problem.compareAndSet(null, e);
                    }
                });
                threads[i].start();
            }
            fixture.copyRates(new CopyRates(8 << 20, 8 << 20));
            RaidFixture.get(array.moveQ());
            awaitMoved(fixture);
            LevelChangeTest.scrub(array, ScrubMode.CHECK, 0);
            fixture.set(RaidLevel.RAID5, names(4), "");
            LevelChangeTest.scrub(array, ScrubMode.CHECK, 0);
            isOver.set(true);
            for (final Thread each : threads)
            {
                each.join();
            }
            assertNull(problem.get(), () -> problem.get().toString());
        }
    }

    /** In rows that are not moved, the last member has data, which nobody may compute from parity that is torn. */
    @Test
    void shouldNeedAllSlotsUntilItIsOver()
    {
        final ArrayLayout layout =
            ArrayLayout.of(RaidLevel.RAID6, 4, ArrayFixture.STRIP_BYTES, ArrayFixture.MEMBER_BYTES);
        final StripMap moving = LevelChange.movingQ(layout);
        final boolean[] isInSync = {true, true, true, false};
        assertFalse(ArrayView.hasAllData(moving, isInSync));
        assertTrue(ArrayView.hasAllData(StripMap.of(moving.layout()), isInSync));
        assertFalse(ArrayView.hasAllData(StripMap.of(layout), isInSync));
    }

    private static void assertRefused(final ArrayFixture fixture, final String reason)
    {
        final long event = fixture.array().view().eventCount();
        final String message = assertThrows(CompletionException.class, () ->
            fixture.array().moveQ().join()).getCause().getMessage();
        assertTrue(message.contains(reason), message);
        assertEquals(event, fixture.array().view().eventCount(), "superblocks were written");
    }

    private static void assertRefused(
        final ArrayFixture fixture, final RaidLevel level, final String members, final String reason)
    {
        final String message =
            assertThrows(BlockDeviceException.class, () -> fixture.set(level, members, "")).getMessage();
        assertTrue(message.contains(reason), message);
    }

    @Test
    void shouldRefuseWhatCannotBe()
    {
        try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID5, 3, 0, JournalMode.DEGRADED))
        {
            assertRefused(fixture, "is RAID 5, and has no Q: only that of RAID 6 is moved to the last member");
        }
        try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID6, 4, 0, JournalMode.DEGRADED, true))
        {
            assertRefused(fixture, "checksums");
        }
        try (ArrayFixture fixture = create(4, JournalMode.DEGRADED))
        {
            assertRefused(fixture, RaidLevel.RAID5, names(3), "6 --q-last), and change its level when that has ended");
            RaidFixture.get(fixture.array().fail("d1"));
            assertRefused(fixture, "is degraded: add a spare, and try again when that was rebuilt");
            fixture.restart();
            fixture.awaitOnline();
            begin(fixture);
            assertRefused(fixture, "is RAID 6, and is being reshaped already");
            assertRefused(fixture, RaidLevel.RAID5, names(3), "is being reshaped: change its level when that has");
            fixture.addDisk();
            assertRefused(fixture, RaidLevel.RAID6, names(5), "is being reshaped: add another member when that has");
            fixture.copyRates(FAST);
            awaitMoved(fixture);
            assertRefused(fixture, "is RAID 6, and has Q on its last member already");
        }
    }

    /** Which strip is wrong, only the parity tells that the move would compute of it. */
    @Test
    void shouldNotMoveWhatDoesNotMatch()
    {
        try (ArrayFixture fixture = create(4, JournalMode.DEGRADED))
        {
            final RaidDevice array = fixture.array();
            fixture.corrupt(fixture.layout().dataSlot(0, 0), 0);
            LevelChangeTest.scrub(array, ScrubMode.CHECK, 1);
            final String reason = "has rows that do not match, of which parity may tell what is wrong";
            assertRefused(fixture, reason);
            fixture.addDisk();
            assertRefused(fixture, RaidLevel.RAID6, names(5), reason);
            LevelChangeTest.scrub(array, ScrubMode.REPAIR, 1);
            RaidFixture.get(array.moveQ());
            awaitMoved(fixture);
            fixture.verify();
        }
    }

    /** Superblocks that say so may be on some members already. */
    @ParameterizedTest
    @CsvSource({"4,0", "4,3", "5,2"})
    void shouldNotBeginWithoutAMemberThatFailsThen(final int count, final int failed)
    {
        try (ArrayFixture fixture = create(count, JournalMode.DEGRADED))
        {
            fixture.disk(failed).state(MemberState.FAILING);
            assertTrue(assertThrows(CompletionException.class, () -> fixture.array().moveQ().join())
                .getCause().getMessage().contains("has lost a member meanwhile, and is not reshaped"));
            final RaidDevice array = fixture.array();
            ArrayFixture.await(() -> SlotState.FAILED == array.view().state(failed), "degraded");
            assertEquals(RaidLevel.RAID6, array.layout().level());
            assertEquals(DeviceHealth.DEGRADED, array.status().health());
            fixture.writeAnywhere(10);
            fixture.verify();
            fixture.restart();
            fixture.awaitOnline();
            fixture.verify();
            assertEquals(RaidLevel.RAID6, fixture.array().layout().level());
            LevelChangeTest.scrub(fixture.array(), ScrubMode.CHECK, 0);
        }
    }
}
