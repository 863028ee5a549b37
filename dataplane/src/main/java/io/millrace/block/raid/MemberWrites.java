package io.millrace.block.raid;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.raid.format.Superblock;
import io.millrace.block.raid.layout.RaidLevel;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * Writes a page of metadata to several members at once: one place after the other, each stable before the next. One
 * write at a time; the reactor's only.
 */
final class MemberWrites
{
    private final RaidChannel channel;
    private final BlockRequest[] parts;
    private final Targets targets;
    private List<RaidMember> members = List.of();
    private int phase;
    /** Members that have a part, by bit of their index. */
    private long pending;
    /** Members whose part is not awaited any more, by bit of their index. */
    private long abandoned;
    private boolean isIssuing;
    private long failed;
    private BlockStatus failedStatus;
    private boolean needsFlush;
    private boolean isWritten;
    private LongConsumer onDone;

    /** What is written where. */
    interface Targets
    {
        /**
         * {@return address of the page for a member}
         *
         * @param member of the array.
         */
        long address(RaidMember member);

        /**
         * {@return offset on a member of the next place; -1: there is no other}
         *
         * @param member of the array.
         * @param place  from 0 on.
         */
        long offset(RaidMember member, int place);

        /**
         * {@return whether a member has failed that has no space for a place}
         *
         * @param place as {@link #offset} has it.
         */
        default boolean needsSpace(final int place)
        {
            return true;
        }
    }

    /**
     * Writes nothing yet.
     *
     * @param channel whose members are written.
     * @param targets what is written where.
     */
    MemberWrites(final RaidChannel channel, final Targets targets)
    {
        this.channel = channel;
        this.targets = targets;
        parts = new BlockRequest[RaidLevel.MEMBERS_MAX];
        for (int i = 0; i < parts.length; i++)
        {
            final int index = i;
            parts[i] = new BlockRequest(this, (part) -> onPart(index, part));
        }
    }

    /**
     * Begins.
     *
     * @param newMembers to write.
     * @param flush      whether everything written before is made stable first: nothing is written where a member
     *                   cannot.
     * @param newOnDone  gets the members that failed, by bit of their index.
     */
    void begin(final List<RaidMember> newMembers, final boolean flush, final LongConsumer newOnDone)
    {
        members = List.copyOf(newMembers);
        needsFlush = flush;
        isWritten = true;
        onDone = newOnDone;
        failed = 0;
        phase = flush ? -1 : 0;
        next();
    }

    /**
     * {@return whether pages were written: no member failed to make stable what it had}
     */
    boolean isWritten()
    {
        return isWritten;
    }

    /**
     * Says of members that they have failed. Not before the write has ended.
     *
     * @param failedMembers as the listener gets them, by bit of their index.
     */
    void report(final long failedMembers)
    {
        for (final RaidMember member : members)
        {
            if (0 != (failedMembers & 1L << member.index()))
            {
                channel.device().onMemberFailed(member, "failed a metadata write:", failedStatus);
            }
        }
    }

    private void next()
    {
        while (true)
        {
            if (0 == phase && needsFlush && 0 != failed)
            {
                isWritten = false;
                // The pages would say what holds only if that were stable.
                onDone.accept(failed);
                return;
            }
            isIssuing = true;
            boolean isAny = false;
            for (final RaidMember member : members)
            {
                final int index = member.index();
                final long offset = phase < 0 ? 0 : targets.offset(member, phase);
                if (0 == (failed & 1L << index) && offset >= 0)
                {
                    isAny = true;
                    submit(member, offset);
                }
            }
            isIssuing = false;
            if (!isAny)
            {
                onDone.accept(failed);
                return;
            }
            if (0 != pending)
            {
                return;
            }
            phase++;
        }
    }

    private void submit(final RaidMember member, final long offset)
    {
        final BlockRequest part = parts[member.index()];
        final long bit = 1L << member.index();
        if (0 != (abandoned & bit))
        {
            // It still has the last one.
            fail(bit, BlockStatus.ABORTED);
            return;
        }
        if (phase < 0)
        {
            part.reset(BlockOperation.FLUSH, 0, 0);
        }
        else
        {
            final int shift = member.device().geometry().blockShift();
            final int bytes = Superblock.BYTES;
            part.reset(BlockOperation.WRITE, offset >>> shift, bytes >>> shift)
                .addSegment(targets.address(member), bytes).forceUnitAccess(true);
        }
        pending |= bit;
        channel.submit(member, part);
    }

    private void fail(final long bit, final BlockStatus status)
    {
        failed |= bit;
        failedStatus = status;
    }

    private void onPart(final int index, final BlockRequest part)
    {
        final long bit = 1L << index;
        channel.device().pages().hold(part);
        if (0 != (abandoned & bit))
        {
            abandoned &= ~bit;
            return;
        }
        final boolean isLeftOut =
            BlockStatus.CAPACITY_EXCEEDED == part.status() && phase >= 0 && !targets.needsSpace(phase);
        if (BlockStatus.SUCCESS != part.status() && !isLeftOut)
        {
            fail(bit, part.status());
        }
        onEnded(bit);
    }

    private void onEnded(final long bit)
    {
        pending &= ~bit;
        if (0 == pending && !isIssuing)
        {
            phase++;
            next();
        }
    }

    /**
     * A member has failed: its part, which it may never end, is not awaited. Not within {@link #begin}.
     *
     * @param member of the array.
     */
    void onFailed(final RaidMember member)
    {
        final long bit = 1L << member.index();
        // Another member may have its index by now.
        if (0 != (pending & bit) && members.contains(member))
        {
            abandoned |= bit;
            fail(bit, BlockStatus.ABORTED);
            onEnded(bit);
        }
    }
}
