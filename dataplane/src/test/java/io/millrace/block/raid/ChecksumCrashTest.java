package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDevice;
import io.millrace.block.raid.format.ChecksumArea;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Arrays with checksums that lose power at any step of their members: no block has a checksum mismatch afterwards. */
class ChecksumCrashTest
{
    private static final int BLOCK_BYTES = 4096;
    private static final int STRIP_BYTES = 8 << 10;
    /** Three regions of the bitmap, of which one page of checksums has all. */
    private static final long MEMBER_BYTES = 2560 << 10;
    private static final int CHECKED_BLOCKS = 40;
    private static final int LIVES = 5;
    private static final int REQUESTS = 60;
    private static final int STEPS_MAX = 900;
    private static final int SEEDS = Integer.getInteger("millrace.raid.seeds", 12);
    /** So many at most, until all that is to occur has occurred. */
    private static final int SEEDS_MAX = 8 * SEEDS;

    private static final RaidTimes HURRIED = new RaidTimes(200_000, 300_000);

    private final Random random = TestSeeds.random();

    private static CrashingArray assemble(
        final RaidLevel level, final int memberCount, final List<MemberDisk> members, final JournalMode journal)
    {
        final List<String> names = members.stream().map(MemberDisk::name).toList();
        final RaidConfig config = new RaidConfig("array", level, STRIP_BYTES, names.subList(0, memberCount),
            names.subList(memberCount, names.size()), true, false, false, new CopyRates(1L << 40, 1L << 40), journal,
            "", true);
        return new CrashingArray(RaidAssembly.assemble(
            config, members.stream().map(BlockDevice.class::cast).toList(), null, HURRIED));
    }

    private static long wrongBlocks(final RaidDevice array)
    {
        return array.raidMembers().stream().mapToLong(RaidMember::wrongBlocks).sum();
    }

    @ParameterizedTest
    @CsvSource({"RAID5,3,DEGRADED", "RAID5,4,ALWAYS", "RAID6,5,DEGRADED", "RAID6_Q_LAST,5,ALWAYS", "EC3,6,DEGRADED",
        "EC1,3,DEGRADED"})
    void shouldFindNoBlockWrongAfterCrashes(final RaidLevel level, final int memberCount, final JournalMode journal)
    {
        run(level, memberCount, 0, journal, false);
    }

    @ParameterizedTest
    @CsvSource({"RAID5,3,1,DEGRADED", "RAID5,4,1,ALWAYS", "RAID6,5,1,DEGRADED", "RAID6_Q_LAST,5,2,ALWAYS",
        "EC3,6,1,DEGRADED"})
    void shouldFindNoBlockWrongWhenMembersFailBeforeCrashes(
        final RaidLevel level, final int memberCount, final int spareCount, final JournalMode journal)
    {
        run(level, memberCount, spareCount, journal, true);
    }

    private void run(
        final RaidLevel level,
        final int memberCount,
        final int spareCount,
        final JournalMode journal,
        final boolean fails)
    {
        final AtomicInteger failures = new AtomicInteger();
        for (int i = 0; i < SEEDS || fails && 0 == failures.get() && i < SEEDS_MAX; i++)
        {
            final Random draw = TestSeeds.fixed(random.nextLong());
            final List<RaidDevice> lives = new ArrayList<>();
            final RaidDevice[] current = new RaidDevice[1];
            try (CrashRun run = new CrashRun(draw.nextLong(), memberCount + spareCount,
                RaidFixture.deviceBytes(MEMBER_BYTES) + ChecksumArea.PAGE_BYTES, BLOCK_BYTES, CHECKED_BLOCKS,
                (members, isNew) ->
                {
                    if (1 == lives.size())
                    {
                        useSparesForOtherData(lives.getFirst(), members);
                    }
                    final CrashingArray array = assemble(level, memberCount, members, journal);
                    lives.add(array.array());
                    current[0] = array.array();
                    return array;
                }))
            {
                for (int life = 0; life < LIVES; life++)
                {
                    current[0] = null;
                    final int slot = draw.nextInt(memberCount);
                    final int failureStep = 1 + draw.nextInt(STEPS_MAX);
                    final int cutStep = 1 + draw.nextInt(STEPS_MAX);
                    if (fails)
                    {
                        run.supply().from(failureStep, () -> fail(current[0], slot, failures));
                    }
                    run.live(cutStep == failureStep ? cutStep + 1 : cutStep, REQUESTS);
                    assertNothingWrong(lives);
                    if (draw.nextInt(3) == 0)
                    {
                        run.live(0);
                        assertNothingWrong(lives);
                    }
                }
                run.live(0);
                assertNothingWrong(lives);
            }
        }
        assertTrue(!fails || failures.get() > 0, "no member failed");
    }

    /** What is where their checksums are to be. The creation of an array has erased the end of each device. */
    private static void useSparesForOtherData(final RaidDevice array, final List<MemberDisk> members)
    {
        array.raidMembers().stream().filter((each) -> !array.view().isUsed(each)).forEach((spare) ->
            members.stream().filter((each) -> each.name().equals(spare.device().name())).forEach((each) ->
                each.overwrite(ChecksumArea.offset(MEMBER_BYTES),
                    StoredPages.random(TestSeeds.fixed(spare.index()), spare.id(), 0))));
    }

    private static void assertNothingWrong(final List<RaidDevice> lives)
    {
        for (final RaidDevice each : lives)
        {
            assertEquals(0, wrongBlocks(each), "blocks with a checksum mismatch");
        }
    }

    /** {@return whether a member failed: while another slot is not in sync, or parity is not, none does} */
    private static boolean fail(final RaidDevice array, final int slot, final AtomicInteger failures)
    {
        final boolean fails = null != array && array.view().isComplete() && array.intent().nextResync(0) < 0 &&
            SlotState.IN_SYNC == array.view().state(slot);
        if (fails)
        {
            failures.incrementAndGet();
            ((MemberDisk)array.view().member(slot).device()).state(MemberState.FAILING);
        }
        return fails;
    }
}
