package io.millrace.block.raid;

import io.millrace.block.raid.layout.ArrayLayout;

/**
 * Rows of a stripe of an array with parity: which of its data strips a request covers there, which slot each strip is
 * in, and which strips can be read. Rows are offsets in the strips. Strips have an index: data strips in their order,
 * then parity: P and Q, or those of an erasure code. Of one {@link ParityStripeRequest}; the reactor's only.
 */
final class StripeRows
{
    private final int stripBytes;
    private final int stripShift;
    /** Null: the rows are free, between those of two layouts. */
    private ArrayLayout layout;
    private int dataCount;
    private int stripCount;
    /** Strips whose slots rotate; the slot of a strip behind them is its index. */
    private int rotatingCount;
    private long stripe;
    /** Slot of the first parity: a division, and each strip's slot follows from it. */
    private int slotOfP;
    /** Data strips that the request covers any of: the first, and the one behind the last. */
    private int firstCovered;
    private int endCovered;
    /** What the request covers of the stripe's data, in bytes from its start. */
    private long from;
    private long to;
    private int rowStart;
    private int rowEnd;
    /** Indexes of strips whose rows can be read, by bit. */
    private long readable;

    /**
     * No rows.
     *
     * @param layout of the array.
     */
    StripeRows(final ArrayLayout layout)
    {
        stripBytes = layout.stripBytes();
        stripShift = layout.stripShift();
        use(layout);
    }

    private void use(final ArrayLayout used)
    {
        layout = used;
        dataCount = used.dataCount();
        stripCount = dataCount + used.parityCount();
        rotatingCount = used.rotatingCount();
    }

    /**
     * Has the strips that the array has by now: its level may have changed since the rows were taken, by which data and
     * P stay where they are.
     *
     * @param map of the view of the plan.
     */
    void follow(final StripMap map)
    {
        if (null != layout && layout.level() != map.layout().level())
        {
            use(map.layoutAt(memberOffset()));
        }
    }

    /**
     * {@return which data strip Q takes first, as {@link ArrayLayout#firstOfQ} has it}
     */
    int firstOfQ()
    {
        return layout.firstOfQ(slotOfP);
    }

    /**
     * {@return data strips of the stripe}
     */
    int dataCount()
    {
        return dataCount;
    }

    /**
     * {@return strips of the stripe, parity included}
     */
    int stripCount()
    {
        return stripCount;
    }

    /**
     * {@return whether the rows have no strips, since they lie between those of two layouts}
     */
    boolean areFree()
    {
        return null == layout;
    }

    /**
     * Takes the next rows of a request.
     *
     * @param map     of the present view: hosts wait for what is in its window, so that what it says of these rows does
     *                not change before the request has ended.
     * @param request that notes that they are taken.
     * @param chunk   most rows, a power of two.
     */
    void take(final StripMap map, final StripedRequest request, final int chunk)
    {
        use(map.layoutOf(request.nextOffset()));
        final long stripeBytes = (long)dataCount << stripShift;
        place(layout.stripeOf(request.nextOffset()));
        final long start = stripe * stripeBytes;
        from = request.nextOffset() - start;
        to = Math.min(Math.min(request.endOffset(), map.limit(request.nextOffset())) - start, stripeBytes);
        firstCovered = (int)(from >>> stripShift);
        endCovered = (int)(to - 1 >>> stripShift) + 1;
        int row = request.nextRow();
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
        request.issued(isLast ? start + to : request.nextOffset(), isLast ? 0 : nextRow);
    }

    /**
     * Leaves out all rows but the first that a request covers.
     *
     * @param chunk most rows that are left.
     */
    void shorten(final int chunk)
    {
        rowEnd = Math.min(rowEnd, rowStart + chunk);
    }

    /**
     * Goes on with rows behind those that were taken, up to a row.
     *
     * @param end row behind the last.
     * @return whether the request covers any.
     */
    boolean goOn(final int end)
    {
        final int start = rowEnd;
        rowEnd = end;
        if (start < end && coversRows(start, end))
        {
            rowStart = lowestRow(start, end);
            return true;
        }
        return false;
    }

    /**
     * Takes rows that no request covers.
     *
     * @param map          of the present view.
     * @param memberOffset of the first row, in bytes of a member's data.
     * @param count        of the rows, within a strip, and of one layout.
     */
    void take(final StripMap map, final long memberOffset, final int count)
    {
        final ArrayLayout used = map.layoutAt(memberOffset);
        if (null == used)
        {
            layout = null;
            stripe = memberOffset >>> stripShift;
        }
        else
        {
            use(used);
            place(memberOffset >>> stripShift);
        }
        from = 0;
        to = 0;
        firstCovered = 0;
        endCovered = 0;
        rowStart = (int)(memberOffset & stripBytes - 1);
        rowEnd = rowStart + count;
    }

    private void place(final long newStripe)
    {
        stripe = newStripe;
        slotOfP = layout.parityP(newStripe);
    }

    /**
     * {@return first row}
     */
    int start()
    {
        return rowStart;
    }

    /**
     * {@return row behind the last}
     */
    int end()
    {
        return rowEnd;
    }

    /**
     * {@return offset of the first row in a member's data}
     */
    long memberOffset()
    {
        return memberOffset(rowStart);
    }

    /**
     * {@return offset on the array of what the request covers of a data strip}
     *
     * @param index of the data strip.
     */
    long arrayOffset(final int index)
    {
        return ((stripe * dataCount + index) << stripShift) + low(index);
    }

    /**
     * {@return offset on the array of the first byte of the stripe that the request covers}
     */
    long arrayStart()
    {
        return (stripe * dataCount << stripShift) + from;
    }

    /**
     * {@return offset on the array behind the last byte of the stripe that the request covers}
     */
    long arrayEnd()
    {
        return (stripe * dataCount << stripShift) + to;
    }

    private boolean coversRows(final int start, final int end)
    {
        for (int index = firstCovered; index < endCovered; index++)
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
        for (int index = firstCovered; index < endCovered; index++)
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
        for (int index = firstCovered; index < endCovered; index++)
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
        return Math.clamp(from - ((long)index << stripShift), start, stripBytes);
    }

    private int high(final int index, final int end)
    {
        return Math.clamp(to - ((long)index << stripShift), 0, Math.min(end, stripBytes));
    }

    /**
     * {@return first row of a data strip that the request covers}
     *
     * @param index of the data strip.
     */
    int low(final int index)
    {
        return low(index, rowStart);
    }

    /**
     * {@return row behind the last of a data strip that the request covers; not above {@link #low} when none is}
     *
     * @param index of the data strip.
     */
    int high(final int index)
    {
        return high(index, rowEnd);
    }

    /**
     * {@return first data strip that the request covers any of}
     */
    int firstCovered()
    {
        return firstCovered;
    }

    /**
     * {@return data strip behind the last that the request covers any of}
     */
    int endCovered()
    {
        return endCovered;
    }

    /**
     * {@return whether the request covers any of the rows of a data strip}
     *
     * @param index of the data strip.
     */
    boolean isCovered(final int index)
    {
        return low(index) < high(index);
    }

    /**
     * {@return whether the request covers all rows of a data strip}
     *
     * @param index of the data strip.
     */
    boolean isWhole(final int index)
    {
        return rowStart == low(index) && rowEnd == high(index);
    }

    /**
     * {@return count of the rows, in bytes of each strip}
     */
    int count()
    {
        return rowEnd - rowStart;
    }

    /**
     * {@return offset of a row in a member's data}
     *
     * @param row of the stripe.
     */
    long memberOffset(final int row)
    {
        return (stripe << stripShift) + row;
    }

    /**
     * {@return slot of a data strip, or of parity by the indexes behind those}
     *
     * @param index of the strip.
     */
    int slot(final int index)
    {
        if (index >= rotatingCount)
        {
            return index;
        }
        // Behind P lies the other parity, then the data, and behind the last slot the first.
        final int slot = slotOfP + (index < dataCount ? rotatingCount - dataCount + index : index - dataCount);
        return slot < rotatingCount ? slot : slot - rotatingCount;
    }

    /**
     * {@return whether the rows of a strip could be read by the view of the plan}
     *
     * @param index of the strip.
     */
    boolean isReadable(final int index)
    {
        return 0 != (readable & 1L << index);
    }

    /**
     * Notes which strips can be read: those of the plan, while a rebuild goes on.
     *
     * @param view     of the plan.
     * @param badSlots whose medium failed a read of the rows, by bit.
     */
    void findReadable(final ArrayView view, final long badSlots)
    {
        readable = (1L << stripCount - 1 << 1) - 1;
        if (0 == badSlots && view.isComplete())
        {
            return;
        }
        readable = 0;
        for (int index = 0; index < stripCount; index++)
        {
            final int slot = slot(index);
            final boolean isGood = 0 == (badSlots & 1L << slot) && view.isReadable(slot, memberOffset(rowEnd));
            readable |= isGood ? 1L << index : 0;
        }
    }

    /**
     * Takes rows that were read for such as cannot be: {@link #findReadable} may find more by now, which a rebuild has
     * reached since.
     *
     * @param slots of the members, by bit.
     */
    void exclude(final long slots)
    {
        for (int index = 0; index < stripCount; index++)
        {
            readable &= 0 == (slots & 1L << slot(index)) ? -1L : ~(1L << index);
        }
    }

    /**
     * {@return indexes of strips whose rows can be read, by bit}
     */
    long readable()
    {
        return readable;
    }

    /**
     * {@return indexes of strips that the rows of all others are computed from, by bit: data that can be read, and as
     * many strips of parity as there are of data that cannot}
     */
    long needed()
    {
        final long data = readable & (1L << dataCount) - 1;
        long parity = readable ^ data;
        long needed = data;
        for (int left = dataCount - Long.bitCount(data); left > 0 && 0 != parity; left--)
        {
            needed |= Long.lowestOneBit(parity);
            parity &= parity - 1;
        }
        return needed;
    }

    /**
     * {@return count of data strips whose rows cannot be read}
     */
    int unreadableData()
    {
        return dataCount - Long.bitCount(readable & (1L << dataCount) - 1);
    }

    /**
     * {@return count of parity strips whose rows can be read}
     */
    int readableParity()
    {
        return Long.bitCount(readable >>> dataCount);
    }

    /**
     * {@return count of parity strips that are written}
     *
     * @param view of the plan.
     */
    int writableParity(final ArrayView view)
    {
        int count = 0;
        for (int index = dataCount; index < stripCount; index++)
        {
            count += view.isWritable(slot(index)) ? 1 : 0;
        }
        return count;
    }
}
