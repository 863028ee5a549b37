package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.raid.format.Superblock;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.seed.TestSeeds;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An array gets another name while it serves, and is never assembled by the one before. */
class ArrayRenameTest
{
    private static final String OLD = "array";
    private static final String NEW = "vol1";
    private static final CopyRates SLOW = new CopyRates(64 << 10, 64 << 10);
    /** Far more than a rename of a small array has. */
    private static final int STEPS_MAX = 500;
    /** What is in flight may be stored whole at each step, so that no rename is seen in its middle. */
    private static final int ROUNDS_MAX = 20;

    private final Random random = TestSeeds.random();

    private static void rename(final ArrayFixture fixture, final String name)
    {
        fixture.array().rename(name, () -> true).join();
        fixture.array().takeName();
        fixture.name(name);
    }

    private static Superblock superblock(final ArrayFixture fixture, final int disk)
    {
        return fixture.read(disk).superblock();
    }

    private static String refusal(final CompletableFuture<Void> done)
    {
        return assertThrows(CompletionException.class, done::join).getCause().getMessage();
    }

    private static void assertRefused(final ArrayFixture fixture, final String operation)
    {
        assertEquals("array array " + operation + ": rename it when that has ended",
            refusal(fixture.array().rename(NEW, () -> true)));
        assertEquals(new ArrayNames.Stored(OLD, List.of()), fixture.array().names().stored());
    }

    @ParameterizedTest
    @CsvSource({"RAID0,2", "RAID1,2", "RAID5,3", "RAID6,4", "RAID10,4", "EC3,6"})
    void shouldRenameWhileItServes(final RaidLevel level, final int memberCount)
    {
        final int spareCount = RaidLevel.RAID0 == level ? 0 : 1;
        try (ArrayFixture fixture = new ArrayFixture(random, level, memberCount, spareCount))
        {
            final long event = fixture.array().view().eventCount();
            final CompletableFuture<Void> done = fixture.array().rename(NEW, () -> true);
            fixture.writeAnywhere(20);
            done.join();
            assertEquals(OLD, fixture.array().name(), "before the data plane knows it by that");
            for (int disk = 0; disk < memberCount + spareCount; disk++)
            {
                assertEquals(NEW, superblock(fixture, disk).name(), "disk " + disk);
                assertEquals(List.of(OLD), superblock(fixture, disk).formerNames(), "disk " + disk);
            }
            assertTrue(event < fixture.array().view().eventCount());
            fixture.array().takeName();
            assertEquals(NEW, fixture.array().name());
            assertEquals(NEW, fixture.array().details().name());
            fixture.name(NEW);
            fixture.restart();
            fixture.verify();
            assertEquals(List.of(OLD), superblock(fixture, 0).formerNames());
            fixture.losePower();
            fixture.verify();
        }
    }

    @Test
    void shouldNotBeAssembledByAFormerName()
    {
        try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID5, 3, 0))
        {
            rename(fixture, NEW);
            rename(fixture, "vol2");
            for (final String former : List.of(OLD, NEW))
            {
                fixture.name(former);
                final long event = fixture.array().view().eventCount();
                final String said = assertThrows(BlockDeviceException.class, fixture::assembleAlone).getMessage();
                assertEquals("array " + former + ": was renamed to vol2 (" + fixture.array().id() + "): use that " +
                    "name, in namespaces too, each with its uuid, or rename it when it serves (millrace raid rename " +
                    "vol2 " + former + ')', said);
                assertEquals("vol2", superblock(fixture, 0).name());
                assertTrue(superblock(fixture, 0).eventCount() <= event + 2, "something was written");
            }
            fixture.name("vol2");
            fixture.open();
            fixture.verify();
        }
    }

    @Test
    void shouldKnowNamesOfEarlierStarts()
    {
        try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID1, 2, 0))
        {
            rename(fixture, NEW);
            fixture.restart();
            rename(fixture, "vol2");
            assertEquals(List.of(OLD, NEW), superblock(fixture, 0).formerNames());
        }
    }

    @Test
    void shouldGetAFormerNameAgain()
    {
        try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID1, 2, 0))
        {
            rename(fixture, NEW);
            rename(fixture, OLD);
            fixture.restart();
            fixture.verify();
            assertEquals(List.of(NEW), superblock(fixture, 0).formerNames());
        }
    }

    @Test
    void shouldKnowTheLastNames()
    {
        try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID1, 2, 0))
        {
            for (int i = 0; i <= Superblock.FORMER_NAMES_MAX; i++)
            {
                rename(fixture, "vol" + i);
            }
            final List<String> former = superblock(fixture, 1).formerNames();
            assertEquals(Superblock.FORMER_NAMES_MAX, former.size());
            assertEquals("vol0", former.getFirst());
            assertEquals("vol15", former.getLast());
        }
    }

    @Test
    void shouldBeRefusedBesideChangesOfTheLayout()
    {
        try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID5, 3, 0))
        {
            fixture.copyRates(SLOW);
            fixture.addDisk();
            fixture.set("d0 d1 d2 d3", "");
            assertRefused(fixture, "is being reshaped");
            fixture.verify();
        }
        try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID1, 2, 0))
        {
            fixture.copyRates(SLOW);
            fixture.addDisk();
            fixture.set("d0 d2", "");
            assertRefused(fixture, "has a member that is being replaced");
            fixture.verify();
        }
    }

    @Test
    void shouldBeRefusedWhileMembersBecomeLarger()
    {
        try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID1, 2, 0))
        {
            final List<Integer> larger = List.of(2, 3);
            larger.forEach((each) -> fixture.addDisk(RaidFixture.deviceBytes(4 * ArrayFixture.MEMBER_BYTES)));
            fixture.set("d2 d1", "");
            ArrayFixture.await(() -> 2 == fixture.array().members().size(), "replaced");
            fixture.set("d2 d3", "");
            ArrayFixture.await(() -> 2 == fixture.array().members().size() &&
                null == fixture.array().view().target(), "replaced");
            fixture.copyRates(SLOW);
            fixture.array().resizeMembers(0).join();
            assertRefused(fixture, "is being resized");
        }
    }

    /** It goes on without a member that fails then. */
    @Test
    void shouldRenameThoughAMemberFailsItsSuperblocks()
    {
        try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID5, 3, 0))
        {
            fixture.disk(1).refuseWrites();
            rename(fixture, NEW);
            assertFalse(fixture.array().view().isComplete());
            assertEquals(NEW, superblock(fixture, 0).name());
            assertEquals(OLD, superblock(fixture, 1).name());
            assertEquals(NEW, MemberSuperblocks.currentName(OLD, List.of(fixture.disk(0), fixture.disk(1)), null));
            assertEquals(NEW, MemberSuperblocks.currentName(OLD, List.of(fixture.disk(1), fixture.disk(0)), null));
            assertEquals("vol2", MemberSuperblocks.currentName("vol2", List.of(fixture.disk(0)), null), "it never had");
            fixture.verify();
            fixture.detach(1);
            fixture.restart();
            fixture.verify();
            assertEquals(List.of(OLD), superblock(fixture, 2).formerNames());
        }
    }

    @Test
    void shouldKeepItsNameWhenItFails()
    {
        try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID0, 2, 0))
        {
            fixture.disk(1).refuseWrites();
            final String said = refusal(fixture.array().rename(NEW, () -> true));
            assertTrue(said.startsWith("more members failed than RAID 0 tolerates"), said);
            assertEquals(new ArrayNames.Stored(OLD, List.of()), fixture.array().names().stored());
            assertTrue(refusal(fixture.array().rename(NEW, () -> true)).startsWith("more members failed"));
        }
    }

    /** A failure in the middle: members that were written have the name, and the rename was refused. */
    @ParameterizedTest
    @ValueSource(strings = {OLD, NEW})
    void shouldBeAssembledByBothNamesAfterARefusal(final String wanted)
    {
        try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID0, 2, 0))
        {
            fixture.disk(1).refuseWrites();
            assertTrue(refusal(fixture.array().rename(NEW, () -> true)).startsWith("more members failed"));
            fixture.cutPower();
            assertEquals(NEW, superblock(fixture, 0).name());
            assertEquals(OLD, superblock(fixture, 1).name());
            assertTakesEitherName(fixture, wanted);
        }
    }

    /** Wherever the power is cut, the array has one of the names, the new one when that was answered, and its data. */
    @ParameterizedTest
    @CsvSource({"RAID1,2,DEGRADED", "RAID5,3,ALWAYS", "RAID6,4,DEGRADED", "RAID0,2,DEGRADED"})
    void shouldHaveEitherNameAfterACrash(final RaidLevel level, final int memberCount, final JournalMode journal)
    {
        int interrupted = 0;
        int finished = 0;
        int round = 0;
        int step = 0;
        while (round < ROUNDS_MAX && (0 == round || 0 == interrupted))
        {
            step++;
            final boolean isOver;
            try (ArrayFixture fixture = new ArrayFixture(random, level, memberCount, 0, journal))
            {
                // All that hosts wrote is stable.
                fixture.restart();
                fixture.cutBefore(step);
                final CompletableFuture<Void> done = fixture.array().rename(NEW, () -> true);
                ArrayFixture.await(() -> fixture.isCut() || done.isDone(), "cut or done");
                isOver = done.isDone() && !done.isCompletedExceptionally();
                fixture.cutPower();
                final long written = IntStream.range(0, memberCount)
                    .filter((each) -> NEW.equals(superblock(fixture, each).name())).count();
                final boolean isFinished = memberCount == written;
                assertTrue(isFinished || !isOver, "forgotten");
                final List<BlockDevice> disks =
                    IntStream.range(0, memberCount).<BlockDevice>mapToObj(fixture::disk).toList();
                assertEquals(isFinished ? NEW : OLD, MemberSuperblocks.currentName(OLD, disks, null));
                if (isFinished)
                {
                    finished++;
                    fixture.name(OLD);
                    assertTrue(assertThrows(BlockDeviceException.class, fixture::open).getMessage()
                        .contains(": was renamed to vol1 ("));
                }
                interrupted += 0 < written && !isFinished ? 1 : 0;
                assertTakesEitherName(fixture, isFinished || random.nextBoolean() ? NEW : OLD);
            }
            assertTrue(step < STEPS_MAX, "the steps come to an end");
            round += isOver ? 1 : 0;
            step = isOver ? 0 : step;
        }
        assertTrue(interrupted > 0 && finished > 0, "not both were seen");
    }

    /** Wherever the power is cut: who was refused finds the name before, unless all superblocks have the new one. */
    @ParameterizedTest
    @CsvSource({"RAID1,2,DEGRADED", "RAID5,3,ALWAYS", "RAID6,4,DEGRADED", "RAID0,2,DEGRADED"})
    void shouldHaveEitherNameAfterACrashAsItIsTakenBack(
        final RaidLevel level, final int memberCount, final JournalMode journal)
    {
        int begun = 0;
        int partlyTakenBack = 0;
        int round = 0;
        int step = 0;
        while (round < ROUNDS_MAX && (0 == round || 0 == begun || 0 == partlyTakenBack))
        {
            step++;
            final boolean isOver;
            try (ArrayFixture fixture = new ArrayFixture(random, level, memberCount, 0, journal))
            {
                fixture.restart();
                fixture.cutBefore(step);
                final CompletableFuture<Void> done = fixture.array().rename(NEW, () -> false);
                ArrayFixture.await(() -> fixture.isCut() || done.isDone(), "cut or done");
                isOver = !fixture.isCut();
                fixture.cutPower();
                final List<Superblock> superblocks =
                    IntStream.range(0, memberCount).mapToObj((each) -> superblock(fixture, each)).toList();
                final long written = superblocks.stream().filter((each) -> NEW.equals(each.name())).count();
                final Superblock newest =
                    superblocks.stream().max(Comparator.comparingLong(Superblock::eventCount)).orElseThrow();
                assertTrue(!isOver || 0 == written, "told that it keeps its name");
                final List<BlockDevice> disks =
                    IntStream.range(0, memberCount).<BlockDevice>mapToObj(fixture::disk).toList();
                final boolean isNew = memberCount == written;
                assertEquals(isNew ? NEW : OLD, MemberSuperblocks.currentName(OLD, disks, null));
                begun += NEW.equals(newest.name()) ? 1 : 0;
                partlyTakenBack += 0 < written && OLD.equals(newest.name()) ? 1 : 0;
                assertTakesEitherName(fixture, isNew || 0 < written && random.nextBoolean() ? NEW : OLD);
            }
            assertTrue(step < STEPS_MAX, "the steps come to an end");
            round += isOver ? 1 : 0;
            step = isOver ? 0 : step;
        }
        assertTrue(begun > 0 && partlyTakenBack > 0, "not both were seen");
    }

    /** The array is assembled by a name, with all of its data, and gets the other one and back. */
    private static void assertTakesEitherName(final ArrayFixture fixture, final String wanted)
    {
        final UUID id = superblock(fixture, 0).array();
        final String other = OLD.equals(wanted) ? NEW : OLD;
        fixture.name(wanted);
        fixture.open();
        assertEquals(id, fixture.array().id(), "another array");
        fixture.verify();
        for (int disk = 0; disk < fixture.memberCount(); disk++)
        {
            final Superblock superblock = superblock(fixture, disk);
            assertEquals(wanted, superblock.name(), "disk " + disk);
            assertFalse(superblock.formerNames().contains(wanted), "disk " + disk);
            assertFalse(OLD.equals(wanted) && superblock.formerNames().contains(NEW), "NEW was never answered");
        }
        for (final String each : List.of(other, wanted))
        {
            rename(fixture, each);
            fixture.restart();
            fixture.verify();
        }
    }

    /**
     * By the name before, too, it is a start of the array again: a member in sync that settings do not name yields its
     * slot only when it is replaced, and a shared spare belongs to the array.
     */
    @Test
    void shouldFindUnnamedMembersAfterAnInterruptedRename()
    {
        boolean isInterrupted = false;
        int round = 0;
        // What is in flight may be stored whole at every step, so that no cut leaves two names.
        for (int step = 1; !isInterrupted && round < ROUNDS_MAX; step++)
        {
            try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID5, 3, 1))
            {
                fixture.addDisk();
                fixture.restart();
                fixture.copyRates(SLOW);
                fixture.cutBefore(step);
                final CompletableFuture<Void> done = fixture.array().rename(NEW, () -> true);
                ArrayFixture.await(() -> fixture.isCut() || done.isDone(), "cut or done");
                if (!fixture.isCut())
                {
                    round++;
                    step = 0;
                }
                fixture.cutPower();
                isInterrupted = !superblock(fixture, 0).name().equals(superblock(fixture, 1).name());
                if (isInterrupted)
                {
                    final RaidConfig settings = new RaidConfig(OLD, RaidLevel.RAID5, ArrayFixture.STRIP_BYTES,
                        List.of("d0", "d1", "d2"), List.of(), false, false, false, SLOW, JournalMode.DEGRADED, "",
                        false);
                    assertEquals(List.of(fixture.disk(3)), SharedSpareMembers.find(settings,
                        List.of(fixture.disk(0), fixture.disk(1)), List.of(fixture.disk(3), fixture.disk(4)), null));
                    fixture.name(OLD);
                    fixture.configure("d0 d1 d4", "");
                    fixture.open();
                    assertTrue(fixture.array().view().isComplete(), "without d2, which is in sync");
                    fixture.verify();
                }
            }
            assertTrue(step < STEPS_MAX, "the steps come to an end");
        }
        assertTrue(isInterrupted, "two names were never seen");
    }

    /** As a manager that renames an array which is not started, or a configuration file. */
    @Test
    void shouldKnowTheNameBeforeAStartByAnother()
    {
        try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID5, 3, 0))
        {
            fixture.name(NEW);
            fixture.restart();
            assertEquals(NEW, fixture.array().name());
            assertEquals(List.of(OLD), superblock(fixture, 2).formerNames());
            fixture.name(OLD);
            assertTrue(assertThrows(BlockDeviceException.class, fixture::assembleAlone).getMessage()
                .startsWith("array array: was renamed to vol1 ("));
            fixture.name(NEW);
            fixture.open();
            fixture.verify();
            rename(fixture, OLD);
            fixture.restart();
            fixture.verify();
        }
    }

    /** A copy from before an earlier start does not tell that a rename was interrupted. */
    @Test
    void shouldNotTakeTheNameOfAnOldMember()
    {
        try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID1, 2, 0))
        {
            fixture.addCopy(1);
            rename(fixture, NEW);
            fixture.restart();
            fixture.lose(1);
            fixture.configure("d0 d2", "");
            fixture.name(OLD);
            assertTrue(assertThrows(BlockDeviceException.class, fixture::assembleAlone).getMessage()
                .contains(": was renamed to vol1 ("));
            assertEquals(NEW, MemberSuperblocks.currentName(OLD, List.of(fixture.disk(0), fixture.disk(2)), null));
        }
    }

    /** Another level waits for the resync after a crash. */
    @Test
    void shouldBeRefusedBeforeALevelThatSettingsName()
    {
        try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID5, 3, 0))
        {
            fixture.copyRates(SLOW);
            fixture.addDisk();
            fixture.writeAnywhere(5);
            fixture.configure(RaidLevel.RAID6, "d0 d1 d2 d3", "");
            fixture.losePower();
            assertTrue(fixture.array().intent().nextResync(0) >= 0, "no resync: nothing waits for it");
            assertRefused(fixture, "is being reshaped");
        }
    }

    /** Superblocks have the name before again when nobody wants the new one any more. */
    @Test
    void shouldBeTakenBack()
    {
        try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID5, 3, 1))
        {
            assertEquals("members had stored the name too late",
                refusal(fixture.array().rename(NEW, () -> false)));
            for (int disk = 0; disk < 4; disk++)
            {
                assertEquals(OLD, superblock(fixture, disk).name(), "disk " + disk);
                assertEquals(List.of(), superblock(fixture, disk).formerNames(), "disk " + disk);
            }
            assertEquals(new ArrayNames.Stored(OLD, List.of()), fixture.array().names().stored());
            rename(fixture, NEW);
            fixture.restart();
            fixture.verify();
        }
    }
}
