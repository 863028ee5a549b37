package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDevice;
import io.millrace.block.raid.layout.RaidLevel;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An array with parity that is reshaped, to grow by one member or so that Q is on the last one, and loses power, again
 * and again, for tests.
 */
final class ReshapedArray
{
    static final int BLOCK_BYTES = 4096;
    private static final int CHECKED_BLOCKS = 60;
    /** More requests than a reshape takes. */
    static final int LONG = 400;
    private static final int LIVES_MAX = 100;
    private static final RaidTimes HURRIED = new RaidTimes(200_000, 300_000);

    private final RaidLevel level;
    private final int count;
    /** Slots more in the end; 0: Q is moved. */
    private final int added;
    private final int stripBytes;
    private final JournalMode journal;
    private final boolean asksWhileServing;
    private final Set<String> lost = new HashSet<>();
    private boolean isWaiting;
    /** Whether the last device has the journal. */
    private boolean hasJournalDevice;
    private RaidDevice array;

    ReshapedArray(
        final RaidLevel level,
        final int count,
        final int added,
        final int stripBytes,
        final JournalMode journal,
        final boolean asksWhileServing)
    {
        this.level = level;
        this.count = count;
        this.added = added;
        this.stripBytes = stripBytes;
        this.journal = journal;
        this.asksWhileServing = asksWhileServing;
    }

    private RaidConfig config(final List<MemberDisk> members, final int named)
    {
        final List<String> names = members.stream().map(MemberDisk::name).toList();
        return new RaidConfig("array", level, stripBytes, names.subList(0, named), List.of(), true, false, true,
            new CopyRates(1L << 40, 1L << 40), journal, hasJournalDevice ? names.getLast() : "", false);
    }

    /** With one device more, which has the journal. */
    ReshapedArray withJournalDevice()
    {
        hasJournalDevice = true;
        return this;
    }

    /** Null: none was assembled in this life, or not yet. */
    RaidDevice array()
    {
        return array;
    }

    int count()
    {
        return count;
    }

    /** Says whether it does not grow in the next lives. */
    void isWaiting(final boolean newIsWaiting)
    {
        isWaiting = newIsWaiting;
    }

    /** {@return names of members that are not there in the next lives} */
    Set<String> lost()
    {
        return lost;
    }

    /** Loses a member in sync, if the array tolerates that. */
    void lose(final Random draw)
    {
        final ArrayView view = array.view();
        if (!view.isComplete() || array.intent().nextResync(0) >= 0)
        {
            return;
        }
        // One that no settings name does not come back.
        lost.add(view.member(draw.nextInt(asksWhileServing ? count : view.slotCount())).toString());
    }

    /** Fails the member of a slot, unless the array has lost one already or must not lose one yet. */
    void fail(final int slot, final AtomicInteger failures)
    {
        final ArrayView view = null == array ? null : array.view();
        if (null != view && slot < view.slotCount() && view.isComplete() && array.intent().nextResync(0) < 0)
        {
            failures.incrementAndGet();
            ((MemberDisk)view.member(slot).device()).state(MemberState.FAILING);
        }
    }

    /**
     * A new array has one member less. Later it grows by its settings when it is started, or by a change while it
     * serves, after which the member is one that no settings name. Where Q is moved, all are named.
     */
    CrashingArray assemble(final List<MemberDisk> members, final boolean isNew)
    {
        array = null;
        final int named = isNew || isWaiting || asksWhileServing ? count : count + added;
        final List<BlockDevice> left = members.stream()
            .filter((each) -> !lost.contains(each.name())).map(BlockDevice.class::cast).toList();
        final RaidConfig config = config(members, named);
        final List<String> names = new ArrayList<>(config.members());
        names.add(config.journalDevice());
        array = RaidAssembly.assemble(config,
            left.stream().filter((each) -> names.contains(each.name())).toList(),
            () -> left.stream().filter((each) -> !names.contains(each.name())).toList(), null, HURRIED);
        final RaidDevice assembled = array;
        return new CrashingArray(array).onBegun(() ->
        {
            if (!isNew && !isWaiting && 0 == added)
            {
                assembled.change(new MemberChange.MoveQ(new CompletableFuture<>()));
            }
            else if (!isNew && !isWaiting && asksWhileServing && count == assembled.view().slotCount())
            {
                assembled.change(new MemberChange.Grow(members.get(count), level, new CompletableFuture<>()));
            }
        });
    }

    private long memberBytes()
    {
        return Math.max(16L * stripBytes, 128 << 10);
    }

    /** Lives that repeat when the numbers that are drawn do. */
    CrashRun run(final Random draw)
    {
        return run(draw, CHECKED_BLOCKS);
    }

    /** Lives that check so many blocks, which takes more or less time. */
    CrashRun run(final Random draw, final int checkedBlocks)
    {
        return new CrashRun(draw.nextLong(), count + added + (hasJournalDevice ? 1 : 0),
            RaidFixture.deviceBytes(memberBytes()), BLOCK_BYTES, checkedBlocks, this::assemble);
    }

    /** All members are there: the next lives go on to the end, and check all. */
    void finish(final CrashRun run)
    {
        lost.clear();
        for (int life = 0; life < LIVES_MAX && !isOver(); life++)
        {
            run.live(LONG);
        }
        assertTrue(isOver(),
            () -> "it has not come to its end: " + array.view().map().state() + ", " + array.status());
        run.live(0);
        assertEquals(count + added, array.layout().memberCount());
    }

    boolean isReshaping()
    {
        return null != array && array.view().map().isReshaping();
    }

    boolean isOver()
    {
        return null != array && array.view().slotCount() == count + added && !array.view().map().isReshaping() &&
            array.view().isComplete() && (0 != added || RaidLevel.RAID6_Q_LAST == array.layout().level());
    }
}
