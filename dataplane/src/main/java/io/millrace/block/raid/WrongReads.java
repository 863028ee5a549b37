package io.millrace.block.raid;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Blocks that requests of hosts found to have a checksum mismatch, for {@link ArrayWork} to announce: the first ones of
 * each member.
 */
final class WrongReads
{
    /** Of a member, since it was assembled. */
    private static final int ANNOUNCED_MAX = 16;

    private final Queue<String> sentences = new ConcurrentLinkedQueue<>();
    private final Runnable onAdded;

    /**
     * None.
     *
     * @param onAdded run when there is one to announce; any thread.
     */
    WrongReads(final Runnable onAdded)
    {
        this.onAdded = onAdded;
    }

    /**
     * Blocks of a member were read that have a checksum mismatch. Any thread.
     *
     * @param member with the blocks.
     * @param slot   of the member.
     * @param offset of the rows in bytes of the member's data.
     * @param count  of the blocks.
     */
    void add(final RaidMember member, final int slot, final long offset, final int count)
    {
        member.onWrong(count);
        if (member.wrongBlocks() <= ANNOUNCED_MAX)
        {
            sentences.add("blocks at byte " + offset + " of the data of " + member + " (slot " + slot +
                "): checksum mismatch in a read for a host; nothing is computed from them: scrub the array");
            onAdded.run();
        }
    }

    /**
     * {@return the next sentence to announce, without the name of the array; null: none}
     */
    String next()
    {
        return sentences.poll();
    }

    /**
     * {@return whether no sentence waits}
     */
    boolean isEmpty()
    {
        return sentences.isEmpty();
    }
}
