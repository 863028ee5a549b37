package io.millrace.block.raid;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.raid.layout.ArrayLayout;
import java.util.Arrays;

/**
 * A part of a request that writes zeroes or deallocates: whole stripes, of which every member has the same range, or a
 * part of a strip of an array without parity. Parity of zeroes is zero, so each member does the same as the others, and
 * a stripe with parity is right when all have ended. What a member does not do, it gets as a write of zeroes, a strip
 * at a time; that it refuses an operation is no failure. One of {@link ZeroQueue}'s.
 */
final class ZeroRequest extends JournaledRequest
{
    private static final long NOWHERE = -1;

    private ArrayLayout layout;
    /** Where the range begins in the data of the member of each slot. */
    private long[] offsets;
    private int length;
    /** Bytes of the range that are zero on all members. */
    private int doneBytes;
    private int partBytes;
    /** Slots that refused the operation in this phase, by bit. */
    private long refusedSlots;

    /**
     * Creates a slot.
     *
     * @param channel that it is of.
     */
    ZeroRequest(final RaidChannel channel)
    {
        super(channel);
        layout = channel.layout();
        offsets = new long[layout.memberCount()];
    }

    /**
     * Begins whole stripes.
     *
     * @param newParent    the request; the part is noted in it.
     * @param memberOffset where they begin in the data of each member.
     * @param newLength    bytes of each member.
     * @param arrayBytes   bytes of the array.
     */
    void beginStripes(
        final ArrayRequest newParent, final long memberOffset, final int newLength, final long arrayBytes)
    {
        begin(Purpose.WRITE, newParent, null);
        Arrays.fill(offsets, memberOffset);
        final boolean hasParity = layout.parityCount() > 0;
        protect(hasParity ? memberOffset : newParent.nextOffset(), hasParity ? newLength : (int)arrayBytes,
            memberOffset);
        place(newParent, newLength, arrayBytes);
    }

    /**
     * Begins a part of a strip of an array without parity.
     *
     * @param newParent the request; the part is noted in it.
     * @param newLength in bytes, within the strip.
     */
    void beginStrip(final ArrayRequest newParent, final int newLength)
    {
        begin(Purpose.WRITE, newParent, null);
        // The array may have got another copy since.
        layout = channel.layout();
        fit(layout.memberCount());
        Arrays.fill(offsets, NOWHERE);
        final long offset = newParent.nextOffset();
        final long strip = offset >>> layout.stripShift();
        for (int copy = 0; copy < layout.copyCount(); copy++)
        {
            offsets[layout.slot(strip, copy)] =
                (layout.memberStrip(strip, copy) << layout.stripShift()) + (offset & layout.stripBytes() - 1);
        }
        protect(offset, newLength, offsets[layout.slot(strip, 0)]);
        place(newParent, newLength, newLength);
    }

    /** A slot that the array has got since has what all others have: only such arrays grow. */
    private void fit(final int slotCount)
    {
        final int first = offsets.length;
        if (first < slotCount)
        {
            offsets = Arrays.copyOf(offsets, slotCount);
            Arrays.fill(offsets, first, slotCount, offsets[0]);
        }
    }

    private void protect(final long lockOffset, final int lockBytes, final long memberOffset)
    {
        if (null != channel.device().intent())
        {
            entering(memberOffset);
            locking(lockOffset, lockBytes, false);
        }
    }

    private void place(final ArrayRequest newParent, final int newLength, final long arrayBytes)
    {
        length = newLength;
        doneBytes = 0;
        covering(newParent.nextOffset(), newParent.nextOffset() + arrayBytes);
        newParent.issued(newParent.nextOffset() + arrayBytes, 0);
    }

    /**
     * {@return what a member is asked for; null: nothing, since what it does not deallocate may stay as it is}
     *
     * @param device of the member.
     * @param member of the array.
     * @param wanted of the array.
     */
    private static BlockOperation operation(
        final RaidDevice device, final RaidMember member, final BlockOperation wanted)
    {
        if (BlockOperation.DEALLOCATE == wanted)
        {
            // Parity of what is deallocated has to be known, too.
            final boolean needsZeroes =
                device.geometry().deallocatedReadsZero() || device.layout().parityCount() > 0;
            if (member.accepts(wanted) && (!needsZeroes || member.device().geometry().deallocatedReadsZero()))
            {
                return wanted;
            }
            if (!needsZeroes)
            {
                return null;
            }
        }
        return member.accepts(BlockOperation.WRITE_ZEROES) ? BlockOperation.WRITE_ZEROES : BlockOperation.WRITE;
    }

    /** What the member of a slot is asked for, and the one that is to replace it, which does the same. */
    private static BlockOperation operation(
        final RaidDevice device, final ArrayView view, final int slot, final BlockOperation wanted)
    {
        final BlockOperation operation = operation(device, view.member(slot), wanted);
        return null == operation || slot != view.targetSlot() ||
            operation == operation(device, view.target(), wanted) ? operation : BlockOperation.WRITE;
    }

    /**
     * {@return whether some member gets zeroes by writes, a strip at a time}
     *
     * @param device of the members.
     * @param view   of the slots.
     * @param wanted of the array.
     */
    static boolean needsWrites(final RaidDevice device, final ArrayView view, final BlockOperation wanted)
    {
        for (int slot = 0; slot < view.slotCount(); slot++)
        {
            if (view.isWritable(slot) && BlockOperation.WRITE == operation(device, view, slot, wanted))
            {
                return true;
            }
        }
        return false;
    }

    @Override
    protected BlockStatus plan()
    {
        final BlockOperation wanted = parent.operation();
        fit(view.slotCount());
        refusedSlots = 0;
        partBytes = length - doneBytes;
        if (needsWrites(channel.device(), view, wanted))
        {
            partBytes = Math.min(partBytes, layout.stripBytes());
        }
        if (0 == layout.parityCount())
        {
            writeInPlace();
            return BlockStatus.SUCCESS;
        }
        if (view.isJournaling())
        {
            if (BlockOperation.DEALLOCATE == wanted)
            {
                // What is deallocated may stay as it is.
                finish(BlockStatus.SUCCESS);
                return BlockStatus.SUCCESS;
            }
            partBytes = Math.min(length - doneBytes, channel.sizes().journalRowBytesMax());
            if (0 == acquireBuffer(0, partBytes))
            {
                return null;
            }
        }
        admitting();
        return BlockStatus.SUCCESS;
    }

    @Override
    protected void fillEntry(final JournalWrite entry, final long address)
    {
        entry.begin(address, offsets[0] + doneBytes, partBytes);
        for (int slot = 0; slot < view.slotCount(); slot++)
        {
            if (view.isWritable(slot))
            {
                NativeMemory.fill(entry.add(slot, 0, partBytes), partBytes, (byte)0);
            }
        }
    }

    @Override
    protected void onReporting()
    {
        if (0 != refusedSlots && layout.parityCount() > 0)
        {
            tearing();
        }
        super.onReporting();
    }

    @Override
    protected void writeInPlace()
    {
        final BlockOperation wanted = parent.operation();
        issuing(StripeState.WRITING);
        for (int slot = 0; slot < view.slotCount(); slot++)
        {
            if (NOWHERE != offsets[slot] && view.isWritable(slot))
            {
                // What was logged is written with FUA, which a command without data may not have.
                final BlockOperation operation = view.isJournaling() ? BlockOperation.WRITE :
                    operation(channel.device(), view, slot, wanted);
                if (null != operation)
                {
                    submit(slot, operation);
                }
            }
        }
        issued();
    }

    private void submit(final int slot, final BlockOperation operation)
    {
        final BlockRequest part = part(slot, operation, offsets[slot] + doneBytes, partBytes);
        part.forceUnitAccess(parent.forceUnitAccess() || view.isJournaling());
        if (BlockOperation.WRITE == operation)
        {
            part.addSegment(channel.device().pages().zeroesAddress(), partBytes);
        }
        submit(slot);
    }

    @Override
    protected boolean onRefused(final int slot, final BlockOperation operation)
    {
        if (BlockOperation.WRITE == operation)
        {
            return false;
        }
        view.member(slot).onRefused(operation);
        refusedSlots |= 1L << slot;
        return true;
    }

    @Override
    protected boolean onTargetRefused(final BlockOperation operation)
    {
        if (BlockOperation.WRITE == operation)
        {
            return false;
        }
        view.target().onRefused(operation);
        refusedSlots |= 1L << view.targetSlot();
        return true;
    }

    @Override
    protected void onWritten()
    {
        doneBytes += 0 == refusedSlots ? partBytes : 0;
        if (0 == refusedSlots)
        {
            // Else members differ until the next phase has ended.
            matching();
            completeEntry();
        }
        if (doneBytes == length)
        {
            finish(BlockStatus.SUCCESS);
        }
        else
        {
            planAgain();
        }
    }

    @Override
    protected void onRead()
    {
        throw new IllegalStateException("nothing is read to write zeroes");
    }

    @Override
    protected void onUnreadable()
    {
        // Nothing is read.
    }

    @Override
    protected boolean isPooled()
    {
        return false;
    }

    @Override
    protected void onFree()
    {
        channel.zeroes().free(this);
    }

    @Override
    protected boolean isWrittenWithout(final ArrayView present, final long slots)
    {
        // Zeroes again, by the present view, are as good, and simpler to be sure of.
        return false;
    }
}
