package io.millrace.block.raid;

import java.util.HashMap;
import java.util.Map;

/**
 * Whether what readers of an array have seen since a crash is stable on all its members, so that any that it can do
 * without may be lost together with the power. A resync has copied it to the others, which may have it in their caches
 * alone until they are flushed.
 */
final class ResyncWatch
{
    /** By member: flushes that had begun when the resync was over. Empty: it is not known to be. */
    private final Map<MemberDisk, Long> flushes = new HashMap<>();
    private int torn;

    /** The array is another one, or has begun anew. */
    void clear()
    {
        flushes.clear();
    }

    /**
     * Looks at the array, between two steps of its members; what was seen before counts unless something was torn
     * since.
     *
     * @param array that may be resynchronized, or has no redundancy; null: there is none.
     */
    void look(final RaidDevice array)
    {
        if (null == array || null == array.intent() || array.intent().nextResync(0) >= 0)
        {
            return;
        }
        if (torn != array.intent().tornCount())
        {
            flushes.clear();
        }
        torn = array.intent().tornCount();
        final ArrayView view = array.view();
        for (int slot = 0; slot < view.slotCount(); slot++)
        {
            if (view.isWritable(slot) && view.member(slot).device() instanceof final MemberDisk disk)
            {
                flushes.putIfAbsent(disk, disk.flushes());
            }
        }
    }

    /**
     * {@return whether each member has ended a flush that began after a look}
     *
     * @param array that was looked at.
     */
    boolean isStable(final RaidDevice array)
    {
        return !flushes.isEmpty() && torn == array.intent().tornCount() && array.intent().nextResync(0) < 0 &&
            flushes.entrySet().stream().allMatch((each) -> each.getKey().endedFlushes() > each.getValue());
    }
}
