package io.millrace.block.raid;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.raid.format.ChecksumArea;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.memory.Crc32c;
import java.util.Arrays;

/**
 * A read of the other members beside a direct one that is late: of another copy, or of the other data and the first
 * parity. What it reads lies in a buffer of its own, of the reactor's pool, and is lent to the host when it comes
 * first. It gives up when anything does not go well: the direct read goes on. A pooled slot of {@link HedgedReads}; the
 * reactor's only; nothing is allocated.
 */
final class HedgedRead
{
    private static final int ALIGNMENT_MASK = 4095;

    private final int index;
    private final RaidChannel channel;
    private final HedgedReads owner;
    private ArrayLayout layout;
    private final boolean hasParity;
    private final RequestBuffer buffer;
    /** What others are asked for, and of which slot. */
    private BlockRequest[] parts = {};
    private int[] slots = {};
    /** Of strips by the index of the data, then the first parity. */
    private long[] areas = {};
    /** Next of the list that it is in. */
    HedgedRead next;

    /** Null when it is not waited for any more. */
    private DirectRequest direct;
    /** Not that of the direct read, which an earlier change of superblocks has ended. */
    private ArrayView view;
    private boolean forceUnitAccess;
    private long rowOffset;
    private int length;
    private int lateIndex;
    private int outstanding;
    private boolean isIssuing;
    private boolean hasFailed;

    /**
     * A free slot.
     *
     * @param index   of this slot.
     * @param channel that it is of.
     * @param owner   of the pool.
     */
    HedgedRead(final int index, final RaidChannel channel, final HedgedReads owner)
    {
        this.index = index;
        this.channel = channel;
        this.owner = owner;
        hasParity = channel.layout().parityCount() > 0;
        buffer = new RequestBuffer(channel.buffers());
        fit(channel.layout());
    }

    /** No part is at a member: the array may have got another slot since. */
    private void fit(final ArrayLayout present)
    {
        final int count = hasParity ? present.dataCount() : 1;
        if (count != parts.length)
        {
            final int first = parts.length;
            parts = Arrays.copyOf(parts, count);
            for (int i = first; i < count; i++)
            {
                final int number = i;
                parts[i] = new BlockRequest(this, (part) -> onPart(number, part));
            }
            slots = new int[count];
            areas = new long[count + 1];
        }
        layout = present;
    }

    int index()
    {
        return index;
    }

    /**
     * Asks the others. The answer may be there before this returns.
     *
     * @param late read that its member has not ended.
     * @return false when it cannot now: nothing has begun.
     */
    boolean begin(final DirectRequest late)
    {
        direct = late;
        forceUnitAccess = late.request.forceUnitAccess();
        length = late.request.segments().totalBytes();
        hasFailed = false;
        fit(channel.layout());
        if (hasParity ? beginRows() : beginCopy())
        {
            return true;
        }
        direct = null;
        return false;
    }

    private boolean needsResync(final long memberOffset)
    {
        final WriteIntent intent = channel.device().intent();
        return intent.needsResync(intent.region(memberOffset));
    }

    private boolean beginCopy()
    {
        final long offset = direct.request.lba() << channel.blockShift();
        final int shift = layout.stripShift();
        final long strip = offset >>> shift;
        final long firstStrip = layout.memberStrip(strip, 0);
        final int firstSlot = layout.firstSlot(strip, firstStrip);
        view = channel.device().view();
        // Copies may differ since a write of them failed: then all readers see the first one alone.
        if (!view.isSteady() || needsResync(firstStrip << shift) || length > channel.buffers().bufferBytesMax())
        {
            return false;
        }
        final long address = buffer.acquireShared(length);
        if (0 == address)
        {
            return false;
        }
        final int copy = leastLoaded(firstSlot);
        areas[0] = address;
        isIssuing = true;
        read(0, layout.slotBehind(firstSlot, copy),
            (layout.memberStripBehind(firstSlot, firstStrip, copy) << shift) + (offset & layout.stripBytes() - 1),
            address);
        issued();
        return true;
    }

    /** {@return a copy that is not on the member which is late} */
    private int leastLoaded(final int firstSlot)
    {
        int chosen = 0;
        int least = Integer.MAX_VALUE;
        for (int copy = 0; copy < layout.copyCount(); copy++)
        {
            final int slot = layout.slotBehind(firstSlot, copy);
            final int load = slot == direct.slot ? Integer.MAX_VALUE : channel.inFlight(view.member(slot));
            if (load < least)
            {
                least = load;
                chosen = copy;
            }
        }
        return chosen;
    }

    private boolean beginRows()
    {
        rowOffset = LostBlockWrites.dataOffset(direct.part, channel.blockShift());
        // The member has its data whatever parity is, and which of them is wrong nobody knows.
        if (channel.device().scrubControl().hasMismatches())
        {
            return false;
        }
        if (!channel.device().locks().tryShared(rowOffset, length))
        {
            // A writer may have been refused for the part that was acquired meanwhile.
            channel.device().channels().onProgress();
            return false;
        }
        final int areaBytes = length + ALIGNMENT_MASK & ~ALIGNMENT_MASK;
        // Under the lock: what a write did before is in the view and the bitmap.
        view = channel.device().view();
        final boolean isTrusted = view.isSteady() && !needsResync(rowOffset);
        final long address = isTrusted ? buffer.acquireShared(areas.length * areaBytes) : 0;
        if (0 == address)
        {
            unlock();
            return false;
        }
        final long stripe = rowOffset >>> layout.stripShift();
        lateIndex = layout.dataIndex(stripe, direct.slot);
        isIssuing = true;
        int part = 0;
        for (int i = 0; i < areas.length; i++)
        {
            areas[i] = address + (long)i * areaBytes;
            if (i != lateIndex)
            {
                read(part++, i < layout.dataCount() ? layout.dataSlot(stripe, i) : layout.parityP(stripe), rowOffset,
                    areas[i]);
            }
        }
        issued();
        return true;
    }

    private void unlock()
    {
        channel.device().locks().releaseShared(rowOffset, length);
        channel.device().channels().onProgress();
    }

    private void read(final int number, final int slot, final long memberOffset, final long address)
    {
        final int shift = channel.blockShift();
        slots[number] = slot;
        outstanding++;
        final BlockRequest part = parts[number];
        part.reset(BlockOperation.READ, RaidChannel.dataOffsetBytes() + memberOffset >>> shift, length >>> shift)
            .forceUnitAccess(forceUnitAccess).addSegment(address, length);
        channel.submit(view.member(slot), part);
    }

    private void issued()
    {
        isIssuing = false;
        if (0 == outstanding)
        {
            onRead();
        }
    }

    private void onPart(final int number, final BlockRequest part)
    {
        outstanding--;
        if (BlockStatus.SUCCESS != part.status() || null != part.hold())
        {
            hasFailed = true;
            owner.onFailed(view, slots[number], part);
            if (null != part.hold())
            {
                buffer.hold(part.hold());
                part.clearHold();
            }
        }
        if (0 == outstanding && !isIssuing)
        {
            onRead();
        }
    }

    private void onRead()
    {
        if (hasParity)
        {
            if (null != direct && !hasFailed)
            {
                // Of one parity, whatever others there are, and of data in any order.
                channel.codes().of(layout.parityCount()).recover(areas, layout.dataCount(), ~(1L << lateIndex), length);
                hasFailed = isWrong();
            }
            unlock();
        }
        final DirectRequest answered = direct;
        direct = null;
        if (null != answered && !hasFailed)
        {
            owner.answer(answered, this, areas[hasParity ? lateIndex : 0]);
        }
        else
        {
            if (null != answered)
            {
                answered.hedge = null;
            }
            release();
        }
        channel.members().closeUnused();
    }

    /** Whether what comes of the others is known not to be what the late member was written. */
    private boolean isWrong()
    {
        final BlockChecksums checksums = channel.device().pages().checksums();
        if (null == checksums)
        {
            return false;
        }
        final int blockBytes = checksums.blockBytes();
        boolean isWrong = false;
        for (int done = 0; done < length; done += blockBytes)
        {
            final int entry = checksums.find(
                view.member(direct.slot).checksums(), checksums.block(rowOffset + done));
            isWrong |= ChecksumArea.isKnown(entry) &&
                entry != ChecksumArea.entry(Crc32c.digest(areas[lateIndex] + done, blockBytes));
        }
        return isWrong;
    }

    /** The member has answered: nobody waits for this. */
    void abandon()
    {
        direct = null;
    }

    /** Gives the buffer back when the host has used it. */
    void release()
    {
        buffer.release();
        owner.free(this);
    }
}
