package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDeviceException;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.seed.TestSeeds;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** An array that is given a device which its settings do not name. */
class SpareDemandTest
{
    private static final CopyRates SLOW = new CopyRates(1 << 20, 1 << 20);
    private static final CopyRates FAST = new CopyRates(1L << 40, 1L << 40);

    private final Random random = TestSeeds.random();

    private static List<String> members(final ArrayFixture fixture)
    {
        return fixture.array().raidMembers().stream().map(RaidMember::toString).toList();
    }

    private static void fail(final ArrayFixture fixture, final String name)
    {
        RaidFixture.get(fixture.array().fail(name));
    }

    @Test
    void shouldReleaseADeviceWhenNoMemberIsMissing()
    {
        try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID1, 2, 0))
        {
            final MemberDisk spare = fixture.addDisk();
            final SpareDemand demand = fixture.array().spareDemand();
            assertFalse(demand.isWanted());
            assertTrue(demand.fits(spare));
            assertEquals("array array lacks no member any more",
                assertThrows(BlockDeviceException.class, () -> demand.take(spare, null)).getMessage());
            assertEquals(List.of("d0", "d1"), members(fixture));
            assertNull(fixture.read(2).superblock());
            fixture.writeAnywhere(5);
            fixture.verify();
        }
    }

    /** One is rebuilt at a time, and the array has no part of the second before that. */
    @Test
    void shouldWantOneAfterTheOther()
    {
        try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID6, 4, 0))
        {
            final MemberDisk first = fixture.addDisk();
            final MemberDisk second = fixture.addDisk();
            final SpareDemand demand = fixture.array().spareDemand();
            fail(fixture, "d0");
            fail(fixture, "d2");
            assertTrue(demand.isWanted());
            final long sinceNs = demand.sinceNs();
            fixture.copyRates(SLOW);
            demand.take(first, null);
            assertEquals(SlotState.REBUILDING, fixture.array().view().state(0));
            assertFalse(demand.isWanted());
            assertThrows(BlockDeviceException.class, () -> demand.take(second, null));
            assertNull(fixture.read(5).superblock());
            assertTrue(demand.sinceNs() - sinceNs > 0, "the slot that is left lost its member later");
            fixture.copyRates(FAST);
            ArrayFixture.await(demand::isWanted, "wanted again");
            demand.take(second, null);
            fixture.writeAnywhere(20);
            fixture.awaitOnline();
            fixture.verify();
            // All is on them.
            fixture.disk(1).state(MemberState.FAILING);
            fixture.disk(3).state(MemberState.FAILING);
            fixture.writeAnywhere(5);
            fixture.verify();
        }
    }

    @Test
    void shouldGoOnWithoutADeviceThatTakesNoSuperblock()
    {
        try (ArrayFixture fixture = new ArrayFixture(random, RaidLevel.RAID5, 3, 0))
        {
            final MemberDisk bad = fixture.addDisk();
            final MemberDisk good = fixture.addDisk();
            final SpareDemand demand = fixture.array().spareDemand();
            fail(fixture, "d1");
            bad.refuseWrites();
            assertThrows(BlockDeviceException.class, () -> demand.take(bad, null));
            assertFalse(fixture.array().members().contains(bad));
            assertTrue(demand.isWanted());
            demand.take(good, null);
            fixture.writeAnywhere(20);
            fixture.awaitOnline();
            fixture.verify();
        }
    }
}
