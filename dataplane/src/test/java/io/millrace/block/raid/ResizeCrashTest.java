package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.raid.format.BitmapPage;
import io.millrace.block.raid.format.MemberArea;
import io.millrace.block.raid.format.Superblock;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.seed.TestSeeds;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Arrays whose members become larger and lose power at any step meanwhile, with a member beside the power or before it:
 * nothing that was flushed is lost, the array has the room or has not, and where it has, that reads as zeroes, from
 * every member and from parity.
 */
class ResizeCrashTest
{
    private static final int BLOCK_BYTES = 4096;
    private static final int SECTOR_BYTES = 512;
    private static final int STRIP_BYTES = 32 << 10;
    private static final int REQUESTS = 40;
    private static final int LONG = 200;
    private static final int LIVES = 6;
    private static final int STEPS_MAX = 250;
    private static final int MOST_STEPS = 4000;
    private static final int STEPS_WITH_FAILURES = 600;
    /** In which an assembly writes superblocks to members that have become larger. */
    private static final int SUPERBLOCK_STEPS = 8;
    /** One region of the bitmap, and two: pages for one are not valid for the other. */
    private static final long SMALL_BYTES = BitmapPage.REGION_BYTES_MIN - 2 * STRIP_BYTES;
    private static final long LARGER_BYTES = BitmapPage.REGION_BYTES_MIN + 2 * STRIP_BYTES;
    /** Regions of the bitmap become twice as large behind it. */
    private static final long SPARSE_BYTES = (long)BitmapPage.BITS_MAX * BitmapPage.REGION_BYTES_MIN;
    private static final int SPARSE_CHECKED = 60;
    private static final int LOOK_STEPS = 1;
    private static final int STRIDE = Integer.getInteger("millrace.raid.stride", 3);
    private static final int SEEDS = Integer.getInteger("millrace.raid.seeds", 12);
    /** So many at most, until all that is to occur has occurred. */
    private static final int SEEDS_MAX = 8 * SEEDS;
    private static final RaidTimes HURRIED = new RaidTimes(200_000, 300_000);

    private final Random random = TestSeeds.random();

    private static final class Growing
    {
        private final RaidLevel level;
        private final int count;
        private final JournalMode journal;
        private final long smallBytes;
        private final long largerBytes;
        private final Set<String> lost = new HashSet<>();
        private CrashRun run;
        private RaidDevice array;
        private int blockBytes = BLOCK_BYTES;

        Growing(
            final RaidLevel level,
            final int count,
            final JournalMode journal,
            final long smallBytes,
            final long largerBytes)
        {
            this.level = level;
            this.count = count;
            this.journal = journal;
            this.smallBytes = smallBytes;
            this.largerBytes = largerBytes;
        }

        boolean isSparse()
        {
            return SPARSE_BYTES == smallBytes;
        }

        int checked(final long memberBytes)
        {
            return isSparse() ? SPARSE_CHECKED :
                (int)(ArrayLayout.of(level, count, STRIP_BYTES, memberBytes).dataBytes() / blockBytes);
        }

        CrashRun run(final Random draw)
        {
            run = new CrashRun(draw.nextLong(), count, RaidFixture.deviceBytes(smallBytes), blockBytes,
                checked(largerBytes), this::assemble);
            run.oracle().blockCount(checked(smallBytes));
            return run;
        }

        void growDisks()
        {
            run.members().forEach((each) -> each.grow(RaidFixture.deviceBytes(largerBytes)));
        }

        CrashingArray assemble(final List<MemberDisk> members, final boolean isNew)
        {
            array = null;
            final List<String> names = members.stream().map(MemberDisk::name).toList();
            final List<BlockDevice> left = members.stream()
                .filter((each) -> !lost.contains(each.name())).map(BlockDevice.class::cast).toList();
            array = RaidAssembly.assemble(new RaidConfig("array", level, STRIP_BYTES, names, List.of(), true, false,
                true, new CopyRates(1L << 40, 1L << 40), journal), left, List::of, null, HURRIED);
            final RaidDevice assembled = array;
            final long memberBytes = assembled.layout().memberBytes();
            assertTrue(smallBytes == memberBytes || largerBytes == memberBytes);
            run.oracle().blockCount(checked(memberBytes));
            // Without a valid page of the bitmap nothing would be known of any region.
            assertTrue(!isSparse() || assembled.intent().resyncCount() <= 1, "regions to resynchronize");
            return new CrashingArray(assembled).onBegun(() ->
            {
                if (!isNew && smallBytes == memberBytes)
                {
                    assembled.resizeMembers(0);
                }
            });
        }

        /**
         * Each member has a page for its superblock. One for larger members is in place of the older one, so that the
         * one before it is for members as they were, and is replaced by the next when they do not become larger.
         */
        void checkPages(final int failedSlot)
        {
            try (MemberIo io = new MemberIo(null))
            {
                for (int slot = 0; slot < count; slot++)
                {
                    final MemberDisk disk = run.members().get(slot);
                    final Superblock superblock = FoundMember.read(io, disk).superblock();
                    final long larger = sequence(io, disk, superblock.array(), largerBytes);
                    final long small = sequence(io, disk, superblock.array(), smallBytes);
                    final boolean hasPage = (largerBytes == superblock.memberBytes() ? larger : small) > 0;
                    assertTrue(failedSlot == slot || hasPage &&
                        (0 == larger || 0 == small || 1 == larger - small), () -> disk.name() + " of " +
                        superblock.memberBytes() + " has page " + small + " and, for larger members, page " + larger);
                }
            }
        }

        private static long sequence(
            final MemberIo io, final MemberDisk disk, final UUID id, final long memberBytes)
        {
            long newest = 0;
            try (MemberIo.Member member = io.open(disk))
            {
                for (int which = 0; which < MemberArea.BITMAP_PAGE_COUNT; which++)
                {
                    final BitmapPage page = new BitmapPage().wrap(
                        new UnsafeBuffer(member.read(MemberArea.bitmapOffset(which), BitmapPage.BYTES)), 0);
                    newest = page.isValid(id, memberBytes) ? Math.max(newest, page.sequence()) : newest;
                }
            }
            return newest;
        }

        boolean isLarger()
        {
            return null != array && largerBytes == array.layout().memberBytes();
        }

        private boolean mayLose()
        {
            return RaidLevel.RAID0 != level && null != array && array.view().isComplete() &&
                array.intent().nextResync(0) < 0;
        }

        /** Fails a member, unless the array lacks one already or must not lose one yet. */
        void fail(final int slot, final AtomicInteger failures)
        {
            if (mayLose())
            {
                failures.incrementAndGet();
                ((MemberDisk)array.view().member(slot).device()).state(MemberState.FAILING);
            }
        }

        /** The next lives go on to the end, and check all. */
        void finish()
        {
            lost.clear();
            for (int life = 0; life < 100 && !isLarger(); life++)
            {
                run.live(LONG);
            }
            assertTrue(isLarger(), () -> "it has not become larger: " + array.status());
            run.live(0);
            run.live(REQUESTS);
            run.live(0);
            assertEquals(largerBytes, array.layout().memberBytes());
        }
    }

    /** A cut before each step there is, to the end; a member is lost with each second one. */
    private void cutEverywhere(final Growing first, final int stride, final boolean loses)
    {
        final long seed = random.nextLong();
        boolean isOver = false;
        int larger = 0;
        int losses = 0;
        for (int step = 1; !isOver; step += stride)
        {
            final Random draw = TestSeeds.fixed(seed);
            final Growing growing =
                new Growing(first.level, first.count, first.journal, first.smallBytes, first.largerBytes);
            final boolean isLost = loses && 0 == step % 2;
            try (CrashRun run = growing.run(draw))
            {
                run.live(REQUESTS / 2);
                growing.growDisks();
                final ResyncWatch watch = new ResyncWatch();
                for (int look = 1; look < step; look += LOOK_STEPS)
                {
                    run.supply().before(look, () -> watch.look(growing.array));
                }
                run.live(step, LONG);
                larger += growing.isLarger() ? 1 : 0;
                isOver = larger > 8 && (!loses || losses > 0 || first.isSparse());
                if (RaidLevel.RAID0 != growing.level)
                {
                    growing.checkPages(ArrayView.NO_SLOT);
                }
                if (isLost && growing.mayLose() && (growing.level.parityCount() > 0 || watch.isStable(growing.array)))
                {
                    losses++;
                    growing.lost.add("member" + draw.nextInt(growing.count));
                    run.live(0);
                    run.live(REQUESTS / 2);
                }
                growing.finish();
                final int at = step;
                assertTrue(at < MOST_STEPS, "the steps come to an end");
            }
            catch (final AssertionError | BlockDeviceException e)
            {
                throw new AssertionError("cut before step " + step + (isLost ? ", a member lost" : "") +
                    ", seed of the run " + seed + ": " + e.getMessage(), e);
            }
        }
        assertTrue(!loses || losses > 0 || first.isSparse(), "no member was lost");
    }

    @ParameterizedTest
    @CsvSource({
        "RAID0,2,DEGRADED", "RAID1,2,DEGRADED", "RAID1,3,DEGRADED", "RAID5,3,ALWAYS", "RAID5,3,DEGRADED",
        "RAID6,4,ALWAYS", "RAID10,4,DEGRADED", "RAID10,3,DEGRADED"})
    void shouldKeepAllWhereverPowerIsCut(final RaidLevel level, final int count, final JournalMode journal)
    {
        cutEverywhere(new Growing(level, count, journal, SMALL_BYTES, LARGER_BYTES), STRIDE,
            RaidLevel.RAID0 != level && (0 == level.parityCount() || JournalMode.ALWAYS == journal));
    }

    @ParameterizedTest
    @CsvSource({"RAID5,3,ALWAYS", "RAID1,2,DEGRADED"})
    void shouldKeepAllWhenRegionsOfTheBitmapBecomeLarger(
        final RaidLevel level, final int count, final JournalMode journal)
    {
        cutEverywhere(new Growing(level, count, journal, SPARSE_BYTES, SPARSE_BYTES + 5 * STRIP_BYTES), 3 * STRIDE,
            true);
    }

    /**
     * Drives of small blocks may store a part of a superblock, and have no second copy at their new end before the next
     * superblocks are written: those of an assembly that lacks a member, of which several blocks change.
     */
    @ParameterizedTest
    @CsvSource({"RAID1,2,DEGRADED", "RAID5,3,ALWAYS"})
    void shouldKeepASuperblockWhereverPowerIsCut(final RaidLevel level, final int count, final JournalMode journal)
    {
        for (int i = 0; i < 4 * SEEDS; i++)
        {
            final Random draw = TestSeeds.fixed(random.nextLong());
            final Growing growing = new Growing(level, count, journal, SMALL_BYTES, LARGER_BYTES);
            growing.blockBytes = SECTOR_BYTES;
            try (CrashRun run = growing.run(draw))
            {
                run.live(0);
                growing.growDisks();
                growing.lost.add("member" + draw.nextInt(count));
                run.live(1 + i % SUPERBLOCK_STEPS, 0);
                run.live(0);
            }
        }
    }

    /** A member fails before each step there is, and is back in the next life. */
    @ParameterizedTest
    @CsvSource({"RAID1,2,DEGRADED", "RAID5,3,DEGRADED", "RAID6,4,ALWAYS", "RAID10,4,DEGRADED", "EC3,5,DEGRADED"})
    void shouldKeepAllWhereverAMemberFails(final RaidLevel level, final int count, final JournalMode journal)
    {
        final long seed = random.nextLong();
        final AtomicInteger failures = new AtomicInteger();
        int smaller = 0;
        int larger = 0;
        // There are few steps before it is larger: each, until a member has failed in one.
        for (int step = 1; larger <= 8 && step < STEPS_WITH_FAILURES; step += 0 == smaller ? 1 : STRIDE)
        {
            final Random draw = TestSeeds.fixed(seed);
            final Growing growing = new Growing(level, count, journal, SMALL_BYTES, LARGER_BYTES);
            final int slot = step % count;
            final int before = failures.get();
            try (CrashRun run = growing.run(draw))
            {
                run.live(REQUESTS / 2);
                growing.growDisks();
                run.supply().before(step, () -> growing.fail(slot, failures));
                run.live(LONG);
                larger += before != failures.get() && growing.isLarger() ? 1 : 0;
                smaller += before != failures.get() && !growing.isLarger() ? 1 : 0;
                growing.checkPages(slot);
                growing.finish();
            }
            catch (final AssertionError | BlockDeviceException e)
            {
                throw new AssertionError(
                    "slot " + slot + " failed before step " + step + ", seed of the run " + seed + ": " +
                    e.getMessage(), e);
            }
        }
        final String counts = smaller + " members failed before and " + larger + " after it was larger";
        assertTrue(smaller > 0 && larger > 0, counts);
    }

    /** A member fails before the power is cut, and is back in the next life. */
    @ParameterizedTest
    @CsvSource({
        "RAID1,2,DEGRADED", "RAID1,3,DEGRADED", "RAID5,3,ALWAYS", "RAID5,4,DEGRADED", "RAID6,4,DEGRADED",
        "RAID10,4,DEGRADED"})
    void shouldKeepAllWhenMembersFail(final RaidLevel level, final int count, final JournalMode journal)
    {
        final AtomicInteger failures = new AtomicInteger();
        for (int i = 0; i < 3 * SEEDS || failures.get() <= SEEDS / 2 && i < 3 * SEEDS_MAX; i++)
        {
            final Random draw = TestSeeds.fixed(random.nextLong());
            final Growing growing = new Growing(level, count, journal, SMALL_BYTES, LARGER_BYTES);
            try (CrashRun run = growing.run(draw))
            {
                run.live(REQUESTS / 2);
                growing.growDisks();
                for (int life = 0; life < LIVES && !growing.isLarger(); life++)
                {
                    final int slot = draw.nextInt(count);
                    final int failureStep = 1 + draw.nextInt(STEPS_MAX);
                    run.supply().before(failureStep, () -> growing.fail(slot, failures));
                    run.live(failureStep + 1 + draw.nextInt(STEPS_MAX), REQUESTS);
                }
                growing.finish();
            }
        }
        assertTrue(failures.get() > SEEDS / 2, () -> failures + " members failed");
    }
}
