package io.millrace.block.raid;

import io.millrace.block.BlockDeviceException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Changes of members that {@link Membership} is to make, in their order. Any thread; no call blocks. */
final class MemberChanges
{
    private final Queue<MemberChange> waiting = new ConcurrentLinkedQueue<>();

    void add(final MemberChange change)
    {
        waiting.add(change);
    }

    /**
     * {@return a change to make; null: none}
     */
    MemberChange next()
    {
        return waiting.poll();
    }

    boolean isEmpty()
    {
        return waiting.isEmpty();
    }

    /**
     * Refuses changes that wait.
     *
     * @param sentence why.
     */
    void refuse(final String sentence)
    {
        for (MemberChange each = waiting.poll(); null != each; each = waiting.poll())
        {
            each.done().completeExceptionally(new BlockDeviceException(sentence));
        }
    }
}
