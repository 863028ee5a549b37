package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDeviceException;
import io.millrace.block.raid.format.ReshapeState;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Arrays whose members fail, or are lost with the power, while the first stripes of a reshape are moved. */
class ReshapeHeadCrashTest
{
    private static final int REQUESTS = 30;
    private static final int MOST_STEPS = 2_000;
    /** That a life reads: longer than the first stripes take. */
    private static final int MANY_BLOCKS = 128;

    private final Random random = TestSeeds.random();

    /** A run of an array, and what it loses at a step of the run. */
    private interface HeadRun
    {
        /** {@return whether it was lost: while the first stripes were moved} */
        boolean run(ReshapedArray growing, CrashRun run, int step);
    }

    /** {@return runs that have lost something: one at each step of the time in which the first stripes are moved} */
    private int throughHead(
        final RaidLevel level, final int count, final int added, final int stripBytes, final HeadRun each)
    {
        final long seed = random.nextLong();
        int losses = 0;
        boolean isWithin = false;
        for (int step = 1; isWithin || 0 == losses; step += isWithin ? 1 : 4)
        {
            final ReshapedArray growing = new ReshapedArray(level, count, added, stripBytes, JournalMode.ALWAYS, false);
            try (CrashRun run = growing.run(TestSeeds.fixed(seed), MANY_BLOCKS))
            {
                isWithin = each.run(growing, run, step);
                if (isWithin)
                {
                    losses++;
                    growing.finish(run);
                }
                assertTrue(step < MOST_STEPS, "the head comes to its end");
            }
            catch (final AssertionError | BlockDeviceException e)
            {
                throw new AssertionError("something is lost at step " + step + ", seed of the run " + seed + ": " +
                    e.getMessage(), e);
            }
        }
        return losses;
    }

    /** Its first stripes are moved, and what they were is in the backup. */
    private static boolean isHeadBackedUp(final ReshapedArray growing)
    {
        return growing.isReshaping() &&
            ReshapeState.Stage.BACKED_UP == growing.array().view().map().state().stage();
    }

    /** Nobody writes when it goes on: no region is marked. */
    private static void liveBefore(final ReshapedArray growing, final CrashRun run)
    {
        growing.isWaiting(true);
        run.live(REQUESTS);
        run.live(0);
        growing.isWaiting(false);
    }

    /**
     * Each member has its rows of a slice restored by itself: one that is not there has the new ones, of which the
     * bitmap knows nothing when it comes back.
     */
    @ParameterizedTest
    @CsvSource({"RAID5,3,1,16384", "RAID5,4,1,16384", "RAID6,4,1,16384", "RAID6,4,0,131072"})
    void shouldRebuildAllOfAMemberThatWasLostMeanwhile(
        final RaidLevel level, final int count, final int added, final int stripBytes)
    {
        final int losses = throughHead(level, count, added, stripBytes, (growing, run, step) ->
        {
            liveBefore(growing, run);
            run.live(step, 0);
            final boolean isWithin = isHeadBackedUp(growing) && !growing.array().intent().isMarked(0);
            if (isWithin)
            {
                growing.lost().add("member" + step % count);
                run.live(0);
                growing.lost().clear();
                run.live(0);
            }
            return isWithin;
        });
        assertTrue(losses > 5, "only " + losses + " members were lost while the first stripes were written");
    }

    /** The member lacks a part of what the step has written, and no region of the bitmap is marked for that. */
    @ParameterizedTest
    @CsvSource({"RAID5,3,1,16384", "RAID6,4,1,16384", "RAID6,4,0,131072"})
    void shouldRebuildAllOfAMemberThatFailsMeanwhile(
        final RaidLevel level, final int count, final int added, final int stripBytes)
    {
        throughHead(level, count, added, stripBytes, (growing, run, step) ->
        {
            final AtomicBoolean hasFailed = new AtomicBoolean();
            liveBefore(growing, run);
            run.supply().before(step, () ->
            {
                if (isHeadBackedUp(growing) && !growing.array().intent().isMarked(0))
                {
                    hasFailed.set(true);
                    run.members().get(step % count).state(MemberState.FAILING);
                }
            });
            run.live(0);
            return hasFailed.get();
        });
    }

    /** Whether no data lies where the new layout has it. */
    private static boolean isUnmoved(final ReshapedArray growing)
    {
        if (!growing.isReshaping() || !growing.array().view().isComplete())
        {
            return false;
        }
        final ReshapeState state = growing.array().view().map().state();
        return 0 == state.position() && 0 == state.sliceStart();
    }

    /** {@return the member that was added, and as many others as the array can do without} */
    private static List<MemberDisk> tolerated(final ReshapedArray growing, final RaidLevel level, final Random draw)
    {
        final ArrayView view = growing.array().view();
        final List<MemberDisk> disks = new ArrayList<>();
        disks.add((MemberDisk)view.member(growing.count()).device());
        final int first = draw.nextInt(growing.count());
        for (int i = 0; i < level.parityCount(); i++)
        {
            disks.add((MemberDisk)view.member((first + i) % growing.count()).device());
        }
        return disks;
    }

    @ParameterizedTest
    @CsvSource({"RAID5,3,4096,DEGRADED", "RAID5,4,524288,ALWAYS", "RAID6,4,4096,DEGRADED", "RAID6,5,65536,ALWAYS"})
    void shouldGoOnWithoutTheNewMemberAndOthersWhileNothingWasMoved(
        final RaidLevel level, final int count, final int stripBytes, final JournalMode journal)
    {
        final long seed = random.nextLong();
        final AtomicBoolean isOver = new AtomicBoolean();
        final AtomicInteger failures = new AtomicInteger();
        for (int step = 1; !isOver.get(); step += 3)
        {
            final Random draw = TestSeeds.fixed(seed + step);
            final ReshapedArray growing = new ReshapedArray(level, count, 1, stripBytes, journal, false);
            final int before = failures.get();
            try (CrashRun run = growing.run(TestSeeds.fixed(seed)))
            {
                run.live(REQUESTS);
                run.supply().before(step, () ->
                {
                    isOver.set(growing.isReshaping() && !isUnmoved(growing));
                    if (isUnmoved(growing))
                    {
                        failures.incrementAndGet();
                        tolerated(growing, level, draw).forEach((each) -> each.state(MemberState.FAILING));
                    }
                });
                // Whether the power is cut soon or not, no request fails before.
                run.live(step + 1 + draw.nextInt(120), REQUESTS);
                if (before != failures.get())
                {
                    run.live(REQUESTS);
                    growing.finish(run);
                }
                assertTrue(step < MOST_STEPS, "the first slice is moved");
            }
            catch (final AssertionError | BlockDeviceException e)
            {
                throw new AssertionError("members fail before step " + step + ", seed of the run " + seed + ": " +
                    e.getMessage(), e);
            }
        }
        assertTrue(failures.get() > 5,
            () -> "members failed before anything was moved in " + failures + " runs alone");
    }

    /** What a slice had before is on the member alone whose backup cannot be read, or is computed without it. */
    @ParameterizedTest
    @CsvSource({"RAID5,3,1,16384", "RAID6,4,1,16384", "RAID6,4,0,131072"})
    void shouldFailAMemberWhoseBackupCannotBeRead(
        final RaidLevel level, final int count, final int added, final int stripBytes)
    {
        final int failures = throughHead(level, count, added, stripBytes, (growing, run, step) ->
        {
            final AtomicBoolean hasFailed = new AtomicBoolean();
            final int slot = step % count;
            run.live(REQUESTS);
            run.supply().before(step, () ->
            {
                if (isHeadBackedUp(growing))
                {
                    hasFailed.set(true);
                    final StripMap map = growing.array().view().map();
                    run.members().get(0 == added ? (slot + 1) % count : count).state(MemberState.FAILING);
                    run.members().get(slot).failMedia(
                        (RaidChannel.dataOffsetBytes() + map.backupOffset(map.state().position(),
                            map.state().sliceStart())) / ReshapedArray.BLOCK_BYTES,
                        map.headRows() * map.sliceBytes() / ReshapedArray.BLOCK_BYTES);
                }
            });
            run.live(REQUESTS);
            if (hasFailed.get())
            {
                run.members().forEach(MemberDisk::healMedia);
            }
            return hasFailed.get();
        });
        assertTrue(failures > 2, "only " + failures + " runs had a backup that cannot be read");
    }
}
