package io.millrace.block.raid;

import io.millrace.block.raid.format.Slot;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.block.raid.layout.RaidLevel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Which member is in which slot of an array and whether its data is valid, at one event count. Immutable. A request
 * that holds the lock of its stripe reads the present view after it got the lock, so that whoever changes the view and
 * locks the stripe afterwards knows that the change was seen.
 */
final class ArrayView
{
    /** Instead of a slot. */
    static final int NO_SLOT = -1;

    private final StripMap map;
    private final long eventCount;
    private final RaidMember[] members;
    private final SlotState[] states;
    /** By slot, as {@link Slot#lostEvent} has it. */
    private final long[] lostEvents;
    /** That member is to replace the one of a slot; null: none is. */
    private final RaidMember target;
    private final int targetSlot;
    private final String failure;
    private final boolean isComplete;
    private final boolean hasAllData;
    private final boolean isInPlace;
    private final boolean isSteady;
    private final long journalEpoch;
    /** That entries of the journal go to when writes are journaled; null: members. */
    private final RaidMember journalDevice;

    private ArrayView(
        final StripMap map,
        final long eventCount,
        final RaidMember[] members,
        final SlotState[] states,
        final long[] lostEvents,
        final RaidMember target,
        final int targetSlot,
        final String failure,
        final long journalEpoch,
        final RaidMember journalDevice)
    {
        this.lostEvents = lostEvents;
        this.target = target;
        this.targetSlot = targetSlot;
        this.map = map;
        this.eventCount = eventCount;
        this.members = members;
        this.states = states;
        this.failure = failure;
        this.journalEpoch = journalEpoch;
        this.journalDevice = journalDevice;
        isComplete = areInSync(states);
        hasAllData = areInSync(Arrays.copyOf(states, map.slotsWithData()));
        isInPlace = null == failure && !map.isReshaping();
        isSteady = isComplete && null == target && isInPlace;
    }

    private static boolean areInSync(final SlotState... states)
    {
        for (final SlotState state : states)
        {
            if (SlotState.IN_SYNC != state)
            {
                return false;
            }
        }
        return true;
    }

    /**
     * A view of an array that serves.
     *
     * @param map        of its strips.
     * @param eventCount that superblocks on all its members have.
     * @param members    by slot; null for an empty slot.
     * @param slots      as superblocks have them.
     * @return the view.
     */
    static ArrayView of(
        final StripMap map, final long eventCount, final RaidMember[] members, final List<Slot> slots)
    {
        return new ArrayView(map, eventCount, members.clone(),
            slots.stream().map(Slot::state).toArray(SlotState[]::new),
            slots.stream().mapToLong(Slot::lostEvent).toArray(), null, NO_SLOT, null, 0, null);
    }

    /**
     * {@return the slots as superblocks have them}
     */
    List<Slot> slots()
    {
        final List<Slot> slots = new ArrayList<>();
        for (int slot = 0; slot < states.length; slot++)
        {
            slots.add(null == members[slot] ? Slot.EMPTY : new Slot(members[slot].id(), states[slot],
                SlotState.REBUILDING == states[slot] ? members[slot].rebuiltBytes() : 0, lostEvents[slot],
                isWritable(slot) && members[slot].lostBlocks().isRecorded()));
        }
        return slots;
    }

    /**
     * {@return the view with another member or state in a slot, at the next event count}
     *
     * @param slot   to change.
     * @param member in the slot from then on; null: none.
     * @param state  of the slot.
     */
    ArrayView with(final int slot, final RaidMember member, final SlotState state)
    {
        return with(slot, member, state, 0);
    }

    /**
     * {@return the view with another member or state in a slot, at the next event count}
     *
     * @param slot      to change.
     * @param member    in the slot from then on.
     * @param state     of the slot.
     * @param lostEvent event count with which the member was lost; 0: it is rebuilt completely, or in sync.
     */
    ArrayView with(final int slot, final RaidMember member, final SlotState state, final long lostEvent)
    {
        final RaidMember[] newMembers = members.clone();
        final SlotState[] newStates = states.clone();
        final long[] newLostEvents = lostEvents.clone();
        newMembers[slot] = member;
        newStates[slot] = state;
        newLostEvents[slot] = lostEvent;
        final boolean isReplaced = member == target;
        return new ArrayView(map, eventCount + 1, newMembers, newStates, newLostEvents,
            isReplaced ? null : target, isReplaced ? NO_SLOT : targetSlot, failure, journalEpoch, journalDevice);
    }

    /**
     * {@return the event count with which the member of a slot was lost, as {@link Slot#lostEvent} has it; 0: none}
     *
     * @param slot to read.
     */
    long lostEvent(final int slot)
    {
        return lostEvents[slot];
    }

    /**
     * {@return the view with nothing changed but the event count}
     */
    ArrayView next()
    {
        return new ArrayView(
            map, eventCount + 1, members, states, lostEvents, target, targetSlot, failure, journalEpoch, journalDevice);
    }

    /**
     * {@return the view with nothing changed but the event count, which superblocks of another one may have}
     *
     * @param newEventCount of the view.
     */
    ArrayView counting(final long newEventCount)
    {
        return new ArrayView(map, newEventCount, members, states, lostEvents, target, targetSlot, failure,
            journalEpoch, journalDevice);
    }

    /**
     * {@return the view in which a member is going to replace that of a slot: it gets all writes of that slot, and is
     * not read; at the next event count}
     *
     * @param slot      whose member is in sync.
     * @param newTarget that has no slot; null: none from then on.
     */
    ArrayView replacing(final int slot, final RaidMember newTarget)
    {
        return new ArrayView(map, eventCount + 1, members, states, lostEvents, newTarget,
            null == newTarget ? NO_SLOT : slot, failure, journalEpoch, journalDevice);
    }

    /**
     * {@return the view without a member that has failed or has no slot; superblocks say the same}
     *
     * @param member of the array.
     */
    ArrayView released(final RaidMember member)
    {
        final RaidMember[] newMembers = members.clone();
        final int slot = slotOf(member);
        if (slot >= 0)
        {
            newMembers[slot] = RaidMember.missing(member.id());
        }
        final boolean isTarget = member == target;
        return new ArrayView(map, eventCount, newMembers, states, lostEvents, isTarget ? null : target,
            isTarget ? NO_SLOT : targetSlot, failure, journalEpoch, journalDevice);
    }

    /**
     * {@return the view of the array once it has lost more than its level tolerates: every request fails}
     *
     * @param reason a sentence.
     */
    ArrayView failed(final String reason)
    {
        return new ArrayView(map, eventCount, members, states, lostEvents, target, targetSlot, reason, journalEpoch,
            journalDevice);
    }

    /**
     * {@return the view with another epoch of the journal}
     *
     * @param epoch of the superblocks; 0: writes are not journaled.
     */
    ArrayView journaling(final long epoch)
    {
        return new ArrayView(map, eventCount, members, states, lostEvents, target, targetSlot, failure, epoch,
            journalDevice);
    }

    /**
     * {@return whether writes are journaled}
     */
    boolean isJournaling()
    {
        return 0 != journalEpoch;
    }

    /**
     * {@return epoch of entries in the journal; 0: writes are not journaled}
     */
    long journalEpoch()
    {
        return journalEpoch;
    }

    /**
     * {@return the view with another journal device}
     *
     * @param newDevice without a slot; null: members have the journal from then on.
     */
    ArrayView journalingOn(final RaidMember newDevice)
    {
        return new ArrayView(map, eventCount, members, states, lostEvents, target, targetSlot, failure, journalEpoch,
            newDevice);
    }

    /**
     * {@return the device that entries of the journal go to when writes are journaled; null: they go to members}
     */
    RaidMember journalDevice()
    {
        return journalDevice;
    }

    /**
     * {@return the view with another map of its strips, at the next event count}
     *
     * @param newMap with the same slots.
     */
    ArrayView mapping(final StripMap newMap)
    {
        return new ArrayView(newMap, eventCount + 1, members, states, lostEvents, target, targetSlot, failure,
            journalEpoch, journalDevice);
    }

    /**
     * {@return the view with another window, or the place of the reshape that is stable; superblocks say the same}
     *
     * @param newMap with the same slots.
     */
    ArrayView waiting(final StripMap newMap)
    {
        return new ArrayView(newMap, eventCount, members, states, lostEvents, target, targetSlot, failure,
            journalEpoch, journalDevice);
    }

    /**
     * {@return the view with one slot more, at the next event count}
     *
     * @param newMap that has the slot.
     * @param member in it.
     * @param state  of the slot.
     */
    ArrayView growing(final StripMap newMap, final RaidMember member, final SlotState state)
    {
        final int count = members.length;
        final RaidMember[] newMembers = Arrays.copyOf(members, count + 1);
        final SlotState[] newStates = Arrays.copyOf(states, count + 1);
        newMembers[count] = member;
        newStates[count] = state;
        return new ArrayView(newMap, eventCount + 1, newMembers, newStates, Arrays.copyOf(lostEvents, count + 1),
            target, targetSlot, failure, journalEpoch, journalDevice);
    }

    /**
     * {@return the view without its last slot, at the next event count}
     *
     * @param newMap that does not have the slot.
     */
    ArrayView shrinking(final StripMap newMap)
    {
        final int count = members.length - 1;
        return new ArrayView(newMap, eventCount + 1, Arrays.copyOf(members, count), Arrays.copyOf(states, count),
            Arrays.copyOf(lostEvents, count), target, targetSlot, failure, journalEpoch, journalDevice);
    }

    /**
     * {@return where its strips are}
     */
    StripMap map()
    {
        return map;
    }

    /**
     * {@return count of its slots}
     */
    int slotCount()
    {
        return members.length;
    }

    /**
     * {@return layout of the array, or the one that it has when its reshape has ended}
     */
    ArrayLayout layout()
    {
        return map.layout();
    }

    /**
     * {@return the event count of the superblocks that say the same}
     */
    long eventCount()
    {
        return eventCount;
    }

    /**
     * {@return why every request fails; null while the array serves}
     */
    String failure()
    {
        return failure;
    }

    /**
     * {@return the member that is going to replace that of {@link #targetSlot}; null: none}
     */
    RaidMember target()
    {
        return target;
    }

    /**
     * {@return slot whose writes {@link #target} gets, too; {@link #NO_SLOT}: none}
     */
    int targetSlot()
    {
        return targetSlot;
    }

    /**
     * {@return whether a member gets writes, of data or of entries of the journal}
     *
     * @param member of the array.
     */
    boolean isWritten(final RaidMember member)
    {
        return null != member && member == journalDevice || NO_SLOT != writtenSlot(member);
    }

    /**
     * {@return whether a request that goes by this view may use a member}
     *
     * @param member of the array.
     */
    boolean isUsed(final RaidMember member)
    {
        return slotOf(member) >= 0 || member == target || member == journalDevice;
    }

    /**
     * {@return the slot whose writes a member gets, since it has it or is going to; {@link #NO_SLOT}: it gets none}
     *
     * @param member of the array.
     */
    int writtenSlot(final RaidMember member)
    {
        final int slot = slotOf(member);
        return member == target ? targetSlot : slot >= 0 && isWritable(slot) ? slot : NO_SLOT;
    }

    RaidMember member(final int slot)
    {
        return members[slot];
    }

    SlotState state(final int slot)
    {
        return states[slot];
    }

    /**
     * {@return the slot of a member; -1: it has none}
     *
     * @param member of the array.
     */
    int slotOf(final RaidMember member)
    {
        for (int slot = 0; slot < members.length; slot++)
        {
            if (members[slot] == member)
            {
                return slot;
            }
        }
        return -1;
    }

    /**
     * {@return whether a slot's data is valid up to an offset}
     *
     * @param slot     to read.
     * @param endBytes behind the last byte, from the start of the member's data.
     */
    boolean isReadable(final int slot, final long endBytes)
    {
        return switch (states[slot])
        {
            case IN_SYNC -> true;
            case REBUILDING -> endBytes <= members[slot].rebuiltBytes();
            case EMPTY, FAILED -> false;
        };
    }

    /**
     * {@return whether writes go to a slot}
     *
     * @param slot to write.
     */
    boolean isWritable(final int slot)
    {
        return SlotState.IN_SYNC == states[slot] || SlotState.REBUILDING == states[slot];
    }

    /**
     * {@return whether every slot is in sync}
     */
    boolean isComplete()
    {
        return isComplete;
    }

    /**
     * {@return whether nothing has to be computed from parity, so that P may be computed again: every slot is in sync,
     * but for one of Q alone}
     */
    boolean hasAllData()
    {
        return hasAllData;
    }

    /**
     * {@return whether nothing has to be computed from parity, as {@link #hasAllData()} has it}
     *
     * @param map      of the strips.
     * @param isInSync by slot.
     */
    static boolean hasAllData(final StripMap map, final boolean[] isInSync)
    {
        for (int slot = 0; slot < map.slotsWithData(); slot++)
        {
            if (!isInSync[slot])
            {
                return false;
            }
        }
        return true;
    }

    /**
     * {@return whether every slot is in sync and keeps its member, no data moves, and the array serves}
     */
    boolean isSteady()
    {
        return isSteady;
    }

    /**
     * {@return whether data is where the layout says, as far as slots have it: none moves, and the array serves}
     */
    boolean isInPlace()
    {
        return isInPlace;
    }

    /**
     * {@return the first slot of a state; -1: none}
     *
     * @param state to find.
     */
    int firstOf(final SlotState state)
    {
        for (int slot = 0; slot < states.length; slot++)
        {
            if (state == states[slot])
            {
                return slot;
            }
        }
        return -1;
    }

    /**
     * {@return the slot that a spare takes next; -1: none, or another one is being rebuilt}
     */
    int vacantSlot()
    {
        final int failedSlot = firstOf(SlotState.FAILED);
        return firstOf(SlotState.REBUILDING) >= 0 ? -1 :
            failedSlot >= 0 ? failedSlot : firstOf(SlotState.EMPTY);
    }

    /**
     * {@return whether all data can be read from the slots that are in sync}
     */
    boolean isSufficient()
    {
        final boolean[] isInSync = new boolean[states.length];
        for (int slot = 0; slot < states.length; slot++)
        {
            isInSync[slot] = SlotState.IN_SYNC == states[slot];
        }
        return isSufficient(map.countingLayout(), isInSync);
    }

    /**
     * {@return whether all data of an array can be read from some of its slots}
     *
     * @param layout  of the data.
     * @param isValid by slot; slots that the layout does not have are not looked at.
     */
    static boolean isSufficient(final ArrayLayout layout, final boolean[] isValid)
    {
        final int count = layout.memberCount();
        int lost = 0;
        for (int slot = 0; slot < count; slot++)
        {
            lost += isValid[slot] ? 0 : 1;
        }
        if (RaidLevel.RAID10 != layout.level())
        {
            return lost <= (RaidLevel.RAID1 == layout.level() ? count - 1 : layout.parityCount());
        }
        // Copies are in neighbouring slots: in pairs, or each slot with the next where their count is odd.
        final int step = 0 == (count & 1) ? 2 : 1;
        for (int slot = 0; slot < count; slot += step)
        {
            if (!isValid[slot] && !isValid[(slot + 1) % count])
            {
                return false;
            }
        }
        return true;
    }
}
