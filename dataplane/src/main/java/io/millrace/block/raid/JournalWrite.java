package io.millrace.block.raid;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.raid.format.JournalEntry;
import io.millrace.block.raid.format.MemberArea;
import io.millrace.block.raid.format.SlotState;
import java.util.UUID;

/**
 * The entry of a write to an array with parity in the journal, and whether the request has passed the
 * {@link WriteGate}. The reactor's only; nothing is allocated.
 */
final class JournalWrite
{
    private final StripeRequest request;
    private final RaidDevice device;
    /** Null of an array that cannot journal. */
    private final Journal journal;
    private final WriteGate gate;
    private final JournalEntry entry = new JournalEntry();
    private final int transferBytesMax;
    private long sequence = Journal.NONE;
    private long tail;
    private long epoch;
    /** UUID in the entry. */
    private UUID owner;
    private boolean isInside;
    private boolean isWaiting;
    private long address;
    private int writtenBytes;

    /**
     * Without an entry.
     *
     * @param request that it is of.
     * @param channel of the request.
     */
    JournalWrite(final StripeRequest request, final RaidChannel channel)
    {
        this.request = request;
        device = channel.device();
        journal = device.journal();
        gate = channel.gate();
        // No member takes less at once.
        transferBytesMax = device.geometry().maxTransferBytes();
    }

    /**
     * {@return room for an entry behind the areas of a buffer}
     *
     * @param slotCount of the view that the write goes by.
     * @param areaBytes of one strip.
     */
    int bytesMax(final int slotCount, final int areaBytes)
    {
        return JournalEntry.HEADER_BYTES + slotCount * areaBytes;
    }

    /**
     * Passes the gate.
     *
     * @return false while it is closed: try again.
     */
    boolean enter()
    {
        isInside = isInside || gate.enter();
        return isInside;
    }

    /** Members are written no more. */
    void leave()
    {
        if (isInside)
        {
            isInside = false;
            gate.leave();
        }
    }

    /**
     * Takes a place in the epoch of a view, unless it has one.
     *
     * @param view of the plan.
     * @return false when no place is free: try again.
     */
    boolean take(final ArrayView view)
    {
        if (Journal.NONE != sequence && epoch == view.journalEpoch())
        {
            return true;
        }
        epoch = view.journalEpoch();
        owner = null == view.journalDevice() ? device.id() : view.journalDevice().id();
        tail = journal.tail();
        sequence = journal.take(tail);
        if (Journal.NONE == sequence && !isWaiting)
        {
            journal.onWait();
        }
        isWaiting = Journal.NONE == sequence;
        return !isWaiting;
    }

    /**
     * {@return whether it has a place in the journal, so that a replay may write what it has}
     */
    boolean isLive()
    {
        return Journal.NONE != sequence;
    }

    /**
     * Begins the entry.
     *
     * @param newAddress with room for it.
     * @param rowOffset  of the first row, in bytes of a member's data.
     * @param rowBytes   count of the rows.
     */
    void begin(final long newAddress, final long rowOffset, final int rowBytes)
    {
        address = newAddress;
        writtenBytes = 0;
        entry.wrap(newAddress).initialize(owner, epoch, sequence, tail, rowOffset, rowBytes);
    }

    /**
     * Adds a strip.
     *
     * @param slot   that is going to be written.
     * @param start  first row that is.
     * @param length in bytes.
     * @return address to copy them to.
     */
    long add(final int slot, final int start, final int length)
    {
        return entry.add(slot, start, length);
    }

    /** All strips were added. */
    void seal()
    {
        entry.seal();
    }

    /**
     * {@return whether all of the entry was written}
     */
    boolean isWritten()
    {
        return writtenBytes == entry.bytes();
    }

    /**
     * Submits the next part of the entry to the journal device, or to members.
     *
     * @param view of the plan.
     */
    void submit(final ArrayView view)
    {
        final long offset = (long)journal.places().offset(journal.places().place(sequence)) + writtenBytes;
        final RaidMember journalDevice = view.journalDevice();
        if (null == journalDevice)
        {
            final int length = Math.min(transferBytesMax, entry.bytes() - writtenBytes);
            submitCopies(view, offset, length);
            writtenBytes += length;
            return;
        }
        // It may take less at once than members.
        final int length =
            Math.min(journalDevice.device().geometry().maxTransferBytes(), entry.bytes() - writtenBytes);
        request.submitEntry(offset, address + writtenBytes, length);
        writtenBytes += length;
    }

    /**
     * To as many members as may fail from here on, and one more: of those whose data counts, since any others may fail
     * beside them.
     */
    private void submitCopies(final ArrayView view, final long offset, final int length)
    {
        final int slotCount = view.map().countingLayout().memberCount();
        final int inSync = inSync(view, slotCount);
        final int copies = view.layout().parityCount() - (slotCount - inSync) + 1;
        int skip = (int)(sequence % inSync);
        int left = copies;
        // Twice round, so that those before the first come behind the last.
        for (int i = 0; left > 0; i++)
        {
            final int slot = i % slotCount;
            if (SlotState.IN_SYNC == view.state(slot))
            {
                if (skip > 0)
                {
                    skip--;
                }
                else
                {
                    left--;
                    final BlockRequest part = request.part(
                        slot, BlockOperation.WRITE, offset - MemberArea.DATA_OFFSET_BYTES, length);
                    part.addSegment(address + writtenBytes, length).forceUnitAccess(true);
                    request.submit(slot);
                }
            }
        }
    }

    private static int inSync(final ArrayView view, final int slotCount)
    {
        int count = 0;
        for (int slot = 0; slot < slotCount; slot++)
        {
            count += SlotState.IN_SYNC == view.state(slot) ? 1 : 0;
        }
        return count;
    }

    /** What the entry has is stable in place. */
    void complete()
    {
        if (Journal.NONE != sequence)
        {
            journal.complete(sequence);
            sequence = Journal.NONE;
        }
        leave();
    }

    /**
     * What the entry has, if there is one, may not be in place, and will not be written any more. Behind it, entries of
     * the same rows would be replayed that know nothing of it: another epoch begins first.
     *
     * @return whether it is not replayed any more, or nothing is written behind it: the array has failed or ended.
     */
    boolean expire()
    {
        leave();
        if (Journal.NONE == sequence)
        {
            return true;
        }
        if (!journal.isPinned())
        {
            journal.pin(sequence);
        }
        final ArrayView present = device.view();
        return epoch != present.journalEpoch() || null != present.failure() || !device.hasWork();
    }

    /** The entry, if there is one, is not replayed any more. */
    void abandon()
    {
        sequence = Journal.NONE;
        isWaiting = false;
        leave();
    }
}
