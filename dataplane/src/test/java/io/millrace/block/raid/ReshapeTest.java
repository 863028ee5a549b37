package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDeviceException;
import io.millrace.block.DeviceHealth;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.seed.TestSeeds;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Arrays that get one more member while they serve. */
class ReshapeTest
{
    private final Random random = TestSeeds.random();

    private ArrayFixture create(final RaidLevel level, final int memberCount, final JournalMode journal)
    {
        return new ArrayFixture(random, level, memberCount, 0, journal);
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

    private static void awaitGrown(final ArrayFixture fixture, final int count)
    {
        final RaidDevice array = fixture.array();
        ArrayFixture.await(() -> !array.view().map().isReshaping() && count == array.view().slotCount() &&
            array.view().isComplete(), "grown: " + array.status() + ", " + array.view().map().state());
    }

    private static void scrub(final RaidDevice array)
    {
        array.scrub(ScrubMode.CHECK);
        ArrayFixture.await(() -> null != array.scrubControl().result() &&
            ScrubStatus.COMPLETED == array.scrubControl().result().status(), "scrubbed");
        assertEquals(0, array.scrubControl().result().mismatches());
    }

    @ParameterizedTest
    @CsvSource({"RAID5,3,DEGRADED", "RAID5,4,ALWAYS", "RAID5,5,DEGRADED", "RAID6,4,DEGRADED", "RAID6,5,ALWAYS"})
    void shouldHaveAllDataAndMoreRoomWhileHostsWrite(final RaidLevel level, final int count, final JournalMode journal)
    {
        try (ArrayFixture fixture = create(level, count, journal))
        {
            final RaidDevice array = fixture.array();
            final long before = array.geometry().sizeBytes();
            fixture.addDisk();
            fixture.set(names(count + 1), "");
            while (array.view().map().isReshaping())
            {
                fixture.writeAnywhere(5);
            }
            awaitGrown(fixture, count + 1);
            fixture.verify();
            scrub(array);
            assertEquals(before, array.geometry().sizeBytes());
            final int parity = level.parityCount();
            assertEquals(before / (count - parity) * (count + 1 - parity), array.availableBytes());
            array.grow(array.availableBytes());
            assertEquals(array.availableBytes(), array.geometry().sizeBytes());
            fixture.writeAnywhere(20);
            fixture.restart();
            fixture.verify();
            assertEquals(DeviceHealth.ONLINE, fixture.array().status().health());
            assertEquals(count + 1, fixture.array().layout().memberCount());
        }
    }

    @Test
    void shouldRebuildAnotherCopyOfAMirror()
    {
        try (ArrayFixture fixture = create(RaidLevel.RAID1, 2, JournalMode.DEGRADED))
        {
            final RaidDevice array = fixture.array();
            fixture.addDisk();
            fixture.set(names(3), "");
            fixture.writeAnywhere(20);
            awaitGrown(fixture, 3);
            scrub(array);
            RaidFixture.get(array.fail("d0"));
            RaidFixture.get(array.fail("d1"));
            fixture.verify();
            assertTrue(assertThrows(BlockDeviceException.class, () -> array.grow(array.geometry().sizeBytes() * 2))
                .getMessage().contains("add a member"));
        }
    }
}
