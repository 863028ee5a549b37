package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDevice;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.format.Superblock;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.seed.TestSeeds;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Arrays of many regions whose members vanish with the power or fail, are away for some lives, and come back, while
 * power is cut at any step: no member is read that lacks writes.
 */
class RaidReAddCrashTest
{
    private static final int BLOCK_BYTES = 4096;
    private static final int STRIP_BYTES = 64 << 10;
    private static final long MEMBER_BYTES = 5 << 20;
    private static final int LIVES = 7;
    private static final int REQUESTS = 24;
    private static final int STEPS_MAX = 500;
    private static final int CHANGES = 6;
    private static final int SEEDS = Integer.getInteger("millrace.raid.seeds", 25) / 6 + 1;
    /** So many at most, until all that is to occur has occurred. */
    private static final int SEEDS_MAX = 8 * SEEDS;
    private static final RaidTimes[] TIMES =
    {
        // So that bits are cleared while a member is away, and what was copied is not made stable by that.
        new RaidTimes(200_000, 300_000), new RaidTimes(10_000_000_000L, 10_000_000_000L)
    };

    private final Random random = TestSeeds.random();
    private boolean checksums;
    /** Superblocks of members that were lost, by name. */
    private final Map<String, Superblock> formers = new HashMap<>();
    /** Whether superblocks may say that a member has failed, and the view does not say so yet. */
    private boolean isFailing;
    private int returned;
    private int interrupted;
    private int failed;
    private int added;

    private static Superblock superblock(final RaidDevice array, final RaidMember member)
    {
        final ArrayView view = array.view();
        return new Superblock(array.id(), array.name(), array.layout().level(), array.layout().stripBytes(),
            BLOCK_BYTES, array.layout().memberBytes(), member.id(), view.eventCount(), false, 0, 0, view.slots());
    }

    private void readFormers(final List<MemberDisk> members, final Set<String> away)
    {
        formers.clear();
        try (MemberIo io = new MemberIo(null))
        {
            members.stream().filter((each) -> away.contains(each.name()))
                .forEach((each) -> formers.put(each.name(), FoundMember.read(io, each).superblock()));
        }
    }

    private CrashingArray assemble(
        final RaidLevel level,
        final List<MemberDisk> members,
        final Set<String> away,
        final JournalMode journal,
        final RaidTimes times)
    {
        final List<String> names = members.stream().map(MemberDisk::name).toList();
        // Of a mirror, each member could have gone on alone.
        final RaidConfig config = new RaidConfig("array", level, STRIP_BYTES, names, List.of(), true, false,
            0 == level.parityCount(), new CopyRates(1L << 40, 1L << 40), journal, "", checksums);
        final List<BlockDevice> present =
            members.stream().filter((each) -> !away.contains(each.name())).map(BlockDevice.class::cast).toList();
        return new CrashingArray(RaidAssembly.assemble(config, present, null, times));
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2,DEGRADED", "RAID1,3,DEGRADED", "RAID5,3,ALWAYS", "RAID5,4,ALWAYS", "RAID6,4,ALWAYS",
        "RAID6,5,ALWAYS", "RAID6_Q_LAST,5,ALWAYS", "EC3,6,ALWAYS", "RAID10,4,DEGRADED", "RAID10,3,DEGRADED"})
    void shouldKeepWhatWasFlushedWhenMembersVanishAndComeBack(
        final RaidLevel level, final int memberCount, final JournalMode journal)
    {
        for (int i = 0; i < SEEDS || !hasAll() && i < SEEDS_MAX; i++)
        {
            final Random draw = TestSeeds.fixed(random.nextLong());
            checksums = CrashingArray.hasChecksums(level, i);
            final RaidDevice[] current = new RaidDevice[1];
            final Set<String> away = new HashSet<>();
            try (CrashRun run = new CrashRun(draw.nextLong(), memberCount,
                CrashingArray.deviceBytes(MEMBER_BYTES, BLOCK_BYTES, checksums), BLOCK_BYTES,
                (int)(layoutBytes(level, memberCount) / BLOCK_BYTES), (members, isNew) ->
                {
                    final CrashingArray array = assemble(level, members, away, journal, TIMES[draw.nextInt(2)]);
                    current[0] = array.array();
                    readFormers(members, away);
                    returned += returning(current[0]);
                    return array;
                }))
            {
                for (int life = 0; life < LIVES; life++)
                {
                    final Random choices = TestSeeds.fixed(draw.nextLong());
                    isFailing = false;
                    final int cutStep = 2 + draw.nextInt(draw.nextBoolean() ? STEPS_MAX : STEPS_MAX / 8);
                    final List<MemberDisk> disks = run.members();
                    for (final int step : choices.ints(CHANGES, 1, cutStep).distinct().toArray())
                    {
                        run.supply().before(step, () -> change(current[0], disks, away, choices));
                    }
                    run.live(cutStep, 1 + draw.nextInt(REQUESTS));
                    if (null != current[0])
                    {
                        interrupted += returning(current[0]);
                        if (!isFailing)
                        {
                            move(current[0], away, draw);
                        }
                    }
                    current[0] = null;
                }
                away.clear();
                run.live(0);
                run.live(0);
            }
        }
        assertTrue(hasAll(), () -> returned + " members came back at a start, " +
            interrupted + " were interrupted, " + failed + " failed, and " + added +
            " came back while the array served");
    }

    private boolean hasAll()
    {
        return returned > 0 && interrupted > 0 && failed > 0;
    }

    private static long layoutBytes(final RaidLevel level, final int memberCount)
    {
        return ArrayLayout.of(level, memberCount, STRIP_BYTES, MEMBER_BYTES).dataBytes();
    }

    /** {@return members that are brought up to date by the bitmap} */
    private static int returning(final RaidDevice array)
    {
        final ArrayView view = array.view();
        int count = 0;
        for (int slot = 0; slot < array.layout().memberCount(); slot++)
        {
            count += SlotState.REBUILDING == view.state(slot) && 0 != view.lostEvent(slot) ? 1 : 0;
        }
        return count;
    }

    /** Those away come back or not; one that is not needed vanishes. */
    private static void move(final RaidDevice array, final Set<String> away, final Random draw)
    {
        final ArrayView view = array.view();
        final boolean[] isLeft = new boolean[array.layout().memberCount()];
        final boolean isResynced = array.intent().nextResync(0) < 0;
        for (int slot = 0; slot < isLeft.length; slot++)
        {
            isLeft[slot] = SlotState.IN_SYNC == view.state(slot);
        }
        away.removeIf((each) -> draw.nextBoolean());
        final int slot = draw.nextInt(isLeft.length);
        isLeft[slot] = false;
        // What the others have may not match before a resync, and then readers have seen the first copy.
        if (ArrayView.isSufficient(array.layout(), isLeft) && isResynced && null != view.member(slot).device() &&
            draw.nextBoolean())
        {
            away.add(view.member(slot).device().name());
        }
    }

    /** A member fails that is not needed, or one that has failed is named again. */
    private void change(
        final RaidDevice array, final List<MemberDisk> disks, final Set<String> away, final Random choices)
    {
        if (null == array)
        {
            return;
        }
        // Those that are not used first.
        final MemberDisk any = disks.stream().filter((each) -> array.raidMembers().stream()
            .noneMatch((member) -> each == member.device() && array.view().isWritten(member)))
            .findFirst().orElse(disks.get(choices.nextInt(disks.size())));
        if (array.members().contains(any))
        {
            final RaidMember member =
                array.raidMembers().stream().filter((each) -> any == each.device()).findFirst().orElseThrow();
            if (array.view().isWritten(member))
            {
                // As it has it, unless others are written before.
                isFailing = true;
                final Superblock own = superblock(array, member);
                array.fail(any.name()).thenRun(() ->
                {
                    formers.put(any.name(), own);
                    failed++;
                });
            }
            else
            {
                array.change(new MemberChange.Remove(any, new CompletableFuture<>()));
            }
        }
        else
        {
            away.remove(any.name());
            final CompletableFuture<Void> done = new CompletableFuture<>();
            array.change(new MemberChange.Add(any, formers.get(any.name()), done));
            done.thenRun(() -> added += array.raidMembers().stream().anyMatch((each) -> any == each.device() &&
                array.view().slotOf(each) >= 0) ? 1 : 0);
        }
    }
}
