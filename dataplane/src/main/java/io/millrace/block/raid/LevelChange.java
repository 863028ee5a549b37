package io.millrace.block.raid;

import io.millrace.block.raid.format.ReshapeState;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.block.raid.layout.RaidLevel;

/**
 * Whether an array may have another level, and how that begins: RAID 5 becomes RAID 6 with Q in one slot more, which is
 * rebuilt, and such a RAID 6 becomes RAID 5 without that slot. Data and P stay where they are. A RAID 6 that was
 * created as one has Q on all members: it is reshaped before. Stateless.
 */
final class LevelChange
{
    private LevelChange()
    {
    }

    /**
     * {@return the level that an array gets by a setting, which is the present one where that says the same; null: it
     * cannot get the level}
     *
     * @param present    level of the array.
     * @param configured level of the setting.
     */
    static RaidLevel target(final RaidLevel present, final RaidLevel configured)
    {
        if (present.label().equals(configured.label()) && present.parityStrips() == configured.parityStrips())
        {
            return present;
        }
        if (RaidLevel.RAID5 == present && RaidLevel.RAID6 == configured)
        {
            return RaidLevel.RAID6_Q_LAST;
        }
        return RaidLevel.RAID6_Q_LAST == present && RaidLevel.RAID5 == configured ? RaidLevel.RAID5 : null;
    }

    /**
     * {@return why an array cannot have the level of a setting, a sentence; {@link #target} has none}
     *
     * @param device     that serves.
     * @param configured level of the setting.
     */
    static String refusal(final RaidDevice device, final RaidLevel configured)
    {
        final RaidLevel present = device.layout().level();
        final String array = "array " + device.name() + " is " + present.title(device.layout().memberCount());
        return RaidLevel.RAID6 == present && RaidLevel.RAID5 == configured ?
            array + " with Q on all members in turn: reshape it so that Q is on the last one (millrace raid level " +
            device.name() + " 6 --q-last), and change its level when that has ended" :
            array + ", and cannot become " + configured.title() + ": only RAID 5 becomes RAID 6, and back; create " +
            "another array and copy the data";
    }

    /**
     * {@return why a RAID 5 cannot become RAID 6 now, a sentence; null: it can}
     *
     * @param device that serves.
     */
    static String raiseProblem(final RaidDevice device)
    {
        final String problem = ArrayGrowth.problem(device);
        return null == problem ? resync(device) : problem;
    }

    /** While a slot is rebuilt nothing is resynchronized, and a crash would leave parity that nobody may trust. */
    private static String resync(final RaidDevice device)
    {
        return device.intent().nextResync(0) < 0 ? null :
            "array " + device.name() + " is being resynchronized: change its level when that has ended";
    }

    /**
     * {@return why Q of an array cannot be moved to the last slot now, a sentence; null: it can}
     *
     * @param device that serves.
     */
    static String moveProblem(final RaidDevice device)
    {
        final RaidLevel level = device.layout().level();
        if (RaidLevel.RAID6 != level)
        {
            return "array " + device.name() + " is " + level.title(device.layout().memberCount()) +
                (RaidLevel.RAID6_Q_LAST != level ? ", and has no Q: only that of RAID 6 is moved to the last member" :
                device.view().map().isReshaping() ? ", and is being reshaped already" :
                ", and has Q on its last member already");
        }
        if (null != device.pages().checksums())
        {
            return ArrayGrowth.checksumProblem(device);
        }
        return device.isResizing() ? "array " + device.name() + " is being resized: reshape it when that has ended" :
            ArrayGrowth.dataMoveProblem(device);
    }

    /**
     * {@return the map with which Q of an array begins to be moved to the last slot}
     *
     * @param layout of an array that has no {@link #moveProblem}.
     */
    static StripMap movingQ(final ArrayLayout layout)
    {
        return StripMap.of(ArrayLayout.of(
            RaidLevel.RAID6_Q_LAST, layout.memberCount(), layout.stripBytes(), layout.memberBytes()),
            new ReshapeState(layout.memberCount(), 0, 0, ReshapeState.Stage.MOVING));
    }

    /**
     * {@return why a RAID 6 cannot become RAID 5 now, a sentence; null: it can}
     *
     * @param device that serves, of a level with Q in the last slot.
     */
    static String lowerProblem(final RaidDevice device)
    {
        final ArrayView view = device.view();
        final String array = "array " + device.name();
        if (view.map().isReshaping() || device.isResizing())
        {
            return array + " is being " + (view.map().isReshaping() ? "reshaped" : "resized") +
                ": change its level when that has ended";
        }
        if (null != view.target())
        {
            return array + " is replacing " + view.member(view.targetSlot()) + ": change its level when that has ended";
        }
        for (int slot = 0; slot < view.slotCount() - 1; slot++)
        {
            if (SlotState.IN_SYNC != view.state(slot))
            {
                return array + " has slot " + slot + " that is " + view.state(slot) +
                    ", and needs Q for its data: change its level when the slot is in sync";
            }
            if (!view.member(slot).lostBlocks().isEmpty())
            {
                return array + " has lost blocks of " + view.member(slot) + ": overwrite them first";
            }
        }
        // Which strip of a row is wrong, only P and Q together tell.
        return device.scrubControl().hasMismatches() ? array + " has rows that do not match, of which Q may tell " +
            "what is wrong: repair them first (millrace raid scrub " + device.name() + " --repair)" : resync(device);
    }

    /**
     * {@return the view of a RAID 6 that has become RAID 5, without the last slot, at the next event count}
     *
     * @param view of an array that has no {@link #lowerProblem}.
     */
    static ArrayView lowered(final ArrayView view)
    {
        final ArrayLayout old = view.layout();
        return view.shrinking(StripMap.of(
            ArrayLayout.of(RaidLevel.RAID5, old.memberCount() - 1, old.stripBytes(), old.memberBytes())));
    }
}
