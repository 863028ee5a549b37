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
 * Arrays that grow by one member and lose power at any step meanwhile, again and again, with a member beside the power
 * or before it: nothing that was flushed is lost, each life goes on where the last one stopped, and in the end the
 * array has one layout and parity that matches.
 */
class ReshapeCrashTest
{
    private static final int BLOCK_BYTES = 4096;
    private static final int CHECKED_BLOCKS = 60;
    private static final int REQUESTS = 60;
    private static final int LIVES = 6;
    private static final int STEPS_MAX = 500;
    /** More than a reshape takes. */
    private static final int LONG = 400;
    private static final int MOST_STEPS = 20_000;
    /** Cuts are before each so many steps. */
    private static final int STRIDE = Integer.getInteger("millrace.raid.stride", 29);
    private static final int SEEDS = Integer.getInteger("millrace.raid.seeds", 12);
    private static final RaidTimes HURRIED = new RaidTimes(200_000, 300_000);

    private final Random random = TestSeeds.random();
    private int cuts;

    private final class Growing
    {
        private final RaidLevel level;
        private final int count;
        private final int stripBytes;
        private final JournalMode journal;
        private final boolean asksWhileServing;
        private final Set<String> lost = new HashSet<>();
        private RaidDevice array;

        Growing(
            final RaidLevel level,
            final int count,
            final int stripBytes,
            final JournalMode journal,
            final boolean asksWhileServing)
        {
            this.level = level;
            this.count = count;
            this.stripBytes = stripBytes;
            this.journal = journal;
            this.asksWhileServing = asksWhileServing;
        }

        private RaidConfig config(final List<MemberDisk> members, final int named)
        {
            final List<String> names = members.stream().map(MemberDisk::name).toList();
            return new RaidConfig("array", level, stripBytes, names.subList(0, named), List.of(), true, false, true,
                new CopyRates(1L << 40, 1L << 40), journal);
        }

        /** Loses a member in sync, if the array tolerates that. */
        void lose(final Random draw)
        {
            final ArrayView view = array.view();
            if (!view.isComplete() || array.intent().nextResync(0) >= 0)
            {
                return;
            }
            // One that no settings name does not come back.
            lost.add(view.member(draw.nextInt(asksWhileServing ? count : view.slotCount())).toString());
        }

        /** Fails the member of a slot, unless the array has lost one already or must not lose one yet. */
        void fail(final int slot, final AtomicInteger failures)
        {
            final ArrayView view = null == array ? null : array.view();
            if (null != view && slot < view.slotCount() && view.isComplete() && array.intent().nextResync(0) < 0)
            {
                failures.incrementAndGet();
                ((MemberDisk)view.member(slot).device()).state(MemberState.FAILING);
            }
        }

        /**
         * A new array has one member less. Later it grows by its settings when it is started, or by a change while it
         * serves, after which the member is one that no settings name.
         */
        CrashingArray assemble(final List<MemberDisk> members, final boolean isNew)
        {
            array = null;
            final int named = isNew || asksWhileServing ? count : count + 1;
            final List<BlockDevice> left = members.stream()
                .filter((each) -> !lost.contains(each.name())).map(BlockDevice.class::cast).toList();
            final List<String> names = config(members, named).members();
            array = RaidAssembly.assemble(config(members, named),
                left.stream().filter((each) -> names.contains(each.name())).toList(),
                () -> left.stream().filter((each) -> !names.contains(each.name())).toList(), null, HURRIED);
            final RaidDevice assembled = array;
            return new CrashingArray(array).onBegun(() ->
            {
                if (!isNew && asksWhileServing && count == assembled.view().slotCount())
                {
                    assembled.change(new MemberChange.Grow(members.get(count), new CompletableFuture<>()));
                }
            });
        }
    }

    private static long memberBytes(final int stripBytes)
    {
        return Math.max(16L * stripBytes, 128 << 10);
    }

    @ParameterizedTest
    @CsvSource({
        "RAID5,3,4096,DEGRADED", "RAID5,4,8192,ALWAYS", "RAID5,5,4096,DEGRADED", "RAID6,4,4096,ALWAYS",
        "RAID6,5,8192,DEGRADED", "RAID5,3,524288,DEGRADED", "RAID6,4,1048576,ALWAYS"})
    void shouldKeepAllWhenPowerIsCutAgainAndAgain(
        final RaidLevel level, final int count, final int stripBytes, final JournalMode journal)
    {
        for (int i = 0; i < SEEDS; i++)
        {
            final Random draw = TestSeeds.fixed(random.nextLong());
            final Growing growing = new Growing(level, count, stripBytes, journal, 0 != i % 2);
            try (CrashRun run = run(growing, draw, stripBytes))
            {
                run.live(REQUESTS / 2);
                for (int life = 0; life < LIVES; life++)
                {
                    run.live(1 + draw.nextInt(STEPS_MAX), REQUESTS);
                    cuts += null != growing.array && growing.array.view().map().isReshaping() ? 1 : 0;
                }
                finish(run, growing);
            }
        }
        assertTrue(cuts > SEEDS / 2, () -> "only " + cuts + " lives ended within a reshape");
    }

    /**
     * One life with a cut before each step there is, from the first to the end of the reshape; a member in sync is lost
     * with each second one.
     */
    @ParameterizedTest
    @CsvSource({
        "RAID5,3,4096,ALWAYS", "RAID5,4,65536,ALWAYS", "RAID6,4,4096,ALWAYS", "RAID6,5,65536,ALWAYS",
        "RAID5,3,1048576,ALWAYS", "RAID5,5,4096,DEGRADED"})
    void shouldKeepAllWhereverPowerIsCut(
        final RaidLevel level, final int count, final int stripBytes, final JournalMode journal)
    {
        final long seed = random.nextLong();
        boolean isOver = false;
        for (int step = 1; !isOver; step += STRIDE)
        {
            final Random draw = TestSeeds.fixed(seed);
            final Growing growing = new Growing(level, count, stripBytes, journal, 0 == step % 3);
            final boolean loses = 0 == step % 2 && JournalMode.ALWAYS == journal;
            try (CrashRun run = run(growing, draw, stripBytes))
            {
                run.live(REQUESTS / 2);
                run.live(step, LONG);
                final int at = step;
                isOver = null != growing.array && isGrown(growing);
                if (loses && null != growing.array)
                {
                    growing.lose(draw);
                    run.live(0);
                    run.live(REQUESTS / 2);
                }
                finish(run, growing);
                assertTrue(at < MOST_STEPS, "the steps come to an end");
            }
            catch (final AssertionError | BlockDeviceException e)
            {
                throw new AssertionError("cut before step " + step + (loses ? ", a member lost" : "") +
                    ", seed of the run " + seed + ": " + e.getMessage(), e);
            }
        }
    }

    /** A member fails, old or new, before the power is cut, or is lost with it. */
    @ParameterizedTest
    @CsvSource({
        "RAID5,3,4096,DEGRADED", "RAID5,4,8192,ALWAYS", "RAID6,4,4096,DEGRADED", "RAID6,5,65536,ALWAYS",
        "RAID5,3,524288,DEGRADED", "RAID6,4,1048576,ALWAYS"})
    void shouldKeepAllWhenMembersFail(
        final RaidLevel level, final int count, final int stripBytes, final JournalMode journal)
    {
        final AtomicInteger failures = new AtomicInteger();
        int within = 0;
        for (int i = 0; i < SEEDS; i++)
        {
            final Random draw = TestSeeds.fixed(random.nextLong());
            final Growing growing = new Growing(level, count, stripBytes, journal, false);
            try (CrashRun run = run(growing, draw, stripBytes))
            {
                run.live(REQUESTS / 2);
                for (int life = 0; life < LIVES; life++)
                {
                    final int slot = draw.nextInt(count + 1);
                    final int failureStep = 1 + draw.nextInt(STEPS_MAX);
                    final int cutStep = failureStep + 1 + draw.nextInt(STEPS_MAX);
                    run.supply().before(failureStep, () -> growing.fail(slot, failures));
                    run.live(cutStep, REQUESTS);
                    within += null != growing.array && growing.array.view().map().isReshaping() ? 1 : 0;
                }
                finish(run, growing);
            }
        }
        final int lives = within;
        assertTrue(failures.get() > SEEDS / 2 && lives > SEEDS / 2,
            () -> failures + " members failed, and " + lives + " lives ended within a reshape");
    }

    private CrashRun run(final Growing growing, final Random draw, final int stripBytes)
    {
        return new CrashRun(draw.nextLong(), growing.count + 1, RaidFixture.deviceBytes(memberBytes(stripBytes)),
            BLOCK_BYTES, CHECKED_BLOCKS, growing::assemble);
    }

    /** The next life goes on to the end, and checks all. */
    private static void finish(final CrashRun run, final Growing growing)
    {
        growing.lost.clear();
        for (int life = 0; life < 100 && (null == growing.array || !isGrown(growing)); life++)
        {
            run.live(LONG);
        }
        assertTrue(isGrown(growing), () -> "it has not come to its end: " + growing.array.view().map().state() + ", " +
            growing.array.status());
        run.live(0);
        assertEquals(growing.count + 1, growing.array.layout().memberCount());
    }

    private static boolean isGrown(final Growing growing)
    {
        return growing.array.view().slotCount() == growing.count + 1 && !growing.array.view().map().isReshaping() &&
            growing.array.view().isComplete();
    }
}
