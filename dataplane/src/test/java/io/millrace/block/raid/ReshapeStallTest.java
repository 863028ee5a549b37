package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.DeviceHealth;
import io.millrace.block.DeviceStatus;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.seed.TestSeeds;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reshapes that come to a block which nobody can read or compute. */
class ReshapeStallTest
{
    private static final RaidTimes IMPATIENT =
        new RaidTimes(2_000_000_000L, 5_000_000_000L, 10_000_000_000L, 250_000, 500_000_000L);
    private static final long LOOK_NS = 300_000_000;
    private static final long SETTLE_NS = 50_000_000;
    /** In which a try ends. */
    private static final int TURNS = 100;
    private static final int STRIP_BLOCKS = ArrayFixture.STRIP_BYTES / ArrayFixture.BLOCK_BYTES;

    /** Takes one block more than parity makes up for from a row; answers which blocks of the array they are. */
    private static Set<Integer> lose(final ArrayFixture fixture, final int row)
    {
        final ArrayLayout layout = fixture.layout();
        final Set<Integer> blocks = new TreeSet<>();
        for (int index = 0; index <= layout.level().parityCount(); index++)
        {
            fixture.failBlock(layout.dataSlot(row, index), (long)row * ArrayFixture.STRIP_BYTES);
            blocks.add((row * layout.dataCount() + index) * STRIP_BLOCKS);
        }
        return blocks;
    }

    @ParameterizedTest
    @CsvSource({"RAID5,4,1", "RAID5,4,40", "RAID6,5,0", "RAID6,5,60"})
    void shouldGoOnWhenAHostHasOverwrittenWhatCannotBeComputed(final RaidLevel level, final int count, final int row)
    {
        try (ArrayFixture fixture = new ArrayFixture(TestSeeds.random(), level, count, 0))
        {
            fixture.times(IMPATIENT);
            fixture.restart();
            final RaidDevice array = fixture.array();
            final Set<Integer> lost = lose(fixture, row);
            fixture.addDisk();
            fixture.set("d0 d1 d2 d3 d4" + (count > 4 ? " d5" : ""), "");
            ArrayFixture.await(() -> array.status().reason().contains("reshape stopped"), "stopped");
            final int stripeBytes = fixture.layout().dataCount() * ArrayFixture.STRIP_BYTES;
            final String reason = array.status().reason();
            assertTrue(reason.contains("a block within bytes " + row * stripeBytes + " to " +
                ((row + 1) * stripeBytes - 1) + " of the array cannot be read"), reason);
            assertEquals(DeviceHealth.DEGRADED, array.status().health());
            // All else is there, and writes go on.
            assertEquals(lost, fixture.unreadable());
            fixture.write((int)fixture.layout().dataBytes() - stripeBytes, stripeBytes);
            assertTrue(array.view().map().isReshaping());
            fixture.write(row * stripeBytes, stripeBytes);
            ArrayFixture.await(() -> new DeviceStatus(DeviceHealth.ONLINE, "").equals(array.status()), "grown");
            assertFalse(array.view().map().isReshaping());
            fixture.verify();
            array.scrub(ScrubMode.CHECK);
            ArrayFixture.await(() -> null != array.scrubControl().result(), "scrubbed");
            assertEquals(0, array.scrubControl().result().mismatches());
        }
    }

    /** Who asks now and then, or waits for a change, is not told each time that all is well. */
    @Test
    void shouldSayThatItHasStoppedWhileItTriesAgain()
    {
        try (ArrayFixture fixture = new ArrayFixture(TestSeeds.random(), RaidLevel.RAID5, 4, 0))
        {
            fixture.times(IMPATIENT);
            fixture.restart();
            final RaidDevice array = fixture.array();
            lose(fixture, 60);
            fixture.addDisk();
            fixture.set("d0 d1 d2 d3 d4", "");
            ArrayFixture.await(() -> array.status().reason().contains("reshape stopped"), "stopped");
            final long reads = fixture.disk(0).reads();
            ArrayFixture.await(() ->
            {
                assertTrue(array.status().reason().contains("reshape stopped"), array.status()::reason);
                return fixture.disk(0).reads() > reads + 20;
            }, "tried again");
        }
    }

    @Test
    void shouldNotTryAgainBeforeItsTime()
    {
        try (ArrayFixture fixture = new ArrayFixture(TestSeeds.random(), RaidLevel.RAID5, 4, 0))
        {
            lose(fixture, 60);
            fixture.addDisk();
            fixture.set("d0 d1 d2 d3 d4", "");
            ArrayFixture.await(() -> fixture.array().status().reason().contains("reshape stopped"), "stopped");
            // It says so before the last try has ended on all members.
            ArrayFixture.await(() -> isIdle(fixture, SETTLE_NS), "left the members alone");
            assertTrue(isIdle(fixture, LOOK_NS));
        }
    }

    private static boolean isIdle(final ArrayFixture fixture, final long forNs)
    {
        final long reads = fixture.disk(0).reads();
        LockSupport.parkNanos(forNs);
        fixture.turn(TURNS);
        return fixture.disk(0).reads() == reads;
    }
}
