package io.millrace.block.raid.format;

import io.millrace.block.BlockDeviceException;
import java.util.UUID;

/**
 * One slot of an array, as superblocks store it. Immutable.
 *
 * @param member       UUID of the slot's member; null when the slot is {@link SlotState#EMPTY}.
 * @param state        of the slot.
 * @param rebuiltBytes how many bytes of the member's data, from the first on, are rebuilt; 0 unless the slot is
 *                     {@link SlotState#REBUILDING}.
 * @param lostEvent    event count of the array when the member was lost: the write-intent bitmap has all regions in
 *                     which it may lack a write since. 0: it does not, and the member is rebuilt completely. Only in
 *                     states {@link SlotState#FAILED} and, when the bitmap's regions alone are rebuilt,
 *                     {@link SlotState#REBUILDING}.
 * @param hasLostBlocks whether the lost-block list of the member counts: it has all blocks that must not be read. Only
 *                     in states {@link SlotState#IN_SYNC} and {@link SlotState#REBUILDING}.
 */
public record Slot(UUID member, SlotState state, long rebuiltBytes, long lostEvent, boolean hasLostBlocks)
{
    /** A slot without a member. */
    public static final Slot EMPTY = new Slot(null, SlotState.EMPTY, 0);

    /**
     * A slot whose member is rebuilt completely, or is in sync.
     *
     * @param member       UUID of the slot's member.
     * @param state        of the slot.
     * @param rebuiltBytes how many bytes of the member's data are rebuilt.
     */
    public Slot(final UUID member, final SlotState state, final long rebuiltBytes)
    {
        this(member, state, rebuiltBytes, 0);
    }

    /**
     * A slot whose member has no lost blocks.
     *
     * @param member       UUID of the slot's member.
     * @param state        of the slot.
     * @param rebuiltBytes how many bytes of the member's data are rebuilt.
     * @param lostEvent    event count of the array when the member was lost.
     */
    public Slot(final UUID member, final SlotState state, final long rebuiltBytes, final long lostEvent)
    {
        this(member, state, rebuiltBytes, lostEvent, false);
    }

    /**
     * Checks that the values fit together.
     *
     * @throws BlockDeviceException when they do not.
     */
    public Slot
    {
        if (null == state)
        {
            throw new BlockDeviceException("slot: the state is missing: use EMPTY where there is no member");
        }
        if (SlotState.EMPTY == state && null != member)
        {
            throw new BlockDeviceException("slot: member " + member +
                " is in an EMPTY slot: remove the member or use another state");
        }
        if (SlotState.EMPTY != state && StoredUuid.isMissing(member))
        {
            throw new BlockDeviceException("slot: the UUID of the member is missing in state " + state +
                ": use EMPTY where there is no member");
        }
        if (rebuiltBytes < 0 || 0 != rebuiltBytes && SlotState.REBUILDING != state)
        {
            throw new BlockDeviceException("slot: " + rebuiltBytes + " rebuilt bytes in state " + state +
                " are not valid: use 0, or a positive number in state REBUILDING");
        }
        if (lostEvent < 0 || 0 != lostEvent && SlotState.FAILED != state && SlotState.REBUILDING != state)
        {
            throw new BlockDeviceException("slot: lost event " + lostEvent + " in state " + state +
                " is not valid: use 0, or a positive number in state FAILED or REBUILDING");
        }
        if (hasLostBlocks && SlotState.IN_SYNC != state && SlotState.REBUILDING != state)
        {
            throw new BlockDeviceException("slot: a lost-block list in state " + state +
                " is not valid: use none, or state IN_SYNC or REBUILDING");
        }
    }

    /**
     * {@return whether the member belongs to the array: it is in sync or becomes so}
     */
    public boolean isActive()
    {
        return SlotState.IN_SYNC == state || SlotState.REBUILDING == state;
    }
}
