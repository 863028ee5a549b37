package io.millrace.block.raid;

import io.millrace.block.StripeLocks;

/** The rows that a {@link StripeRequest} locks. The reactor's only. */
final class RowLock
{
    private final StripeLocks locks;
    /** As the level counts them. */
    private long offset;
    private int length;
    private boolean isShared;
    private boolean isHeld;

    /**
     * Wants no rows.
     *
     * @param locks of the array.
     */
    RowLock(final StripeLocks locks)
    {
        this.locks = locks;
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
        isHeld = 0 != length && (isShared ? locks.tryShared(offset, length) : locks.tryExclusive(offset, length));
        return isHeld || 0 == length;
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
        }
    }
}
