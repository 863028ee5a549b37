package io.millrace.block;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.agrona.concurrent.NanoClock;

/**
 * Reader-writer locks of the regions of a device, for devices that share data between reactors: memory, and arrays that
 * must not change a stripe twice at once. Any number of threads. An attempt never blocks: it succeeds or fails
 * immediately, for all of its range or none of it. A channel that is refused answers false to its submitter, which
 * tries again in a later cycle. The thread that releases a range need not be the one that acquired it.
 * <p>
 * One word a stripe; a region of 4 KiB belongs to the stripe of its number modulo the stripe count, so distant regions
 * may share one, which costs only an unnecessary retry. A device that locks larger regions multiplies their numbers by
 * {@link #REGION_BYTES}. A word is
 * <pre>
 *   31      30      29 ... 20             19 ... 0
 *   writer  wanted  when it was wanted    count of readers (reads under way and loans)
 * </pre>
 * <b>Marks.</b> A writer that is refused leaves {@code wanted} on its whole range, and again at each attempt. That
 * keeps further readers out, so that a stream of loans cannot starve it, and recalls all loans that it has to wait for
 * together instead of one stripe after the other; see {@link #isWanted}. A mark that was not renewed for
 * {@link #MARK_NS_MAX} is stale: its writer did not retry.
 */
public final class StripeLocks
{
    /** Bytes of a region. */
    public static final long REGION_BYTES = 1L << 12;
    /** Longest range that can be acquired: a longer one might meet its own stripes. */
    public static final long RANGE_BYTES_MAX = 2L << 20;
    /** A time in a word counts units of 2^20 ns, about a millisecond, and comes round after a second. */
    private static final int TIME_UNIT_SHIFT = 20;
    private static final int MARK_UNITS_MAX = 96;
    /** How long the mark of a writer that does not retry blocks readers: a writer that waits retries before. */
    public static final long MARK_NS_MAX = (long)MARK_UNITS_MAX << TIME_UNIT_SHIFT;

    private static final int REGION_SHIFT = 12;
    private static final int STRIPES_MAX = 1 << 16;
    /** A device may grow: no range may come to a stripe twice. */
    private static final int STRIPES_MIN = 1 << 10;
    private static final int WRITER = 1 << 31;
    private static final int WANTED = 1 << 30;
    private static final int TIME_SHIFT = 20;
    private static final int TIME_MASK = 0x3FF;
    private static final int READERS = (1 << TIME_SHIFT) - 1;
    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(int[].class);

    private final int[] words;
    private final int mask;
    private final NanoClock clock;

    /**
     * Locks for a device.
     *
     * @param sizeBytes of it at first; a device of up to 256 MiB has a stripe for each region.
     * @param clock     read only when an attempt is refused.
     */
    public StripeLocks(final long sizeBytes, final NanoClock clock)
    {
        this.clock = clock;
        final long regions = (sizeBytes >>> REGION_SHIFT) + 1;
        final int stripes = Math.clamp(Long.highestOneBit(regions) << 1, STRIPES_MIN, STRIPES_MAX);
        words = new int[stripes];
        mask = stripes - 1;
    }

    /**
     * Acquires a range for reading.
     *
     * @param offsetBytes of the range.
     * @param lengthBytes of the range; positive, at most {@link #RANGE_BYTES_MAX}.
     * @return false when a writer holds or waits for part of it; then nothing is held.
     */
    public boolean tryShared(final long offsetBytes, final long lengthBytes)
    {
        final long first = offsetBytes >>> REGION_SHIFT;
        final long last = (offsetBytes + lengthBytes - 1) >>> REGION_SHIFT;
        for (long region = first; region <= last; region++)
        {
            if (!tryShared((int)region & mask))
            {
                leaveShared(first, region - 1);
                return false;
            }
        }
        return true;
    }

    /**
     * Releases a range acquired for reading.
     *
     * @param offsetBytes of the range that was entered.
     * @param lengthBytes of the range that was entered.
     */
    public void releaseShared(final long offsetBytes, final long lengthBytes)
    {
        leaveShared(offsetBytes >>> REGION_SHIFT, (offsetBytes + lengthBytes - 1) >>> REGION_SHIFT);
    }

    /**
     * Acquires a range for writing. Stripes are acquired in ascending order, so of two overlapping attempts one
     * succeeds.
     *
     * @param offsetBytes of the range.
     * @param lengthBytes of the range; positive, at most {@link #RANGE_BYTES_MAX}.
     * @return false when part of it is held by others; then nothing is held.
     */
    public boolean tryExclusive(final long offsetBytes, final long lengthBytes)
    {
        final long first = offsetBytes >>> REGION_SHIFT;
        final long last = (offsetBytes + lengthBytes - 1) >>> REGION_SHIFT;
        for (long region = first; region <= last; region++)
        {
            if (!tryExclusive((int)region & mask))
            {
                final int mark = mark();
                leaveMarked(first, region - 1, mark);
                want(region, last, mark);
                return false;
            }
        }
        return true;
    }

    /**
     * Tells a writer whether {@link #tryExclusive} would be refused, without acquiring any of the range meanwhile, for
     * which others would be refused. It leaves the marks of a writer that is.
     *
     * @param offsetBytes of the range.
     * @param lengthBytes of the range; positive, at most {@link #RANGE_BYTES_MAX}.
     * @return whether part of it is held.
     */
    public boolean isRefused(final long offsetBytes, final long lengthBytes)
    {
        final long first = offsetBytes >>> REGION_SHIFT;
        final long last = (offsetBytes + lengthBytes - 1) >>> REGION_SHIFT;
        for (long region = first; region <= last; region++)
        {
            if (0 != ((int)WORD.getAcquire(words, (int)region & mask) & (WRITER | READERS)))
            {
                want(first, last, mark());
                return true;
            }
        }
        return false;
    }

    /**
     * Acquires a range for writing, as {@link #tryExclusive} does, for one who does not wait for it: a refusal leaves
     * no mark, which would keep readers out for nobody.
     *
     * @param offsetBytes of the range.
     * @param lengthBytes of the range; positive, at most {@link #RANGE_BYTES_MAX}.
     * @return false when part of it is held by others; then nothing is held.
     */
    public boolean tryExclusiveOnce(final long offsetBytes, final long lengthBytes)
    {
        final long first = offsetBytes >>> REGION_SHIFT;
        final long last = (offsetBytes + lengthBytes - 1) >>> REGION_SHIFT;
        for (long region = first; region <= last; region++)
        {
            if (!tryExclusive((int)region & mask))
            {
                leaveExclusive(first, region - 1);
                return false;
            }
        }
        return true;
    }

    /**
     * Releases a range acquired for writing.
     *
     * @param offsetBytes of the range that was entered.
     * @param lengthBytes of the range that was entered.
     */
    public void releaseExclusive(final long offsetBytes, final long lengthBytes)
    {
        leaveExclusive(offsetBytes >>> REGION_SHIFT, (offsetBytes + lengthBytes - 1) >>> REGION_SHIFT);
    }

    /**
     * Acquires one range for reading and another for writing. A stripe of both ranges is acquired once, for writing.
     *
     * @param sourceBytes      offset of the range to read.
     * @param destinationBytes offset of the range to write.
     * @param lengthBytes      of each; positive, at most {@link #RANGE_BYTES_MAX}.
     * @return false when part of a range is held by others; then nothing is held.
     */
    public boolean tryCopy(final long sourceBytes, final long destinationBytes, final long lengthBytes)
    {
        if (!tryExclusive(destinationBytes, lengthBytes))
        {
            return false;
        }
        final long first = sourceBytes >>> REGION_SHIFT;
        final long last = (sourceBytes + lengthBytes - 1) >>> REGION_SHIFT;
        for (long region = first; region <= last; region++)
        {
            if (!isStripeOf(region, destinationBytes, lengthBytes) && !tryShared((int)region & mask))
            {
                leaveSource(first, region - 1, destinationBytes, lengthBytes);
                // Without a mark: it would starve another copy in the opposite direction.
                releaseExclusive(destinationBytes, lengthBytes);
                return false;
            }
        }
        return true;
    }

    /**
     * Releases both ranges.
     *
     * @param sourceBytes      offset of the range that was read.
     * @param destinationBytes offset of the range that was written.
     * @param lengthBytes      of each.
     */
    public void releaseCopy(final long sourceBytes, final long destinationBytes, final long lengthBytes)
    {
        leaveSource(sourceBytes >>> REGION_SHIFT, (sourceBytes + lengthBytes - 1) >>> REGION_SHIFT, destinationBytes,
            lengthBytes);
        releaseExclusive(destinationBytes, lengthBytes);
    }

    /**
     * {@return whether a writer waits for part of a range}
     *
     * @param offsetBytes of the range.
     * @param lengthBytes of the range; positive, at most {@link #RANGE_BYTES_MAX}.
     */
    public boolean isWanted(final long offsetBytes, final long lengthBytes)
    {
        final long last = (offsetBytes + lengthBytes - 1) >>> REGION_SHIFT;
        for (long region = offsetBytes >>> REGION_SHIFT; region <= last; region++)
        {
            final int word = (int)WORD.getOpaque(words, (int)region & mask);
            if (word > 0 && 0 != (word & WANTED) && !isStale(word))
            {
                return true;
            }
        }
        return false;
    }

    /**
     * {@return whether part of a range is held for writing}
     *
     * @param offsetBytes of the range.
     * @param lengthBytes of the range; positive, at most {@link #RANGE_BYTES_MAX}.
     */
    public boolean isExclusive(final long offsetBytes, final long lengthBytes)
    {
        final long last = (offsetBytes + lengthBytes - 1) >>> REGION_SHIFT;
        for (long region = offsetBytes >>> REGION_SHIFT; region <= last; region++)
        {
            if ((int)WORD.getOpaque(words, (int)region & mask) < 0)
            {
                return true;
            }
        }
        return false;
    }

    /**
     * {@return number of held stripes; 0 before the device may be closed}
     */
    public int heldCount()
    {
        int held = 0;
        for (int i = 0; i < words.length; i++)
        {
            if (0 != ((int)WORD.getAcquire(words, i) & (WRITER | READERS)))
            {
                held++;
            }
        }
        return held;
    }

    /** Whether a region's stripe is one of a range's. */
    private boolean isStripeOf(final long region, final long offsetBytes, final long lengthBytes)
    {
        final long first = offsetBytes >>> REGION_SHIFT;
        final long last = (offsetBytes + lengthBytes - 1) >>> REGION_SHIFT;
        return (region - first & mask) <= last - first;
    }

    private void leaveSource(final long first, final long last, final long destinationBytes, final long lengthBytes)
    {
        for (long region = first; region <= last; region++)
        {
            if (!isStripeOf(region, destinationBytes, lengthBytes))
            {
                leaveShared(region, region);
            }
        }
    }

    private boolean tryShared(final int stripe)
    {
        while (true)
        {
            final int word = (int)WORD.getAcquire(words, stripe);
            // One compare for: no writer, no mark, and the count does not overflow.
            if (Integer.compareUnsigned(word, READERS) < 0)
            {
                // Fails only when another thread succeeded, so one of them always progresses.
                if (WORD.compareAndSet(words, stripe, word, word + 1))
                {
                    return true;
                }
            }
            else if (word < 0 || 0 == (word & WANTED) || !isStale(word))
            {
                return false;
            }
            else
            {
                WORD.compareAndSet(words, stripe, word, word & READERS);
            }
        }
    }

    private boolean tryExclusive(final int stripe)
    {
        final int word = (int)WORD.getAcquire(words, stripe);
        return 0 == (word & (WRITER | READERS)) && WORD.compareAndSet(words, stripe, word, WRITER);
    }

    private int mark()
    {
        return WANTED | (int)(clock.nanoTime() >>> TIME_UNIT_SHIFT & TIME_MASK) << TIME_SHIFT;
    }

    private boolean isStale(final int word)
    {
        return ((int)(clock.nanoTime() >>> TIME_UNIT_SHIFT) - (word >>> TIME_SHIFT) & TIME_MASK) > MARK_UNITS_MAX;
    }

    /** Marks held and free stripes of the range. */
    private void want(final long first, final long last, final int mark)
    {
        for (long region = first; region <= last; region++)
        {
            final int stripe = (int)region & mask;
            int word = (int)WORD.getAcquire(words, stripe);
            while (word >= 0 && mark != (word & ~READERS) &&
                !WORD.compareAndSet(words, stripe, word, word & READERS | mark))
            {
                word = (int)WORD.getAcquire(words, stripe);
            }
        }
    }

    private void leaveMarked(final long first, final long last, final int mark)
    {
        for (long region = first; region <= last; region++)
        {
            WORD.setRelease(words, (int)region & mask, mark);
        }
    }

    private void leaveShared(final long first, final long last)
    {
        for (long region = first; region <= last; region++)
        {
            WORD.getAndAddRelease(words, (int)region & mask, -1);
        }
    }

    private void leaveExclusive(final long first, final long last)
    {
        for (long region = first; region <= last; region++)
        {
            WORD.setRelease(words, (int)region & mask, 0);
        }
    }
}
