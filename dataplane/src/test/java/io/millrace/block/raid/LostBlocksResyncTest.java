package io.millrace.block.raid;

import static io.millrace.block.raid.ArrayFixture.BLOCK_BYTES;
import static io.millrace.block.raid.ArrayFixture.STRIP_BYTES;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.seed.TestSeeds;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A resync that meets blocks which it cannot make match, while a member is replaced. */
class LostBlocksResyncTest
{
    private static final int ROW = 2 * BLOCK_BYTES;
    private static final CopyRates SLOW = new CopyRates(1 << 20, 1 << 20);
    private static final CopyRates FAST = new CopyRates(1L << 40, 1L << 40);

    private final Random random = TestSeeds.random();

    private static boolean isParity(final ArrayLayout layout, final int slot)
    {
        final int count = layout.level().parityCount();
        return count > 0 && layout.dataIndex(0, slot) < 0;
    }

    private static String names(final int memberCount, final int replaced)
    {
        final StringBuilder names = new StringBuilder();
        for (int slot = 0; slot < memberCount; slot++)
        {
            names.append(0 == slot ? "d" : " d").append(slot == replaced ? memberCount : slot);
        }
        return names.toString();
    }

    /** What it has of the row may be of either side of a torn write. */
    @ParameterizedTest
    @CsvSource({"RAID1,2,0", "RAID1,3,1", "RAID10,4,1", "RAID5,4,3", "RAID6,5,4", "RAID6,5,0", "EC3,7,6",
        "EC3,7,1"})
    void shouldListWhatTheReplacementHas(final RaidLevel level, final int memberCount, final int slot)
    {
        try (ArrayFixture fixture = new ArrayFixture(random, level, memberCount, 0))
        {
            final ArrayLayout layout = fixture.layout();
            fixture.copyRates(SLOW);
            fixture.addDisk();
            fixture.set(names(memberCount, slot), "");
            ArrayFixture.await(() -> fixture.array().view().target().rebuiltBytes() > STRIP_BYTES, "copied in part");
            int bad = -1;
            for (int each = memberCount - 1; each >= 0; each--)
            {
                if (!isParity(layout, each))
                {
                    bad = each;
                    fixture.failBlock(each, ROW);
                }
            }
            fixture.corrupt(memberCount, ROW);
            fixture.array().intent().assembledDirty(0);
            fixture.array().onUnreadable(0, BLOCK_BYTES);
            ArrayFixture.await(() -> fixture.array().intent().nextResync(0) < 0, "resynchronized");
            fixture.copyRates(FAST);
            ArrayFixture.await(
                () -> fixture.disk(memberCount) == fixture.array().view().member(slot).device(), "replaced");
            assertNull(fixture.array().view().target());
            for (int each = 0; each < memberCount && level.parityCount() > 0; each++)
            {
                if (bad != each)
                {
                    fixture.disk(each).healMedia();
                }
            }
            final int block = level.parityCount() > 0 ? dataIndex(layout, bad) * STRIP_BYTES + ROW : ROW;
            final Set<Integer> unreadable = RaidLevel.RAID10 == level ?
                Set.of(ROW / BLOCK_BYTES, (STRIP_BYTES + ROW) / BLOCK_BYTES) : Set.of(block / BLOCK_BYTES);
            assertEquals(unreadable, fixture.unreadable());
        }
    }

    private static int dataIndex(final ArrayLayout layout, final int slot)
    {
        int index = 0;
        while (slot != layout.dataSlot(0, index))
        {
            index++;
        }
        return index;
    }
}
