package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDevice;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.seed.TestSeeds;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Arrays whose members get blocks that they cannot read, fail, are rebuilt or replaced, and lose power at any step
 * meanwhile: a request ends with a media error only in rows with such blocks that were not written since, and no read
 * succeeds with anything but what was written.
 */
class LostBlocksCrashTest
{
    private static final int BLOCK_BYTES = 4096;
    private static final int STRIP_BYTES = 8 << 10;
    private static final long MEMBER_BYTES = 128 << 10;
    private static final int CHECKED_BLOCKS = 24;
    private static final int LIVES = 6;
    private static final int REQUESTS = 80;
    private static final int STEPS_MAX = 500;
    private static final int EVENTS = 6;
    private static final int MIRRORED_ROWS = 8;
    private static final int SEEDS = Integer.getInteger("millrace.raid.seeds", 25) / 2 + 1;
    private static final int SEEDS_MAX = 8 * SEEDS;
    private static final RaidTimes HURRIED = new RaidTimes(200_000, 300_000);

    private final Random random = TestSeeds.random();
    /** By member: flushes that had begun when a resync was over. */
    private final Map<MemberDisk, Long> resynced = new HashMap<>();
    private int failed;
    private boolean checksums;
    private int found;

    private CrashingArray assemble(
        final RaidLevel level, final int memberCount, final List<MemberDisk> members, final JournalMode journal)
    {
        final List<String> names = members.stream().map(MemberDisk::name).toList();
        final RaidConfig config = new RaidConfig("array", level, STRIP_BYTES, names.subList(0, memberCount),
            names.subList(memberCount, names.size()), true, false, false, new CopyRates(1L << 40, 1L << 40), journal,
            "", checksums);
        final RaidDevice array =
            RaidAssembly.assemble(config, members.stream().map(BlockDevice.class::cast).toList(), null, HURRIED);
        found += lost(array);
        return new CrashingArray(array);
    }

    private static int lost(final RaidDevice array)
    {
        return array.raidMembers().stream().mapToInt((each) -> each.lostBlocks().count()).sum();
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2,DEGRADED", "RAID1,3,DEGRADED", "RAID5,3,ALWAYS", "RAID5,4,ALWAYS", "RAID6,4,ALWAYS",
        "RAID6,5,ALWAYS", "RAID6_Q_LAST,5,ALWAYS", "RAID10,4,DEGRADED", "RAID10,3,DEGRADED"})
    void shouldNeverReadWhatWasLost(final RaidLevel level, final int memberCount, final JournalMode journal)
    {
        int errors = 0;
        int healed = 0;
        boolean hasAll = false;
        final ArrayLayout layout = ArrayLayout.of(level, memberCount, STRIP_BYTES, MEMBER_BYTES);
        // Few lives begin with a list of blocks that are lost: whether some of so many do is left to chance.
        for (int i = 0; i < SEEDS || !hasAll && i < SEEDS_MAX; i++)
        {
            final Random draw = TestSeeds.fixed(random.nextLong());
            checksums = CrashingArray.hasChecksums(level, i);
            final RaidDevice[] current = new RaidDevice[1];
            final LossyRows rows = new LossyRows(layout, BLOCK_BYTES);
            try (CrashRun run = new CrashRun(draw.nextLong(), memberCount + 1,
                CrashingArray.deviceBytes(MEMBER_BYTES, BLOCK_BYTES, checksums), BLOCK_BYTES,
                CHECKED_BLOCKS, (members, isNew) ->
                {
                    current[0] = null;
                    final CrashingArray array = assemble(level, memberCount, members, journal);
                    current[0] = array.array();
                    return array;
                }))
            {
                run.oracle().allow(rows);
                for (int life = 0; life < LIVES; life++)
                {
                    final Random choices = TestSeeds.fixed(draw.nextLong());
                    final int cutStep = EVENTS + 1 + draw.nextInt(STEPS_MAX);
                    choices.ints(1, cutStep).distinct().limit(EVENTS).forEach(
                        (step) -> run.supply().before(step, () -> change(current[0], rows, choices)));
                    run.live(cutStep, REQUESTS);
                }
                run.live(0);
            }
            errors += rows.failedCount();
            healed += rows.healedCount();
            hasAll = failed > 0 && found > 0 && errors > 0 && healed > 0;
        }
        final String counts = failed + " members failed, " + found + " lost blocks were found at starts, " +
            errors + " requests failed, " + healed + " rows were written again";
        assertTrue(hasAll, counts);
    }

    /** Blocks cannot be read any more, or a member fails that is not needed. */
    private void change(final RaidDevice array, final LossyRows rows, final Random choices)
    {
        // Where copies differ since a crash readers have seen the first, which may alone have what they saw.
        if (null == array || array.intent().nextResync(0) >= 0)
        {
            resynced.clear();
            return;
        }
        final ArrayView view = array.view();
        // What the resync has written may be in caches, and be lost with the power.
        if (!isStable(array, view))
        {
            return;
        }
        if (choices.nextInt(3) > 0)
        {
            // A mirror loses only what the member that fails next alone can read.
            for (int i = array.layout().level().parityCount() > 0 ? 1 : MIRRORED_ROWS; i > 0; i--)
            {
                failRow(array.layout(), view, rows, choices);
            }
        }
        else if (view.isComplete() && !hasFailing(array))
        {
            failed++;
            ((MemberDisk)view.member(choices.nextInt(array.layout().memberCount())).device()).state(
                MemberState.FAILING);
        }
    }

    /** {@return whether all members have flushed what they had when it was first asked} */
    private boolean isStable(final RaidDevice array, final ArrayView view)
    {
        boolean isStable = true;
        for (final RaidMember each : array.raidMembers())
        {
            if (view.isWritten(each))
            {
                final MemberDisk disk = (MemberDisk)each.device();
                // One of so many that have ended began since.
                isStable &= disk.endedFlushes() > resynced.computeIfAbsent(disk, MemberDisk::flushes);
            }
        }
        return isStable;
    }

    /** One that the array does not know of yet. */
    private static boolean hasFailing(final RaidDevice array)
    {
        return array.raidMembers().stream().anyMatch((each) -> array.view().isWritten(each) &&
            MemberState.FAILING == ((MemberDisk)each.device()).state());
    }

    private static void failRow(
        final ArrayLayout layout, final ArrayView view, final LossyRows rows, final Random choices)
    {
        final long block = choices.nextInt(CHECKED_BLOCKS);
        final long strip = block * BLOCK_BYTES / STRIP_BYTES;
        final int row = (int)(block * BLOCK_BYTES % STRIP_BYTES);
        final boolean hasParity = layout.level().parityCount() > 0;
        rows.fail(block);
        int left = hasParity ? 1 + choices.nextInt(layout.level().parityCount()) : layout.copyCount() - 1;
        final int first = choices.nextInt(hasParity ? layout.memberCount() : layout.copyCount());
        for (int i = 0; left > 0; i++, left--)
        {
            final int copy = hasParity ? 0 : (first + i) % layout.copyCount();
            final int slot = hasParity ? (first + i) % layout.memberCount() : layout.slot(strip, copy);
            final long memberStrip = hasParity ? strip / layout.dataCount() : layout.memberStrip(strip, copy);
            if (null != view.member(slot) && null != view.member(slot).device())
            {
                ((MemberDisk)view.member(slot).device()).failMedia(
                    (RaidChannel.dataOffsetBytes() + memberStrip * STRIP_BYTES + row) / BLOCK_BYTES, 1);
            }
        }
    }
}
