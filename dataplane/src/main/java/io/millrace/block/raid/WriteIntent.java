package io.millrace.block.raid;

import io.millrace.block.raid.format.BitmapPage;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.BitSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;

/**
 * The write-intent bitmap in memory: which regions of the members may differ among each other after a crash. A write
 * enters its region first, which succeeds once the region's bit is stable on the members; {@link ArrayWork} makes it
 * so. Any thread; no call blocks.
 * <p>
 * Members may become larger, and regions of the page with them: those in memory stay as they are, and one of the page
 * has several then. Words are in arrays that stay, so that whoever is in a region leaves the same one.
 * <p>
 * One word a region:
 * <pre>
 *   31 30   29      28       27 ... 0
 *   state   used    resync   count of writes under way
 * </pre>
 */
final class WriteIntent
{
    /** Not set on the members. */
    private static final int CLEAN = 0;
    /** A write waits for it to be set. */
    private static final int WANTED = 1 << 30;
    /** Set on the members. */
    private static final int DIRTY = 2 << 30;
    private static final int STATE = 3 << 30;
    private static final int USED = 1 << 29;
    private static final int RESYNC = 1 << 28;
    private static final int COUNT = RESYNC - 1;
    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(int[].class);

    /** Of an array of words. */
    private static final int CHUNK_SHIFT = 10;
    private static final int CHUNK_WORDS = 1 << CHUNK_SHIFT;
    /** Regions that members which became larger may have in memory: all are looked at for each page. */
    private static final int COUNT_MAX = 16 * BitmapPage.BITS_MAX;

    private volatile int[][] chunks;
    private volatile int count;
    private final int regionShift;
    /** Logarithm of the regions that one of the page has. {@link ArrayWork} alone. */
    private int pageShift;
    private final Runnable onWanted;
    /** Regions that need a resync. */
    private final AtomicInteger resyncCount = new AtomicInteger();
    private final AtomicInteger tornCount = new AtomicInteger();
    /** Cleared in a page that is not stable yet. {@link ArrayWork} alone. */
    private final BitSet cleared = new BitSet();
    private volatile boolean hasWanted;
    private IntPredicate isClearable = (region) -> true;

    /**
     * All regions are clean.
     *
     * @param memberBytes data bytes of a member.
     * @param onWanted    run when a region has to be set; any thread.
     */
    WriteIntent(final long memberBytes, final Runnable onWanted)
    {
        count = BitmapPage.regionCount(memberBytes);
        chunks = withRoom(new int[0][], count);
        regionShift = Long.numberOfTrailingZeros(BitmapPage.regionBytes(memberBytes));
        this.onWanted = onWanted;
    }

    private static int[][] withRoom(final int[][] present, final int regions)
    {
        final int[][] more = Arrays.copyOf(present, (regions + CHUNK_WORDS - 1) >>> CHUNK_SHIFT);
        for (int i = present.length; i < more.length; i++)
        {
            more[i] = new int[CHUNK_WORDS];
        }
        return more;
    }

    /**
     * {@return most bytes of data that members can have before the array is assembled again}
     */
    long memberBytesMax()
    {
        return (long)COUNT_MAX << regionShift;
    }

    /**
     * Members have become larger: the new regions are clean. {@link ArrayWork} alone, before a view says so.
     *
     * @param memberBytes data bytes of a member, at most {@link #memberBytesMax}.
     */
    void grow(final long memberBytes)
    {
        final int regions = (int)((memberBytes + regionBytes() - 1) >>> regionShift);
        chunks = withRoom(chunks, regions);
        count = regions;
    }

    /**
     * Makes a page with all regions that are set, or that a write waits for; pages that other methods get have its
     * regions from then on. {@link ArrayWork} alone.
     *
     * @param page        to make; not sealed.
     * @param array       UUID of the array.
     * @param memberBytes data bytes of a member that the page is for, at least those of the regions.
     */
    void fill(final BitmapPage page, final UUID array, final long memberBytes)
    {
        pageShift = Long.numberOfTrailingZeros(BitmapPage.regionBytes(memberBytes)) - regionShift;
        page.initialize(array, BitmapPage.regionBytes(memberBytes), BitmapPage.regionCount(memberBytes));
        for (int region = 0; region < count; region++)
        {
            if (isMarked(region))
            {
                page.set(region >>> pageShift);
            }
        }
    }

    private int word(final int region)
    {
        return (int)WORD.getAcquire(chunks[region >>> CHUNK_SHIFT], region & CHUNK_WORDS - 1);
    }

    private boolean replace(final int region, final int word, final int by)
    {
        return WORD.compareAndSet(chunks[region >>> CHUNK_SHIFT], region & CHUNK_WORDS - 1, word, by);
    }

    private void put(final int region, final int word)
    {
        WORD.setRelease(chunks[region >>> CHUNK_SHIFT], region & CHUNK_WORDS - 1, word);
    }

    /** {@return the word before} */
    private int keep(final int region, final int bits)
    {
        return (int)WORD.getAndBitwiseAnd(chunks[region >>> CHUNK_SHIFT], region & CHUNK_WORDS - 1, bits);
    }

    /**
     * Bits of regions stay while something of them is not stored. Before any write.
     *
     * @param newIsClearable whether all of a region is, while no write is in it; {@link ArrayWork} asks.
     */
    void clearableWhen(final IntPredicate newIsClearable)
    {
        isClearable = newIsClearable;
    }

    int regionCount()
    {
        return count;
    }

    /**
     * {@return the region of an offset}
     *
     * @param memberOffset in bytes of a member's data.
     */
    int region(final long memberOffset)
    {
        return (int)(memberOffset >>> regionShift);
    }

    long regionBytes()
    {
        return 1L << regionShift;
    }

    /**
     * Enters a region to write in it.
     *
     * @param region of the write.
     * @return false when its bit is not stable yet: try again.
     */
    boolean enter(final int region)
    {
        while (true)
        {
            final int word = word(region);
            final int state = word & STATE;
            if (DIRTY == state)
            {
                if (replace(region, word, (word | USED) + 1))
                {
                    return true;
                }
            }
            else if (WANTED == state)
            {
                return false;
            }
            else if (replace(region, word, word | WANTED))
            {
                hasWanted = true;
                onWanted.run();
                return false;
            }
        }
    }

    /**
     * {@return whether a write waits for a region to be set}
     *
     * @param region to read.
     */
    boolean isWanted(final int region)
    {
        return WANTED == (word(region) & STATE);
    }

    /**
     * Leaves a region after the last of its members' blocks was written.
     *
     * @param region that was entered.
     */
    void leave(final int region)
    {
        WORD.getAndAddRelease(chunks[region >>> CHUNK_SHIFT], region & CHUNK_WORDS - 1, -1);
    }

    /**
     * Members are made equal again in a region, as after a crash: a write has reached some of them and not others,
     * though none of them failed.
     *
     * @param region that was entered.
     */
    void tear(final int region)
    {
        // Before the bit, which a resync may clear meanwhile: that looks at the count afterwards.
        tornCount.incrementAndGet();
        needResync(region);
        onWanted.run();
    }

    private void needResync(final int region)
    {
        if (0 == ((int)WORD.getAndBitwiseOr(
            chunks[region >>> CHUNK_SHIFT], region & CHUNK_WORDS - 1, RESYNC | USED) & RESYNC))
        {
            resyncCount.incrementAndGet();
        }
    }

    /**
     * {@return how often {@link #tear} was called: a resync meanwhile may have missed one}
     */
    int tornCount()
    {
        return tornCount.get();
    }

    /**
     * {@return whether members may differ in a region since a crash}
     *
     * @param region to read.
     */
    boolean needsResync(final int region)
    {
        return 0 != (word(region) & RESYNC);
    }

    /**
     * {@return whether a write waits for a region; {@link ArrayWork}}
     */
    boolean hasWanted()
    {
        return hasWanted;
    }

    /**
     * Sets the bits of all regions that writes wait for in a page that is going to be written.
     *
     * @param page to change.
     */
    void collectWanted(final BitmapPage page)
    {
        hasWanted = false;
        for (int region = 0; region < count; region++)
        {
            if (WANTED == (word(region) & STATE))
            {
                page.set(region >>> pageShift);
            }
        }
    }

    /**
     * Allows writes to the regions whose bits are set in a page that is stable on the members.
     *
     * @param page that was written.
     */
    void onStable(final BitmapPage page)
    {
        for (int region = 0; region < count; region++)
        {
            final int word = word(region);
            if (WANTED == (word & STATE) && page.isSet(region >>> pageShift))
            {
                // Nobody else changes a word in this state.
                put(region, word & ~STATE | DIRTY | USED);
            }
        }
    }

    /**
     * A page was not written to all members: writes wait for the next one.
     */
    void wantAgain()
    {
        hasWanted = true;
    }

    /**
     * Clears regions that no write used since the last call. Their bits are gone for good with {@link #onCleared}.
     *
     * @param page whose bits are cleared; to be written later.
     * @return how many were cleared.
     */
    int clearUnused(final BitmapPage page)
    {
        int left = 0;
        for (int region = 0; region < count; region++)
        {
            if (leaveUnused(region, isClearable))
            {
                cleared.set(region);
                left++;
            }
        }
        for (int region = cleared.nextSetBit(0); region >= 0; region = cleared.nextSetBit(region + 1))
        {
            if (isPageRegionClean(region))
            {
                page.clear(region >>> pageShift);
            }
        }
        return left;
    }

    /** One that is set meanwhile waits for the next page. */
    private boolean isPageRegionClean(final int region)
    {
        final int first = region >>> pageShift << pageShift;
        for (int each = first; each < Math.min(first + (1 << pageShift), count); each++)
        {
            if (isMarked(each))
            {
                return false;
            }
        }
        return true;
    }

    /** {@return whether a region was set and is not any more; the first time that no write uses it, it stays} */
    private boolean leaveUnused(final int region, final IntPredicate isStored)
    {
        // Before what is stored: a write meanwhile marks the region as used.
        final int word = word(region);
        if (DIRTY == word)
        {
            return isStored.test(region) && replace(region, word, CLEAN);
        }
        if (DIRTY == (word & STATE))
        {
            keep(region, ~USED);
        }
        return false;
    }

    /** No write enters a region that none is in: the array ends. Bits on the members stay. */
    void closeUnused()
    {
        for (int region = 0; region < count; region++)
        {
            if (!leaveUnused(region, (any) -> true))
            {
                leaveUnused(region, (any) -> true);
            }
        }
    }

    /** The next {@link #clearUnused} clears all regions that no write is in: they need not stay any longer. */
    void forgetUse()
    {
        for (int region = 0; region < count; region++)
        {
            keep(region, ~USED);
        }
    }

    /** A page without the bits that were cleared is stable, or what was written in their regions is. */
    void onCleared()
    {
        cleared.clear();
    }

    /**
     * Sets again what was cleared: a member did not make stable what was written there, and may come back without it.
     * Pages on the members have the bits still.
     *
     * @param page to change.
     */
    void restoreCleared(final BitmapPage page)
    {
        for (int region = cleared.nextSetBit(0); region >= 0; region = cleared.nextSetBit(region + 1))
        {
            page.set(region >>> pageShift);
            // One that a write waits for is set when the next page is stable.
            replace(region, CLEAN, DIRTY);
        }
        cleared.clear();
    }

    /**
     * Sets the bit of a region soon, without a write in it.
     *
     * @param region to set.
     */
    void mark(final int region)
    {
        if (enter(region))
        {
            leave(region);
        }
    }

    /**
     * {@return whether the bit of a region is set on the members, or a write waits for that}
     *
     * @param region to read.
     */
    boolean isMarked(final int region)
    {
        return CLEAN != (word(region) & STATE);
    }

    /**
     * {@return whether a write is in a region; {@link ArrayWork}}
     *
     * @param region to read.
     */
    boolean isEntered(final int region)
    {
        return 0 != (word(region) & COUNT);
    }

    /**
     * {@return whether writes may enter a region before {@link ArrayWork}, which asks, allows it}
     *
     * @param region to read.
     */
    boolean isDirty(final int region)
    {
        return DIRTY == (word(region) & STATE);
    }

    /**
     * {@return whether a write is in a region, or was lately}
     *
     * @param region to read.
     */
    boolean isUsed(final int region)
    {
        return 0 != (word(region) & (COUNT | USED));
    }

    /**
     * {@return whether no write can be in any region before another page is written}
     */
    boolean isClosed()
    {
        for (int region = 0; region < count; region++)
        {
            final int word = word(region);
            if (0 != (word & COUNT) || CLEAN != (word & STATE))
            {
                return false;
            }
        }
        return true;
    }

    /**
     * A region was set when the array was assembled, since former members lack what was written there. Before any
     * write.
     *
     * @param region of the bitmap.
     */
    void assembledMarked(final int region)
    {
        put(region, DIRTY);
    }

    /**
     * A region was set when the array was assembled, and members may differ there. Before any write.
     *
     * @param region of the bitmap.
     */
    void assembledDirty(final int region)
    {
        put(region, DIRTY | RESYNC);
        resyncCount.incrementAndGet();
    }

    /**
     * Members are alike again in a region, unless a write was torn meanwhile.
     *
     * @param region that was resynchronized.
     * @param torn   {@link #tornCount} before that.
     */
    void onResynced(final int region, final int torn)
    {
        if (torn == tornCount.get() && 0 != (keep(region, ~RESYNC) & RESYNC))
        {
            resyncCount.decrementAndGet();
            if (torn != tornCount.get())
            {
                needResync(region);
            }
        }
    }

    /**
     * {@return regions that need a resync; any thread}
     */
    int resyncCount()
    {
        return resyncCount.get();
    }

    /**
     * {@return regions that are set on the members; any thread, control path}
     */
    int dirtyCount()
    {
        int dirty = 0;
        for (int region = 0; region < count; region++)
        {
            dirty += DIRTY == (word(region) & STATE) ? 1 : 0;
        }
        return dirty;
    }

    /**
     * {@return the first region from one on that needs a resync; -1: none}
     *
     * @param from first region to look at.
     */
    int nextResync(final int from)
    {
        for (int region = from; region < count && 0 != resyncCount.get(); region++)
        {
            if (needsResync(region))
            {
                return region;
            }
        }
        return -1;
    }
}
