package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
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
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Arrays that grow twice in a row beside hosts, by schedules drawn at random: levels, counts of members, strips from 4
 * KiB to 1 MiB, spares, members that fail at any step, one after the other in RAID 6, or are lost with the power and
 * come back later, and power cuts again and again.
 */
class ReshapeScheduleTest
{
    private static final int BLOCK_BYTES = 4096;
    private static final int LIVES = Integer.getInteger("millrace.raid.lives", 9);
    private static final int SEEDS = Integer.getInteger("millrace.raid.schedules", 12);
    private static final long FIXED = Long.getLong("millrace.raid.schedule", 0);
    private static final int REQUESTS = 60;
    private static final int LONG = 400;
    private static final RaidTimes HURRIED = new RaidTimes(200_000, 300_000);

    private final Random random = TestSeeds.random();
    private int within;
    private int failures;
    private int losses;

    private final class Schedule
    {
        private final Random draw;
        private final RaidLevel level;
        private final int count;
        private final int spares;
        private final int stripBytes;
        private final JournalMode journal;
        private final Set<String> lost = new HashSet<>();
        private final StringBuilder log = new StringBuilder();
        private boolean isEnding;
        private RaidDevice array;

        Schedule(final long seed)
        {
            draw = TestSeeds.fixed(seed);
            level = draw.nextBoolean() ? RaidLevel.RAID5 : RaidLevel.RAID6;
            count = (RaidLevel.RAID5 == level ? 3 : 4) + draw.nextInt(3);
            spares = draw.nextInt(2);
            stripBytes = 4096 << (draw.nextInt(3) > 0 ? draw.nextInt(5) : draw.nextInt(9));
            journal = draw.nextBoolean() ? JournalMode.ALWAYS : JournalMode.DEGRADED;
            log.append("seed ").append(seed).append(": ").append(level).append(' ').append(count).append(" strip ")
                .append(stripBytes).append(' ').append(journal).append(" spares ").append(spares);
        }

        int disks()
        {
            return count + 2 + spares;
        }

        long memberBytes()
        {
            return Math.max((9L + count) * stripBytes, 128 << 10);
        }

        int checked()
        {
            final int data = count - level.parityCount();
            return (int)Math.min(500, memberBytes() / stripBytes * data * (stripBytes / BLOCK_BYTES));
        }

        CrashingArray assemble(final List<MemberDisk> members, final boolean isNew)
        {
            array = null;
            BlockDeviceException last = null;
            // In the end all are named, since what failed is no spare without that.
            final int first = isNew ? count : isEnding ? count + 2 : count + draw.nextInt(2);
            for (int i = 0; i < (isNew ? 1 : 3) && null == array; i++)
            {
                final int named = count + (first - count + (isEnding ? 2 * i : i)) % 3;
                final List<String> names = members.subList(0, named).stream().map(MemberDisk::name).toList();
                final List<BlockDevice> left = members.stream()
                    .filter((each) -> !lost.contains(each.name())).map(BlockDevice.class::cast).toList();
                try
                {
                    array = RaidAssembly.assemble(new RaidConfig("array", level, stripBytes, names, List.of(), true,
                        false, false, new CopyRates(1L << 40, 1L << 40), journal),
                        left.stream().filter((each) -> names.contains(each.name())).toList(),
                        () -> left.stream().filter((each) -> !names.contains(each.name())).toList(), null, HURRIED);
                }
                catch (final BlockDeviceException e)
                {
                    last = null == last || last.getMessage().contains("count of members") ? e : last;
                }
            }
            if (null == array && !lost.isEmpty())
            {
                // It cannot be started without those: they come back.
                lost.clear();
                return assemble(members, isNew);
            }
            if (null == array)
            {
                throw last;
            }
            final RaidDevice assembled = array;
            return new CrashingArray(array).onBegun(() ->
            {
                if (!isNew && assembled.view().slotCount() < count + 2 && !assembled.view().map().isReshaping())
                {
                    grow(assembled, members);
                }
            });
        }

        /** By a device that the array does not have. */
        private void grow(final RaidDevice assembled, final List<MemberDisk> members)
        {
            for (final MemberDisk each : members)
            {
                if (!lost.contains(each.name()) &&
                    assembled.raidMembers().stream().noneMatch((member) -> member.device() == each))
                {
                    assembled.change(
                        new MemberChange.Grow(each, assembled.layout().level(), new CompletableFuture<>()));
                    return;
                }
            }
        }

        /** Fails a member that the array can do without. */
        void fail()
        {
            final ArrayView view = null == array ? null : array.view();
            if (null == view || null != view.failure() || array.intent().nextResync(0) >= 0)
            {
                return;
            }
            final int slot = draw.nextInt(view.slotCount());
            int missing = 0;
            for (int each = 0; each < view.slotCount(); each++)
            {
                missing += SlotState.IN_SYNC == view.state(each) &&
                    MemberState.ONLINE == ((MemberDisk)view.member(each).device()).state() ? 0 : 1;
            }
            if (missing < level.parityCount() && SlotState.IN_SYNC == view.state(slot) &&
                view.member(slot).device() instanceof final MemberDisk disk)
            {
                failures++;
                log.append(" fail ").append(slot).append(' ').append(view.map().state());
                disk.state(MemberState.FAILING);
            }
        }

        /** Loses a member with the power. */
        void lose()
        {
            final ArrayView view = null == array ? null : array.view();
            if (null != view && JournalMode.ALWAYS == journal && view.isComplete() && null == view.target() &&
                array.intent().nextResync(0) < 0)
            {
                losses++;
                final int slot = draw.nextInt(view.slotCount());
                log.append(" lose ").append(slot);
                lost.add(((MemberDisk)view.member(slot).device()).name());
            }
        }

        boolean isGrown()
        {
            return null != array && array.view().slotCount() == count + 2 && !array.view().map().isReshaping() &&
                array.view().isComplete();
        }
    }

    private void run(final long seed)
    {
        final Schedule schedule = new Schedule(seed);
        try (CrashRun run = new CrashRun(schedule.draw.nextLong(), schedule.disks(),
            RaidFixture.deviceBytes(schedule.memberBytes()), BLOCK_BYTES, schedule.checked(), schedule::assemble))
        {
            run.live(REQUESTS / 2);
            for (int life = 0; life < LIVES; life++)
            {
                final Random draw = schedule.draw;
                long step = 1;
                for (int i = draw.nextInt(3); i > 0; i--)
                {
                    step += 1 + draw.nextInt(400);
                    run.supply().before(step, schedule::fail);
                }
                step += 1 + draw.nextInt(0 == draw.nextInt(4) ? 60 : 700);
                schedule.log.append("; life ").append(life).append(" cut ").append(step);
                run.live(step, REQUESTS);
                within += null != schedule.array && schedule.array.view().map().isReshaping() ? 1 : 0;
                schedule.log.append(" at ").append(null == schedule.array ? "none" :
                    schedule.array.view().slotCount() + " " + schedule.array.view().map().state());
                if (schedule.lost.isEmpty() && 0 == draw.nextInt(3))
                {
                    schedule.lose();
                }
                else if (draw.nextBoolean())
                {
                    schedule.lost.clear();
                }
            }
            schedule.lost.clear();
            schedule.isEnding = true;
            for (int life = 0; life < 100 && !schedule.isGrown(); life++)
            {
                run.live(LONG);
            }
            assertTrue(schedule.isGrown(), () -> "it does not come to its end: " +
                (null == schedule.array ? "" : schedule.array.view().map().state() + ", " + schedule.array.status()));
            run.live(0);
            run.live(REQUESTS);
            assertEquals(schedule.count + 2, schedule.array.layout().memberCount());
        }
        catch (final AssertionError | RuntimeException e)
        {
            throw new AssertionError(schedule.log + ": " + e, e);
        }
    }

    @Test
    void shouldKeepAllByAnySchedule()
    {
        final List<AssertionError> red = new ArrayList<>();
        for (int i = 0; i < (0 != FIXED ? 1 : SEEDS); i++)
        {
            try
            {
                run(0 != FIXED ? FIXED : random.nextLong());
            }
            catch (final AssertionError e)
            {
                red.add(e);
                System.out.println("SCHEDULE " + e.getMessage());
            }
        }
        System.out.println("SCHEDULES " + SEEDS + " within " + within + " failures " + failures + " losses " + losses);
        assertTrue(red.isEmpty(), () -> red.size() + " failed, the first: " + red.getFirst().getMessage());
        assertTrue(0 != FIXED || within > SEEDS, () -> "only " + within + " lives ended within a reshape");
    }
}
