package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.seed.TestSeeds;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Arrays whose members are added, removed, replaced and failed by hand, and which lose power at any step meanwhile:
 * nothing that was flushed is lost, and no member is read that lacks writes.
 */
class RaidMembershipCrashTest
{
    private static final int BLOCK_BYTES = 4096;
    private static final int STRIP_BYTES = 8 << 10;
    private static final long MEMBER_BYTES = 256 << 10;
    private static final int CHECKED_BLOCKS = 40;
    private static final int LIVES = 5;
    private static final int REQUESTS = 80;
    private static final int STEPS_MAX = 600;
    private static final int CHANGES = 6;
    private static final int SEEDS = Integer.getInteger("millrace.raid.seeds", 25);
    /** So many at most, until all that is to occur has occurred. */
    private static final int SEEDS_MAX = 8 * SEEDS;
    private static final RaidTimes HURRIED = new RaidTimes(200_000, 300_000);

    /** So that no bitmap flushes what was copied. */
    private static final RaidTimes UNHURRIED = new RaidTimes(10_000_000_000L, 10_000_000_000L);

    private final Random random = TestSeeds.random();
    private final AtomicInteger replaced = new AtomicInteger();
    private final AtomicInteger added = new AtomicInteger();
    private final AtomicInteger removed = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private boolean checksums;

    private RaidConfig config(final RaidLevel level, final int memberCount, final List<MemberDisk> members)
    {
        final List<String> names = members.stream().map(MemberDisk::name).toList();
        return new RaidConfig("array", level, STRIP_BYTES, names.subList(0, memberCount),
            names.subList(memberCount, names.size()), false, false, false, new CopyRates(1L << 40, 1L << 40),
            JournalMode.DEGRADED, "", checksums);
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2,1", "RAID1,2,2", "RAID5,3,1", "RAID6,4,2", "RAID6_Q_LAST,4,2", "EC3,6,3", "RAID10,4,1",
        "RAID10,3,1"})
    void shouldKeepWhatWasFlushedWhenMembersChangeBeforeAllLosePower(
        final RaidLevel level, final int memberCount, final int spareCount)
    {
        int whole = 0;
        for (int i = 0; i < SEEDS || !(whole > 0 && hasAll()) && i < SEEDS_MAX; i++)
        {
            final Random draw = TestSeeds.fixed(random.nextLong());
            checksums = CrashingArray.hasChecksums(level, i);
            final RaidDevice[] current = new RaidDevice[1];
            try (CrashRun run = new CrashRun(draw.nextLong(), memberCount + spareCount,
                CrashingArray.deviceBytes(MEMBER_BYTES, BLOCK_BYTES, checksums), BLOCK_BYTES,
                CHECKED_BLOCKS, (members, isNew) ->
                {
                    current[0] = RaidAssembly.assemble(
                        config(level, memberCount, members), List.copyOf(members), null, HURRIED);
                    return new CrashingArray(current[0]);
                }))
            {
                for (int life = 0; life < LIVES; life++)
                {
                    final int cutStep = CHANGES + 1 + draw.nextInt(STEPS_MAX);
                    final List<MemberDisk> disks = run.members();
                    final Random choices = TestSeeds.fixed(draw.nextLong());
                    draw.ints(1, cutStep).distinct().limit(CHANGES).forEach(
                        (step) -> run.supply().before(step, () -> change(current[0], disks, choices)));
                    run.live(cutStep, REQUESTS);
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
        assertTrue(ended > 0 && hasAll(),
            () -> ended + " arrays lived to the end; " + replaced + " members were replaced, " +
            added + " added, " + removed + " removed, " + failed + " failed");
    }

    private boolean hasAll()
    {
        return replaced.get() > 0 && added.get() > 0 && removed.get() > 0 && failed.get() > 0;
    }

    /** Power is cut a few steps after a replacement has taken its slot. */
    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID5,3", "RAID6,4", "EC3,5", "RAID10,4"})
    void shouldHaveAllDataOnAReplacementThatHasTheSlot(final RaidLevel level, final int memberCount)
    {
        int cuts = 0;
        for (int i = 0; i < SEEDS || cuts <= SEEDS / 2 && i < SEEDS_MAX; i++)
        {
            final Random draw = TestSeeds.fixed(random.nextLong());
            checksums = CrashingArray.hasChecksums(level, i);
            final RaidDevice[] current = new RaidDevice[1];
            try (CrashRun run = new CrashRun(draw.nextLong(), memberCount + 1,
                CrashingArray.deviceBytes(MEMBER_BYTES, BLOCK_BYTES, checksums), BLOCK_BYTES,
                CHECKED_BLOCKS, (members, isNew) ->
                {
                    current[0] = RaidAssembly.assemble(
                        config(level, memberCount, members), List.copyOf(members), null, UNHURRIED);
                    return new CrashingArray(current[0]);
                }))
            {
                run.live(REQUESTS);
                final PowerSupply supply = run.supply();
                final MemberDisk spare = run.members().get(memberCount);
                final int slot = draw.nextInt(memberCount);
                final int later = draw.nextInt(6);
                final AtomicInteger taken = new AtomicInteger();
                final AtomicBoolean isAsked = new AtomicBoolean();
                for (int step = 1; step < STEPS_MAX; step++)
                {
                    supply.before(step, () ->
                    {
                        if (null == current[0])
                        {
                            return;
                        }
                        if (!isAsked.getAndSet(true))
                        {
                            current[0].change(new MemberChange.Remove(spare, new CompletableFuture<>()));
                            current[0].change(new MemberChange.Replace(
                                spare, current[0].view().member(slot).device(), new CompletableFuture<>()));
                        }
                        if (spare == current[0].view().member(slot).device() && taken.getAndIncrement() == later)
                        {
                            supply.cut();
                        }
                    });
                }
                current[0] = null;
                run.live(REQUESTS);
                cuts += taken.get() > later ? 1 : 0;
                run.live(0);
            }
        }
        final int cut = cuts;
        assertTrue(cut > SEEDS / 2, () -> "only " + cut + " cuts when the replacement had the slot");
    }

    /** A change of any kind, which the array may refuse. */
    private void change(final RaidDevice array, final List<MemberDisk> disks, final Random choices)
    {
        if (null == array)
        {
            return;
        }
        final MemberDisk any = disks.get(choices.nextInt(disks.size()));
        final MemberDisk absent =
            disks.stream().filter((each) -> !array.members().contains(each)).findFirst().orElse(null);
        final CompletableFuture<Void> done = new CompletableFuture<>();
        if (0 == choices.nextInt(6))
        {
            count(array.fail(any.name()), failed);
        }
        else if (null == absent)
        {
            final BlockDevice spare = array.raidMembers().stream()
                .filter((each) -> array.view().slotOf(each) < 0 && each != array.view().target())
                .map(RaidMember::device).findFirst().orElse(any);
            array.change(new MemberChange.Remove(spare, done));
            count(done, removed);
        }
        else if (0 == choices.nextInt(4))
        {
            array.change(new MemberChange.Add(absent, done));
            count(done, added);
        }
        else
        {
            final BlockDevice old =
                array.view().member(choices.nextInt(array.layout().memberCount())).device();
            array.change(new MemberChange.Replace(absent, old, done));
            count(done, replaced);
        }
    }

    private static void count(final CompletableFuture<Void> done, final AtomicInteger counter)
    {
        done.thenRun(counter::incrementAndGet);
    }
}
