package io.millrace.block.raid;

import io.millrace.block.raid.format.Slot;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.format.Superblock;
import java.util.List;

/**
 * Tells whether a device that comes back has the data of the slot that it was lost from, but for the regions that the
 * write-intent bitmap has set. Since a member was lost no bit was cleared, and before that only bits of regions that
 * all members had made stable.
 */
final class FormerMember
{
    /** Instead of a slot. */
    static final int NO_SLOT = -1;
    /**
     * More than the changes that may be on the member alone when it is lost. Who has gone on with it, and without those
     * that were in sync, has assembled it, which is further.
     */
    static final long EVENTS_MAX = RaidAssembly.ASSEMBLY_EVENTS;

    private FormerMember()
    {
    }

    /**
     * {@return the slot that a device can take again; {@link #NO_SLOT}: none, all of it has to be rebuilt}
     *
     * @param slots as the authoritative superblock has them.
     * @param own   superblock of the device, of the same array.
     */
    static int slot(final List<Slot> slots, final Superblock own)
    {
        for (int slot = 0; slot < Math.min(slots.size(), own.slots().size()); slot++)
        {
            final Slot recorded = slots.get(slot);
            if (SlotState.FAILED == recorded.state() && 0 != recorded.lostEvent() &&
                recorded.member().equals(own.member()) && hasData(own.slots().get(slot), own) &&
                own.eventCount() >= recorded.lostEvent() && own.eventCount() < recorded.lostEvent() + EVENTS_MAX)
            {
                return slot;
            }
        }
        return NO_SLOT;
    }

    /** Whether it was in sync, or lacked nothing but what the bitmap had already. */
    private static boolean hasData(final Slot slot, final Superblock own)
    {
        return own.member().equals(slot.member()) && (SlotState.IN_SYNC == slot.state() ||
            SlotState.REBUILDING == slot.state() && 0 != slot.lostEvent());
    }
}
