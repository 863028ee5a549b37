package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
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
    /** Of each level and count of members: with those of the other tests of crashes ten thousand arrays. */
    private static final int SEEDS = Integer.getInteger("millrace.raid.seeds", 210);
    /** So many at most, until all that is to occur has occurred. */
    private static final int SEEDS_MAX = 8 * SEEDS;

    /** So that a short life has all of it. */
    private static final RaidTimes HURRIED = new RaidTimes(200_000, 300_000);

    private final Random random = TestSeeds.random();

    /** Nothing is assumed of a new array that does not journal, so that its first resync is cut, too. */
    private static CrashingArray assemble(
        final RaidLevel level,
        final int memberCount,
        final List<MemberDisk> members,
        final Set<String> lost,
        final JournalMode journal)
    {
        final List<String> names = members.stream().map(MemberDisk::name).toList();
        final RaidConfig config = new RaidConfig("array", level, STRIP_BYTES, names.subList(0, memberCount),
            names.subList(memberCount, names.size()), JournalMode.ALWAYS == journal, false, false,
            new CopyRates(1L << 40, 1L << 40), journal);
        final List<BlockDevice> left =
            members.stream().filter((each) -> !lost.contains(each.name())).map(BlockDevice.class::cast).toList();
        return new CrashingArray(RaidAssembly.assemble(config, left, null, HURRIED));
    }

    private static CrashingArray assemble(
        final RaidLevel level, final int memberCount, final List<MemberDisk> members)
    {
        return assemble(level, memberCount, members, Set.of(), JournalMode.DEGRADED);
    }

    @ParameterizedTest
    @CsvSource({"RAID0,3", "RAID1,2", "RAID1,3", "RAID5,3", "RAID5,5", "RAID6,4", "RAID6,6", "RAID6_Q_LAST,5",
        "EC3,6", "EC2,7", "EC1,3",
        "RAID10,4", "RAID10,3"})
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
    @CsvSource({"RAID1,2,1", "RAID1,3,1", "RAID5,3,1", "RAID5,4,1", "RAID6,4,1", "RAID6,5,2", "RAID6_Q_LAST,5,2",
        "EC3,5,3", "EC2,7,2",
        "RAID10,4,1",
        "RAID10,3,1"})
    void shouldKeepWhatWasFlushedWhenMembersFailBeforeAllLosePower(
        final RaidLevel level, final int memberCount, final int spareCount)
    {
        final AtomicInteger failures = new AtomicInteger();
        for (int i = 0; i < SEEDS || 0 == failures.get() && i < SEEDS_MAX; i++)
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
            }
        }
        assertTrue(failures.get() > 0, "no member failed");
    }

    /**
     * A life ends with the loss of members at the moment of the cut, which come back after the next life; as many as
     * the level tolerates beside those that are not in sync and the one that has failed in this life.
     */
    @ParameterizedTest
    @CsvSource({"RAID5,3,false", "RAID5,5,false", "RAID6,5,false", "RAID6,5,true", "RAID6_Q_LAST,5,true",
        "RAID6,6,true", "EC3,7,false",
        "EC3,7,true"})
    void shouldKeepWhatWasFlushedWhenMembersAreLostWithThePower(
        final RaidLevel level, final int memberCount, final boolean fails)
    {
        final AtomicInteger failures = new AtomicInteger();
        int losses = 0;
        int whole = 0;
        for (int i = 0; i < SEEDS ||
            (0 == losses || fails && 0 == failures.get() || whole <= SEEDS / 2) && i < SEEDS_MAX; i++)
        {
            final Random draw = TestSeeds.fixed(random.nextLong());
            final RaidDevice[] current = new RaidDevice[1];
            final Set<String> lost = new HashSet<>();
            try (CrashRun run = new CrashRun(draw.nextLong(), memberCount, RaidFixture.deviceBytes(MEMBER_BYTES),
                BLOCK_BYTES, CHECKED_BLOCKS, (members, isNew) ->
                {
                    final CrashingArray array = assemble(level, memberCount, members, lost, JournalMode.ALWAYS);
                    current[0] = array.array();
                    return array;
                }))
            {
                for (int life = 0; life < LIVES; life++)
                {
                    final int before = failures.get();
                    final int slot = draw.nextInt(memberCount);
                    final int failureStep = 1 + draw.nextInt(STEPS_MAX);
                    final int cutStep = 1 + draw.nextInt(STEPS_MAX);
                    if (fails)
                    {
                        run.supply().before(failureStep, () -> fail(current[0], slot, failures));
                    }
                    run.live(cutStep == failureStep ? cutStep + 1 : cutStep, REQUESTS);
                    // The power may have been cut while it was assembled.
                    losses += null == current[0] ? 0 :
                        lose(current[0], failures.get() > before ? slot : -1, draw, lost);
                    current[0] = null;
                    run.live(0);
                    lost.clear();
                }
                whole++;
            }
            catch (final BlockDeviceException e)
            {
                // Superblocks that say of the failure may have reached lost members only, which then look as if they
                // had gone on alone.
                if (!fails || !e.getMessage().contains("the array was split"))
                {
                    throw e;
                }
            }
        }
        final int lostCount = losses;
        final int ended = whole;
        assertTrue(lostCount > 0 && fails == failures.get() > 0 && ended > SEEDS / 2,
            () -> lostCount + " members were lost, " + failures + " failed before, and " + ended +
            " arrays lived to the end, of " + SEEDS + " or more");
    }

    /** {@return how many members are lost, drawn from those in sync} */
    private static int lose(
        final RaidDevice array, final int failed, final Random draw, final Set<String> lost)
    {
        final ArrayView view = array.view();
        final List<String> inSync = new ArrayList<>();
        for (int slot = 0; slot < array.layout().memberCount(); slot++)
        {
            if (SlotState.IN_SYNC == view.state(slot) && slot != failed)
            {
                inSync.add(view.member(slot).toString());
            }
        }
        final int tolerated =
            inSync.size() - (array.layout().memberCount() - array.layout().level().parityCount());
        for (int i = 0; i < tolerated; i++)
        {
            lost.add(inSync.remove(draw.nextInt(inSync.size())));
        }
        return lost.size();
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
