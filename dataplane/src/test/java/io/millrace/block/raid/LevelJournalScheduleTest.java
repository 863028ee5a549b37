package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDevice;
import io.millrace.block.raid.format.Slot;
import io.millrace.block.raid.format.Superblock;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Arrays that become RAID 6 and RAID 5 again, get another member and larger ones, and whose journal moves between
 * devices and members, in any order, while members and journal devices fail and power is cut at any step, with which a
 * member or the journal device is lost: nothing that was flushed is lost.
 */
class LevelJournalScheduleTest
{
    private static final int BLOCK_BYTES = 4096;
    private static final int SEEDS = Integer.getInteger("millrace.raid.schedules", 12);
    /** So many at most, until all that is to occur has occurred. */
    private static final int SEEDS_MAX = 8 * SEEDS;
    private static final long FIXED = Long.getLong("millrace.raid.schedule", 0);
    private static final int LIVES = 10;
    private static final int REQUESTS = 60;
    private static final int LONG = 300;
    private static final int LIVES_MAX = 100;
    private static final int SLOTS_MAX = 6;
    private static final int DISKS = 7;
    private static final int JOURNALS = 2;
    private static final RaidTimes[] TIMES =
    {
        new RaidTimes(200_000, 300_000), new RaidTimes(10_000_000_000L, 10_000_000_000L)
    };

    private final Random random = TestSeeds.random();
    private int levels;
    private int grown;
    private int moved;
    private int failures;
    private int lostMembers;
    private int lostJournals;

    private final class Schedule
    {
        private final Random draw;
        private final int count;
        private final int stripBytes;
        private final JournalMode mode;
        private final long[] sizes = new long[3];
        /** Of disks, by the UUIDs that they have had. */
        private final Map<UUID, String> names = new HashMap<>();
        /** Journal devices that the array does not use, by their names. */
        private final Map<String, UUID> attached = new HashMap<>();
        private final Set<String> lost = new HashSet<>();
        private final StringBuilder log = new StringBuilder();
        private final ResyncWatch watch = new ResyncWatch();
        private boolean isEnding;
        /** Whether a member has failed in this life. */
        private boolean hasFailed;
        private String journal;
        private CrashRun run;
        private RaidDevice array;

        Schedule(final long seed)
        {
            draw = TestSeeds.fixed(seed);
            count = 3 + draw.nextInt(2);
            stripBytes = 4096 << draw.nextInt(5);
            mode = draw.nextInt(3) > 0 ? JournalMode.ALWAYS : JournalMode.DEGRADED;
            sizes[0] = (64 << 10) * (2 + draw.nextInt(2));
            sizes[1] = sizes[0] + (64 << 10);
            sizes[2] = sizes[1] + (64 << 10) * (1 + draw.nextInt(2));
            log.append("seed ").append(seed).append(": ").append(count).append(" strip ").append(stripBytes)
                .append(' ').append(mode);
        }

        private static int blocks(final int members, final int stripBytes, final long memberBytes)
        {
            return (int)(ArrayLayout.of(RaidLevel.RAID5, members, stripBytes, memberBytes).dataBytes() / BLOCK_BYTES);
        }

        CrashRun run()
        {
            run = new CrashRun(draw.nextLong(), DISKS + JOURNALS, RaidFixture.deviceBytes(sizes[0]), BLOCK_BYTES,
                blocks(SLOTS_MAX, stripBytes, sizes[sizes.length - 1]), this::assemble);
            run.oracle().blockCount(blocks(count, stripBytes, sizes[0]));
            journal = run.members().get(DISKS).name();
            return run;
        }

        private Superblock newest(final MemberIo io, final List<MemberDisk> members)
        {
            Superblock newest = null;
            for (final MemberDisk each : members.subList(0, DISKS))
            {
                final Superblock own = lost.contains(each.name()) ? null : FoundMember.read(io, each).superblock();
                if (null != own)
                {
                    names.put(own.member(), each.name());
                    newest = null != newest && newest.eventCount() >= own.eventCount() ? newest : own;
                }
            }
            return newest;
        }

        CrashingArray assemble(final List<MemberDisk> members, final boolean isNew)
        {
            array = null;
            try (MemberIo io = new MemberIo(null))
            {
                final Superblock newest = isNew ? null : newest(io, members);
                final List<String> named = new ArrayList<>();
                for (int slot = 0; slot < (null == newest ? count : newest.slots().size()); slot++)
                {
                    named.add(null == newest ? members.get(slot).name() :
                        names.getOrDefault(newest.slots().get(slot).member(), "gone" + slot));
                }
                if (null != newest && null != newest.journal().device())
                {
                    for (final MemberDisk each : members.subList(DISKS, DISKS + JOURNALS))
                    {
                        final Superblock own = FoundMember.read(io, each).superblock();
                        journal = null != own && own.member().equals(newest.journal().device()) ? each.name() : journal;
                    }
                }
                final RaidLevel level =
                    null == newest || RaidLevel.RAID5 == newest.level() ? RaidLevel.RAID5 : RaidLevel.RAID6;
                final RaidConfig config = new RaidConfig("array", level, stripBytes, named, List.of(), true, false,
                    false, new CopyRates(1L << 40, 1L << 40), mode, journal, false);
                final List<BlockDevice> left = members.stream().filter((each) -> !lost.contains(each.name()))
                    .map(BlockDevice.class::cast).toList();
                array = RaidAssembly.assemble(config, left.stream().filter((each) -> named.contains(each.name()) ||
                    each.name().equals(journal)).toList(), () -> left.stream().filter((each) ->
                    !named.contains(each.name()) && !each.name().equals(journal)).toList(), null,
                    TIMES[isEnding ? 0 : draw.nextInt(2)]);
                attached.clear();
                final Superblock own = newest(io, members);
                for (final MemberDisk each : members.subList(DISKS, DISKS + JOURNALS))
                {
                    if (!each.name().equals(journal) && !lost.contains(each.name()))
                    {
                        final UUID id = UUID.randomUUID();
                        JournalDeviceChecks.attach(io, FoundMember.read(io, each), own, id);
                        attached.put(each.name(), id);
                    }
                }
            }
            final RaidDevice assembled = array;
            run.oracle().blockCount((int)(assembled.geometry().sizeBytes() / BLOCK_BYTES));
            return new CrashingArray(array).onBegun(() ->
            {
                if (isEnding)
                {
                    change(assembled, 0, members);
                }
                else if (!isNew && draw.nextBoolean())
                {
                    change(assembled, draw.nextInt(5), members);
                }
            });
        }

        void change(final RaidDevice to, final int order, final List<MemberDisk> members)
        {
            if (null == to || to != array)
            {
                return;
            }
            final ArrayView view = to.view();
            final boolean isRaid5 = RaidLevel.RAID5 == view.layout().level();
            final RaidLevel level = view.layout().level();
            log.append(" change ").append(order);
            switch (order)
            {
                case 0 ->
                {
                    if (!isRaid5)
                    {
                        final RaidMember last = view.member(view.slotCount() - 1);
                        to.change(new MemberChange.Lower(null == last ? null : last.device(), done(() -> levels++)));
                    }
                    else if (!isEnding && view.slotCount() < SLOTS_MAX)
                    {
                        grow(to, RaidLevel.RAID6_Q_LAST, members);
                    }
                }
                case 1 ->
                {
                    if (view.slotCount() < SLOTS_MAX)
                    {
                        grow(to, level, members);
                    }
                }
                case 2 -> to.resizeMembers(0);
                default ->
                {
                    final MemberDisk device = members.get(DISKS + draw.nextInt(JOURNALS));
                    final UUID id = attached.remove(device.name());
                    final boolean isOn = 3 == order;
                    if (!isOn || null != id)
                    {
                        to.change(new MemberChange.Journal(isOn ? device : null, isOn ? id : null,
                            done(() -> moved++)));
                    }
                }
            }
        }

        private CompletableFuture<Void> done(final Runnable onDone)
        {
            final CompletableFuture<Void> done = new CompletableFuture<>();
            done.thenRun(onDone);
            return done;
        }

        private void grow(final RaidDevice to, final RaidLevel level, final List<MemberDisk> members)
        {
            for (final MemberDisk each : members.subList(0, DISKS))
            {
                if (!lost.contains(each.name()) && to.raidMembers().stream().noneMatch((member) ->
                    member.device() == each || names.containsKey(member.id()) &&
                    names.get(member.id()).equals(each.name())))
                {
                    to.change(new MemberChange.Grow(each, level, done(() ->
                    {
                        levels += level == to.view().layout().level() && RaidLevel.RAID5 != level ? 1 : 0;
                        grown++;
                    })));
                    return;
                }
            }
        }

        void fail(final boolean isJournal)
        {
            final ArrayView view = null == array ? null : array.view();
            if (null == view || null != view.failure() || array.intent().nextResync(0) >= 0 || !view.isComplete() ||
                hasFailed)
            {
                return;
            }
            final RaidMember member = isJournal ? view.journalDevice() : view.member(draw.nextInt(view.slotCount()));
            if (null != member && member.device() instanceof final MemberDisk disk)
            {
                failures++;
                hasFailed |= !isJournal;
                log.append(" fail ").append(disk.name());
                disk.state(MemberState.FAILING);
            }
        }

        void lose()
        {
            final ArrayView view = null == array ? null : array.view();
            if (null == view || hasFailed || !view.isComplete())
            {
                return;
            }
            if (draw.nextBoolean())
            {
                final RaidMember device = array.journalDevice().member();
                if (null != device)
                {
                    lostJournals++;
                    log.append(" lose ").append(device);
                    lost.add(device.toString());
                }
            }
            else if (JournalMode.ALWAYS == mode && watch.isStable(array))
            {
                lostMembers++;
                final int slot = draw.nextInt(view.slotCount());
                log.append(" lose ").append(view.member(slot));
                lost.add(view.member(slot).toString());
            }
        }

        void live(final int life)
        {
            hasFailed = false;
            watch.clear();
            if (0 == draw.nextInt(4))
            {
                final long bytes = RaidFixture.deviceBytes(sizes[Math.min(sizes.length - 1, 1 + life / 4)]);
                run.members().stream().filter((each) -> each.geometry().sizeBytes() < bytes)
                    .forEach((each) -> each.grow(bytes));
            }
            final List<MemberDisk> members = run.members();
            long step = 1 + draw.nextInt(150);
            run.supply().before(step, () -> watch.look(array));
            for (int i = draw.nextInt(4); i > 0; i--)
            {
                step += 1 + draw.nextInt(250);
                final int order = draw.nextInt(8);
                run.supply().before(step, () ->
                {
                    if (order < 5)
                    {
                        change(array, order, members);
                    }
                    else
                    {
                        fail(order < 7);
                    }
                });
            }
            step += 1 + draw.nextInt(0 == draw.nextInt(3) ? 60 : 500);
            log.append("; life ").append(life).append(" cut ").append(step);
            run.live(step, REQUESTS);
            if (null != array)
            {
                final ArrayView view = array.view();
                log.append(" at ").append(view.layout().level()).append(' ').append(view.slotCount()).append(' ')
                    .append(view.map().state().position()).append(' ').append(view.slots().stream().map(Slot::state)
                    .toList()).append(' ').append(view.journalDevice());
            }
            if (lost.isEmpty() && 0 == draw.nextInt(3))
            {
                lose();
            }
            else if (draw.nextBoolean())
            {
                lost.clear();
            }
        }

        boolean isDone()
        {
            return null != array && array.view().isComplete() && !array.view().map().isReshaping() &&
                RaidLevel.RAID5 == array.view().layout().level();
        }
    }

    private void run(final long seed)
    {
        final Schedule schedule = new Schedule(seed);
        try (CrashRun run = schedule.run())
        {
            run.live(REQUESTS / 2);
            for (int life = 0; life < LIVES; life++)
            {
                schedule.live(life);
            }
            schedule.lost.clear();
            schedule.isEnding = true;
            for (int life = 0; life < LIVES_MAX && !schedule.isDone(); life++)
            {
                final List<MemberDisk> members = run.members();
                run.supply().before(500, () -> schedule.change(schedule.array, 0, members));
                run.live(LONG);
            }
            assertTrue(schedule.isDone(), () -> "it does not come to its end: " +
                (null == schedule.array ? "" : schedule.array.view().map().state() + ", " + schedule.array.status() +
                " " + schedule.array.view().slots() + " " + schedule.array.layout()));
            run.live(0);
        }
        catch (final AssertionError | RuntimeException e)
        {
            throw new AssertionError(schedule.log + ": " + e, e);
        }
    }

    private boolean hasAll()
    {
        return levels > 0 && grown > 0 && moved > 0 && failures > 0 && lostMembers > 0 && lostJournals > 0;
    }

    @Test
    void shouldKeepAllByAnySchedule()
    {
        final List<AssertionError> red = new ArrayList<>();
        for (int i = 0; i < (0 != FIXED ? 1 : SEEDS) || 0 == FIXED && !hasAll() && i < SEEDS_MAX; i++)
        {
            try
            {
                run(0 != FIXED ? FIXED : random.nextLong());
            }
            catch (final AssertionError e)
            {
                red.add(e);
            }
        }
        final String counts = levels + " levels changed, " + grown + " slots were added, " + moved +
            " journals moved, " + failures + " devices failed, " + lostMembers + " members and " + lostJournals +
            " journal devices were lost";
        assertTrue(red.isEmpty(), () -> red.size() + " failed, the first: " + red.getFirst().getMessage());
        assertTrue(0 != FIXED || hasAll(), counts);
    }
}
