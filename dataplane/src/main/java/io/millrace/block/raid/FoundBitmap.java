package io.millrace.block.raid;

import io.millrace.block.raid.format.BitmapPage;
import io.millrace.block.raid.format.Superblock;
import java.util.BitSet;
import java.util.UUID;
import org.agrona.concurrent.UnsafeBuffer;

/** The write-intent bitmap of an array that is assembled. Set-up only. */
final class FoundBitmap
{
    private final BitSet dirty = new BitSet();
    private BitSet marked = new BitSet();
    private long sequence;

    /**
     * Adds all regions of the newest page.
     *
     * @param page       of the members; null: none has one, and all regions are set, since nothing is known.
     * @param superblock of the array.
     */
    void add(final BitmapPage page, final Superblock superblock)
    {
        sequence = null == page ? 0 : page.sequence();
        for (int region = 0; region < BitmapPage.regionCount(superblock.memberBytes()); region++)
        {
            marked.set(region, null == page || page.isSet(region));
        }
        dirty.or(marked);
    }

    /** Copies and parity match everywhere. */
    void clearDirty()
    {
        dirty.clear();
    }

    /** No former member lacks anything. */
    void onComplete()
    {
        marked = dirty;
    }

    /** {@return regions in which copies or parity may not match} */
    BitSet dirty()
    {
        return dirty;
    }

    /** {@return all regions that are set: the dirty ones, and those that former members lack writes in} */
    BitSet marked()
    {
        return marked;
    }

    /** {@return number of the newest page} */
    long sequence()
    {
        return sequence;
    }

    /**
     * {@return the next page, which is the newest from then on}
     *
     * @param superblock of the array.
     */
    byte[] nextPage(final Superblock superblock)
    {
        sequence++;
        return page(superblock.array(), superblock.memberBytes(), marked, sequence);
    }

    /**
     * {@return a page}
     *
     * @param array       UUID.
     * @param memberBytes data bytes of a member.
     * @param marked      regions that are set.
     * @param sequence    of the page.
     */
    static byte[] page(final UUID array, final long memberBytes, final BitSet marked, final long sequence)
    {
        final byte[] bytes = new byte[BitmapPage.BYTES];
        final BitmapPage page = new BitmapPage().wrap(new UnsafeBuffer(bytes), 0)
            .initialize(array, BitmapPage.regionBytes(memberBytes), BitmapPage.regionCount(memberBytes));
        marked.stream().forEach(page::set);
        page.seal(sequence);
        return bytes;
    }
}
