package io.millrace.block.raid;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import java.util.Arrays;

/**
 * Rows of strips in the memory of members that lend it, for what is computed from them at once: nothing is copied to a
 * buffer before. All that is lent is given back before anything is waited for: a loan that waited for another member
 * would keep writers of other rows waiting that share a lock with these, and such a writer may be what that member
 * waits for. So a member that refuses ends the attempt, and the rows are read as of members that lend nothing. Of a
 * channel; the reactor's only; nothing is allocated per request.
 */
final class LentStrips
{
    private final RaidChannel channel;
    /** By the order in which strips are lent. */
    private BlockRequest[] parts = {};
    private RaidMember[] members = {};
    private int count;

    /**
     * Nothing is lent.
     *
     * @param channel that it is of.
     */
    LentStrips(final RaidChannel channel)
    {
        this.channel = channel;
    }

    /**
     * Borrows the rows of strips, and places their areas there.
     *
     * @param view  of the plan.
     * @param rows  of the stripe, locked.
     * @param areas that are placed, if all of them are lent.
     * @param strips that are needed, by bit.
     * @return whether all are lent until {@link #giveBack}; else none is.
     */
    boolean borrow(final ArrayView view, final StripeRows rows, final StripeAreas areas, final long strips)
    {
        fit(rows.stripCount());
        for (long left = strips; 0 != left; left &= left - 1)
        {
            final RaidMember member = view.member(rows.slot(Long.numberOfTrailingZeros(left)));
            if (!member.lendsAtOnce() || !member.lostBlocks().isEmpty() ||
                !borrow(member, rows.memberOffset(), rows.count()))
            {
                giveBack();
                return false;
            }
        }
        int next = 0;
        for (long left = strips; 0 != left; left &= left - 1)
        {
            areas.place(Long.numberOfTrailingZeros(left), parts[next].segments().address(0));
            next++;
        }
        return true;
    }

    private void fit(final int stripCount)
    {
        final int first = parts.length;
        if (first < stripCount)
        {
            parts = Arrays.copyOf(parts, stripCount);
            members = Arrays.copyOf(members, stripCount);
            for (int i = first; i < stripCount; i++)
            {
                parts[i] = new BlockRequest(this, (part) ->
                {
                    // It has ended when the member has taken it.
                });
            }
        }
    }

    private boolean borrow(final RaidMember member, final long memberOffset, final int length)
    {
        final BlockRequest part = parts[count];
        part.reset(BlockOperation.READ, RaidChannel.dataOffsetBytes() + memberOffset >>> channel.blockShift(),
            length >>> channel.blockShift()).lendable(true);
        if (!channel.members().lend(member, part))
        {
            return false;
        }
        members[count] = member;
        count++;
        // In one piece, as those that compute need it.
        return BlockStatus.SUCCESS == part.status() && 1 == part.segments().count();
    }

    /** Gives all back that is lent. */
    void giveBack()
    {
        while (0 != count)
        {
            count--;
            if (parts[count].lent())
            {
                channel.members().giveBack(members[count], parts[count]);
            }
        }
    }
}
