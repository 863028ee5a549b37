package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDeviceException;
import io.millrace.block.raid.format.Superblock;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.seed.TestSeeds;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An array gets another name while it serves, and is never assembled by the one before. */
class ArrayRenameTest
{
    private static final String OLD = "array";
    private static final String NEW = "vol1";
    private static final CopyRates SLOW = new CopyRates(64 << 10, 64 << 10);
    /** Far more than a rename of a small array has. */
    private static final int STEPS_MAX = 500;

    private final Random random = TestSeeds.random();

    private static void rename(final ArrayFixture fixture, final String name)
    {
        fixture.array().rename(name).join();
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
            refusal(fixture.array().rename(NEW)));
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
            final CompletableFuture<Void> done = fixture.array().rename(NEW);
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
            assertEquals(NEW, FormerName.currentName(OLD, List.of(fixture.disk(0), fixture.disk(1)), null));
            assertEquals(NEW, FormerName.currentName(OLD, List.of(fixture.disk(1), fixture.disk(0)), null));
            assertEquals("vol2", FormerName.currentName("vol2", List.of(fixture.disk(0)), null), "it never had");
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
            final String said = refusal(fixture.array().rename(NEW));
            assertTrue(said.startsWith("more members failed than RAID 0 tolerates"), said);
            assertEquals(new ArrayNames.Stored(OLD, List.of()), fixture.array().names().stored());
            assertTrue(refusal(fixture.array().rename(NEW)).startsWith("more members failed"));
        }
    }

    /** Wherever the power is cut, the array has one of the names, the new one when that was answered, and its data. */
    @ParameterizedTest
    @CsvSource({"RAID1,2,DEGRADED", "RAID5,3,ALWAYS", "RAID6,4,DEGRADED", "RAID0,2,DEGRADED"})
    void shouldHaveOneNameAfterACrash(final RaidLevel level, final int memberCount, final JournalMode journal)
    {
        int before = 0;
        int after = 0;
        boolean isOver = false;
        for (int step = 1; !isOver; step++)
        {
            try (ArrayFixture fixture = new ArrayFixture(random, level, memberCount, 0, journal))
            {
                // All that hosts wrote is stable.
                fixture.restart();
                final RaidDevice array = fixture.array();
                fixture.cutBefore(step);
                final CompletableFuture<Void> done = array.rename(NEW);
                ArrayFixture.await(() -> fixture.isCut() || done.isDone(), "cut or done");
                final boolean isAnswered = done.isDone() && !done.isCompletedExceptionally();
                isOver = isAnswered;
                if (isFormer(fixture, OLD))
                {
                    after++;
                    fixture.name(NEW);
                    fixture.open();
                }
                else
                {
                    before++;
                    assertFalse(isAnswered, "forgotten");
                    assertEquals(OLD, superblock(fixture, 0).name());
                }
                fixture.verify();
                assertEquals(fixture.array().id(), array.id(), "another array");
            }
            assertTrue(step < STEPS_MAX, "the steps come to an end");
        }
        assertTrue(before > 0 && after > 1, () -> "not both were seen");
    }

    /** {@return whether the array is not assembled by a name after a loss of power, since it has another} */
    private static boolean isFormer(final ArrayFixture fixture, final String name)
    {
        fixture.name(name);
        try
        {
            fixture.losePower();
            return false;
        }
        catch (final BlockDeviceException e)
        {
            assertTrue(e.getMessage().contains(": was renamed to vol1 ("), e.getMessage());
            return true;
        }
    }
}
