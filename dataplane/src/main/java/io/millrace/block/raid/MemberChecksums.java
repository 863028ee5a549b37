package io.millrace.block.raid;

import io.millrace.block.raid.format.ChecksumArea;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Which pages of a member's checksums are in memory, and where ({@link BlockChecksums}). Any thread; nothing blocks.
 */
final class MemberChecksums
{
    /** The page that is stored counts. */
    private static final int STORED = 0;
    /** Its blocks have no checksums, whatever is stored. */
    private static final int UNKNOWN = -1;

    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(int[].class);

    private final BlockChecksums array;
    /** By page: one of the above, or its slot plus 1. */
    private final int[] words;
    /** By page: CRC of what was stored since the array was assembled; 0: nothing, or it is not known. */
    private final int[] storedCrcs;
    /** Pages from the first that were stored before the array was assembled. */
    private volatile int formerPages;
    private final AtomicInteger unknownCount = new AtomicInteger();

    /**
     * None are in memory.
     *
     * @param array     that has the slots.
     * @param pageCount of a member.
     */
    MemberChecksums(final BlockChecksums array, final int pageCount)
    {
        this.array = array;
        words = new int[pageCount];
        storedCrcs = new int[pageCount];
    }

    static int page(final long block)
    {
        return (int)(block / ChecksumArea.PAGE_ENTRIES);
    }

    /**
     * {@return which checksum of its page a block has}
     *
     * @param block of a member's data.
     */
    static int index(final long block)
    {
        return (int)(block % ChecksumArea.PAGE_ENTRIES);
    }

    private int word(final int page)
    {
        return (int)WORD.getVolatile(words, page);
    }

    /**
     * {@return the slot of a page, which gets one, to change entries; {@link BlockChecksums#NO_SLOT}: the page is
     * unknown as a whole from then on, since all slots are in use}
     *
     * @param page of the member.
     */
    int slot(final int page)
    {
        while (true)
        {
            final int word = word(page);
            if (word > STORED)
            {
                return word - 1;
            }
            final int slot = array.take(this, page);
            if (BlockChecksums.NO_SLOT == slot)
            {
                if (UNKNOWN == word || WORD.compareAndSet(words, page, STORED, UNKNOWN))
                {
                    unknownCount.addAndGet(STORED == word ? 1 : 0);
                    return BlockChecksums.NO_SLOT;
                }
                continue;
            }
            if (UNKNOWN == word)
            {
                array.fillUnknown(slot);
            }
            if (WORD.compareAndSet(words, page, word, slot + 1))
            {
                unknownCount.addAndGet(UNKNOWN == word ? -1 : 0);
                return slot;
            }
            array.give(slot);
        }
    }

    /**
     * {@return the slot of a page; {@link BlockChecksums#NO_SLOT}: it has none}
     *
     * @param page of the member.
     */
    int findSlot(final int page)
    {
        return Math.max(word(page), 0) - 1;
    }

    boolean has(final int page, final int slot)
    {
        return slot + 1 == word(page);
    }

    boolean isUnknown(final int page)
    {
        return UNKNOWN == word(page);
    }

    boolean hasUnknown()
    {
        return 0 != unknownCount.get();
    }

    /**
     * Blocks of a page have no checksums, whatever is stored. Before any write.
     *
     * @param page of the member.
     */
    void assembledUnknown(final int page)
    {
        if (STORED == word(page))
        {
            WORD.setVolatile(words, page, UNKNOWN);
            unknownCount.incrementAndGet();
        }
    }

    /**
     * What is stored of a page does not count, and nothing of it is in memory: its blocks have no checksums until it is
     * stored again. Any thread.
     *
     * @param page of the member.
     */
    void onInvalid(final int page)
    {
        if (WORD.compareAndSet(words, page, STORED, UNKNOWN))
        {
            unknownCount.incrementAndGet();
        }
    }

    /**
     * A page is being stored, or was. {@link ArrayWork} alone.
     *
     * @param page of the member.
     * @param crc  of what was stored; 0: either that or what was there before is, or neither.
     */
    void storedCrc(final int page, final int crc)
    {
        WORD.setVolatile(storedCrcs, page, crc);
    }

    /**
     * Pages were stored in an earlier life of the array.
     *
     * @param count of the pages, from the first on.
     */
    void formerPages(final int count)
    {
        formerPages = count;
    }

    /**
     * {@return whether a page was stored for the array, so that the member should have it; any thread}
     *
     * @param page of the member.
     */
    boolean wasStored(final int page)
    {
        return page < formerPages || 0 != (int)WORD.getVolatile(storedCrcs, page);
    }

    /**
     * {@return whether a page that was read may be the last that was stored: an older one is there when the member has
     * lost a write; any thread}
     *
     * @param page of the member.
     * @param crc  that it has.
     */
    boolean isLast(final int page, final int crc)
    {
        final int stored = (int)WORD.getVolatile(storedCrcs, page);
        return 0 == stored || stored == crc;
    }

    /**
     * The stored page says that its blocks have no checksums.
     *
     * @param page of the member.
     */
    void onUnknownStored(final int page)
    {
        if (WORD.compareAndSet(words, page, UNKNOWN, STORED))
        {
            unknownCount.decrementAndGet();
        }
    }

    /**
     * A page that is stored need not be in memory. {@link ArrayWork} alone, while nobody changes it.
     *
     * @param page of the member.
     * @param slot of the page.
     */
    void release(final int page, final int slot)
    {
        WORD.setVolatile(words, page, STORED);
        array.give(slot);
    }

    /**
     * {@return whether what is in memory of a page is on the member}
     *
     * @param page of the member.
     */
    boolean isStored(final int page)
    {
        final int word = word(page);
        return STORED == word || UNKNOWN != word && array.isStored(word - 1);
    }
}
