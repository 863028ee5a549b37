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
 * Arrays that are reshaped while a device of its own has their journal, and lose power at any step of their members and
 * of that device, and with the power the device, or a member: nothing that was flushed is lost.
 */
class ReshapeJournalDeviceCrashTest
{
    private static final int REQUESTS = 60;
    private static final int LIVES = 6;
    private static final int STEPS_MAX = 400;
    private static final int MOST_STEPS = 20_000;
    /** Cuts are before each so many steps. */
    private static final int STRIDE = Integer.getInteger("millrace.raid.stride", 29);
    private static final int SEEDS = Integer.getInteger("millrace.raid.seeds", 8);
    /** So many at most, until all that is to occur has occurred. */
    private static final int SEEDS_MAX = 8 * SEEDS;

    private final Random random = TestSeeds.random();
    private int cuts;
    private int lostJournals;
    private int lostMembers;

    /** With the power: the journal device of an array in sync, or a member, which leaves the device to be needed. */
    private void lose(final ReshapedArray growing, final CrashRun run, final Random draw)
    {
        if (null == growing.array())
        {
            return;
        }
        if (growing.array().view().isComplete() && draw.nextInt(3) == 0)
        {
            lostJournals++;
            growing.lost().add(run.members().getLast().name());
            return;
        }
        growing.lose(draw);
        lostMembers += growing.lost().size();
    }

    @ParameterizedTest
    @CsvSource({"RAID6,4,0,65536", "RAID6,5,0,131072", "RAID6,4,0,4096", "RAID5,3,1,4096"})
    void shouldKeepAllWhenPowerIsCutAgainAndAgain(
        final RaidLevel level, final int count, final int added, final int stripBytes)
    {
        for (int i = 0; i < SEEDS ||
            (cuts <= SEEDS / 2 || 0 == lostJournals || 0 == lostMembers) && i < SEEDS_MAX; i++)
        {
            final Random draw = TestSeeds.fixed(random.nextLong());
            final ReshapedArray growing =
                new ReshapedArray(level, count, added, stripBytes, JournalMode.ALWAYS, true).withJournalDevice();
            try (CrashRun run = growing.run(draw))
            {
                run.live(REQUESTS / 2);
                for (int life = 0; life < LIVES; life++)
                {
                    run.live(1 + draw.nextInt(STEPS_MAX), REQUESTS);
                    cuts += growing.isReshaping() ? 1 : 0;
                    lose(growing, run, draw);
                    run.live(0);
                    growing.lost().clear();
                }
                growing.finish(run);
            }
        }
        assertTrue(cuts > SEEDS / 2 && lostJournals > 0 && lostMembers > 0, () -> cuts + " lives ended within a " +
            "reshape, " + lostJournals + " journal devices and " + lostMembers + " members were lost");
    }

    /** One life with a cut before each step there is, from the first to the end of the reshape. */
    @ParameterizedTest
    @CsvSource({"RAID6,4,0,131072,ALWAYS", "RAID6,5,0,65536,DEGRADED"})
    void shouldKeepAllWhereverPowerIsCut(
        final RaidLevel level, final int count, final int added, final int stripBytes, final JournalMode journal)
    {
        final long seed = random.nextLong();
        boolean isOver = false;
        for (int step = 1; !isOver; step += STRIDE)
        {
            final Random draw = TestSeeds.fixed(seed);
            final ReshapedArray growing =
                new ReshapedArray(level, count, added, stripBytes, journal, false).withJournalDevice();
            try (CrashRun run = growing.run(draw))
            {
                run.live(REQUESTS / 2);
                run.live(step, ReshapedArray.LONG);
                isOver = growing.isOver();
                if (0 == step % 2 && JournalMode.ALWAYS == journal)
                {
                    lose(growing, run, draw);
                    run.live(0);
                    run.live(REQUESTS / 2);
                }
                growing.finish(run);
                assertTrue(step < MOST_STEPS, "the steps come to an end");
            }
            catch (final AssertionError | BlockDeviceException e)
            {
                throw new AssertionError(
                    "cut before step " + step + ", seed of the run " + seed + ": " + e.getMessage(), e);
            }
        }
    }

    /** The device fails while data moves: members have the journal from then on. */
    @ParameterizedTest
    @CsvSource({"RAID6,4,0,65536", "RAID6,5,0,131072"})
    void shouldKeepAllWhenTheDeviceFails(
        final RaidLevel level, final int count, final int added, final int stripBytes)
    {
        final AtomicInteger failures = new AtomicInteger();
        for (int i = 0; i < SEEDS || 0 == failures.get() && i < SEEDS_MAX; i++)
        {
            final Random draw = TestSeeds.fixed(random.nextLong());
            final ReshapedArray growing =
                new ReshapedArray(level, count, added, stripBytes, JournalMode.ALWAYS, false).withJournalDevice();
            try (CrashRun run = growing.run(draw))
            {
                run.live(REQUESTS / 2);
                for (int life = 0; life < LIVES; life++)
                {
                    final int failureStep = 1 + draw.nextInt(STEPS_MAX);
                    run.supply().before(failureStep, () ->
                    {
                        if (growing.isReshaping())
                        {
                            failures.incrementAndGet();
                            run.members().getLast().state(MemberState.FAILING);
                        }
                    });
                    run.live(failureStep + 1 + draw.nextInt(STEPS_MAX), REQUESTS);
                }
                growing.finish(run);
            }
        }
        assertTrue(failures.get() > 0, "no device failed while data moved");
    }
}
