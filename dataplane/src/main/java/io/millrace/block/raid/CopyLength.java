package io.millrace.block.raid;

import io.millrace.block.raid.layout.ArrayLayout;

/**
 * How long copies beside hosts are. Requests of hosts wait at each member behind all of a copy, so it is as short as
 * one that hosts' I/O is measured by, unless members do not reach the least rate with such, as drives that seek may
 * not: then it doubles until they do. One reactor's only.
 */
final class CopyLength
{
    /** Shorter ones cost members nearly as much. */
    static final int BYTES_MIN = CopyRate.REQUEST_BYTES_MIN;

    private int bytes = BYTES_MIN;

    int bytes()
    {
        return bytes;
    }

    /**
     * A copy has ended.
     *
     * @param tookNs    time that it took.
     * @param longestNs time that it takes at the least rate.
     */
    void onEnded(final long tookNs, final long longestNs)
    {
        if (tookNs > longestNs)
        {
            bytes = Math.min(2 * bytes, ArrayLayout.STRIP_BYTES_MAX);
        }
        else if (tookNs < longestNs / 2)
        {
            bytes = Math.max(bytes / 2, BYTES_MIN);
        }
    }
}
