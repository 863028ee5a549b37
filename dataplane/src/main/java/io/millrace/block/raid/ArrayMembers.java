package io.millrace.block.raid;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Members of an array that serves, besides those in slots: spares, members that are to replace others, and members that
 * have failed. Says which of all get superblocks and the write-intent bitmap. {@link ArrayWork}'s, on its reactor.
 */
final class ArrayMembers
{
    private final RaidDevice device;
    private final List<RaidMember> spares = new ArrayList<>();
    /** They may lack writes, and are not used again. */
    private final Set<RaidMember> failed = new HashSet<>();
    private final MemberLoss loss;
    private final Replacements replacements;

    /**
     * As the array was assembled.
     *
     * @param device that they are of.
     */
    ArrayMembers(final RaidDevice device)
    {
        this.device = device;
        loss = new MemberLoss(device, failed);
        replacements = new Replacements(device);
        final ArrayView view = device.view();
        device.raidMembers().stream().filter((member) -> !view.isUsed(member) &&
            !replacements.waiting().contains(member))
            .forEach(spares::add);
    }

    MemberLoss loss()
    {
        return loss;
    }

    Replacements replacements()
    {
        return replacements;
    }

    /**
     * {@return the next spare, which takes a slot and is a spare no longer; null: no spare is left}
     */
    RaidMember takeSpare()
    {
        if (spares.isEmpty())
        {
            return null;
        }
        final RaidMember spare = spares.removeFirst();
        publishSpares();
        return spare;
    }

    /**
     * A member without a slot is a spare.
     *
     * @param member that may be one already.
     */
    void addSpare(final RaidMember member)
    {
        if (!spares.contains(member))
        {
            spares.add(member);
        }
        publishSpares();
    }

    /**
     * A member is no spare any more.
     *
     * @param member that has got a slot, or is let go of.
     */
    void removeSpare(final RaidMember member)
    {
        spares.remove(member);
        publishSpares();
    }

    /** What is to replace a member is a spare for others, as long as it has no slot. */
    private void publishSpares()
    {
        final List<RaidMember> all = new ArrayList<>(spares);
        all.addAll(replacements.waiting());
        device.spares(all);
    }

    /**
     * {@return members that get superblocks: all that writes go to, spares, and those that are to replace others}
     *
     * @param view that the superblocks are of.
     */
    List<RaidMember> withSuperblocks(final ArrayView view)
    {
        final List<RaidMember> members = withBitmap(view);
        members.addAll(spares);
        members.addAll(replacements.waiting());
        return members;
    }

    /**
     * {@return members that get the write-intent bitmap}
     *
     * @param view of the array.
     */
    List<RaidMember> withBitmap(final ArrayView view)
    {
        final List<RaidMember> members = new ArrayList<>();
        for (int slot = 0; slot < view.slotCount(); slot++)
        {
            if (view.isWritable(slot))
            {
                members.add(view.member(slot));
            }
        }
        if (null != view.target())
        {
            members.add(view.target());
        }
        return members;
    }

    /**
     * A member has failed.
     *
     * @param view    present one, or the one whose superblocks are being written.
     * @param failure of the member.
     * @return the view without it; the same when it has no part in that.
     */
    ArrayView onFailed(final ArrayView view, final MemberFailures.Failure failure)
    {
        final RaidMember member = failure.member();
        final ArrayView changed = loss.without(view, member);
        if (changed != view)
        {
            report(failure);
        }
        failed.add(member);
        replacements.onFailed(member);
        removeSpare(member);
        return changed;
    }

    private void report(final MemberFailures.Failure failure)
    {
        if (failure.member() == device.journalDevice().member())
        {
            device.journalDevice().onFailed(failure.reason());
        }
        else
        {
            device.reports().trouble(failure.toString());
        }
    }

    /** {@return whether a member has failed, and is still one} */
    boolean hasFailed(final RaidMember member)
    {
        return failed.contains(member);
    }

    /**
     * Nobody writes to a member any more.
     *
     * @param member of the array.
     * @return whether it has superblocks to erase: it has not failed.
     */
    boolean letGo(final RaidMember member)
    {
        replacements.remove(member);
        removeSpare(member);
        return !failed.contains(member);
    }

    /**
     * A device is a member no longer.
     *
     * @param member that was let go of.
     */
    void onReleased(final RaidMember member)
    {
        failed.remove(member);
    }
}
