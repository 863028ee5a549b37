package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDeviceException;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.seed.TestSeeds;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Arrays that grow by one member, or move Q to the last one, and lose power at any step meanwhile, again and again,
 * with a member beside the power or before it: nothing that was flushed is lost, each life goes on where the last one
 * stopped, and in the end the array has one layout and parity that matches.
 */
class ReshapeCrashTest
{
    private static final int REQUESTS = 60;
    private static final int LIVES = 6;
    private static final int STEPS_MAX = 500;
    private static final int MOST_STEPS = 20_000;
    /** Cuts are before each so many steps. */
    private static final int STRIDE = Integer.getInteger("millrace.raid.stride", 29);
    private static final int SEEDS = Integer.getInteger("millrace.raid.seeds", 12);
    /** So many at most, until enough lives have ended within a reshape. */
    private static final int SEEDS_MAX = 8 * SEEDS;

    private final Random random = TestSeeds.random();
    private int cuts;

    @ParameterizedTest
    @CsvSource({
        "RAID5,3,1,4096,DEGRADED", "RAID5,4,1,8192,ALWAYS", "RAID5,5,1,4096,DEGRADED", "RAID6,4,1,4096,ALWAYS",
        "RAID6,5,1,8192,DEGRADED", "RAID5,3,1,524288,DEGRADED", "RAID6,4,1,1048576,ALWAYS", "EC3,5,1,4096,DEGRADED",
        "EC2,5,1,8192,ALWAYS", "RAID6_Q_LAST,4,1,4096,DEGRADED", "RAID6_Q_LAST,5,1,65536,ALWAYS",
        "RAID6,4,0,65536,ALWAYS", "RAID6,5,0,131072,DEGRADED", "RAID6,6,0,1048576,ALWAYS", "RAID6,4,0,4096,DEGRADED"})
    void shouldKeepAllWhenPowerIsCutAgainAndAgain(
        final RaidLevel level, final int count, final int added, final int stripBytes, final JournalMode journal)
    {
        for (int i = 0; i < SEEDS || cuts <= SEEDS / 2 && i < SEEDS_MAX; i++)
        {
            final Random draw = TestSeeds.fixed(random.nextLong());
            final ReshapedArray growing = new ReshapedArray(level, count, added, stripBytes, journal, 0 != i % 2);
            try (CrashRun run = growing.run(draw))
            {
                run.live(REQUESTS / 2);
                for (int life = 0; life < LIVES; life++)
                {
                    run.live(1 + draw.nextInt(STEPS_MAX), REQUESTS);
                    cuts += growing.isReshaping() ? 1 : 0;
                }
                growing.finish(run);
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
        "RAID6,4,0,131072,ALWAYS", "RAID6,5,0,1048576,ALWAYS", "RAID6,5,0,65536,DEGRADED", "RAID5,3,1,4096,ALWAYS",
        "RAID5,4,1,65536,ALWAYS", "RAID6,4,1,4096,ALWAYS", "RAID6,5,1,65536,ALWAYS", "RAID5,3,1,1048576,ALWAYS",
        "RAID5,5,1,4096,DEGRADED"})
    void shouldKeepAllWhereverPowerIsCut(
        final RaidLevel level, final int count, final int added, final int stripBytes, final JournalMode journal)
    {
        final long seed = random.nextLong();
        boolean isOver = false;
        for (int step = 1; !isOver; step += STRIDE)
        {
            final Random draw = TestSeeds.fixed(seed);
            final ReshapedArray growing = new ReshapedArray(level, count, added, stripBytes, journal, 0 == step % 3);
            final boolean loses = 0 == step % 2 && JournalMode.ALWAYS == journal;
            try (CrashRun run = growing.run(draw))
            {
                run.live(REQUESTS / 2);
                run.live(step, ReshapedArray.LONG);
                final int at = step;
                isOver = growing.isOver();
                if (loses && null != growing.array())
                {
                    growing.lose(draw);
                    run.live(0);
                    run.live(REQUESTS / 2);
                }
                growing.finish(run);
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
        "RAID6,4,0,262144,DEGRADED", "RAID6,5,0,524288,ALWAYS", "RAID6,6,0,1048576,DEGRADED",
        "RAID5,3,1,4096,DEGRADED", "RAID5,4,1,8192,ALWAYS", "RAID6,4,1,4096,DEGRADED", "RAID6,5,1,65536,ALWAYS",
        "RAID5,3,1,524288,DEGRADED", "RAID6,4,1,1048576,ALWAYS", "EC3,5,1,4096,DEGRADED",
        "EC2,5,1,8192,ALWAYS", "RAID6_Q_LAST,4,1,8192,DEGRADED"})
    void shouldKeepAllWhenMembersFail(
        final RaidLevel level, final int count, final int added, final int stripBytes, final JournalMode journal)
    {
        final AtomicInteger failures = new AtomicInteger();
        int within = 0;
        for (int i = 0; i < SEEDS || (failures.get() <= SEEDS / 2 || within <= SEEDS / 2) && i < SEEDS_MAX; i++)
        {
            final Random draw = TestSeeds.fixed(random.nextLong());
            final ReshapedArray growing = new ReshapedArray(level, count, added, stripBytes, journal, false);
            try (CrashRun run = growing.run(draw))
            {
                run.live(REQUESTS / 2);
                for (int life = 0; life < LIVES; life++)
                {
                    final int slot = draw.nextInt(count + added);
                    final int failureStep = 1 + draw.nextInt(STEPS_MAX);
                    final int cutStep = failureStep + 1 + draw.nextInt(STEPS_MAX);
                    run.supply().before(failureStep, () -> growing.fail(slot, failures));
                    run.live(cutStep, REQUESTS);
                    within += growing.isReshaping() ? 1 : 0;
                }
                growing.finish(run);
            }
        }
        final int lives = within;
        assertTrue(failures.get() > SEEDS / 2 && lives > SEEDS / 2,
            () -> failures + " members failed, and " + lives + " lives ended within a reshape");
    }
}
