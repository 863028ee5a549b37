package io.millrace.block.raid;

import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;

/**
 * Members of slots that failed parts of a {@link StripeRequest}: they are reported, and the request waits until the
 * view says what has become of them. The reactor's only; nothing is allocated.
 */
final class PartFailures
{
    private final RaidDevice device;
    /** By bit. */
    private long slots;
    private BlockStatus status;

    /**
     * None have failed.
     *
     * @param device that the members are of.
     */
    PartFailures(final RaidDevice device)
    {
        this.device = device;
    }

    /**
     * A member has failed.
     *
     * @param slot   of the member.
     * @param failed how its part ended.
     */
    void add(final int slot, final BlockStatus failed)
    {
        slots |= 1L << slot;
        status = failed;
    }

    boolean isEmpty()
    {
        return 0 == slots;
    }

    /**
     * {@return slots of the members, by bit}
     */
    long slots()
    {
        return slots;
    }

    void clear()
    {
        slots = 0;
    }

    /**
     * Says of each member that it has failed.
     *
     * @param view  that the parts went by.
     * @param parts by slot.
     */
    void report(final ArrayView view, final BlockRequest[] parts)
    {
        for (long left = slots; 0 != left; left &= left - 1)
        {
            final int slot = Long.numberOfTrailingZeros(left);
            device.onMemberFailed(view.member(slot), parts[slot].operation() + " ended with", status);
        }
    }

    /**
     * {@return whether one of the members is still written, so that its failure is not in the view}
     *
     * @param view    that the parts went by.
     * @param present view.
     */
    boolean isAnyWritten(final ArrayView view, final ArrayView present)
    {
        for (long left = slots; 0 != left; left &= left - 1)
        {
            if (present.isWritten(view.member(Long.numberOfTrailingZeros(left))))
            {
                return true;
            }
        }
        return false;
    }
}
