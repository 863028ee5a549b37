package io.millrace.block.raid;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.raid.format.ChecksumArea;
import io.millrace.block.raid.format.ChecksumPage;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.Crc32c;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import io.millrace.memory.MemoryRole;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Checksums of the blocks of an array that are in memory: those of a page ({@link ChecksumArea}) from the first write
 * of one of its blocks on, until {@link ChecksumWriter} has stored the page and no write can be in its regions of the
 * write-intent bitmap. What is not in memory is what members have stored. Writes of any thread add checksums, under the
 * lock of their rows and within their region; no call blocks or allocates.
 * <p>
 * Pages have {@value #PAGES_MAX} slots at most. When all are in use, a page that is written becomes unknown: its blocks
 * have no checksums until a scrub has read them. So memory is bounded, and no write waits.
 * <p>
 * An entry in memory is 0 when the one that is stored counts, and {@link #UNKNOWN} when the block has no checksum.
 */
final class BlockChecksums implements AutoCloseable
{
    /** 64 MiB: pages of blocks of 4 KiB are nearly 4 MiB of a member's data each. */
    static final int PAGES_MAX = 16_384;
    /** Entry of a block without a checksum, in memory. */
    static final int UNKNOWN = 1;
    /** Pages that are stored at the same time. */
    static final int WRITES_MAX = 16;
    /** Of a scrub, of copies, and of repairs. */
    static final int WINDOWS = 3;

    static final int NO_SLOT = -1;

    /** Entries were changed that are not being stored. */
    private static final int DIRTY = 1;
    /** It is being stored. */
    private static final int WRITING = 2;
    /** It has a page, or is going to. */
    private static final int USED = 4;
    /** All entries count, and none of those that are stored. */
    private static final int LOADED = 8;

    private static final VarHandle STATE = MethodHandles.arrayElementVarHandle(int[].class);

    private final int blockShift;
    private final long memberBytes;
    private final int pageCount;
    private final long dataOffset;
    private final int zeroesEntry;
    private final DmaMemory memory;
    private final int slotCount;
    private final int[] states;
    private final MemberChecksums[] owners;
    private final int[] pages;
    /** Times that a slot was given back. */
    private final int[] uses;
    /** Next free slot behind each. */
    private final int[] nextFree;
    /** Free slot on top, plus 1, and above it a count of changes. */
    private final AtomicLong top = new AtomicLong();
    private final AtomicLong freeCount = new AtomicLong();
    /** {@link ArrayWork} alone. */
    private ChecksumWindow copyWindow;
    /** Pages that windows have, which stay in memory; -1: none. {@link ArrayWork} alone. */
    private final int[] windowPages = {-1, -1, -1};

    /**
     * None are in memory.
     *
     * @param memberBytes  data bytes of a member.
     * @param blockShift   logarithm of the block size.
     * @param slotsMax     most pages in memory.
     * @param zeroes       address of a block of zeroes.
     * @param registry     memory registry of the data plane; null without one.
     */
    BlockChecksums(
        final long memberBytes,
        final int blockShift,
        final int slotsMax,
        final long zeroes,
        final MemoryRegistry registry)
    {
        this.memberBytes = memberBytes;
        this.blockShift = blockShift;
        pageCount = ChecksumArea.pageCount(memberBytes, 1 << blockShift);
        dataOffset = RaidChannel.dataOffsetBytes();
        zeroesEntry = ChecksumArea.entry(Crc32c.digest(zeroes, 1 << blockShift));
        slotCount = (int)Math.min(slotsMax, (long)pageCount * RaidLevel.MEMBERS_MAX);
        final long lengthBytes =
            (slotCount + WRITES_MAX + (long)WINDOWS * RaidLevel.MEMBERS_MAX) * ChecksumArea.PAGE_BYTES;
        memory = DmaMemory.map(lengthBytes);
        if (null != registry)
        {
            registry.add(memory, MemoryRole.BUFFERS);
        }
        states = new int[slotCount];
        owners = new MemberChecksums[slotCount];
        pages = new int[slotCount];
        uses = new int[slotCount];
        nextFree = new int[slotCount];
        for (int slot = slotCount - 1; slot >= 0; slot--)
        {
            give(slot);
        }
    }

    /** {@return checksums of a member, of which none are in memory} */
    MemberChecksums newMember()
    {
        return new MemberChecksums(this, pageCount);
    }

    int pageCount()
    {
        return pageCount;
    }

    long memberBytes()
    {
        return memberBytes;
    }

    /** {@return bytes of a member's data that a page is for} */
    long pageDataBytes()
    {
        return (long)ChecksumArea.PAGE_ENTRIES << blockShift;
    }

    int page(final long memberOffset)
    {
        return MemberChecksums.page(block(memberOffset));
    }

    long block(final long memberOffset)
    {
        return memberOffset >>> blockShift;
    }

    int blockBytes()
    {
        return 1 << blockShift;
    }

    /** {@return offset on a member's device of a page} */
    long storedOffset(final int page)
    {
        return ChecksumArea.offset(memberBytes) + (long)page * ChecksumArea.PAGE_BYTES;
    }

    /**
     * Notes what a member is going to have. The rows are locked.
     *
     * @param member of the array.
     * @param part   that changes blocks of it, in its data or before that.
     */
    void onWrite(final RaidMember member, final BlockRequest part)
    {
        final long offset = (part.lba() << blockShift) - dataOffset;
        if (offset < 0)
        {
            return;
        }
        final MemberChecksums of = member.checksums();
        final boolean hasData = BlockOperation.WRITE == part.operation();
        final long first = block(offset);
        final long end = first + part.blocks();
        int payloadOffset = 0;
        for (long block = first; block < end;)
        {
            final int page = MemberChecksums.page(block);
            final long pageEnd = Math.min(end, (page + 1L) * ChecksumArea.PAGE_ENTRIES);
            final int slot = of.slot(page);
            if (NO_SLOT == slot)
            {
                payloadOffset += (int)(pageEnd - block) << blockShift;
                block = pageEnd;
                continue;
            }
            for (; block < pageEnd; block++)
            {
                put(slot, block, hasData ? ChecksumArea.entry(
                    Crc32c.digest(part.segments(), payloadOffset, 1 << blockShift)) : zeroesEntry);
                payloadOffset += 1 << blockShift;
            }
            changed(slot);
        }
    }

    /**
     * Notes what a member has, in memory. The rows are locked.
     *
     * @param member  of the array.
     * @param offset  in bytes of its data.
     * @param address of the blocks.
     * @param length  in bytes.
     */
    void onKnown(final RaidMember member, final long offset, final long address, final int length)
    {
        for (int done = 0; done < length; done += 1 << blockShift)
        {
            final long block = block(offset + done);
            final int slot = member.checksums().slot(MemberChecksums.page(block));
            if (NO_SLOT != slot)
            {
                put(slot, block, ChecksumArea.entry(Crc32c.digest(address + done, 1 << blockShift)));
                changed(slot);
            }
        }
    }

    private void put(final int slot, final long block, final int entry)
    {
        NativeMemory.putIntRelease(entryAddress(slot, MemberChecksums.index(block)), entry);
    }

    /** After the entries: whoever takes the mark from it stores these, too. */
    private void changed(final int slot)
    {
        STATE.getAndBitwiseOr(states, slot, DIRTY);
    }

    int entry(final int slot, final int index)
    {
        return NativeMemory.getIntAcquire(entryAddress(slot, index));
    }

    private long entryAddress(final int slot, final int index)
    {
        return entryAddress(address(slot), index);
    }

    /**
     * {@return address of a checksum}
     *
     * @param page  address of its page.
     * @param index of it in that.
     */
    static long entryAddress(final long page, final int index)
    {
        return page + ChecksumPage.ENTRIES_OFFSET + (long)index * Integer.BYTES;
    }

    long address(final int slot)
    {
        return memory.address() + (long)slot * ChecksumArea.PAGE_BYTES;
    }

    /** {@return memory of a page that is read before it is stored, and of what is stored then} */
    long scratchAddress(final int index)
    {
        return address(slotCount + index);
    }

    /** {@return memory of the page of a member in a window} */
    long windowAddress(final int window, final int member)
    {
        return address(slotCount + WRITES_MAX + window * RaidLevel.MEMBERS_MAX + member);
    }

    /**
     * Takes a free slot for a page.
     *
     * @return the slot; {@link #NO_SLOT}: all are in use.
     */
    int take(final MemberChecksums owner, final int page)
    {
        while (true)
        {
            final long present = top.get();
            final int slot = (int)present - 1;
            if (slot < 0)
            {
                return NO_SLOT;
            }
            final long next = (present >>> Integer.SIZE) + 1 << Integer.SIZE | nextFree[slot];
            if (top.compareAndSet(present, next))
            {
                freeCount.decrementAndGet();
                owners[slot] = owner;
                pages[slot] = page;
                STATE.setRelease(states, slot, USED);
                return slot;
            }
        }
    }

    /** All blocks of a page that was taken, and that nobody else knows, have no checksums. */
    void fillUnknown(final int slot)
    {
        for (int i = 0; i < ChecksumArea.PAGE_ENTRIES; i++)
        {
            NativeMemory.putInt(entryAddress(slot, i), UNKNOWN);
        }
        STATE.setRelease(states, slot, USED | DIRTY | LOADED);
    }

    /**
     * {@return the checksum of a block that is in memory, {@link #UNKNOWN} when it has none, or 0 when what is stored
     * counts; any thread, with the block locked}
     *
     * @param of    the member.
     * @param block of its data.
     */
    int find(final MemberChecksums of, final long block)
    {
        final int page = MemberChecksums.page(block);
        if (of.isUnknown(page))
        {
            return UNKNOWN;
        }
        final int slot = of.findSlot(page);
        if (NO_SLOT == slot)
        {
            return 0;
        }
        final int use = (int)STATE.getVolatile(uses, slot);
        final int entry = of.has(page, slot) ? entry(slot, MemberChecksums.index(block)) : 0;
        // It may have been given to another page meanwhile, since this one was stored.
        return use == (int)STATE.getVolatile(uses, slot) ? entry : 0;
    }

    /** Gives a slot back that nobody uses. */
    void give(final int slot)
    {
        STATE.getAndAdd(uses, slot, 1);
        VarHandle.fullFence();
        NativeMemory.fill(address(slot), ChecksumArea.PAGE_BYTES, (byte)0);
        STATE.setRelease(states, slot, 0);
        while (true)
        {
            final long present = top.get();
            nextFree[slot] = (int)present;
            if (top.compareAndSet(present, (present >>> Integer.SIZE) + 1 << Integer.SIZE | slot + 1))
            {
                freeCount.incrementAndGet();
                return;
            }
        }
    }

    int slotCount()
    {
        return slotCount;
    }

    /** {@return whether few slots are left} */
    boolean isShort()
    {
        return freeCount.get() <= slotCount / 4;
    }

    /** {@return whose page a slot has; null: it is free, or is just being given one} */
    MemberChecksums owner(final int slot)
    {
        final int state = (int)STATE.getAcquire(states, slot);
        if (0 == (state & USED))
        {
            return null;
        }
        final MemberChecksums owner = owners[slot];
        return null != owner && owner.has(pages[slot], slot) ? owner : null;
    }

    int pageOf(final int slot)
    {
        return pages[slot];
    }

    boolean isDirty(final int slot)
    {
        return 0 != ((int)STATE.getAcquire(states, slot) & DIRTY);
    }

    /** {@return whether what it has is on the member} */
    boolean isStored(final int slot)
    {
        return 0 == ((int)STATE.getVolatile(states, slot) & (DIRTY | WRITING));
    }

    boolean isWriting(final int slot)
    {
        return 0 != ((int)STATE.getAcquire(states, slot) & WRITING);
    }

    boolean isLoaded(final int slot)
    {
        return 0 != ((int)STATE.getAcquire(states, slot) & LOADED);
    }

    /** Begins to store a page. {@link ArrayWork} alone. */
    void beginWrite(final int slot)
    {
        STATE.getAndBitwiseOr(states, slot, WRITING);
    }

    /** What is in memory from here on is stored, or stored once more. */
    void takeChanges(final int slot)
    {
        STATE.getAndBitwiseAnd(states, slot, ~DIRTY);
    }

    /** A page was stored, or not. */
    void endWrite(final int slot, final boolean isStored)
    {
        if (!isStored)
        {
            changed(slot);
        }
        STATE.getAndBitwiseAnd(states, slot, ~WRITING);
    }

    /**
     * Takes what is stored where nothing is in memory.
     *
     * @param slot   of the page.
     * @param stored address of the page; 0: it does not count.
     */
    void merge(final int slot, final long stored)
    {
        for (int i = 0; i < ChecksumArea.PAGE_ENTRIES; i++)
        {
            final int entry = 0 == stored ? UNKNOWN : NativeMemory.getInt(entryAddress(stored, i));
            NativeMemory.compareAndSetInt(
                entryAddress(slot, i), 0, ChecksumArea.isKnown(entry) ? entry : UNKNOWN);
        }
        STATE.getAndBitwiseOr(states, slot, LOADED);
    }

    /** Copies verify what they read with a window from here on, which has all rows that they are begun with. */
    void copyWindow(final ChecksumWindow window)
    {
        copyWindow = window;
    }

    ChecksumWindow copyWindow()
    {
        return copyWindow;
    }

    /** A window has another page, or none (-1). {@link ArrayWork} alone. */
    void windowPage(final int window, final int page)
    {
        windowPages[window] = page;
    }

    /** {@return whether a page has to stay as it is in memory} */
    boolean isViewed(final int page)
    {
        return page == windowPages[0] || page == windowPages[1] || page == windowPages[2];
    }

    @Override
    public void close()
    {
        memory.close();
    }
}
