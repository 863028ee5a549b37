package io.millrace.block.raid;

import io.millrace.block.StripeLocks;

/**
 * The rows that a {@link StripeRequest} locks. Channels whose requests may wait for them are notified when they are
 * unlocked. The reactor's only.
 */
final class RowLock
{
    private final StripeLocks locks;
    private final RaidChannels channels;
    /** As the level counts them. */
    private long offset;
    private int length;
    private boolean isShared;
    private boolean isHeld;

    /**
     * Wants no rows.
     *
     * @param locks    of the array.
     * @param channels of the array.
     */
    RowLock(final StripeLocks locks, final RaidChannels channels)
    {
        this.locks = locks;
        this.channels = channels;
    }

    /** Wants no rows, and holds none. */
    void clear()
    {
        length = 0;
        isHeld = false;
    }

    /**
     * Says which rows it wants.
     *
     * @param newOffset in bytes, as the level counts them.
     * @param newLength in bytes.
     * @param shared    whether others may have them, too.
     */
    void want(final long newOffset, final int newLength, final boolean shared)
    {
        offset = newOffset;
        length = newLength;
        isShared = shared;
    }

    boolean isHeld()
    {
        return isHeld;
    }

    /**
     * {@return whether it has got the rows that it wants, which may be none}
     */
    boolean acquire()
    {
        if (0 == length)
        {
            return true;
        }
        // First without acquiring a part, which would refuse others and have to be reported: two that wait would wake
        // each other again and again.
        if (isShared ? locks.isExclusive(offset, length) || locks.isWanted(offset, length) :
            locks.isRefused(offset, length))
        {
            return false;
        }
        isHeld = isShared ? locks.tryShared(offset, length) : locks.tryExclusive(offset, length);
        if (!isHeld)
        {
            // Another one was faster, and a third one may have been refused for what was acquired meanwhile.
            channels.onProgress();
        }
        return isHeld;
    }

    /** Gives the rows back that it holds. */
    void release()
    {
        if (isHeld)
        {
            if (isShared)
            {
                locks.releaseShared(offset, length);
            }
            else
            {
                locks.releaseExclusive(offset, length);
            }
            channels.onProgress();
        }
    }
}
