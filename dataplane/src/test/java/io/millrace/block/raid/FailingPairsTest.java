package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.DeviceHealth;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.seed.TestSeeds;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every two members that a level does without fail under writes, one after the other. */
class FailingPairsTest
{
    private static final int WRITES = 10;

    private final Random random = TestSeeds.random();

    @ParameterizedTest
    @CsvSource({"RAID1,3,3", "RAID6,5,10", "RAID6_Q_LAST,5,10", "EC3,6,15", "RAID10,4,4", "RAID10,5,5"})
    void shouldServeWithoutAnyTwo(final RaidLevel level, final int memberCount, final int pairs)
    {
        int tried = 0;
        for (int first = 0; first < memberCount; first++)
        {
            for (int second = first + 1; second < memberCount; second++)
            {
                tried += serves(level, memberCount, first, second) ? 1 : 0;
            }
        }
        assertEquals(pairs, tried);
    }

    /** {@return whether no strip is on these two alone; then it serves without them} */
    private boolean serves(final RaidLevel level, final int memberCount, final int first, final int second)
    {
        try (ArrayFixture fixture = new ArrayFixture(random, level, memberCount, 0))
        {
            if (RaidLevel.RAID10 == level && areCopies(fixture.layout(), first, second))
            {
                return false;
            }
            final boolean isSwapped = random.nextBoolean();
            for (final int each : new int[]{isSwapped ? second : first, isSwapped ? first : second})
            {
                fixture.disk(each).state(MemberState.FAILING);
                fixture.writeAnywhere(WRITES);
                fixture.verify();
            }
            assertEquals(DeviceHealth.DEGRADED, fixture.array().status().health());
            assertTrue(fixture.array().view().isSufficient(), () -> "without " + first + " and " + second);
            return true;
        }
    }

    private static boolean areCopies(final ArrayLayout layout, final int first, final int second)
    {
        boolean isAny = false;
        for (long strip = 0; strip < layout.memberCount() * 2L; strip++)
        {
            final int a = layout.slot(strip, 0);
            final int b = layout.slot(strip, 1);
            isAny |= a == first && b == second || a == second && b == first;
        }
        return isAny;
    }
}
