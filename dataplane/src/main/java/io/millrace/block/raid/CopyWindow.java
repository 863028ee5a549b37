package io.millrace.block.raid;

import io.millrace.block.BlockStatus;

/**
 * Copies under way, in the order of their places. They may end in any order: everything before the first that has not
 * ended well is copied. The reactor's only; nothing is allocated per copy.
 */
final class CopyWindow
{
    /** Copies under way at once. */
    static final int COPIES_MAX = 16;
    /** Others go on behind a copy that waits for its rows, until so many have a place. */
    private static final int PLACES_MAX = 2 * COPIES_MAX;

    private final Runnable onEnded;
    /** A ring. */
    private final Copy[] copies = new Copy[PLACES_MAX];
    private int first;
    private int count;
    private int outstanding;
    private BlockStatus worst = BlockStatus.SUCCESS;

    /** One of them, notified at its end. */
    private final class Copy implements WorkListener
    {
        private long offset;
        private int slot;
        /** Null until it has ended. */
        private BlockStatus status;

        @Override
        public void onDone(final BlockStatus result)
        {
            status = result;
            outstanding--;
            if (BlockStatus.SUCCESS != result && BlockStatus.MEDIA_ERROR != worst)
            {
                worst = result;
            }
            onEnded.run();
        }
    }

    /**
     * Has no copies.
     *
     * @param onEnded run when a copy has ended, which may be before it was begun for its owner.
     */
    CopyWindow(final Runnable onEnded)
    {
        this.onEnded = onEnded;
        for (int i = 0; i < PLACES_MAX; i++)
        {
            copies[i] = new Copy();
        }
    }

    /**
     * {@return whether another copy can be added}
     *
     * @param copiesMax most copies under way, at most {@link #COPIES_MAX}.
     */
    boolean hasRoom(final int copiesMax)
    {
        return outstanding < copiesMax && count < PLACES_MAX;
    }

    /**
     * A copy is going to begin.
     *
     * @param offset where, not before that of the last.
     * @param slot   of several at the offset.
     * @return to be notified at its end.
     */
    WorkListener add(final long offset, final int slot)
    {
        final Copy copy = copies[(first + count) % PLACES_MAX];
        copy.offset = offset;
        copy.slot = slot;
        copy.status = null;
        count++;
        outstanding++;
        return copy;
    }

    /** Removes copies from the first on, up to one that has not ended well. */
    void removeCopied()
    {
        while (0 != count && BlockStatus.SUCCESS == copies[first].status)
        {
            first = (first + 1) % PLACES_MAX;
            count--;
        }
    }

    /** Forgets all copies, of which some have failed; none is under way. */
    void clear()
    {
        if (0 != outstanding)
        {
            throw new IllegalStateException(outstanding + " copies are under way");
        }
        count = 0;
        worst = BlockStatus.SUCCESS;
    }

    /**
     * {@return whether it has no copies, under way or ended}
     */
    boolean isEmpty()
    {
        return 0 == count;
    }

    /**
     * {@return whether copies are under way}
     */
    boolean isBusy()
    {
        return 0 != outstanding;
    }

    /**
     * {@return offset of the first copy; there is one}
     */
    long firstOffset()
    {
        return copies[first].offset;
    }

    /**
     * {@return slot of the first copy; there is one}
     */
    int firstSlot()
    {
        return copies[first].slot;
    }

    /**
     * {@return how those failed that have ended, a media error before others; {@link BlockStatus#SUCCESS}: none has}
     */
    BlockStatus worst()
    {
        return worst;
    }

    /**
     * {@return whether one has failed}
     */
    boolean hasFailed()
    {
        return BlockStatus.SUCCESS != worst;
    }
}
