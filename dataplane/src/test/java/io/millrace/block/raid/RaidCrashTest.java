package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDeviceException;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.seed.TestSeeds;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Arrays that lose power at any step of their members, several times: nothing that was flushed is lost, and blocks hold
 * what was written.
 */
class RaidCrashTest
{
    private static final int BLOCK_BYTES = 4096;
    private static final int STRIP_BYTES = 8 << 10;
    private static final long MEMBER_BYTES = 256 << 10;
    private static final int CHECKED_BLOCKS = 40;
    private static final int LIVES = 4;
    private static final int REQUESTS = 60;
    private static final int STEPS_MAX = 400;
    private static final int SEEDS = Integer.getInteger("millrace.raid.seeds", 25);

    /** So that a short life has all of it. */
    private static final RaidTimes HURRIED = new RaidTimes(200_000, 300_000);

    private final Random random = TestSeeds.random();

    private static RaidConfig config(
        final RaidLevel level, final int memberCount, final List<MemberDisk> members, final boolean forceStart)
    {
        final List<String> names = members.stream().map(MemberDisk::name).toList();
        return new RaidConfig("array", level, STRIP_BYTES, names.subList(0, memberCount),
            names.subList(memberCount, names.size()), false, false, forceStart, new CopyRates(1L << 40, 1L << 40));
    }

    private static CrashingArray assemble(
        final RaidLevel level, final int memberCount, final List<MemberDisk> members)
    {
        return new CrashingArray(RaidAssembly.assemble(
            config(level, memberCount, members, false), List.copyOf(members), null, HURRIED));
    }

    @ParameterizedTest
    @CsvSource({"RAID0,3", "RAID1,2", "RAID1,3", "RAID5,3", "RAID5,5", "RAID6,4", "RAID6,6", "RAID10,4", "RAID10,3"})
    void shouldKeepWhatWasFlushedWhenAllMembersLosePower(final RaidLevel level, final int memberCount)
    {
        for (int i = 0; i < SEEDS; i++)
        {
            final Random draw = TestSeeds.fixed(random.nextLong());
            try (CrashRun run = new CrashRun(draw.nextLong(), memberCount, RaidFixture.deviceBytes(MEMBER_BYTES),
                BLOCK_BYTES, CHECKED_BLOCKS, (members, isNew) -> assemble(level, memberCount, members)))
            {
                for (int life = 0; life < LIVES; life++)
                {
                    run.live(1 + draw.nextInt(STEPS_MAX), REQUESTS);
                }
                run.live(0);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2,1", "RAID1,3,1", "RAID5,3,1", "RAID5,4,1", "RAID6,4,1", "RAID6,5,2", "RAID10,4,1",
        "RAID10,3,1"})
    void shouldKeepWhatWasFlushedWhenMembersFailBeforeAllLosePower(
        final RaidLevel level, final int memberCount, final int spareCount)
    {
        final AtomicInteger failures = new AtomicInteger();
        int whole = 0;
        for (int i = 0; i < SEEDS; i++)
        {
            final Random draw = TestSeeds.fixed(random.nextLong());
            final RaidDevice[] current = new RaidDevice[1];
            try (CrashRun run = new CrashRun(draw.nextLong(), memberCount + spareCount,
                RaidFixture.deviceBytes(MEMBER_BYTES), BLOCK_BYTES, CHECKED_BLOCKS, (members, isNew) ->
                {
                    final CrashingArray array = assemble(level, memberCount, members);
                    current[0] = array.array();
                    return array;
                }))
            {
                for (int life = 0; life < LIVES; life++)
                {
                    final int slot = draw.nextInt(memberCount);
                    final int failureStep = 1 + draw.nextInt(STEPS_MAX);
                    final int cutStep = 1 + draw.nextInt(STEPS_MAX);
                    run.supply().before(failureStep, () -> fail(current[0], slot, failures));
                    run.live(cutStep == failureStep ? cutStep + 1 : cutStep, REQUESTS);
                }
                run.live(0);
                whole++;
            }
            catch (final BlockDeviceException e)
            {
                // Without a journal a parity array cannot know the data of a lost member where it was being written.
                if (0 == level.parityCount() || !e.getMessage().contains("parity may not match"))
                {
                    throw e;
                }
            }
        }
        final int ended = whole;
        assertTrue(failures.get() > 0 && ended > 0,
            () -> failures + " members failed, and " + ended + " of " + SEEDS + " arrays lived to the end");
    }

    /** Fails the member of a slot, unless the array has lost one already or must not lose one yet. */
    private static void fail(final RaidDevice array, final int slot, final AtomicInteger failures)
    {
        if (null != array && array.view().isComplete() && array.intent().nextResync(0) < 0)
        {
            failures.incrementAndGet();
            ((MemberDisk)array.view().member(slot).device()).state(MemberState.FAILING);
        }
    }
}
