package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Arrays whose members are replaced, and which lose power at any step meanwhile, the steps of a start included. Names
 * are stored before a change is made, as a manager does, and the next start goes by them: it never lacks a member, and
 * nothing that was flushed is lost.
 */
class RaidReplacementCrashTest
{
    private static final int BLOCK_BYTES = 4096;
    private static final int STRIP_BYTES = 8 << 10;
    private static final long MEMBER_BYTES = 256 << 10;
    private static final int CHECKED_BLOCKS = 40;
    private static final int LIVES = 6;
    private static final int REQUESTS = 80;
    private static final int STEPS_MAX = 600;
    private static final int CHANGES = 4;
    private static final int SEEDS = Integer.getInteger("millrace.raid.seeds", 25);
    /** So many at most, until all that is to occur has occurred. */
    private static final int SEEDS_MAX = 8 * SEEDS;
    private static final RaidTimes HURRIED = new RaidTimes(200_000, 300_000);

    private final Random random = TestSeeds.random();
    private final AtomicInteger stored = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();
    private final AtomicInteger undone = new AtomicInteger();
    private final AtomicInteger begunAnew = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();

    /** The lives of one array. */
    private final class Life
    {
        private final RaidLevel level;
        private final boolean mayFail;
        private final boolean checksums;
        private final List<String> names = new ArrayList<>();
        private RaidDevice array;
        /** Names before the replacement that is under way; null: none is. */
        private List<String> before;

        Life(final RaidLevel level, final int memberCount, final boolean mayFail, final int run)
        {
            checksums = CrashingArray.hasChecksums(level, run);
            this.level = level;
            this.mayFail = mayFail;
            for (int i = 0; i < memberCount; i++)
            {
                names.add("member" + i);
            }
        }

        BlockDevice assemble(final List<MemberDisk> disks)
        {
            array = null;
            final List<BlockDevice> named = new ArrayList<>(disks);
            named.removeIf((each) -> !names.contains(each.name()));
            final List<BlockDevice> unused = new ArrayList<>(disks);
            unused.removeAll(named);
            array = RaidAssembly.assemble(new RaidConfig("array", level, STRIP_BYTES, names, List.of(), false, false,
                false, new CopyRates(1L << 40, 1L << 40), JournalMode.DEGRADED, "", checksums), named, () -> unused,
                null, HURRIED);
            assertTrue(mayFail || array.view().isComplete(), () -> "started without a member: " + array.status());
            begunAnew.addAndGet(array.replacements().size());
            return new CrashingArray(array);
        }

        void change(final List<MemberDisk> disks, final Random choices, final PowerSupply supply)
        {
            if (null == array)
            {
                return;
            }
            final ArrayView view = array.view();
            if (mayFail && 0 == choices.nextInt(3))
            {
                array.fail(disks.get(choices.nextInt(disks.size())).name()).thenRun(failed::incrementAndGet);
            }
            else if (null != view.target())
            {
                if (null != before && 0 == choices.nextInt(2))
                {
                    final List<String> old = List.copyOf(before);
                    store(old, null);
                    final CompletableFuture<Void> done = new CompletableFuture<>();
                    array.change(new MemberChange.Remove(view.target().device(), done));
                    done.thenRun(undone::incrementAndGet);
                }
            }
            else
            {
                disks.stream().filter((each) -> !array.members().contains(each)).findFirst()
                    .ifPresent((absent) -> replace(view, absent, choices, supply));
            }
        }

        private void store(final List<String> now, final List<String> was)
        {
            before = was;
            names.clear();
            names.addAll(now);
        }

        private void replace(
            final ArrayView view, final MemberDisk by, final Random choices, final PowerSupply supply)
        {
            final int slot = choices.nextInt(array.layout().memberCount());
            final RaidMember old = view.member(slot);
            final List<String> now = new ArrayList<>(names);
            if (SlotState.IN_SYNC != view.state(slot) || names.contains(by.name()) ||
                !now.remove(old.device().name()))
            {
                return;
            }
            final List<String> was = List.copyOf(names);
            now.add(by.name());
            store(now, was);
            stored.incrementAndGet();
            if (0 == choices.nextInt(8))
            {
                // The manager has stored it, and the data plane has not received it.
                supply.cut();
                return;
            }
            final CompletableFuture<Void> done = new CompletableFuture<>();
            array.change(new MemberChange.Replace(by, old.device(), done));
            done.whenComplete((_, refusal) ->
            {
                if (null == refusal)
                {
                    ended.incrementAndGet();
                }
                else if (!supply.isCut())
                {
                    store(was, null);
                }
            });
        }
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID1,3", "RAID5,3", "RAID6,4", "RAID6_Q_LAST,4", "EC3,5", "RAID10,4", "RAID10,3"})
    void shouldStartWithAllMembersByTheNewNames(final RaidLevel level, final int memberCount)
    {
        for (int i = 0; i < SEEDS || !hasAll() && i < SEEDS_MAX; i++)
        {
            live(TestSeeds.fixed(random.nextLong()), new Life(level, memberCount, false, i), memberCount);
        }
        assertTrue(hasAll(), this::counts);
    }

    @ParameterizedTest
    @CsvSource({"RAID1,2", "RAID1,3", "RAID5,3", "RAID6,4", "EC3,5", "RAID10,4"})
    void shouldKeepWhatWasFlushedWhenMembersFailToo(final RaidLevel level, final int memberCount)
    {
        for (int i = 0; i < SEEDS || !(hasAll() && failed.get() > 0) && i < SEEDS_MAX; i++)
        {
            try
            {
                live(TestSeeds.fixed(random.nextLong()), new Life(level, memberCount, true, i), memberCount);
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
        assertTrue(hasAll() && failed.get() > 0, this::counts);
    }

    private boolean hasAll()
    {
        return stored.get() > 0 && ended.get() > 0 && undone.get() > 0 && begunAnew.get() > 0;
    }

    private String counts()
    {
        return stored + " replacements were stored, " + ended + " were taken, " + undone + " undone, " + begunAnew +
            " begun anew; " + failed + " members failed";
    }

    private static void live(final Random draw, final Life life, final int memberCount)
    {
        try (CrashRun run = new CrashRun(draw.nextLong(), memberCount + 1,
                CrashingArray.deviceBytes(MEMBER_BYTES, BLOCK_BYTES, life.checksums), BLOCK_BYTES,
                CHECKED_BLOCKS, (members, isNew) -> life.assemble(members)))
        {
            for (int i = 0; i < LIVES; i++)
            {
                final int cutStep = CHANGES + 1 + draw.nextInt(STEPS_MAX);
                final List<MemberDisk> disks = run.members();
                final PowerSupply supply = run.supply();
                final Random choices = TestSeeds.fixed(draw.nextLong());
                life.before = null;
                draw.ints(1, cutStep).distinct().limit(CHANGES).forEach(
                    (step) -> supply.before(step, () -> life.change(disks, choices, supply)));
                run.live(cutStep, REQUESTS);
            }
            run.live(0);
        }
    }
}
