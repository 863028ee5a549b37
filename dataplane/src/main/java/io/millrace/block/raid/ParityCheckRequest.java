package io.millrace.block.raid;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;

/** Rows of a stripe with parity that are compared, or rewritten where a member cannot read. */
final class ParityCheckRequest extends CheckRequest
{
    private static final long ALL = -1;

    private final StripeRows rows;
    private final StripeAreas areas;
    /** Slots whose blocks have a checksum mismatch, by bit. */
    private long wrongSlots;
    /** Slots that have blocks without checksums, by bit. */
    private long unknownSlots;
    private boolean isParityRight;
    private boolean isRegionAwaited;

    /**
     * A request of its owner.
     *
     * @param channel that it is of.
     */
    ParityCheckRequest(final RaidChannel channel)
    {
        super(channel);
        rows = new StripeRows(layout);
        areas = new StripeAreas(rows, channel.codes());
    }

    @Override
    protected void place(final long offset)
    {
        wrongSlots = 0;
        isParityRight = false;
        rows.take(channel.device().view().map(), offset, length);
        areas.fit();
    }

    @Override
    protected long memberOffset()
    {
        return rows.memberOffset();
    }

    @Override
    protected BlockStatus planReads()
    {
        if (rows.areFree())
        {
            finish(BlockStatus.SUCCESS);
            return BlockStatus.SUCCESS;
        }
        rows.follow(view.map());
        areas.fit();
        if (length > channel.sizes().checkBytesMax())
        {
            // It was begun before the array got another slot: there is no room for the rows of all.
            finish(BlockStatus.SUCCESS);
            return BlockStatus.SUCCESS;
        }
        rows.findReadable(view, badSlots);
        if (rows.unreadableData() > rows.readableParity())
        {
            // Nothing is lost by a reconciliation that verifies nothing.
            return Purpose.RECONCILE == purpose ? BlockStatus.COMPARE_FAILURE : BlockStatus.MEDIA_ERROR;
        }
        final long buffer = acquireBuffer(rows.stripCount() * areas.bytes());
        if (0 == buffer)
        {
            return null;
        }
        areas.placeFrom(0, buffer);
        issuing(StripeState.READING);
        for (int index = 0; index < rows.stripCount(); index++)
        {
            if (rows.isReadable(index))
            {
                final int slot = rows.slot(index);
                part(slot, BlockOperation.READ, rows.memberOffset(), length).addSegment(areas.address(index), length);
                submit(slot);
            }
        }
        issued();
        return BlockStatus.SUCCESS;
    }

    @Override
    protected void onRead()
    {
        wrongSlots = 0;
        unknownSlots = 0;
        isRegionAwaited = false;
        if (Purpose.CHECK == purpose)
        {
            check();
            return;
        }
        if (Purpose.RECONCILE == purpose)
        {
            reconcile();
            return;
        }
        if (0 != badSlots && !isRecovered())
        {
            finish(BlockStatus.MEDIA_ERROR);
            return;
        }
        issuing(StripeState.WRITING);
        for (int index = 0; index < rows.stripCount(); index++)
        {
            final int slot = rows.slot(index);
            if (repairs(slot, rows.memberOffset() + length))
            {
                part(slot, BlockOperation.WRITE, rows.memberOffset(), length).addSegment(areas.address(index), length);
                submit(slot);
            }
        }
        issued();
    }

    /**
     * Computes what members cannot read from blocks that do not have a checksum mismatch.
     *
     * @return whether there are enough of these, and all that comes of them has the checksum that was expected.
     */
    private boolean isRecovered()
    {
        verify(rows.readable());
        final long wrong = wrongSlots;
        rows.exclude(wrong);
        if (rows.unreadableData() > rows.readableParity())
        {
            return false;
        }
        areas.recover();
        areas.generate();
        verify(ALL);
        final boolean isRight = 0 == wrongSlots;
        wrongSlots = wrong;
        return isRight;
    }

    private void check()
    {
        // A member may have failed since the check was begun: then there is nothing to compare.
        if (!view.isComplete())
        {
            finish(BlockStatus.SUCCESS);
            return;
        }
        comparing();
        isParityRight = areas.isParityRight();
        verify(ALL);
        if (isParityRight && 0 == wrongSlots)
        {
            learn(unknownSlots);
            finish(BlockStatus.SUCCESS);
        }
        else
        {
            finish(BlockStatus.COMPARE_FAILURE);
        }
    }

    /** Finds which blocks have a checksum mismatch, of strips by bit of their index. */
    private void verify(final long indexes)
    {
        wrongSlots = 0;
        unknownSlots = 0;
        for (int index = 0; null != window() && index < rows.stripCount(); index++)
        {
            final int slot = rows.slot(index);
            // A member that is missing has no checksums, and one that has failed those of earlier blocks.
            if (0 == (indexes & 1L << index) || !view.isReadable(slot, rows.memberOffset() + length))
            {
                continue;
            }
            final long verified =
                window().verify(view.member(slot), rows.memberOffset(), areas.address(index), length);
            wrongSlots |= 0 == ChecksumWindow.wrong(verified) ? 0 : 1L << slot;
            unknownSlots |= 0 == ChecksumWindow.unknown(verified) ? 0 : 1L << slot;
        }
    }

    /** The blocks of slots are right: their checksums are those. */
    private void learn(final long slots)
    {
        for (int index = 0; 0 != slots && index < rows.stripCount(); index++)
        {
            final int slot = rows.slot(index);
            if (0 != (slots & 1L << slot))
            {
                checksums.onKnown(view.member(slot), rows.memberOffset(), areas.address(index), length);
            }
        }
    }

    @Override
    long wrongSlots()
    {
        return wrongSlots;
    }

    @Override
    boolean isRegionAwaited()
    {
        return isRegionAwaited;
    }

    @Override
    boolean isOnlyChecksum()
    {
        return isParityRight;
    }

    /**
     * Computes blocks with a checksum mismatch from the others, which match theirs. What comes of it has to have the
     * checksum that was expected: else something else is wrong that has none, and nobody knows what is lost with it.
     */
    private void reconcileWrong()
    {
        final long wrong = wrongSlots;
        rows.findReadable(view, wrong);
        boolean isComputed = Long.bitCount(wrong) <= rows.stripCount() - rows.dataCount();
        if (isComputed)
        {
            areas.recover();
            areas.generate();
            verify(ALL);
            isComputed = 0 == wrongSlots;
        }
        if (!isComputed)
        {
            lose(wrong);
            return;
        }
        wrongSlots = wrong;
        long written = wrong;
        for (int index = rows.dataCount(); index < rows.stripCount(); index++)
        {
            // It was computed once more, and may have been wrong.
            written |= unknownSlots & 1L << rows.slot(index);
        }
        for (long left = wrong; 0 != left; left &= left - 1)
        {
            identified(Long.numberOfTrailingZeros(left));
        }
        expireJournal();
        issuing(StripeState.WRITING);
        for (int index = 0; index < rows.stripCount(); index++)
        {
            if (0 != (written & 1L << rows.slot(index)))
            {
                write(index);
            }
        }
        issued();
    }

    /** Blocks with a checksum mismatch are lost when the others, of which some cannot be read, do not give them. */
    private void reconcileUnreadable()
    {
        if (isRecovered() || 0 == wrongSlots)
        {
            // They were written since the repair, and the next scrub sees what is left.
            finish(BlockStatus.COMPARE_FAILURE);
            return;
        }
        lose(wrongSlots);
    }

    /** Nobody is to read blocks that are wrong, and that parity does not make up for. */
    private void lose(final long slots)
    {
        final int blockBytes = 1 << channel.blockShift();
        boolean isListed = true;
        for (long left = slots; 0 != left; left &= left - 1)
        {
            for (int done = 0; done < length; done += blockBytes)
            {
                isListed &= channel.device().lostBlockChanges()
                    .lose(view, Long.numberOfTrailingZeros(left), rows.memberOffset() + done, blockBytes);
            }
        }
        finish(isListed ? BlockStatus.MEDIA_ERROR : BlockStatus.COMPARE_FAILURE);
    }

    private void expireJournal()
    {
        if (view.isJournaling())
        {
            // Writes were logged that updated what is wrong by the difference.
            channel.device().journal().expire();
        }
    }

    private void write(final int index)
    {
        final int slot = rows.slot(index);
        part(slot, BlockOperation.WRITE, rows.memberOffset(), length).addSegment(areas.address(index), length);
        submit(slot);
    }

    /**
     * Two parities or more tell which strip is wrong when no other one is: that one is computed again, else parity is,
     * from the data.
     */
    private void reconcile()
    {
        if (0 != badSlots)
        {
            reconcileUnreadable();
            return;
        }
        if (!view.isComplete())
        {
            // A member has failed meanwhile: what is left of the row does not tell what is wrong.
            finish(BlockStatus.COMPARE_FAILURE);
            return;
        }
        final boolean isRight = areas.isParityRight();
        verify(ALL);
        if (isRight)
        {
            if (0 == wrongSlots)
            {
                learn(unknownSlots);
            }
            // Else parity may have been computed from a wrong block: only a host knows which of the two is right.
            finish(0 == wrongSlots ? BlockStatus.SUCCESS : BlockStatus.COMPARE_FAILURE);
            return;
        }
        if (0 != wrongSlots)
        {
            reconcileWrong();
            return;
        }
        final int dataCount = rows.dataCount();
        final int wrong = wrongStrip();
        if (wrong >= 0 && wrong < dataCount)
        {
            areas.recover(wrong);
        }
        else
        {
            areas.generate();
        }
        // Or a crash would leave the former checksum, by which a rebuild would lose blocks that nothing is wrong with.
        isRegionAwaited = null != window() && (wrong < 0 || wrong >= dataCount) && !enter(rows.memberOffset());
        if (isRegionAwaited)
        {
            finish(BlockStatus.COMPARE_FAILURE);
            return;
        }
        if (wrong >= 0)
        {
            identified(rows.slot(wrong));
        }
        expireJournal();
        issuing(StripeState.WRITING);
        final int end = wrong < 0 ? rows.stripCount() : wrong + 1;
        for (int index = wrong < 0 ? dataCount : wrong; index < end; index++)
        {
            learnWritten(index);
            write(index);
        }
        issued();
    }

    /**
     * Two parities that take a data strip for wrong are wrong themselves when that has its checksum: they were updated
     * by the difference to a block that was wrong then.
     */
    private int wrongStrip()
    {
        final int wrong = areas.wrongStrip();
        return null != window() && wrong >= 0 && wrong < rows.dataCount() &&
            0 == (unknownSlots & 1L << rows.slot(wrong)) ? StripeCode.UNKNOWN : wrong;
    }

    /** Its rows are made to match the others, whatever checksum they had. */
    private void learnWritten(final int index)
    {
        if (null == window())
        {
            return;
        }
        learn(1L << rows.slot(index));
        if (rows.slot(index) == view.targetSlot())
        {
            // It is written, too.
            checksums.onKnown(view.target(), rows.memberOffset(), areas.address(index), length);
        }
    }
}
