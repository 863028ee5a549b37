package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.seed.TestSeeds;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Arrays that become RAID 6 and RAID 5 again and lose power at any step meanwhile, with members beside the power or
 * before it: nothing that was flushed is lost, P and Q match, and the member that has left is never used.
 */
class LevelChangeCrashTest
{
    private static final int BLOCK_BYTES = 4096;
    private static final int CHECKED_BLOCKS = 60;
    private static final int REQUESTS = 60;
    private static final int LIVES = 6;
    private static final int LIVES_MAX = 100;
    private static final int LONG = 400;
    private static final int STEPS_MAX = 400;
    private static final int MOST_STEPS = 20_000;
    private static final CopyRates FAST = new CopyRates(1L << 40, 1L << 40);
    private static final RaidTimes HURRIED = new RaidTimes(200_000, 300_000);
    /** Cuts are before each so many steps. */
    private static final int STRIDE = Integer.getInteger("millrace.raid.stride", 13);
    private static final int SEEDS = Integer.getInteger("millrace.raid.seeds", 12);
    /** So many at most, until all that is to occur has occurred. */
    private static final int SEEDS_MAX = 8 * SEEDS;

    private final Random random = TestSeeds.random();
    private int within;

    /** The array, as it is assembled in each life. */
    private static final class Changing
    {
        private final int count;
        private final int stripBytes;
        private final JournalMode journal;
        private final boolean asksWhileServing;
        private final Set<String> lost = new HashSet<>();
        private RaidLevel wanted = RaidLevel.RAID5;
        /** Whether the configuration says RAID 6, since the array has been seen as one. */
        private boolean isWritten;
        private RaidDevice array;

        Changing(final int count, final int stripBytes, final JournalMode journal, final boolean asksWhileServing)
        {
            this.count = count;
            this.stripBytes = stripBytes;
            this.journal = journal;
            this.asksWhileServing = asksWhileServing;
        }

        private boolean isBySettings()
        {
            return RaidLevel.RAID6 == wanted && (!asksWhileServing || isWritten);
        }

        CrashingArray assemble(final List<MemberDisk> members, final boolean isNew)
        {
            isWritten = RaidLevel.RAID6 == wanted &&
                (isWritten || null != array && RaidLevel.RAID5 != array.layout().level());
            array = null;
            for (int unnamed = count; null == array; unnamed--)
            {
                final String without = isBySettings() ? "" : members.get(unnamed).name();
                try
                {
                    array = assemble(members, members.stream().map(MemberDisk::name)
                        .filter((each) -> !without.equals(each)).toList());
                }
                catch (final BlockDeviceException e)
                {
                    // A member that had failed has come back into the last slot: the settings have to be those.
                    if (0 == unnamed || !e.getMessage().contains("count of members is"))
                    {
                        throw e;
                    }
                }
            }
            final RaidDevice assembled = array;
            final CrashingArray crashing = new CrashingArray(array);
            return crashing.onBegun(() -> change(crashing, assembled, members));
        }

        private RaidDevice assemble(final List<MemberDisk> members, final List<String> names)
        {
            final List<BlockDevice> left = members.stream()
                .filter((each) -> !lost.contains(each.name())).map(BlockDevice.class::cast).toList();
            final RaidConfig config = new RaidConfig("array", isBySettings() ? RaidLevel.RAID6 : RaidLevel.RAID5,
                stripBytes, names, List.of(), true, false, !lost.isEmpty(), FAST, journal);
            return RaidAssembly.assemble(config, left.stream().filter((each) -> names.contains(each.name())).toList(),
                () -> left.stream().filter((each) -> !names.contains(each.name())).toList(), null, HURRIED);
        }

        /** Asks again when it was refused, since regions are resynchronized first. */
        private void change(
            final CrashingArray crashing, final RaidDevice assembled, final List<MemberDisk> members)
        {
            final ArrayView view = assembled.view();
            final boolean isRaid5 = RaidLevel.RAID5 == view.layout().level();
            final CompletableFuture<Void> done = new CompletableFuture<>();
            if (RaidLevel.RAID6 == wanted && isRaid5 && !isBySettings())
            {
                assembled.change(new MemberChange.Grow(members.get(count), RaidLevel.RAID6_Q_LAST, done));
            }
            else if (RaidLevel.RAID5 == wanted && !isRaid5)
            {
                final RaidMember last = view.member(view.slotCount() - 1);
                assembled.change(new MemberChange.Lower(null == last ? null : last.device(), done));
            }
            done.exceptionally((reason) ->
            {
                crashing.later(() -> change(crashing, assembled, members));
                return null;
            });
        }

        boolean isIn(final RaidLevel level)
        {
            return null != array && level == array.view().layout().level() && array.view().isComplete();
        }

        boolean isOver()
        {
            return isIn(RaidLevel.RAID6 == wanted ? RaidLevel.RAID6_Q_LAST : RaidLevel.RAID5);
        }

        CrashRun run(final Random draw)
        {
            return new CrashRun(draw.nextLong(), count + 1,
                RaidFixture.deviceBytes(Math.max(16L * stripBytes, 128 << 10)), BLOCK_BYTES, CHECKED_BLOCKS,
                this::assemble);
        }

        /** All members are there: the next lives go on to the end, and check all. */
        void finish(final CrashRun run)
        {
            lost.clear();
            for (int life = 0; life < LIVES_MAX && !isOver(); life++)
            {
                run.live(LONG);
            }
            assertTrue(isOver(), () -> "it has not come to its end: " + array.layout() + ", " + array.status());
            run.live(0);
            assertEquals(RaidLevel.RAID6 == wanted ? count + 1 : count, array.layout().memberCount());
        }

        /** Loses members in sync, as many as the array tolerates; not the one that no settings name. */
        void lose(final Random draw)
        {
            final ArrayView view = array.view();
            if (!view.isComplete() || array.intent().nextResync(0) >= 0)
            {
                return;
            }
            for (int left = view.layout().parityCount(); left > 0; left--)
            {
                lost.add(view.member(draw.nextInt(count)).toString());
            }
        }

        void fail(final int slot, final AtomicInteger failures)
        {
            final ArrayView view = null == array ? null : array.view();
            if (null != view && slot < view.slotCount() && view.isComplete() && array.intent().nextResync(0) < 0)
            {
                failures.incrementAndGet();
                ((MemberDisk)view.member(slot).device()).state(MemberState.FAILING);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"3,4096,DEGRADED", "4,8192,ALWAYS", "5,65536,DEGRADED", "6,4096,ALWAYS"})
    void shouldKeepAllWhenPowerIsCutAgainAndAgain(final int count, final int stripBytes, final JournalMode journal)
    {
        for (int i = 0; i < SEEDS || within <= SEEDS && i < SEEDS_MAX; i++)
        {
            final Random draw = TestSeeds.fixed(random.nextLong());
            final Changing changing = new Changing(count, stripBytes, journal, 0 != i % 2);
            try (CrashRun run = changing.run(draw))
            {
                run.live(REQUESTS / 2);
                for (final RaidLevel level : List.of(RaidLevel.RAID6, RaidLevel.RAID5, RaidLevel.RAID6))
                {
                    changing.wanted = level;
                    for (int life = 0; life < LIVES; life++)
                    {
                        run.live(1 + draw.nextInt(STEPS_MAX), REQUESTS);
                        within += changing.isOver() ? 0 : 1;
                    }
                    changing.finish(run);
                }
            }
        }
        assertTrue(within > SEEDS, () -> "only " + within + " lives ended within a change");
    }

    /** One life with a cut before each step there is, to the end of a change; members in sync are lost with some. */
    @ParameterizedTest
    @CsvSource({"RAID6,3,4096,ALWAYS", "RAID6,4,65536,ALWAYS", "RAID6,5,4096,DEGRADED",
        "RAID5,3,4096,ALWAYS", "RAID5,4,65536,ALWAYS", "RAID5,5,4096,DEGRADED"})
    void shouldKeepAllWhereverPowerIsCut(
        final RaidLevel to, final int count, final int stripBytes, final JournalMode journal)
    {
        final long seed = random.nextLong();
        int overs = 0;
        // Some steps behind the change, too, for what has left.
        for (int step = 1; overs < 3; step += STRIDE)
        {
            final Random draw = TestSeeds.fixed(seed);
            final Changing changing = new Changing(count, stripBytes, journal, 0 == step % 3);
            final boolean loses = 0 == step % 2 && JournalMode.ALWAYS == journal;
            try (CrashRun run = changing.run(draw))
            {
                run.live(REQUESTS / 2);
                if (RaidLevel.RAID5 == to)
                {
                    changing.wanted = RaidLevel.RAID6;
                    changing.finish(run);
                }
                changing.wanted = to;
                run.live(step, LONG);
                overs += changing.isOver() ? 1 : 0;
                if (loses && null != changing.array)
                {
                    changing.lose(draw);
                    run.live(0);
                    run.live(REQUESTS / 2);
                }
                changing.finish(run);
                assertTrue(step < MOST_STEPS, "the steps come to an end");
            }
            catch (final AssertionError | BlockDeviceException e)
            {
                throw new AssertionError("cut before step " + step + (loses ? ", members lost" : "") +
                    ", seed of the run " + seed + ": " + e.getMessage(), e);
            }
        }
    }

    /** A member fails, the new one, too, before the power is cut, or is lost with it. */
    @ParameterizedTest
    @CsvSource({"3,4096,DEGRADED", "4,8192,ALWAYS", "5,65536,DEGRADED", "4,4096,ALWAYS"})
    void shouldKeepAllWhenMembersFail(final int count, final int stripBytes, final JournalMode journal)
    {
        final AtomicInteger failures = new AtomicInteger();
        for (int i = 0; i < SEEDS || (failures.get() <= SEEDS / 2 || within <= SEEDS / 2) && i < SEEDS_MAX; i++)
        {
            final Random draw = TestSeeds.fixed(random.nextLong());
            final Changing changing = new Changing(count, stripBytes, journal, false);
            try (CrashRun run = changing.run(draw))
            {
                run.live(REQUESTS / 2);
                for (final RaidLevel level : List.of(RaidLevel.RAID6, RaidLevel.RAID5))
                {
                    changing.wanted = level;
                    for (int life = 0; life < LIVES; life++)
                    {
                        final int slot = draw.nextInt(count + 1);
                        final int failureStep = 1 + draw.nextInt(STEPS_MAX);
                        final int cutStep = failureStep + 1 + draw.nextInt(STEPS_MAX);
                        run.supply().before(failureStep, () -> changing.fail(slot, failures));
                        run.live(cutStep, REQUESTS);
                        within += changing.isOver() ? 0 : 1;
                    }
                    changing.finish(run);
                }
            }
        }
        assertTrue(failures.get() > SEEDS / 2 && within > SEEDS / 2,
            () -> failures + " members failed, and " + within + " lives ended within a change");
    }
}
