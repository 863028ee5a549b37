package io.millrace.block.raid;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.memory.Segments;
import io.millrace.parity.ParityEngine;

/**
 * Rows of a stripe of an array with parity (RAID 5, 6). Rows are offsets in the strips of a stripe: parity of a row
 * depends on the data of that row alone, so they are locked by offset on the members, and writes of neighbouring rows
 * go on beside each other. Reads lock nothing unless they reconstruct.
 * <p>
 * A buffer has an area for each strip that is read, computed or copied, in which a strip's rows begin at the area's
 * start; {@link #areas} has their addresses by index of the data strip, then P and Q.
 */
final class ParityStripeRequest extends StripeRequest
{
    /** How members are made to match the data. */
    private enum Strategy
    {
        /** Data is read into the payload. */
        DIRECT_READ,
        /** Rows of every strip are read or computed in the buffer. */
        RECONSTRUCT,
        /** Every strip is written: parity is that of the payload. */
        FULL_WRITE,
        /** What is not written is read, parity is computed from all. */
        RECONSTRUCT_WRITE,
        /** What is written and parity are read, parity is updated by the difference. */
        READ_MODIFY_WRITE,
        /** No parity is left to write. */
        DATA_ONLY
    }

    private final ArrayLayout layout;
    private final int dataCount;
    private final int parityCount;
    private final int stripBytes;
    private final long[] areas;
    private final Segments piece = new Segments();
    private Strategy strategy;
    private long stripe;
    /** What the request covers of the stripe's data, in bytes from its start. */
    private long from;
    private long to;
    private int rowStart;
    private int rowEnd;
    private int areaBytes;
    /** Indexes of strips whose rows can be read, by bit: as the plan found them, while a rebuild goes on. */
    private long readable;

    /**
     * Creates a slot.
     *
     * @param channel that it is of.
     */
    ParityStripeRequest(final RaidChannel channel)
    {
        super(channel);
        layout = channel.layout();
        dataCount = layout.dataCount();
        parityCount = layout.level().parityCount();
        stripBytes = layout.stripBytes();
        areas = new long[dataCount + parityCount];
    }

    /**
     * Begins a read or write of the next rows of a request.
     *
     * @param newParent the request; the part is noted in it.
     */
    void begin(final ArrayRequest newParent)
    {
        final Purpose newPurpose = newParent.isWrite() ? Purpose.WRITE : Purpose.READ;
        begin(newPurpose, newParent, null);
        final long stripeBytes = (long)dataCount << layout.stripShift();
        stripe = newParent.nextOffset() / stripeBytes;
        final long start = stripe * stripeBytes;
        from = newParent.nextOffset() - start;
        to = Math.min(newParent.endOffset() - start, stripeBytes);
        final int chunk = channel.rowBytesMax();
        int row = newParent.nextRow();
        while (!coversRows(row, row + chunk))
        {
            row += chunk;
        }
        rowStart = lowestRow(row, row + chunk);
        rowEnd = highestRow(row, row + chunk);
        int nextRow = row + chunk;
        while (nextRow < stripBytes && !coversRows(nextRow, nextRow + chunk))
        {
            nextRow += chunk;
        }
        final boolean isLast = nextRow >= stripBytes;
        newParent.issued(isLast ? start + to : newParent.nextOffset(), isLast ? 0 : nextRow);
        if (Purpose.WRITE == newPurpose)
        {
            entering(memberOffset(rowStart));
            locking(memberOffset(rowStart), rows(), false);
        }
    }

    /**
     * Begins rows of a rebuild or a resync.
     *
     * @param newPurpose   one of both.
     * @param memberOffset of the first row, in bytes of a member's data.
     * @param rows         in bytes, within a strip.
     * @param newOnDone    notified at its end.
     */
    void begin(final Purpose newPurpose, final long memberOffset, final int rows, final WorkListener newOnDone)
    {
        begin(newPurpose, null, newOnDone);
        stripe = memberOffset >>> layout.stripShift();
        from = 0;
        to = 0;
        rowStart = (int)(memberOffset & stripBytes - 1);
        rowEnd = rowStart + rows;
        locking(memberOffset, rows, false);
    }

    private boolean coversRows(final int start, final int end)
    {
        for (int index = 0; index < dataCount; index++)
        {
            if (low(index, start) < high(index, end))
            {
                return true;
            }
        }
        return false;
    }

    private int lowestRow(final int start, final int end)
    {
        int lowest = end;
        for (int index = 0; index < dataCount; index++)
        {
            if (low(index, start) < high(index, end))
            {
                lowest = Math.min(lowest, low(index, start));
            }
        }
        return lowest;
    }

    private int highestRow(final int start, final int end)
    {
        int highest = start;
        for (int index = 0; index < dataCount; index++)
        {
            if (low(index, start) < high(index, end))
            {
                highest = Math.max(highest, high(index, end));
            }
        }
        return highest;
    }

    /** First covered row of a data strip, from a row on; not below {@link #high} when none is covered. */
    private int low(final int index, final int start)
    {
        return Math.clamp(from - ((long)index << layout.stripShift()), start, stripBytes);
    }

    private int high(final int index, final int end)
    {
        return Math.clamp(to - ((long)index << layout.stripShift()), 0, Math.min(end, stripBytes));
    }

    private int low(final int index)
    {
        return low(index, rowStart);
    }

    private int high(final int index)
    {
        return high(index, rowEnd);
    }

    private boolean isCovered(final int index)
    {
        return low(index) < high(index);
    }

    private boolean isWhole(final int index)
    {
        return rowStart == low(index) && rowEnd == high(index);
    }

    private int rows()
    {
        return rowEnd - rowStart;
    }

    private long memberOffset(final int row)
    {
        return (stripe << layout.stripShift()) + row;
    }

    /** Slot of a data strip, or of P and Q by the indexes behind those. */
    private int slot(final int index)
    {
        return index < dataCount ? layout.dataSlot(stripe, index) :
            index == dataCount ? layout.parityP(stripe) : layout.parityQ(stripe);
    }

    private boolean isReadable(final int index)
    {
        return 0 != (readable & 1L << index);
    }

    private long findReadable()
    {
        long found = 0;
        for (int index = 0; index < areas.length; index++)
        {
            final int slot = slot(index);
            final boolean isGood = 0 == (badSlots & 1L << slot) && view.isReadable(slot, memberOffset(rowEnd));
            found |= isGood ? 1L << index : 0;
        }
        return found;
    }

    private int unreadableData()
    {
        int count = 0;
        for (int index = 0; index < dataCount; index++)
        {
            count += isReadable(index) ? 0 : 1;
        }
        return count;
    }

    private int readableParity()
    {
        int count = 0;
        for (int index = dataCount; index < areas.length; index++)
        {
            count += isReadable(index) ? 1 : 0;
        }
        return count;
    }

    private int writableParity()
    {
        int count = 0;
        for (int index = dataCount; index < areas.length; index++)
        {
            count += view.isWritable(slot(index)) ? 1 : 0;
        }
        return count;
    }

    @Override
    protected BlockStatus plan()
    {
        readable = findReadable();
        return switch (purpose)
        {
            case READ -> planRead();
            case WRITE -> planWrite();
            case RESYNC -> 0 == unreadableData() ? reconstruct() : lost();
            case REBUILD, FLUSH -> reconstruct();
        };
    }

    private BlockStatus lost()
    {
        return 0 == badSlots ? BlockStatus.DEVICE_ERROR : BlockStatus.MEDIA_ERROR;
    }

    private BlockStatus planRead()
    {
        for (int index = 0; index < dataCount; index++)
        {
            if (isCovered(index) && !isReadable(index))
            {
                return isLocked() ? reconstruct() : lockShared(memberOffset(rowStart), rows());
            }
        }
        strategy = Strategy.DIRECT_READ;
        issuing(State.READING);
        for (int index = 0; index < dataCount; index++)
        {
            if (isCovered(index))
            {
                transfer(index, BlockOperation.READ);
            }
        }
        issued();
        return BlockStatus.SUCCESS;
    }

    /** Reads or writes what the request covers of a strip, from or to its payload. */
    private void transfer(final int index, final BlockOperation operation)
    {
        final int slot = slot(index);
        final BlockRequest part = part(slot, operation, memberOffset(low(index)), high(index) - low(index));
        parent.request().segments().slice(payloadOffset(index), high(index) - low(index), part.segments());
        part.forceUnitAccess(parent.request().forceUnitAccess());
        submit(slot);
    }

    private int payloadOffset(final int index)
    {
        final long offset = ((stripe * dataCount + index) << layout.stripShift()) + low(index);
        return parent.payloadOffset(offset);
    }

    private BlockStatus planWrite()
    {
        final boolean isContiguous = 1 == parent.request().segments().count();
        int covered = 0;
        int incomplete = 0;
        boolean areCoveredReadable = true;
        boolean areOthersReadable = true;
        for (int index = 0; index < dataCount; index++)
        {
            if (isCovered(index))
            {
                covered++;
                areCoveredReadable &= isReadable(index);
            }
            if (!isWhole(index))
            {
                incomplete++;
                areOthersReadable &= isReadable(index);
            }
        }
        final int parities = writableParity();
        final int modifyAreas = (isContiguous ? covered : 2 * covered) + parityCount;
        final boolean canModify =
            areCoveredReadable && parities == readableParity() && modifyAreas <= areas.length &&
            !channel.device().intent().needsResync(channel.device().intent().region(memberOffset(rowStart)));
        if (0 == parities)
        {
            strategy = Strategy.DATA_ONLY;
            writeAll();
            return BlockStatus.SUCCESS;
        }
        if (0 == incomplete && isContiguous)
        {
            return fullWrite();
        }
        if (canModify && (!areOthersReadable || covered + parities < incomplete))
        {
            return readModifyWrite(isContiguous ? covered : 2 * covered);
        }
        return areOthersReadable ? reconstructWrite() : reconstruct();
    }

    private BlockStatus fullWrite()
    {
        strategy = Strategy.FULL_WRITE;
        final long base = parent.request().segments().address(0);
        final long buffer = takeBuffer(parityCount);
        if (0 == buffer)
        {
            return null;
        }
        for (int index = 0; index < dataCount; index++)
        {
            areas[index] = base + payloadOffset(index);
        }
        for (int i = 0; i < parityCount; i++)
        {
            areas[dataCount + i] = buffer + (long)i * areaBytes;
        }
        generate();
        writeAll();
        return BlockStatus.SUCCESS;
    }

    private BlockStatus readModifyWrite(final int copies)
    {
        strategy = Strategy.READ_MODIFY_WRITE;
        final long buffer = takeBuffer(copies + parityCount);
        if (0 == buffer)
        {
            return null;
        }
        long next = buffer;
        issuing(State.READING);
        for (int index = 0; index < areas.length; index++)
        {
            final boolean isParity = index >= dataCount;
            if (isParity || isCovered(index))
            {
                areas[index] = next;
                next += areaBytes;
            }
            if (isParity ? isReadable(index) : isCovered(index))
            {
                read(index, isParity ? rowStart : low(index), isParity ? rowEnd : high(index));
            }
        }
        issued();
        return BlockStatus.SUCCESS;
    }

    private BlockStatus reconstructWrite()
    {
        strategy = Strategy.RECONSTRUCT_WRITE;
        if (!takeAllAreas())
        {
            return null;
        }
        issuing(State.READING);
        for (int index = 0; index < dataCount; index++)
        {
            if (!isCovered(index))
            {
                read(index, rowStart, rowEnd);
            }
            else if (low(index) > rowStart && high(index) < rowEnd)
            {
                // Both ends are missing: the part in the middle is overwritten afterwards.
                read(index, rowStart, rowEnd);
            }
            else if (low(index) > rowStart)
            {
                read(index, rowStart, low(index));
            }
            else if (high(index) < rowEnd)
            {
                read(index, high(index), rowEnd);
            }
        }
        issued();
        return BlockStatus.SUCCESS;
    }

    /** Reads the rows of every strip that is left, and computes the others. */
    private BlockStatus reconstruct()
    {
        strategy = Strategy.RECONSTRUCT;
        final int unreadable = unreadableData();
        if (unreadable > readableParity())
        {
            return lost();
        }
        if (!takeAllAreas())
        {
            return null;
        }
        issuing(State.READING);
        int parityNeeded = unreadable;
        for (int index = 0; index < areas.length; index++)
        {
            if (isReadable(index) && (index < dataCount || parityNeeded > 0))
            {
                parityNeeded -= index < dataCount ? 0 : 1;
                read(index, rowStart, rowEnd);
            }
        }
        issued();
        return BlockStatus.SUCCESS;
    }

    private boolean takeAllAreas()
    {
        final long buffer = takeBuffer(areas.length);
        for (int index = 0; index < areas.length; index++)
        {
            areas[index] = buffer + (long)index * areaBytes;
        }
        return 0 != buffer;
    }

    private long takeBuffer(final int count)
    {
        // Memory of direct I/O is aligned.
        areaBytes = rows() + 4095 & -4096;
        return acquireBuffer(count * areaBytes);
    }

    /** Reads rows of a strip into its area. */
    private void read(final int index, final int start, final int end)
    {
        final int slot = slot(index);
        part(slot, BlockOperation.READ, memberOffset(start), end - start)
            .addSegment(areas[index] + (Strategy.READ_MODIFY_WRITE == strategy ? 0 : start - rowStart), end - start);
        submit(slot);
    }

    @Override
    protected void onRead()
    {
        switch (strategy)
        {
            case DIRECT_READ -> finish(BlockStatus.SUCCESS);
            case READ_MODIFY_WRITE ->
            {
                updateParity();
                writeAll();
            }
            case RECONSTRUCT_WRITE ->
            {
                copyPayloadIn();
                generate();
                writeAll();
            }
            default -> onReconstructed();
        }
    }

    private void onReconstructed()
    {
        recover();
        switch (purpose)
        {
            case READ ->
            {
                for (int index = 0; index < dataCount; index++)
                {
                    if (isCovered(index))
                    {
                        parent.request().segments().copyIn(payloadOffset(index),
                            areas[index] + low(index) - rowStart, high(index) - low(index));
                    }
                }
                finish(BlockStatus.SUCCESS);
            }
            case WRITE ->
            {
                copyPayloadIn();
                generate();
                writeAll();
            }
            default ->
            {
                generate();
                writeComputed();
            }
        }
    }

    /** Computes the rows of data strips that were not read. */
    private void recover()
    {
        int first = -1;
        int second = -1;
        for (int index = 0; index < dataCount; index++)
        {
            if (!isReadable(index))
            {
                second = first < 0 ? -1 : index;
                first = first < 0 ? index : first;
            }
        }
        if (first < 0)
        {
            return;
        }
        final ParityEngine engine = channel.engine();
        if (1 == parityCount)
        {
            engine.recoverXor(areas, dataCount, rows(), first);
        }
        else if (second >= 0)
        {
            engine.recoverPq(areas, dataCount, rows(), first, second);
        }
        else if (isReadable(dataCount))
        {
            engine.recoverPq(areas, dataCount, rows(), first);
        }
        else
        {
            engine.recoverPq(areas, dataCount, rows(), first, dataCount);
        }
    }

    private void generate()
    {
        if (1 == parityCount)
        {
            channel.engine().generateXor(areas, dataCount, rows());
        }
        else
        {
            channel.engine().generatePq(areas, dataCount, rows());
        }
    }

    private void copyPayloadIn()
    {
        for (int index = 0; index < dataCount; index++)
        {
            if (isCovered(index))
            {
                parent.request().segments().copyOut(payloadOffset(index), areas[index] + low(index) - rowStart,
                    high(index) - low(index));
            }
        }
    }

    private void updateParity()
    {
        // Behind the areas of old data and parity are those of payload that lies in several places.
        long copy = areas[dataCount + parityCount - 1] + areaBytes;
        for (int index = 0; index < dataCount; index++)
        {
            if (isCovered(index))
            {
                final int length = high(index) - low(index);
                parent.request().segments().slice(payloadOffset(index), length, piece);
                long data = piece.address(0);
                if (1 != piece.count())
                {
                    data = copy;
                    copy += areaBytes;
                    piece.copyOut(0, data, length);
                }
                final int row = low(index) - rowStart;
                if (1 == parityCount)
                {
                    channel.engine().updateXor(areas[index], data, areas[dataCount] + row, length);
                }
                else
                {
                    channel.engine().updatePq(areas[index], data, index, areas[dataCount] + row,
                        areas[dataCount + 1] + row, length);
                }
            }
        }
    }

    /** Writes the payload and the parity. */
    private void writeAll()
    {
        issuing(State.WRITING);
        for (int index = 0; index < areas.length; index++)
        {
            if (view.isWritable(slot(index)))
            {
                if (index >= dataCount)
                {
                    write(index);
                }
                else if (isCovered(index))
                {
                    transfer(index, BlockOperation.WRITE);
                }
            }
        }
        issued();
    }

    /** Writes what the array's own work is for: members that are being rebuilt, or parity. */
    private void writeComputed()
    {
        issuing(State.WRITING);
        for (int index = 0; index < areas.length; index++)
        {
            final int slot = slot(index);
            final boolean isTarget = Purpose.RESYNC == purpose ? index >= dataCount && view.isWritable(slot) :
                SlotState.REBUILDING == view.state(slot) && !isReadable(index);
            if (isTarget)
            {
                write(index);
            }
        }
        issued();
    }

    private void write(final int index)
    {
        final int slot = slot(index);
        final BlockRequest part = part(slot, BlockOperation.WRITE, memberOffset(rowStart), rows());
        part.addSegment(areas[index], rows());
        part.forceUnitAccess(null != parent && parent.request().forceUnitAccess());
        submit(slot);
    }

    @Override
    protected boolean isWrittenWithout(final ArrayView present, final long slots)
    {
        // All others were written, parity with them, and the view would say if that were not enough.
        return true;
    }
}
