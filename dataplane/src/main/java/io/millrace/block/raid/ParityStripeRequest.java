package io.millrace.block.raid;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.raid.format.ChecksumArea;
import io.millrace.block.raid.format.SlotState;

/**
 * Rows of a stripe of an array with parity. Rows are offsets in the strips of a stripe: parity of a row depends on the
 * data of that row alone, so they are locked by offset on the members, and writes of neighbouring rows go on beside
 * each other. Reads lock nothing unless they reconstruct.
 */
final class ParityStripeRequest extends JournaledRequest
{
    /** How members are made to match the data. */
    private enum Strategy
    {
        /** Data is read into the payload. */
        DIRECT_READ,
        /** Checksums are read, to verify what is read next. */
        CHECKSUMS,
        /** Rows of every strip are read or computed in the buffer. */
        RECONSTRUCT,
        /** Rows of one member are read, for the one that is to replace it. */
        COPY,
        /** Every strip is written: parity is that of the payload. */
        FULL_WRITE,
        /** What is not written is read, parity is computed from all. */
        RECONSTRUCT_WRITE,
        /** What is written and parity are read, parity is updated by the difference. */
        READ_MODIFY_WRITE,
        /** No parity is left to write. */
        DATA_ONLY
    }

    private final StripeRows rows;
    private final StripeAreas areas;
    private final RowLosses losses;
    /** Null of an array without checksums. */
    private final RowChecksums expected;
    private Strategy strategy;
    /** Whose checksums are read; slots that were bad before. */
    private int checksumPage;
    private long checksumBuffer;
    private long badRows;
    /** Indexes of strips of which all rows were read into their areas, by bit. */
    private long readStrips;
    /** Slots whose blocks had a checksum mismatch when they were copied, by bit; among those that are bad. */
    private long wrongSlots;
    /** Behind the last row that it has to write, of which it may plan some first. */
    private int endRow;

    /**
     * Creates a slot.
     *
     * @param channel that it is of.
     */
    ParityStripeRequest(final RaidChannel channel)
    {
        super(channel);
        rows = new StripeRows(channel.layout());
        areas = new StripeAreas(rows, channel.codes());
        losses = new RowLosses(channel.device(), rows);
        expected = null == checksums ? null : new RowChecksums(checksums, rows);
    }

    /**
     * Begins a read or write of the next rows of a request.
     *
     * @param newParent the request; the part is noted in it.
     */
    void begin(final StripedRequest newParent)
    {
        final Purpose newPurpose = newParent.isWrite() ? Purpose.WRITE : Purpose.READ;
        begin(newPurpose, newParent, null);
        strategy = null;
        forgetChecksums();
        final ArrayView present = channel.device().view();
        final boolean isLogged = Purpose.WRITE == newPurpose && present.isJournaling();
        rows.take(present.map(), newParent,
            isLogged ? channel.sizes().journalRowBytesMax() : channel.sizes().rowBytesMax());
        areas.fit();
        covering(rows.arrayStart(), rows.arrayEnd());
        endRow = rows.end();
        if (Purpose.WRITE == newPurpose)
        {
            entering(rows.memberOffset());
            locking(rows.memberOffset(), rows.count(), false);
        }
    }

    /**
     * Begins rows of a rebuild or a resync.
     *
     * @param newPurpose   one of both.
     * @param newTarget    of a copy, as {@link RaidChannel#beginWork} has it.
     * @param memberOffset of the first row, in bytes of a member's data.
     * @param count        of the rows, in bytes, within a strip.
     * @param newOnDone    notified at its end.
     */
    void begin(
        final Purpose newPurpose,
        final RaidMember newTarget,
        final long memberOffset,
        final int count,
        final WorkListener newOnDone)
    {
        begin(newPurpose, null, newOnDone);
        strategy = null;
        target = newTarget;
        wrongSlots = 0;
        rows.take(channel.device().view().map(), memberOffset, count);
        areas.fit();
        locking(memberOffset, count, false);
    }

    @Override
    protected BlockStatus plan()
    {
        if (Strategy.CHECKSUMS == strategy)
        {
            // Who could not read checksums may still read the rows.
            badSlots = badRows;
        }
        final int rowsMax = isLogged() ? channel.sizes().journalRowBytesMax() : channel.sizes().rowBytesMax();
        final boolean isLong = rows.count() > rowsMax;
        if (isLong && Purpose.WRITE == purpose)
        {
            // It was begun before the array journaled, or had the slot: its rows do not fit into one entry or buffer.
            rows.shorten(rowsMax);
        }
        if (!isLong || Purpose.WRITE == purpose)
        {
            rows.follow(view.map());
            areas.fit();
        }
        rows.findReadable(view, badSlots);
        readStrips = 0;
        return switch (purpose)
        {
            case READ -> planRead();
            case WRITE -> planWrite();
            case RESYNC -> 0 == rows.unreadableData() ? reconstruct() : lost();
            case COPY -> planCopy();
            default -> reconstruct();
        };
    }

    private BlockStatus lost()
    {
        if (0 == badSlots)
        {
            return BlockStatus.DEVICE_ERROR;
        }
        if (Purpose.RESYNC == purpose ? losses.loseParity(view, badSlots) :
            null != target && losses.loseOf(view, target, wrongSlots))
        {
            finish(BlockStatus.SUCCESS);
            return BlockStatus.SUCCESS;
        }
        return BlockStatus.MEDIA_ERROR;
    }

    /** Parity may not match since a crash, and the data that it is for was not known before that either. */
    private boolean isUntrusted()
    {
        final WriteIntent intent = channel.device().intent();
        return 0 != badSlots && intent.needsResync(intent.region(rows.memberOffset())) &&
            losses.haveLostData(view, badSlots);
    }

    private BlockStatus planCopy()
    {
        if (target != view.target())
        {
            // It has left.
            finish(BlockStatus.SUCCESS);
            return BlockStatus.SUCCESS;
        }
        final int index = copiedIndex();
        if (!rows.isReadable(index))
        {
            return reconstruct();
        }
        strategy = Strategy.COPY;
        final long buffer = takeBuffer(1);
        if (0 == buffer)
        {
            return null;
        }
        areas.place(index, buffer);
        issuing(StripeState.READING);
        read(index, rows.start(), rows.end());
        issued();
        return BlockStatus.SUCCESS;
    }

    /** Of the strip whose member is to be replaced. */
    private int copiedIndex()
    {
        int index = 0;
        while (view.targetSlot() != rows.slot(index))
        {
            index++;
        }
        return index;
    }

    private void writeCopy()
    {
        issuing(StripeState.WRITING);
        submitCopy(rows.memberOffset(), areas.address(copiedIndex()), rows.count());
        issued();
    }

    private BlockStatus planRead()
    {
        for (int index = rows.firstCovered(); index < rows.endCovered(); index++)
        {
            if (rows.isCovered(index) && !rows.isReadable(index))
            {
                return isLocked() ? reconstruct() : lockShared(rows.memberOffset(), rows.count());
            }
        }
        strategy = Strategy.DIRECT_READ;
        issuing(StripeState.READING);
        for (int index = rows.firstCovered(); index < rows.endCovered(); index++)
        {
            if (rows.isCovered(index))
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
        final int slot = rows.slot(index);
        final int length = rows.high(index) - rows.low(index);
        final BlockRequest part = part(slot, operation, rows.memberOffset(rows.low(index)), length);
        parent.slicePayload(rows.arrayOffset(index), length, part.segments());
        // What was logged is stable when it was written, since its entry is not kept any longer.
        part.forceUnitAccess(
            parent.forceUnitAccess() || BlockOperation.WRITE == operation && view.isJournaling());
        submit(slot);
    }

    private BlockStatus planWrite()
    {
        int covered = 0;
        int incomplete = 0;
        boolean areCoveredReadable = true;
        boolean areOthersReadable = true;
        for (int index = 0; index < rows.dataCount(); index++)
        {
            if (rows.isCovered(index))
            {
                covered++;
                areCoveredReadable &= rows.isReadable(index);
            }
            if (!rows.isWhole(index))
            {
                incomplete++;
                areOthersReadable &= rows.isReadable(index);
            }
        }
        final int parities = rows.writableParity(view);
        final boolean canModify = areCoveredReadable && parities == rows.readableParity() &&
            !channel.device().intent().needsResync(channel.device().intent().region(rows.memberOffset()));
        if (0 == parities)
        {
            return dataOnly();
        }
        if (0 == incomplete)
        {
            return fullWrite();
        }
        if (canModify && (!areOthersReadable || covered + parities < incomplete))
        {
            return readModifyWrite(covered);
        }
        return areOthersReadable ? reconstructWrite() : reconstruct();
    }

    private BlockStatus dataOnly()
    {
        strategy = Strategy.DATA_ONLY;
        if (isLogged() && 0 == takeBuffer(0))
        {
            return null;
        }
        admitting();
        return BlockStatus.SUCCESS;
    }

    private BlockStatus fullWrite()
    {
        strategy = Strategy.FULL_WRITE;
        final long buffer = takeBuffer(rows.stripCount() - rows.dataCount());
        if (0 == buffer)
        {
            return null;
        }
        areas.placeFrom(rows.dataCount(), buffer);
        areas.generateOf(parent);
        admitting();
        return BlockStatus.SUCCESS;
    }

    /** Other rows are taken, or these are written. */
    private void forgetChecksums()
    {
        if (null != expected)
        {
            expected.clear();
        }
    }

    /** Whether what is read for a host is verified. Rows that need a resync may have other blocks than were written. */
    private boolean isVerified()
    {
        final WriteIntent intent = channel.device().intent();
        return null != expected && (Purpose.READ == purpose || Purpose.WRITE == purpose) &&
            !intent.needsResync(intent.region(rows.memberOffset()));
    }

    /** Whether checksums are read first: where a member is missing, a block that is wrong takes another one with it. */
    private boolean lacksChecksums()
    {
        if (!isVerified() || view.isComplete() && 0 == badSlots)
        {
            return false;
        }
        expected.find(view);
        checksumPage = expected.missingPage();
        return RowChecksums.NO_PAGE != checksumPage;
    }

    private BlockStatus readChecksums()
    {
        strategy = Strategy.CHECKSUMS;
        badRows = badSlots;
        checksumBuffer = acquireBuffer(rows.stripCount() * ChecksumArea.PAGE_BYTES);
        if (0 == checksumBuffer)
        {
            return null;
        }
        issuing(StripeState.READING);
        for (int index = 0; index < rows.stripCount(); index++)
        {
            if (expected.isMissing(index, checksumPage))
            {
                final int slot = rows.slot(index);
                part(slot, BlockOperation.READ, checksums.storedOffset(checksumPage) - RaidChannel.dataOffsetBytes(),
                    ChecksumArea.PAGE_BYTES).addSegment(checksumAddress(index), ChecksumArea.PAGE_BYTES);
                submit(slot);
            }
        }
        issued();
        return BlockStatus.SUCCESS;
    }

    private long checksumAddress(final int index)
    {
        return checksumBuffer + (long)index * ChecksumArea.PAGE_BYTES;
    }

    /** Blocks have none where their page cannot be read. */
    private void takeChecksums()
    {
        for (int index = 0; index < rows.stripCount(); index++)
        {
            if (expected.isMissing(index, checksumPage))
            {
                final boolean isRead = 0 == (badSlots & ~badRows & 1L << rows.slot(index));
                expected.take(index, checksumPage, isRead ? checksumAddress(index) : 0);
            }
        }
    }

    /** {@return whether blocks that were read for a host have a checksum mismatch: nothing is computed from them} */
    private boolean hasReadWrong()
    {
        long wrong = 0;
        for (int index = 0; index < rows.stripCount(); index++)
        {
            if (0 != (readStrips & 1L << index))
            {
                final int slot = rows.slot(index);
                final long offset = (parts[slot].lba() << channel.blockShift()) - RaidChannel.dataOffsetBytes();
                final int count = expected.wrong(view, index, offset, parts[slot].segments().address(0),
                    parts[slot].segments().totalBytes());
                if (0 != count)
                {
                    wrong |= 1L << slot;
                    channel.device().wrongReads().add(view.member(slot), slot, offset, count);
                }
            }
        }
        badSlots |= wrong;
        return 0 != wrong;
    }

    private BlockStatus readModifyWrite(final int covered)
    {
        if (lacksChecksums())
        {
            return readChecksums();
        }
        strategy = Strategy.READ_MODIFY_WRITE;
        final long buffer = takeBuffer(covered + rows.stripCount() - rows.dataCount());
        if (0 == buffer)
        {
            return null;
        }
        long next = buffer;
        issuing(StripeState.READING);
        for (int index = 0; index < rows.stripCount(); index++)
        {
            final boolean isParity = index >= rows.dataCount();
            if (isParity || rows.isCovered(index))
            {
                areas.place(index, next);
                next += areas.bytes();
            }
            if (isParity ? rows.isReadable(index) : rows.isCovered(index))
            {
                read(index, isParity ? rows.start() : rows.low(index), isParity ? rows.end() : rows.high(index));
            }
        }
        issued();
        return BlockStatus.SUCCESS;
    }

    private BlockStatus reconstructWrite()
    {
        if (lacksChecksums())
        {
            return readChecksums();
        }
        strategy = Strategy.RECONSTRUCT_WRITE;
        if (!takeAllAreas())
        {
            return null;
        }
        issuing(StripeState.READING);
        for (int index = 0; index < rows.dataCount(); index++)
        {
            if (!rows.isCovered(index))
            {
                read(index, rows.start(), rows.end());
            }
            else if (rows.low(index) > rows.start() && rows.high(index) < rows.end())
            {
                // Both ends are missing: the part in the middle is overwritten afterwards.
                read(index, rows.start(), rows.end());
            }
            else if (rows.low(index) > rows.start())
            {
                read(index, rows.start(), rows.low(index));
            }
            else if (rows.high(index) < rows.end())
            {
                read(index, rows.high(index), rows.end());
            }
        }
        issued();
        return BlockStatus.SUCCESS;
    }

    /** Reads the rows of every strip that is left, and computes the others. */
    private BlockStatus reconstruct()
    {
        if (rows.unreadableData() > rows.readableParity() || isUntrusted())
        {
            return lost();
        }
        if (lacksChecksums())
        {
            return readChecksums();
        }
        strategy = Strategy.RECONSTRUCT;
        if (!takeAllAreas())
        {
            return null;
        }
        final long needed = rows.needed();
        // What is read for a host with checksums is verified member by member.
        if (Purpose.READ == purpose && null == expected && channel.lentStrips().borrow(view, rows, areas, needed))
        {
            try
            {
                areas.recover((ArrayRequest)parent);
            }
            finally
            {
                channel.lentStrips().giveBack();
            }
            finish(BlockStatus.SUCCESS);
            return BlockStatus.SUCCESS;
        }
        issuing(StripeState.READING);
        for (long left = needed; 0 != left; left &= left - 1)
        {
            read(Long.numberOfTrailingZeros(left), rows.start(), rows.end());
        }
        issued();
        return BlockStatus.SUCCESS;
    }

    private boolean takeAllAreas()
    {
        final long buffer = takeBuffer(rows.stripCount());
        areas.placeFrom(0, buffer);
        return 0 != buffer;
    }

    private long takeBuffer(final int count)
    {
        return acquireBuffer(count * areas.bytes(), areas.bytes());
    }

    /** Reads rows of a strip into its area. */
    private void read(final int index, final int start, final int end)
    {
        final int slot = rows.slot(index);
        readStrips |= 1L << index;
        part(slot, BlockOperation.READ, rows.memberOffset(start), end - start)
            .addSegment(areas.address(index) + (Strategy.READ_MODIFY_WRITE == strategy ? 0 : start - rows.start()),
                end - start);
        submit(slot);
    }

    @Override
    protected void onRead()
    {
        if (isCopying() && findWrong() || isVerified() && hasReadWrong())
        {
            planAgain();
            return;
        }
        switch (strategy)
        {
            case CHECKSUMS ->
            {
                takeChecksums();
                planAgain();
            }
            case DIRECT_READ -> finish(BlockStatus.SUCCESS);
            case COPY -> writeCopy();
            case READ_MODIFY_WRITE ->
            {
                areas.updateParity(parent);
                admitting();
            }
            case RECONSTRUCT_WRITE ->
            {
                areas.copyPayloadIn(parent);
                areas.generate();
                admitting();
            }
            default -> onReconstructed();
        }
    }

    private boolean isCopying()
    {
        return null != checksums && (Purpose.REBUILD == purpose || Purpose.COPY == purpose);
    }

    /** {@return whether blocks that were read have a checksum mismatch: they are taken for such as cannot be read} */
    private boolean findWrong()
    {
        long wrong = 0;
        for (int index = 0; index < rows.stripCount(); index++)
        {
            final int slot = rows.slot(index);
            if (0 != (readStrips & 1L << index))
            {
                final RaidMember member = view.member(slot);
                final int count = ChecksumWindow.wrong(checksums.copyWindow()
                    .verify(member, rows.memberOffset(), areas.address(index), rows.count()));
                member.onWrong(count);
                wrong |= 0 == count ? 0 : 1L << slot;
            }
        }
        wrongSlots |= wrong;
        badSlots |= wrong;
        return 0 != wrong;
    }

    private void onReconstructed()
    {
        if (Purpose.READ == purpose)
        {
            areas.recover((ArrayRequest)parent);
            finish(BlockStatus.SUCCESS);
            return;
        }
        areas.recover();
        switch (purpose)
        {
            case WRITE ->
            {
                areas.copyPayloadIn(parent);
                areas.generate();
                admitting();
            }
            case COPY ->
            {
                areas.generate();
                writeCopy();
            }
            default ->
            {
                areas.generate();
                writeComputed();
            }
        }
    }

    @Override
    protected void fillEntry(final JournalWrite entry, final long address)
    {
        entry.begin(address, rows.memberOffset(), rows.count());
        for (int index = 0; index < rows.stripCount(); index++)
        {
            final int slot = rows.slot(index);
            if (!view.isWritable(slot))
            {
                continue;
            }
            if (index >= rows.dataCount())
            {
                NativeMemory.copy(areas.address(index), entry.add(slot, 0, rows.count()), rows.count());
            }
            else if (rows.isCovered(index))
            {
                final int length = rows.high(index) - rows.low(index);
                parent.copyPayload(
                    rows.arrayOffset(index), entry.add(slot, rows.low(index) - rows.start(), length), length);
            }
        }
    }

    @Override
    protected void onWritten()
    {
        completeEntry();
        if (Purpose.WRITE == purpose && rows.goOn(endRow))
        {
            matching();
            // Who could not read these rows may read the next ones.
            badSlots = 0;
            planAgain();
        }
        else
        {
            finish(BlockStatus.SUCCESS);
        }
    }

    @Override
    protected void writeInPlace()
    {
        forgetChecksums();
        count(channel.writeCounts());
        issuing(StripeState.WRITING);
        for (int index = 0; index < rows.stripCount(); index++)
        {
            if (view.isWritable(rows.slot(index)))
            {
                if (index >= rows.dataCount())
                {
                    write(index);
                }
                else if (rows.isCovered(index))
                {
                    transfer(index, BlockOperation.WRITE);
                }
            }
        }
        issued();
    }

    private void count(final StripeWriteCounts counts)
    {
        switch (strategy)
        {
            case FULL_WRITE -> counts.onWholeStripe();
            case READ_MODIFY_WRITE -> counts.onReadModifyWrite();
            case DATA_ONLY ->
            {
                // There is no parity to read anything for.
            }
            default -> counts.onReconstruct();
        }
    }

    /** Writes what the array's own work is for: members that are being rebuilt, or parity. */
    private void writeComputed()
    {
        issuing(StripeState.WRITING);
        for (int index = 0; index < rows.stripCount(); index++)
        {
            final int slot = rows.slot(index);
            if (null != checksums && Purpose.RESYNC == purpose && index < rows.dataCount() && view.isWritable(slot))
            {
                checksums.onKnown(view.member(slot), rows.memberOffset(), areas.address(index), rows.count());
            }
            final boolean isTarget = Purpose.RESYNC == purpose ? index >= rows.dataCount() && view.isWritable(slot) :
                SlotState.REBUILDING == view.state(slot) && !rows.isReadable(index);
            if (isTarget)
            {
                write(index);
            }
            else if (Purpose.RESYNC == purpose && slot == view.targetSlot())
            {
                // A write that was torn may have reached a member, and not the one that is to replace it.
                submitCopy(rows.memberOffset(), areas.address(index), rows.count());
            }
        }
        issued();
    }

    private void write(final int index)
    {
        final int slot = rows.slot(index);
        final BlockRequest part = part(slot, BlockOperation.WRITE, rows.memberOffset(), rows.count());
        part.addSegment(areas.address(index), rows.count());
        part.forceUnitAccess(null != parent && (parent.forceUnitAccess() || view.isJournaling()));
        submit(slot);
    }

    @Override
    protected void onUnreadable()
    {
        if (Strategy.CHECKSUMS == strategy)
        {
            takeChecksums();
            return;
        }
        channel.device().onUnreadable(rows.memberOffset(), rows.count());
    }

    @Override
    protected boolean isWrittenWithout(final ArrayView present, final long slots)
    {
        // All others were written, parity with them, and the view would say if that were not enough.
        return true;
    }
}
