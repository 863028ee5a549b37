package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockStatus;
import io.millrace.block.DeviceHealth;
import io.millrace.block.Initiator;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.format.Superblock;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.parity.GaloisField;
import io.millrace.seed.TestSeeds;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** RAID 5 that becomes RAID 6, and RAID 5 again, while it serves. */
class LevelChangeTest
{
    private static final CopyRates FAST = new CopyRates(1L << 40, 1L << 40);
    private static final CopyRates SLOW = new CopyRates(64 << 10, 64 << 10);
    /** In which the array's own work stores what it is going to store. */
    private static final int TURNS = 100;

    private final Random random = TestSeeds.random();

    private ArrayFixture create(final int memberCount, final JournalMode journal)
    {
        return new ArrayFixture(random, RaidLevel.RAID5, memberCount, 0, journal);
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

    /** Begins to become RAID 6. */
    private static void raise(final ArrayFixture fixture, final int count)
    {
        fixture.addDisk();
        fixture.set(RaidLevel.RAID6, names(count + 1), "");
        final ArrayLayout layout = fixture.array().layout();
        assertEquals(RaidLevel.RAID6_Q_LAST, layout.level());
        assertEquals(count + 1, layout.memberCount());
    }

    private static void lower(final ArrayFixture fixture, final int count)
    {
        fixture.set(RaidLevel.RAID5, names(count), "");
        final ArrayLayout layout = fixture.array().layout();
        assertEquals(RaidLevel.RAID5, layout.level());
        assertEquals(count, layout.memberCount());
        assertEquals(count, fixture.array().slotsMax(), "requests are cut for a slot that is gone");
    }

    static void scrub(final RaidDevice array, final ScrubMode mode, final int mismatches)
    {
        array.scrub(mode);
        ArrayFixture.await(() -> !array.scrubControl().isActive(), "scrubbed");
        // Its time is stored behind its end.
        ArrayFixture.await(() -> isStored(array), "stored");
        assertEquals(ScrubStatus.COMPLETED, array.scrubControl().result().status());
        assertEquals(mismatches, array.scrubControl().result().mismatches());
    }

    private static boolean isStored(final RaidDevice array)
    {
        try (MemberIo io = new MemberIo(null))
        {
            final Superblock last = FoundMember.read(io, array.view().member(0).device()).superblock();
            return array.scrubControl().scrubbedMs() == last.scrubbedMs() &&
                array.view().eventCount() == last.eventCount();
        }
    }

    /** P and Q of rows, computed of what lies on the drives, whose order in Q is that of the slots, as md has it. */
    static void checkParity(final ArrayFixture fixture)
    {
        final ArrayLayout layout = fixture.array().layout();
        final int length = ArrayFixture.BLOCK_BYTES;
        for (long stripe = 0; stripe < layout.stripes(); stripe += 7)
        {
            final byte[][] rows = new byte[layout.memberCount()][];
            for (int slot = 0; slot < rows.length; slot++)
            {
                rows[slot] = fixture.readData(slot, stripe * layout.stripBytes(), length);
            }
            for (int at = 0; at < length; at++)
            {
                int p = 0;
                int q = 0;
                int power = 0;
                for (int slot = 0; slot < rows.length - 1; slot++)
                {
                    if (slot != layout.parityP(stripe))
                    {
                        p ^= rows[slot][at] & 0xff;
                        q ^= GaloisField.multiply(GaloisField.power(power), rows[slot][at] & 0xff);
                        power++;
                    }
                }
                assertEquals(p, rows[layout.parityP(stripe)][at] & 0xff);
                assertEquals(q, rows[rows.length - 1][at] & 0xff);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"3,DEGRADED", "4,ALWAYS", "5,DEGRADED", "7,ALWAYS"})
    void shouldBecomeRaid6AndRaid5AgainWhileHostsWrite(final int count, final JournalMode journal)
    {
        try (ArrayFixture fixture = create(count, journal))
        {
            final RaidDevice array = fixture.array();
            final long sizeBytes = array.geometry().sizeBytes();
            fixture.copyRates(new CopyRates(8 << 20, 8 << 20));
            raise(fixture, count);
            while (!array.view().isComplete())
            {
                fixture.writeAnywhere(5);
                fixture.zero(0, 6 * ArrayFixture.STRIP_BYTES * count);
            }
            fixture.writeAnywhere(20);
            fixture.verify();
            scrub(array, ScrubMode.CHECK, 0);
            checkParity(fixture);
            assertEquals(sizeBytes, array.geometry().sizeBytes());
            assertEquals(sizeBytes, array.availableBytes());
            fixture.restart();
            assertEquals(RaidLevel.RAID6_Q_LAST, fixture.array().layout().level());
            fixture.awaitOnline();
            fixture.verify();
            lower(fixture, count);
            fixture.awaitOnline();
            assertNull(fixture.read(count).superblock(), "the member that has left has a superblock");
            fixture.writeAnywhere(20);
            // By requests that had the slot.
            fixture.zero(0, 6 * ArrayFixture.STRIP_BYTES * count);
            fixture.verify();
            scrub(fixture.array(), ScrubMode.CHECK, 0);
            fixture.restart();
            assertEquals(RaidLevel.RAID5, fixture.array().layout().level());
            fixture.verify();
            RaidFixture.get(fixture.array().fail("d1"));
            fixture.writeAnywhere(20);
            fixture.verify();
        }
    }

    @ParameterizedTest
    @CsvSource({"3,DEGRADED", "4,ALWAYS", "6,DEGRADED"})
    void shouldTolerateTheLossOfAnyTwoMembers(final int count, final JournalMode journal)
    {
        for (int first = 0; first <= count; first++)
        {
            for (int second = first + 1; second <= count; second += 2)
            {
                try (ArrayFixture fixture = create(count, journal))
                {
                    raise(fixture, count);
                    fixture.awaitOnline();
                    fixture.writeAnywhere(10);
                    RaidFixture.get(fixture.array().fail("d" + first));
                    fixture.writeAnywhere(10);
                    RaidFixture.get(fixture.array().fail("d" + second));
                    fixture.verify();
                    fixture.writeAnywhere(10);
                    fixture.verify();
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"3,0", "3,3", "4,2", "5,5"})
    void shouldGoOnWhenAMemberFailsWhileQIsComputed(final int count, final int failed)
    {
        try (ArrayFixture fixture = create(count, JournalMode.DEGRADED))
        {
            fixture.copyRates(SLOW);
            raise(fixture, count);
            final RaidDevice array = fixture.array();
            fixture.writeAnywhere(10);
            assertFalse(array.view().isComplete(), "it is over too early");
            RaidFixture.get(array.fail("d" + failed));
            fixture.writeAnywhere(20);
            fixture.verify();
            assertEquals(DeviceHealth.DEGRADED, array.status().health());
            // One more is too many, as of RAID 5.
            assertTrue(failed == count || array.view().firstOf(SlotState.REBUILDING) == count);
            final String other = "d" + (0 == failed ? 1 : 0);
            if (failed != count)
            {
                assertThrows(AssertionError.class, () -> RaidFixture.get(array.fail(other)));
            }
            fixture.addDisk();
            fixture.set(names(count + 1), "d" + (count + 1));
            fixture.copyRates(FAST);
            fixture.awaitOnline();
            fixture.verify();
            scrub(array, ScrubMode.CHECK, 0);
            checkLoss(fixture, count);
        }
    }

    private static void checkLoss(final ArrayFixture fixture, final int count)
    {
        final RaidDevice array = fixture.array();
        RaidFixture.get(array.fail(array.view().member(count - 1).toString()));
        RaidFixture.get(array.fail(array.view().member(1).toString()));
        fixture.writeAnywhere(10);
        fixture.verify();
    }

    @ParameterizedTest
    @CsvSource({"3,DEGRADED", "5,ALWAYS"})
    void shouldGoOnAfterAStopWhereItWas(final int count, final JournalMode journal)
    {
        try (ArrayFixture fixture = create(count, journal))
        {
            fixture.copyRates(new CopyRates(1 << 20, 1 << 20));
            raise(fixture, count);
            ArrayFixture.await(() -> fixture.array().view().member(count).rebuiltBytes() > 0, "begun");
            for (int life = 0; life < 3; life++)
            {
                fixture.writeAnywhere(10);
                fixture.restart();
                fixture.verify();
                assertEquals(RaidLevel.RAID6_Q_LAST, fixture.array().layout().level());
            }
            fixture.copyRates(FAST);
            fixture.awaitOnline();
            scrub(fixture.array(), ScrubMode.CHECK, 0);
            checkParity(fixture);
            checkLoss(fixture, count);
        }
    }

    @ParameterizedTest
    @CsvSource({"3,DEGRADED,0", "4,ALWAYS,0", "4,DEGRADED,50", "6,DEGRADED,0"})
    void shouldServeSeveralReactors(final int count, final JournalMode journal, final int hedgeReads)
        throws InterruptedException
    {
        try (ArrayFixture fixture = create(count, journal))
        {
            final RaidDevice array = fixture.array();
            array.hedgeReads(hedgeReads);
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
            raise(fixture, count);
            fixture.awaitOnline();
            scrub(array, ScrubMode.CHECK, 0);
            lower(fixture, count);
            scrub(array, ScrubMode.CHECK, 0);
            fixture.set(RaidLevel.RAID6, names(count + 1), "");
            fixture.awaitOnline();
            scrub(array, ScrubMode.CHECK, 0);
            RaidFixture.get(array.fail("d0"));
            RaidFixture.get(array.fail("d2"));
            isOver.set(true);
            for (final Thread each : threads)
            {
                each.join();
            }
            assertNull(problem.get(), () -> problem.get().toString());
        }
    }

    private static void assertRefused(
        final ArrayFixture fixture, final RaidLevel level, final String members, final String reason)
    {
        final long event = fixture.array().view().eventCount();
        final String message =
            assertThrows(BlockDeviceException.class, () -> fixture.set(level, members, "")).getMessage();
        assertTrue(message.contains(reason), message);
        assertEquals(event, fixture.array().view().eventCount(), "superblocks were written");
    }

    @Test
    void shouldRefuseWhatWouldLoseSomething()
    {
        try (ArrayFixture fixture = create(3, JournalMode.DEGRADED))
        {
            fixture.addDisk();
            assertRefused(fixture, RaidLevel.RAID6, names(3), "gets one member more as RAID 6, which has Q: name");
            assertRefused(fixture, RaidLevel.RAID1, names(3), "is RAID 5, and cannot become RAID 1: only RAID 5");
            fixture.set(RaidLevel.RAID6, names(4), "");
            fixture.awaitOnline();
            assertRefused(fixture, RaidLevel.RAID5, names(4), "leave d3 out of members, and change nothing else");
            assertRefused(fixture, RaidLevel.RAID5, "d0 d1 d3", "leave d3 out of members, and change nothing else");
            fixture.corrupt(1, 0);
            scrub(fixture.array(), ScrubMode.CHECK, 1);
            assertRefused(fixture, RaidLevel.RAID5, names(3), "has rows that do not match");
            scrub(fixture.array(), ScrubMode.REPAIR, 1);
            fixture.verify();
            RaidFixture.get(fixture.array().fail("d1"));
            assertRefused(fixture, RaidLevel.RAID5, names(3), "has slot 1 that is FAILED, and needs Q for its data");
        }
        try (ArrayFixture fixture = create(3, JournalMode.DEGRADED))
        {
            fixture.addDisk();
            RaidFixture.get(fixture.array().fail("d1"));
            assertRefused(fixture, RaidLevel.RAID6, names(4), "is degraded: add a spare");
        }
        try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID6, 4, 0))
        {
            assertRefused(fixture, RaidLevel.RAID5, names(3), "is RAID 6 with Q on all members in turn: reshape " +
                "it so that Q is on the last one");
        }
    }

    @Test
    void shouldRefuseWhileARegionIsResynchronized()
    {
        try (ArrayFixture fixture = create(3, JournalMode.DEGRADED))
        {
            fixture.copyRates(SLOW);
            fixture.addDisk();
            fixture.array().intent().tear(0);
            assertRefused(fixture, RaidLevel.RAID6, names(4), "is being resynchronized: change its level when");
            fixture.copyRates(FAST);
            ArrayFixture.await(() -> fixture.array().intent().nextResync(0) < 0, "resynchronized");
            fixture.set(RaidLevel.RAID6, names(4), "");
            fixture.awaitOnline();
            fixture.copyRates(SLOW);
            fixture.array().intent().tear(0);
            assertRefused(fixture, RaidLevel.RAID5, names(3), "is being resynchronized: change its level when");
        }
    }

    /** Q that nobody needs yet may be given up. */
    @ParameterizedTest
    @CsvSource({"DEGRADED", "ALWAYS"})
    void shouldBecomeRaid5AgainWhenOnlyQIsMissing(final JournalMode journal)
    {
        try (ArrayFixture fixture = create(4, journal))
        {
            fixture.copyRates(SLOW);
            raise(fixture, 4);
            fixture.writeAnywhere(10);
            lower(fixture, 4);
            fixture.awaitOnline();
            assertNull(fixture.read(4).superblock());
            fixture.writeAnywhere(10);
            fixture.copyRates(FAST);
            fixture.set(RaidLevel.RAID6, names(5), "");
            fixture.awaitOnline();
            RaidFixture.get(fixture.array().fail("d4"));
            fixture.writeAnywhere(10);
            lower(fixture, 4);
            fixture.awaitOnline();
            scrub(fixture.array(), ScrubMode.CHECK, 0);
            fixture.verify();
            fixture.restart();
            fixture.verify();
            assertEquals(DeviceHealth.ONLINE, fixture.array().status().health());
        }
    }

    /** The bitmap is empty, and superblocks have an epoch of the journal that matches: there is nothing to store. */
    private static void awaitNoMetadata(final ArrayFixture fixture)
    {
        final RaidDevice array = fixture.array();
        final WriteIntent intent = array.intent();
        ArrayFixture.await(() -> IntStream.range(0, intent.regionCount()).noneMatch(intent::isMarked), "cleared");
        ArrayFixture.await(() ->
        {
            final long event = array.view().eventCount();
            LockSupport.parkNanos(50_000_000);
            fixture.turn(TURNS);
            return event == array.view().eventCount();
        }, "at rest");
    }

    /** Superblocks of RAID 5 may be on some members already. */
    @ParameterizedTest
    @CsvSource({"3,DEGRADED,0,1", "4,ALWAYS,1,3", "3,DEGRADED,2,3", "3,ALWAYS,1,1"})
    void shouldKeepQWhenMembersFailWhileSuperblocksAreWrittenWithoutIt(
        final int count, final JournalMode journal, final int first, final int second)
    {
        try (ArrayFixture fixture = create(count, journal))
        {
            raise(fixture, count);
            fixture.awaitOnline();
            awaitNoMetadata(fixture);
            fixture.disk(first).state(MemberState.FAILING);
            fixture.disk(second).state(MemberState.FAILING);
            final String message = assertThrows(BlockDeviceException.class,
                () -> fixture.set(RaidLevel.RAID5, names(count), "")).getMessage();
            assertTrue(message.contains("has lost a member meanwhile, and stays RAID 6"), message);
            final RaidDevice array = fixture.array();
            ArrayFixture.await(() -> SlotState.FAILED == array.view().state(first) &&
                SlotState.FAILED == array.view().state(second), "degraded");
            assertEquals(RaidLevel.RAID6_Q_LAST, array.layout().level());
            assertEquals(count + 1, array.slotsMax());
            assertEquals(DeviceHealth.DEGRADED, array.status().health());
            fixture.writeAnywhere(10);
            fixture.verify();
            fixture.restart();
            fixture.verify();
            fixture.awaitOnline();
            scrub(fixture.array(), ScrubMode.CHECK, 0);
            checkParity(fixture);
        }
    }

    @Test
    void shouldKeepQOnlyWhereItIsOfUse()
    {
        try (ArrayFixture fixture = create(3, JournalMode.DEGRADED))
        {
            fixture.copyRates(SLOW);
            raise(fixture, 3);
            final RaidDevice array = fixture.array();
            final RaidMember d1 = array.view().member(1);
            assertEquals(3, new MemberLoss(array, Set.of()).without(LevelChange.lowered(array.view()), d1).slotCount(),
                "Q was not computed yet");
            fixture.copyRates(FAST);
            fixture.awaitOnline();
            final ArrayView view = array.view();
            final ArrayView lowered = LevelChange.lowered(view);
            final ArrayView kept = new MemberLoss(array, Set.of()).without(lowered, d1);
            assertEquals(4, kept.slotCount());
            assertEquals(RaidLevel.RAID6_Q_LAST, kept.layout().level());
            assertEquals(SlotState.FAILED, kept.state(1));
            assertTrue(kept.eventCount() > lowered.eventCount(), "superblocks of RAID 5 are as new");
            assertEquals(3, new MemberLoss(array, Set.of(view.member(3))).without(lowered, d1).slotCount(),
                "Q has failed");
            final RaidMember journal = RaidMember.missing(UUID.randomUUID());
            assertSame(journal, new MemberLoss(array, Set.of()).without(lowered.journalingOn(journal), d1)
                .journalDevice(), "a journal device that has failed is back");
        }
    }

    @ParameterizedTest
    @CsvSource({"DEGRADED", "ALWAYS"})
    void shouldBecomeRaid5WhenOnlyQFailsWhileSuperblocksAreWrittenWithoutIt(final JournalMode journal)
    {
        try (ArrayFixture fixture = create(3, journal))
        {
            raise(fixture, 3);
            fixture.awaitOnline();
            awaitNoMetadata(fixture);
            // It is not written any more.
            fixture.disk(3).state(MemberState.FAILING);
            lower(fixture, 3);
            fixture.writeAnywhere(10);
            fixture.verify();
        }
    }

    /** Rows of the last slot may be rewritten while superblocks are written that do not have it. */
    @Test
    void shouldNotCountRowsOfTheSlotThatIsGone()
    {
        try (ArrayFixture fixture = create(3, JournalMode.DEGRADED))
        {
            raise(fixture, 3);
            fixture.awaitOnline();
            lower(fixture, 3);
            fixture.stopWork();
            final RaidDevice array = fixture.array();
            final long before = array.correctedErrors();
            array.onRepaired(1L << 3 | 1L << 1);
            assertEquals(before + 1, array.correctedErrors());
        }
    }

    @Test
    void shouldFollowSettingsWhenItIsStarted()
    {
        try (ArrayFixture fixture = create(3, JournalMode.DEGRADED))
        {
            fixture.addDisk();
            fixture.configure(RaidLevel.RAID6, names(4), "");
            fixture.restart();
            ArrayFixture.await(() -> 4 == fixture.array().view().slotCount(), "raised");
            fixture.awaitOnline();
            assertEquals(RaidLevel.RAID6_Q_LAST, fixture.array().layout().level());
            fixture.verify();
            // A configuration that nobody changed: redundancy is not given up by a start.
            fixture.configure(RaidLevel.RAID5, names(3), "");
            fixture.restart();
            assertEquals(RaidLevel.RAID6_Q_LAST, fixture.array().layout().level());
            assertTrue(fixture.array().view().isComplete());
            final String reason = fixture.array().status().reason();
            assertTrue(reason.contains("level is 5 in the configuration, and the array is RAID 6"), reason);
            fixture.verify();
            fixture.configure(RaidLevel.RAID6, names(4), "");
            fixture.restart();
            assertEquals(DeviceHealth.ONLINE, fixture.array().status().health());
            // With no other.
            fixture.configure(RaidLevel.RAID5, names(4), "");
            final String message = assertThrows(BlockDeviceException.class, fixture::restart).getMessage();
            assertTrue(message.contains("level is 5 in the configuration and 6 in the superblocks"), message);
        }
    }

    @Test
    void shouldBeOnlineAgainWhenSettingsAreThoseThatTheArrayHas()
    {
        try (ArrayFixture fixture = create(3, JournalMode.DEGRADED))
        {
            raise(fixture, 3);
            fixture.awaitOnline();
            fixture.configure(RaidLevel.RAID5, names(3), "");
            fixture.restart();
            awaitNoMetadata(fixture);
            final long event = fixture.array().view().eventCount();
            assertTrue(fixture.array().status().reason().contains("level is 5 in the configuration"));
            // Other settings change, and the level is that of before.
            fixture.copyRates(FAST);
            fixture.set(names(3), "");
            assertTrue(fixture.array().status().reason().contains("level is 5 in the configuration"));
            fixture.set(RaidLevel.RAID6, names(4), "");
            assertEquals("", fixture.array().status().reason());
            assertEquals(event, fixture.array().view().eventCount());
        }
    }

    @Test
    void shouldAnnounceThatAnOlderConfigurationChangesTheLevel()
    {
        try (ArrayFixture fixture = create(3, JournalMode.DEGRADED))
        {
            raise(fixture, 3);
            fixture.awaitOnline();
            lower(fixture, 3);
            fixture.configure(RaidLevel.RAID6, names(4), "");
            fixture.restart();
            ArrayFixture.await(() -> 4 == fixture.array().view().slotCount(), "raised");
            assertTrue(fixture.events().stream().anyMatch((each) -> each.equals("the configuration that it was " +
                "started with names d3 behind the members in slots: it becomes RAID 6")), fixture.events().toString());
        }
    }

    /** As after a crash before its superblocks were erased. */
    @Test
    void shouldNotUseTheMemberThatHasLeftWhenItComesBack()
    {
        try (ArrayFixture fixture = create(3, JournalMode.DEGRADED))
        {
            raise(fixture, 3);
            fixture.awaitOnline();
            fixture.addCopy(3);
            lower(fixture, 3);
            fixture.writeAnywhere(20);
            fixture.restart();
            assertEquals(RaidLevel.RAID5, fixture.array().layout().level());
            assertEquals(3, fixture.array().raidMembers().size());
            fixture.verify();
            // Named, it is a spare.
            fixture.configure(names(3), "d4");
            fixture.restart();
            assertEquals(RaidLevel.RAID5, fixture.array().layout().level());
            assertEquals(1, fixture.array().spares().size());
            fixture.writeAnywhere(20);
            RaidFixture.get(fixture.array().fail("d0"));
            fixture.awaitOnline();
            fixture.verify();
            assertNotEquals("d0", fixture.array().view().member(0).toString());
        }
    }

    @Test
    void shouldReAddReplaceAndGrowAfterwards()
    {
        try (ArrayFixture fixture = create(3, JournalMode.DEGRADED))
        {
            raise(fixture, 3);
            fixture.awaitOnline();
            fixture.writeAnywhere(10);
            for (final String each : new String[]{"d3", "d1"})
            {
                RaidFixture.get(fixture.array().fail(each));
                fixture.writeAnywhere(5);
                fixture.restart();
                assertTrue(fixture.array().view().lostEvent("d3".equals(each) ? 3 : 1) != 0 ||
                    fixture.array().view().isComplete(), "it is rebuilt as a whole");
                fixture.awaitOnline();
                fixture.verify();
            }
            fixture.addDisk();
            fixture.set("d0 d1 d2 d4", "");
            fixture.awaitOnline();
            ArrayFixture.await(() -> 4 == fixture.array().raidMembers().size(), "replaced");
            fixture.addDisk();
            fixture.set("d0 d1 d2 d4 d5", "");
            ArrayFixture.await(() -> 5 == fixture.array().view().slotCount() && fixture.array().view().isSteady(),
                "grown");
            fixture.verify();
            scrub(fixture.array(), ScrubMode.CHECK, 0);
            fixture.set(RaidLevel.RAID5, "d0 d1 d2 d4", "");
            assertEquals(RaidLevel.RAID5, fixture.array().layout().level());
            fixture.verify();
            scrub(fixture.array(), ScrubMode.CHECK, 0);
            assertEquals(BlockStatus.SUCCESS, fixture.read(0, ArrayFixture.BLOCK_BYTES));
        }
    }
}
