package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDeviceException;
import io.millrace.block.DeviceHealth;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Arrays that end while a member is being replaced, and are started by settings that name the new one alone. */
class RaidReplacementRestartTest
{
    /** A part is copied at once, and all of it takes longer than anything here waits for. */
    private static final CopyRates SLOW = new CopyRates(64 << 10, 64 << 10);

    private final Random random = TestSeeds.random();

    private ArrayFixture create(final RaidLevel level, final int memberCount, final int spareCount)
    {
        return new ArrayFixture(random, level, memberCount, spareCount);
    }

    private static List<String> members(final ArrayFixture fixture)
    {
        return fixture.array().raidMembers().stream().map(RaidMember::toString).sorted().toList();
    }

    /** Names of members with that of a slot replaced by the one behind them. */
    private static String replaced(final int memberCount, final int slot)
    {
        final List<String> names = new ArrayList<>(IntStream.range(0, memberCount).mapToObj((i) -> "d" + i).toList());
        names.set(slot, "d" + memberCount);
        return String.join(" ", names);
    }

    private static void awaitCopied(final ArrayFixture fixture)
    {
        ArrayFixture.await(() -> null != fixture.array().view().target() &&
            fixture.array().view().target().rebuiltBytes() > 0, "partly copied");
    }

    private static void end(final ArrayFixture fixture, final String... members)
    {
        fixture.copyRates(CopyRates.DEFAULT);
        ArrayFixture.await(() -> List.of(members).equals(members(fixture)), "replaced");
        fixture.awaitOnline();
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID1,3", "RAID5,3", "RAID6,4", "RAID10,4", "RAID10,3"})
    void shouldReplaceAMemberAcrossRestarts(final RaidLevel level, final int memberCount)
    {
        try (ArrayFixture fixture = create(level, memberCount, 0))
        {
            fixture.addDisk();
            fixture.copyRates(SLOW);
            fixture.set(replaced(memberCount, 1), "");
            for (int i = 0; i < 2; i++)
            {
                awaitCopied(fixture);
                fixture.writeAnywhere(5);
                fixture.restart();
                assertEquals(DeviceHealth.ONLINE, fixture.array().status().health());
                assertEquals("d1", fixture.array().view().member(1).toString());
                fixture.verify();
            }
            awaitCopied(fixture);
            fixture.writeAnywhere(5);
            end(fixture, IntStream.rangeClosed(0, memberCount).filter((i) -> 1 != i).mapToObj((i) -> "d" + i)
                .toArray(String[]::new));
            ArrayFixture.await(() -> null == fixture.read(1).superblock(), "erased");
            assertEquals("d" + memberCount, fixture.array().view().member(1).toString());
            fixture.disk(0).state(MemberState.FAILING);
            fixture.writeAnywhere(5);
            fixture.verify();
            fixture.restart();
            fixture.verify();
        }
    }

    /** As a manager stores the change before the data plane makes it. */
    @Test
    void shouldBeginAReplacementThatWasStoredAndNotBegun()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID1, 2, 0))
        {
            fixture.addDisk();
            fixture.configure("d0 d2", "");
            fixture.restart();
            assertEquals(DeviceHealth.ONLINE, fixture.array().status().health());
            fixture.verify();
            end(fixture, "d0", "d2");
            fixture.disk(0).state(MemberState.FAILING);
            fixture.writeAnywhere(5);
            fixture.verify();
        }
    }

    /** It takes the slot that it was lost from, in whatever order the names are, and is not what replaces the other. */
    @ParameterizedTest
    @CsvSource({"d3 d1 d2", "d1 d3 d2"})
    void shouldTakeAMemberBackWhileAnotherIsReplaced(final String members)
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3, 0))
        {
            fixture.addDisk();
            fixture.copyRates(SLOW);
            fixture.disk(1).state(MemberState.FAILING);
            fixture.writeAnywhere(5);
            fixture.configure(members, "");
            for (int i = 0; i < 2; i++)
            {
                fixture.restart();
                final ArrayView view = fixture.array().view();
                assertEquals("d0", view.member(0).toString());
                assertEquals("d1", view.member(1).toString());
                assertEquals(SlotState.REBUILDING, view.state(1));
                assertNotEquals(0, view.lostEvent(1));
                ArrayFixture.await(() -> null != fixture.array().view().target(), "replaced anew");
                assertEquals("d3", fixture.array().view().target().toString());
                fixture.writeAnywhere(5);
            }
            end(fixture, "d1", "d2", "d3");
            assertEquals("d3", fixture.array().view().member(0).toString());
            fixture.disk(2).state(MemberState.FAILING);
            fixture.writeAnywhere(5);
            fixture.verify();
        }
    }

    @Test
    void shouldNotTakeBackAMemberThatIsNotNamed()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3, 0))
        {
            fixture.addDisk();
            fixture.disk(1).state(MemberState.FAILING);
            fixture.writeAnywhere(5);
            fixture.configure("d0 d3 d2", "");
            fixture.restart();
            end(fixture, "d0", "d2", "d3");
            fixture.verify();
        }
    }

    @Test
    void shouldUndoAReplacementThatBeganAnew()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3, 0))
        {
            fixture.addDisk();
            fixture.copyRates(SLOW);
            fixture.set("d0 d3 d2", "");
            awaitCopied(fixture);
            fixture.restart();
            fixture.set("d0 d1 d2", "");
            assertEquals(List.of("d0", "d1", "d2"), members(fixture));
            assertNull(fixture.array().view().target());
            assertNull(fixture.read(3).superblock());
            assertEquals(DeviceHealth.ONLINE, fixture.array().status().health());
            fixture.verify();
        }
    }

    @Test
    void shouldUndoAReplacementByTheNamesOfAStart()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID1, 2, 0))
        {
            fixture.addDisk();
            fixture.copyRates(SLOW);
            fixture.set("d0 d2", "");
            awaitCopied(fixture);
            fixture.configure("d0 d1", "");
            fixture.restart();
            assertEquals(List.of("d0", "d1"), members(fixture));
            fixture.verify();
        }
    }

    /** The old member stays while nothing replaces it. */
    @Test
    void shouldStartWithTheOldMemberWhenTheNewOneIsGone()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID1, 2, 0))
        {
            fixture.addDisk();
            fixture.addDisk();
            fixture.copyRates(SLOW);
            fixture.set("d0 d2", "");
            awaitCopied(fixture);
            fixture.configure("d0 missing", "");
            fixture.restart();
            assertEquals(List.of("d0", "d1"), members(fixture));
            assertTrue(fixture.array().view().isComplete());
            fixture.verify();
            fixture.set("d0 d3", "");
            end(fixture, "d0", "d3");
            fixture.verify();
        }
    }

    @Test
    void shouldKeepTheOldMemberWhenTheNewOneFailsAfterAStart()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID1, 2, 0))
        {
            fixture.addDisk();
            fixture.copyRates(SLOW);
            fixture.set("d0 d2", "");
            awaitCopied(fixture);
            fixture.restart();
            awaitCopied(fixture);
            fixture.disk(2).state(MemberState.FAILING);
            fixture.writeAnywhere(4);
            ArrayFixture.await(() -> fixture.array().status().reason().contains("d2 failed, and does not replace d1"),
                "reported");
            fixture.verify();
            fixture.restart();
            fixture.verify();
        }
    }

    @Test
    void shouldRebuildTheNewMemberWhenTheOldOneFailsAfterAStart()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID6, 4, 0))
        {
            fixture.addDisk();
            fixture.copyRates(SLOW);
            fixture.set("d0 d4 d2 d3", "");
            awaitCopied(fixture);
            fixture.restart();
            fixture.disk(1).state(MemberState.FAILING);
            fixture.writeAnywhere(4);
            ArrayFixture.await(() -> SlotState.REBUILDING == fixture.array().view().state(1), "rebuilding");
            fixture.copyRates(CopyRates.DEFAULT);
            fixture.awaitOnline();
            fixture.verify();
            fixture.restart();
            assertEquals(DeviceHealth.ONLINE, fixture.array().status().health());
            fixture.verify();
        }
    }

    @Test
    void shouldReplaceSeveralMembersThatAreNamedNoMoreOneAfterTheOther()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID6, 4, 1))
        {
            fixture.addDisk();
            fixture.copyRates(SLOW);
            fixture.configure("d0 d5 d2 d4", "");
            fixture.restart();
            ArrayFixture.await(() -> null != fixture.array().view().target(), "copying");
            assertEquals(List.of(RaidMemberDetails.State.REBUILDING, RaidMemberDetails.State.SPARE),
                fixture.array().details().members().subList(4, 6).stream().map(RaidMemberDetails::state).sorted()
                .toList());
            fixture.writeAnywhere(5);
            end(fixture, "d0", "d2", "d4", "d5");
            fixture.verify();
        }
    }

    /** A copy of a member that somebody made, such as for a backup, has old data. */
    @Test
    void shouldNotTakeAnOldCopyOfAMemberForIt()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID1, 2, 0))
        {
            fixture.addCopy(1);
            fixture.restart();
            fixture.writeAnywhere(20);
            fixture.configure("d0 missing", "");
            fixture.lose(1);
            final String refusal = assertThrows(BlockDeviceException.class, fixture::restart).getMessage();
            assertTrue(refusal.contains("are missing, and may have gone on without the others"), refusal);
        }
    }

    @Test
    void shouldTakeNoneOfTwoCopies()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID5, 3, 0))
        {
            fixture.addCopy(1);
            fixture.configure("d0 missing d2", "");
            fixture.restart();
            assertEquals(List.of("d0", "d2"), members(fixture));
            assertNotNull(fixture.read(1).superblock());
            fixture.verify();
        }
    }
}
