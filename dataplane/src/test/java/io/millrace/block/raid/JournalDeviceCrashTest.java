package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDevice;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.format.Superblock;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Arrays with a journal device that lose power at any step of their members and of that device, several times, and with
 * the power members, or the device: nothing that was flushed is lost, and blocks hold what was written.
 */
class JournalDeviceCrashTest
{
    private static final int BLOCK_BYTES = 4096;
    private static final int STRIP_BYTES = 8 << 10;
    private static final long MEMBER_BYTES = 256 << 10;
    private static final int CHECKED_BLOCKS = 40;
    private static final int LIVES = 6;
    private static final int REQUESTS = 60;
    private static final int STEPS_MAX = 400;
    private static final int REPLAY_STEPS_MAX = 40;
    private static final int SEEDS = Integer.getInteger("millrace.raid.seeds", 25);
    /** So many at most, until all that is to occur has occurred. */
    private static final int SEEDS_MAX = 8 * SEEDS;

    /** So that a short life has all of it. */
    private static final RaidTimes HURRIED = new RaidTimes(200_000, 300_000);

    private final Random random = TestSeeds.random();
    private final Set<String> lost = new HashSet<>();
    private RaidDevice array;
    /** Journal device that settings name. */
    private String named;
    /** Of the other one. */
    private UUID id;

    /** How lives end. */
    private final AtomicInteger failures = new AtomicInteger();
    private final AtomicInteger moves = new AtomicInteger();
    private int lostMembers;
    private boolean checksums;
    private int lostJournals;

    private CrashingArray assemble(
        final RaidLevel level, final int memberCount, final List<MemberDisk> disks, final JournalMode mode)
    {
        final List<String> names = disks.stream().map(MemberDisk::name).toList();
        final RaidConfig config = new RaidConfig("array", level, STRIP_BYTES, names.subList(0, memberCount), List.of(),
            true, false, false, new CopyRates(1L << 40, 1L << 40), mode, names.getLast(), checksums);
        final List<BlockDevice> left =
            disks.stream().filter((each) -> !lost.contains(each.name())).map(BlockDevice.class::cast).toList();
        array = RaidAssembly.assemble(config, left, null, HURRIED);
        return new CrashingArray(array);
    }

    @ParameterizedTest
    @CsvSource({"RAID5,3,ALWAYS,false", "RAID5,5,ALWAYS,true", "RAID6,5,ALWAYS,false", "RAID6,6,ALWAYS,true",
        "EC3,7,ALWAYS,true", "RAID5,4,DEGRADED,true", "RAID6,5,DEGRADED,true"})
    void shouldKeepWhatWasFlushed(
        final RaidLevel level, final int memberCount, final JournalMode mode, final boolean fails)
    {
        for (int i = 0; i < SEEDS || !hasAll(mode, fails) && i < SEEDS_MAX; i++)
        {
            final Random draw = TestSeeds.fixed(random.nextLong());
            checksums = CrashingArray.hasChecksums(level, i);
            lost.clear();
            try (CrashRun run = new CrashRun(draw.nextLong(), memberCount + 1,
                CrashingArray.deviceBytes(MEMBER_BYTES, BLOCK_BYTES, checksums), BLOCK_BYTES,
                CHECKED_BLOCKS, (disks, _) -> assemble(level, memberCount, disks, mode)))
            {
                for (int life = 0; life < LIVES; life++)
                {
                    array = null;
                    final int failureStep = 1 + draw.nextInt(STEPS_MAX);
                    final int cutStep = 1 + draw.nextInt(STEPS_MAX);
                    if (fails && draw.nextBoolean())
                    {
                        run.supply().before(failureStep, () -> fail(run.members().getLast()));
                    }
                    run.live(cutStep == failureStep ? cutStep + 1 : cutStep, REQUESTS);
                    lose(mode, draw, run.members().getLast());
                    // Replay is cut, too, and repeated.
                    run.live(1 + draw.nextInt(REPLAY_STEPS_MAX), 0);
                    run.live(0);
                    // What was lost comes back after the array ran without it.
                    lost.clear();
                }
                run.live(0);
            }
        }
        assertTrue(hasAll(mode, fails),
            () -> lostMembers + " members and " + lostJournals + " journal devices were lost, " + failures +
            " failed before");
    }

    private boolean hasAll(final JournalMode mode, final boolean fails)
    {
        return lostMembers > 0 == (JournalMode.ALWAYS == mode) && lostJournals > 0 && fails == failures.get() > 0;
    }

    /**
     * The journal moves, to another device or to members, at any step before the cut; with the power as many members
     * are lost as the array tolerates. Settings name the device then that superblocks do.
     */
    @ParameterizedTest
    @CsvSource({"RAID5,4", "RAID6,5"})
    void shouldKeepWhatWasFlushedWhenTheJournalMoves(final RaidLevel level, final int memberCount)
    {
        for (int i = 0; i < SEEDS || (0 == moves.get() || 0 == lostMembers) && i < SEEDS_MAX; i++)
        {
            final Random draw = TestSeeds.fixed(random.nextLong());
            checksums = CrashingArray.hasChecksums(level, i);
            lost.clear();
            named = "member" + memberCount;
            try (CrashRun run = new CrashRun(draw.nextLong(), memberCount + 2,
                CrashingArray.deviceBytes(MEMBER_BYTES, BLOCK_BYTES, checksums), BLOCK_BYTES,
                CHECKED_BLOCKS, (disks, _) -> assembleNamed(level, memberCount, disks)))
            {
                for (int life = 0; life < LIVES; life++)
                {
                    array = null;
                    final int moveStep = 1 + draw.nextInt(STEPS_MAX);
                    final int cutStep = moveStep + 1 + draw.nextInt(40);
                    final MemberDisk to = run.members().get(memberCount + draw.nextInt(2));
                    run.supply().before(moveStep, () -> move(draw.nextInt(3) == 0 ? null : to));
                    run.live(cutStep, REQUESTS);
                    lose(JournalMode.ALWAYS, draw, null);
                    nameCurrent(run.members(), memberCount);
                    run.live(1 + draw.nextInt(REPLAY_STEPS_MAX), 0);
                    nameCurrent(run.members(), memberCount);
                    run.live(0);
                    nameCurrent(run.members(), memberCount);
                    lost.clear();
                }
                run.live(0);
            }
        }
        assertTrue(moves.get() > 0 && lostMembers > 0, () -> moves + " moves, and " + lostMembers + " lost members");
    }

    private CrashingArray assembleNamed(final RaidLevel level, final int memberCount, final List<MemberDisk> disks)
    {
        final RaidConfig config = new RaidConfig("array", level, STRIP_BYTES,
            disks.subList(0, memberCount).stream().map(MemberDisk::name).toList(), List.of(), true, false, false,
            new CopyRates(1L << 40, 1L << 40), JournalMode.ALWAYS, named, checksums);
        array = RaidAssembly.assemble(config, disks.stream().filter((each) -> !lost.contains(each.name()) &&
            (config.members().contains(each.name()) || each.name().equals(named))).map(BlockDevice.class::cast)
            .toList(), null, HURRIED);
        id = UUID.randomUUID();
        try (MemberIo io = new MemberIo(null))
        {
            // Settings do that before the array knows of a device.
            for (final MemberDisk each : disks.subList(memberCount, disks.size()))
            {
                final FoundMember found = FoundMember.read(io, each);
                if (!each.name().equals(named))
                {
                    final Superblock own = FoundMember.read(io, disks.stream()
                        .filter((disk) -> !lost.contains(disk.name())).findFirst().orElseThrow()).superblock();
                    JournalDeviceChecks.attach(io, found, own, id);
                }
            }
        }
        return new CrashingArray(array);
    }

    private void move(final MemberDisk to)
    {
        if (null != array && (null == to || !to.name().equals(named)))
        {
            moves.incrementAndGet();
            array.change(new MemberChange.Journal(to, id, new CompletableFuture<>()));
        }
    }

    /** Where it has no entries that count, it is the one that was named. */
    private void nameCurrent(final List<MemberDisk> disks, final int memberCount)
    {
        try (MemberIo io = new MemberIo(null))
        {
            Superblock newest = null;
            for (final MemberDisk each : disks.subList(0, memberCount))
            {
                final Superblock own = lost.contains(each.name()) ? null : FoundMember.read(io, each).superblock();
                newest = null == own || null != newest && newest.eventCount() > own.eventCount() ? newest : own;
            }
            for (final MemberDisk each : disks.subList(memberCount, disks.size()))
            {
                final Superblock own = FoundMember.read(io, each).superblock();
                named = null != newest && null != own && own.member().equals(newest.journal().device()) ?
                    each.name() : named;
            }
        }
    }

    private void fail(final MemberDisk journal)
    {
        if (null != array)
        {
            failures.incrementAndGet();
            journal.state(MemberState.FAILING);
        }
    }

    /** With the power: either the journal device of an array in sync, or as many members as it tolerates. */
    private void lose(final JournalMode mode, final Random draw, final MemberDisk journal)
    {
        if (null == array)
        {
            return;
        }
        final ArrayView view = array.view();
        if (null != journal && view.isComplete() && draw.nextInt(3) == 0)
        {
            lostJournals++;
            lost.add(journal.name());
            return;
        }
        if (JournalMode.ALWAYS != mode)
        {
            return;
        }
        final List<String> inSync = new ArrayList<>();
        for (int slot = 0; slot < view.slotCount(); slot++)
        {
            if (SlotState.IN_SYNC == view.state(slot))
            {
                inSync.add(view.member(slot).toString());
            }
        }
        final int tolerated = inSync.size() - (view.slotCount() - array.layout().parityCount());
        for (int i = 0; i < tolerated; i++)
        {
            lostMembers++;
            lost.add(inSync.remove(draw.nextInt(inSync.size())));
        }
    }
}
