package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDevice;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A shared spare that takes the slot of a member, and power that is cut before each step of that, the erasure of the
 * spare included: it has a slot of the array afterwards, or holds nothing, and what was flushed is there.
 */
class SharedSpareCrashTest
{
    private static final int BLOCK_BYTES = 4096;
    private static final int STRIP_BYTES = 8 << 10;
    private static final long MEMBER_BYTES = 64 << 10;
    private static final int CHECKED_BLOCKS = 12;
    private static final int REQUESTS = 12;
    /** So many that the spare is in sync before they have ended. */
    private static final int REQUESTS_WHILE_FAILING = 400;
    /** Steps. */
    private static final int FAIL_AFTER = 3;
    private static final int STEPS_MAX = 10_000;
    /** Cuts after the spare was in sync. */
    private static final int ENOUGH = 3;
    private static final RaidTimes TIMES = new RaidTimes(2_000_000, 300_000);

    private final Random random = TestSeeds.random();

    /** The lives of an array and of a spare that its settings never name. */
    private static final class Life
    {
        private final RaidLevel level;
        private final int memberCount;
        private final int failed;
        private final boolean checksums;
        private RaidDevice array;
        /** Of the life in which the member fails. */
        private boolean isFailing;
        private PowerSupply supply;
        private long cutStep;
        private boolean wasTaken;
        private boolean wasInSync;

        Life(final RaidLevel level, final int memberCount, final int failed, final boolean checksums)
        {
            this.checksums = checksums;
            this.level = level;
            this.memberCount = memberCount;
            this.failed = failed;
        }

        BlockDevice assemble(final List<MemberDisk> disks, final boolean isNew)
        {
            final List<BlockDevice> named = new ArrayList<>(disks.subList(0, memberCount));
            final MemberDisk spare = disks.get(memberCount);
            final RaidConfig config = new RaidConfig("array", level, STRIP_BYTES,
                named.stream().map(BlockDevice::name).toList(), List.of(), isNew, false, false,
                new CopyRates(1L << 40, 1L << 40), JournalMode.DEGRADED, "", checksums);
            final List<BlockDevice> shared =
                isNew ? List.of() : SharedSpareMembers.find(config, named, List.of(spare), null);
            final SpareExamination examination = SpareExamination.of(spare, null);
            assertEquals(shared.isEmpty(), examination.problem().isEmpty(), examination::problem);
            named.addAll(shared);
            if (isFailing)
            {
                SpareDemand.prepare(spare, null);
            }
            array = RaidAssembly.assemble(SharedSpareMembers.with(config, shared), named, List::of, null, TIMES);
            wasTaken = array.raidMembers().stream()
                .anyMatch((each) -> spare == each.device() && array.view().slotOf(each) >= 0);
            assertEquals(!shared.isEmpty(), wasTaken, "a superblock of the array, and no slot");
            wasInSync = isInSync(spare);
            if (isFailing)
            {
                failLater(disks.get(failed).name());
            }
            return new CrashingArray(array, () -> take(spare));
        }

        private void take(final MemberDisk spare)
        {
            if (isFailing)
            {
                array.change(new MemberChange.TakeSlot(spare, new CompletableFuture<>()));
            }
        }

        /** Again and again, since it is refused before the resync after the last crash has ended. */
        private void failLater(final String name)
        {
            final long next = supply.steps() + FAIL_AFTER;
            supply.before(next == cutStep ? next + 1 : next, () -> array.fail(name).exceptionally((_) ->
            {
                if (!supply.isCut())
                {
                    failLater(name);
                }
                return null;
            }));
        }

        private boolean isInSync(final BlockDevice spare)
        {
            final ArrayView view = array.view();
            return array.raidMembers().stream().anyMatch((each) -> spare == each.device() && view.slotOf(each) >= 0 &&
                SlotState.IN_SYNC == view.state(view.slotOf(each)));
        }
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2,false", "RAID5,3,false", "RAID6,4,false", "RAID5,3,true"})
    void shouldBelongToTheArrayOrBeFreeWheneverPowerIsCut(
        final RaidLevel level, final int memberCount, final boolean checksums)
    {
        final long seed = random.nextLong();
        final int failed = random.nextInt(memberCount);
        final Life whole = new Life(level, memberCount, failed, checksums);
        final long steps = run(seed, whole, STEPS_MAX);
        assertTrue(whole.wasInSync, "the spare was not rebuilt before the power was cut at the end");
        int free = 0;
        int taken = 0;
        int rebuilt = 0;
        for (long cut = 1; cut <= steps && rebuilt < ENOUGH; cut++)
        {
            final Life life = new Life(level, memberCount, failed, checksums);
            run(seed, life, cut);
            free += life.wasTaken ? 0 : 1;
            taken += life.wasTaken && !life.wasInSync ? 1 : 0;
            rebuilt += life.wasInSync ? 1 : 0;
        }
        assertTrue(free > 0 && taken > 0 && rebuilt > 0,
            free + " cuts left the spare free, " + taken + " with a slot, " + rebuilt + " in sync");
    }

    /** {@return steps of the life in which the member fails; what is known of the spare is of the start after it} */
    private static long run(final long seed, final Life life, final long cutStep)
    {
        try (CrashRun run = new CrashRun(seed, life.memberCount + 1,
            CrashingArray.deviceBytes(MEMBER_BYTES, BLOCK_BYTES, life.checksums), BLOCK_BYTES, CHECKED_BLOCKS,
            life::assemble))
        {
            life.supply = run.supply();
            run.live(REQUESTS);
            life.isFailing = true;
            life.cutStep = cutStep;
            life.supply = run.supply();
            run.live(cutStep, REQUESTS_WHILE_FAILING);
            final long steps = life.supply.steps();
            life.isFailing = false;
            life.supply = run.supply();
            run.live(REQUESTS);
            final boolean wasTaken = life.wasTaken;
            final boolean wasInSync = life.wasInSync;
            run.live(0);
            life.wasTaken = wasTaken;
            life.wasInSync = wasInSync;
            return steps;
        }
    }
}
