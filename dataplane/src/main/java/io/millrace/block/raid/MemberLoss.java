package io.millrace.block.raid;

import io.millrace.block.raid.format.SlotState;
import java.util.Set;

/**
 * What an array is without a member that it loses. {@link ArrayMembers}'s, on its reactor.
 */
final class MemberLoss
{
    private final RaidDevice device;
    private final Set<RaidMember> failed;

    /**
     * Of an array.
     *
     * @param device that loses members.
     * @param failed members that it has lost; changed by {@link ArrayMembers}.
     */
    MemberLoss(final RaidDevice device, final Set<RaidMember> failed)
    {
        this.device = device;
        this.failed = failed;
    }

    /**
     * {@return the view without a member; the same when it has no part in that}
     *
     * @param view   present one, or the one whose superblocks are being written.
     * @param member that is lost.
     */
    ArrayView without(final ArrayView view, final RaidMember member)
    {
        return losing(keepsLast(view, member) ?
            device.view().counting(view.eventCount()).journalingOn(view.journalDevice()) : view, member);
    }

    /** Whether an array that is about to lose its last slot, with Q, loses another member before it has. */
    private boolean keepsLast(final ArrayView view, final RaidMember member)
    {
        final ArrayView present = device.view();
        final int last = present.slotCount() - 1;
        return view.slotCount() < present.slotCount() && view.slotOf(member) >= 0 &&
            SlotState.IN_SYNC == present.state(last) && !failed.contains(present.member(last));
    }

    private ArrayView losing(final ArrayView view, final RaidMember member)
    {
        final int slot = view.slotOf(member);
        final ArrayView present = device.view();
        if (member == view.target())
        {
            return view.replacing(ArrayView.NO_SLOT, null);
        }
        if (member == view.journalDevice())
        {
            return view.next().journalingOn(null);
        }
        if (slot < 0 || !view.isWritable(slot))
        {
            return view;
        }
        if (slot >= present.slotCount())
        {
            return view.with(slot, member, SlotState.FAILED, 0);
        }
        if (member == present.target() && SlotState.IN_SYNC == view.state(slot) &&
            !failed.contains(present.member(slot)))
        {
            // It was about to take the slot: the member there has got all writes.
            return view.with(slot, present.member(slot), SlotState.IN_SYNC);
        }
        if (SlotState.FAILED == present.state(slot) && member != present.member(slot))
        {
            // It was about to take the slot: the one that was lost from there may still come back.
            return view.with(slot, present.member(slot), SlotState.FAILED, present.lostEvent(slot));
        }
        // The one that was to replace it has what was copied, and got all writes since.
        return slot == view.targetSlot() ? view.with(slot, view.target(), SlotState.REBUILDING) :
            view.with(slot, member, SlotState.FAILED, lostEvent(slot, member));
    }

    /** The event count that superblocks of a member have at least that is lost; 0: it has not all data before that. */
    private long lostEvent(final int slot, final RaidMember member)
    {
        final ArrayView present = device.view();
        // Rows of a slice of the head are restored on the others alone.
        return null != device.intent() && !present.map().isExclusive() && slot < present.slotCount() &&
            member == present.member(slot) &&
            (SlotState.IN_SYNC == present.state(slot) || 0 != present.lostEvent(slot)) ? present.eventCount() : 0;
    }

    /**
     * {@return a member of the array, or a spare; null: there is none}
     *
     * @param name of its device.
     */
    RaidMember named(final String name)
    {
        return device.raidMembers().stream().filter((each) -> name.equals(each.device().name())).findFirst()
            .orElse(null);
    }

    /**
     * {@return why an operator must not fail a member, a sentence; null: it may be failed}
     *
     * @param name of its device.
     */
    String problem(final String name)
    {
        final RaidMember member = named(name);
        final ArrayView view = device.view();
        final ArrayView changed = null == member ? view : without(view, member);
        if (changed == view)
        {
            // A spare has no data, and what has failed is not used already.
            return "device " + name + " is no member of array " + device.name() + " that is in use";
        }
        if (!changed.isSufficient())
        {
            return "array " + device.name() + " would lose data without " + name + ": " +
                (view.isComplete() ? "no other member has what it holds" : "rebuild what failed before first");
        }
        final int slot = view.slotOf(member);
        if (slot >= 0 && view.isReadable(slot, 1) && device.intent().nextResync(0) >= 0)
        {
            // What hosts have read since a crash may be on this member alone, of one that is rebuilt in part, too.
            return "device " + name + " is in slot " + slot + ", and what the others have may not match before the " +
                "resync has ended: wait for that";
        }
        return null;
    }
}
