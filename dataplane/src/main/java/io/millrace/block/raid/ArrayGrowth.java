package io.millrace.block.raid;

import io.millrace.block.raid.format.ReshapeState;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.block.raid.layout.RaidLevel;

/**
 * Whether an array may get one more slot, and how it begins: a mirror rebuilds another copy there, a RAID 5 that
 * becomes RAID 6 rebuilds Q, and an array with parity is reshaped else. Stateless.
 */
final class ArrayGrowth
{
    private ArrayGrowth()
    {
    }

    /**
     * {@return why an array cannot get another slot now, a sentence; null: it can}
     *
     * @param device that serves.
     */
    static String problem(final RaidDevice device)
    {
        final ArrayView view = device.view();
        final RaidLevel level = view.layout().level();
        final String array = "array " + device.name();
        if (null != device.pages().checksums())
        {
            return checksumProblem(device);
        }
        if (RaidLevel.RAID0 == level)
        {
            return array + " is RAID 0, which does not grow: a member that fails while data moves would take all of " +
                "it; create a larger array and copy the data";
        }
        if (RaidLevel.RAID10 == level)
        {
            return array + " is RAID 10, which does not grow: with one member more each copy would have another " +
                "place, and nothing of them could be computed meanwhile; create a larger array and copy the data";
        }
        if (level.membersMax() == view.slotCount())
        {
            return array + " has " + level.membersMax() + " members, the most there can be: create another array";
        }
        return view.map().isReshaping() ? array + " is being reshaped: add another member when that has ended" :
            dataMoveProblem(device);
    }

    /**
     * {@return why data of an array cannot move now, a sentence; null: it can}
     *
     * @param device that serves, and is not reshaped.
     */
    static String dataMoveProblem(final RaidDevice device)
    {
        final ArrayView view = device.view();
        final String unsteadiness = unsteadiness(device);
        if (null != unsteadiness)
        {
            return unsteadiness;
        }
        for (int slot = 0; slot < view.slotCount(); slot++)
        {
            if (!view.member(slot).lostBlocks().isEmpty())
            {
                return "array " + device.name() + " has lost blocks of " + view.member(slot) +
                    ": overwrite them first";
            }
        }
        // The parity that is computed of what is wrong would match it.
        return view.layout().parityCount() > 1 && device.scrubControl().hasMismatches() ? "array " + device.name() +
            " has rows that do not match, of which parity may tell what is wrong: repair them first (millrace raid " +
            "scrub " + device.name() + " --repair)" : null;
    }

    /**
     * {@return why an array with checksums cannot grow or change its level, a sentence}
     *
     * @param device array.
     */
    static String checksumProblem(final RaidDevice device)
    {
        return "array " + device.name() + " has checksums, with which it neither grows nor changes its level: create " +
            "another one and copy the data";
    }

    /**
     * {@return why data of an array cannot move, a sentence that says which slot is not in sync or has no lasting
     * member; null: it can}
     *
     * @param device that serves.
     */
    static String unsteadiness(final RaidDevice device)
    {
        final ArrayView view = device.view();
        final String array = "array " + device.name();
        if (null != view.target())
        {
            return array + " is replacing " + view.member(view.targetSlot()) + ": try again when that has ended";
        }
        if (view.firstOf(SlotState.REBUILDING) >= 0)
        {
            return array + " is rebuilding slot " + view.firstOf(SlotState.REBUILDING) +
                ": try again when that has ended";
        }
        return view.isComplete() ? null : array + " is degraded: add a spare, and try again when that was rebuilt";
    }

    /**
     * {@return the view with one slot more, at the next event count}
     *
     * @param view   of an array that has no {@link #problem}.
     * @param member in the slot.
     * @param level  from then on: the present one, or as {@link LevelChange#target} has it.
     */
    static ArrayView grown(final ArrayView view, final RaidMember member, final RaidLevel level)
    {
        final ArrayLayout old = view.layout();
        final int count = old.memberCount();
        final ArrayLayout layout =
            ArrayLayout.of(level, count + 1, old.stripBytes(), old.memberBytes());
        member.rebuiltBytes(0);
        return 0 == old.parityCount() || level != old.level() ?
            view.growing(StripMap.of(layout), member, SlotState.REBUILDING) :
            view.growing(StripMap.of(layout, new ReshapeState(count, 0, 0, ReshapeState.Stage.MOVING)), member,
            SlotState.IN_SYNC);
    }
}
