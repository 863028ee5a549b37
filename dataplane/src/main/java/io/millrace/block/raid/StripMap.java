package io.millrace.block.raid;

import io.millrace.block.raid.format.MemberArea;
import io.millrace.block.raid.format.ReshapeState;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.block.raid.layout.RaidLevel;

/**
 * Which layout each part of an array has: one for all, unless the array with parity is being <i>reshaped</i>, its data
 * spread over one more member, stripe by stripe from the first one on. A <i>row</i> here is a stripe as members have
 * it. With {@code p} stripes moved:
 * <pre>
 *   rows      0 ... p-1       p ... f-1     f ...
 *             new layout      free          old layout
 * </pre>
 * where row {@code f} has the first strip that was not moved. Free rows have old data that nobody reads. As long as no
 * rows are free, those that are written next have data that was not moved: the first stripes, the <i>head</i>, are
 * moved by slices of their strips, each of which members have a backup of meanwhile.
 * <p>
 * A RAID 6 whose Q is moved to the last slot keeps its count of slots, and each stripe its row. So no rows are free
 * ever: behind what was moved there is always another head, of as many stripes as there is room for in a backup.
 * <p>
 * Hosts do not read or write what lies in the window, whose layout changes next. Immutable; queries allocate nothing.
 */
final class StripMap
{
    private static final long NO_LIMIT = Long.MAX_VALUE;

    private final ArrayLayout layout;
    /** Null: no reshape is under way. */
    private final ArrayLayout old;
    private final ReshapeState state;
    /** Offsets on the array. */
    private final long windowStart;
    private final long windowEnd;
    private final int shift;
    private final long movedBytes;
    /** First row that has the old layout. */
    private final long firstOldRow;
    /** Rows of the old layout, from {@code p} on, and the stripes that are moved there. */
    private final int headRows;
    private final int headStripes;
    /** Offset on the array behind the head. */
    private final long headEnd;

    private StripMap(
        final ArrayLayout layout,
        final ArrayLayout old,
        final ReshapeState state,
        final long windowStart,
        final long windowEnd)
    {
        this.layout = layout;
        this.old = old;
        this.state = state;
        this.windowStart = windowStart;
        this.windowEnd = windowEnd;
        shift = layout.stripShift();
        if (null == old)
        {
            movedBytes = 0;
            firstOldRow = 0;
            headRows = 0;
            headStripes = 0;
            headEnd = 0;
        }
        else
        {
            movedBytes = state.position() * layout.dataCount() << shift;
            firstOldRow = state.position() * layout.dataCount() / old.dataCount();
            headRows = (int)Math.min(isInPlace() ? Math.max(1, MemberArea.JOURNAL_BYTES >>> shift) :
                old.dataCount() + 1, old.stripes() - (isInPlace() ? state.position() : 0));
            headStripes = isInPlace() ? headRows : (int)Math.min(old.dataCount(), old.stripes());
            headEnd = movedBytes + ((long)headRows * old.dataCount() << shift);
        }
    }

    private boolean isInPlace()
    {
        return old.memberCount() == layout.memberCount();
    }

    /**
     * {@return the map of an array that is not reshaped}
     *
     * @param layout of the whole array.
     */
    static StripMap of(final ArrayLayout layout)
    {
        return new StripMap(layout, null, ReshapeState.NONE, 0, 0);
    }

    /**
     * {@return the map of an array as superblocks have it}
     *
     * @param layout that all of it has when its reshape has ended.
     * @param state  of the reshape.
     */
    static StripMap of(final ArrayLayout layout, final ReshapeState state)
    {
        return new StripMap(layout, !state.isActive() ? null :
            ArrayLayout.of(state.previousCount() == layout.memberCount() ? RaidLevel.RAID6 : layout.level(),
                state.previousCount(), layout.stripBytes(), layout.memberBytes()), state, 0, 0);
    }

    /**
     * {@return the map at another place of the reshape, without a window}
     *
     * @param newState of the reshape.
     */
    StripMap at(final ReshapeState newState)
    {
        return new StripMap(layout, newState.isActive() ? old : null, newState, 0, 0);
    }

    /**
     * {@return the map at the same place of the reshape in another stage, with the same window}
     *
     * @param stage of the head.
     */
    StripMap at(final ReshapeState.Stage stage)
    {
        return new StripMap(layout, old, new ReshapeState(
            state.previousCount(), state.position(), state.sliceStart(), stage), windowStart, windowEnd);
    }

    /**
     * {@return the state at the same place, with the journal in its place again}
     */
    ReshapeState ended()
    {
        return new ReshapeState(state.previousCount(), state.position(), state.sliceStart(), ReshapeState.Stage.MOVING);
    }

    /**
     * {@return the map with a window that hosts wait for}
     *
     * @param start offset on the array of its first byte.
     * @param end   behind its last byte.
     */
    StripMap waitingFor(final long start, final long end)
    {
        return new StripMap(layout, old, state, start, end);
    }

    /**
     * {@return layout of the array when its reshape has ended; it has the count of slots}
     */
    ArrayLayout layout()
    {
        return layout;
    }

    /**
     * {@return layout of what was not moved yet; null: no reshape is under way}
     */
    ArrayLayout old()
    {
        return old;
    }

    ReshapeState state()
    {
        return state;
    }

    boolean isReshaping()
    {
        return null != old;
    }

    /**
     * {@return whether the place of the journal is used for a backup, so that no host may write}
     */
    boolean isExclusive()
    {
        return ReshapeState.Stage.MOVING != state.stage();
    }

    /**
     * {@return capacity for hosts}
     */
    long dataBytes()
    {
        return null == old ? layout.dataBytes() : old.dataBytes();
    }

    /**
     * {@return whether hosts have to wait for a part of the array}
     *
     * @param start offset on the array of its first byte.
     * @param end   behind its last byte.
     */
    boolean blocks(final long start, final long end)
    {
        return start < windowEnd && end > windowStart;
    }

    /**
     * {@return whether a stripe request is under way in the window, for a host}
     *
     * @param stripe of a channel.
     */
    boolean isInWindow(final StripeRequest stripe)
    {
        return stripe.isIn(windowStart, windowEnd);
    }

    private boolean hasSlices()
    {
        return 0 != state.sliceStart();
    }

    /**
     * {@return the layout that a byte of the array has}
     *
     * @param offset on the array.
     */
    ArrayLayout layoutOf(final long offset)
    {
        if (null == old || offset < movedBytes)
        {
            return layout;
        }
        return hasSlices() && offset < headEnd && offsetInStrip(offset) < state.sliceStart() ? layout : old;
    }

    private int offsetInStrip(final long offset)
    {
        return (int)(offset & (1 << shift) - 1);
    }

    /**
     * {@return the offset on the array up to which its layout is that of a byte of it}
     *
     * @param offset on the array.
     */
    long limit(final long offset)
    {
        if (null == old)
        {
            return NO_LIMIT;
        }
        if (offset < movedBytes)
        {
            return movedBytes;
        }
        return hasSlices() && offset < headEnd ? sliceEnd(offset) : NO_LIMIT;
    }

    /** On the array, or on a member. */
    private long sliceEnd(final long offset)
    {
        final int inStrip = offsetInStrip(offset);
        return offset - inStrip + (inStrip < state.sliceStart() ? state.sliceStart() : 1 << shift);
    }

    /**
     * {@return the layout that rows of the members have; null: they are free}
     *
     * @param memberOffset in bytes of a member's data.
     */
    ArrayLayout layoutAt(final long memberOffset)
    {
        if (null == old)
        {
            return layout;
        }
        final long row = memberOffset >>> shift;
        if (row < state.position())
        {
            return layout;
        }
        if (hasSlices())
        {
            return row - state.position() >= headRows || offsetInStrip(memberOffset) >= state.sliceStart() ? old :
                row - state.position() < headStripes ? layout : null;
        }
        return row < firstOldRow ? null : old;
    }

    /**
     * {@return the offset on the members up to which rows have the layout of those at another one}
     *
     * @param memberOffset in bytes of a member's data.
     */
    long rowsEnd(final long memberOffset)
    {
        final long row = memberOffset >>> shift;
        if (null != old && row < state.position())
        {
            return state.position() << shift;
        }
        if (hasSlices() && row - state.position() < headRows)
        {
            return sliceEnd(memberOffset);
        }
        return null != old && row < firstOldRow ? firstOldRow << shift : NO_LIMIT;
    }

    /**
     * {@return whether the head is moved next, by slices with a backup}
     */
    boolean isAtHead()
    {
        return null != old && (isInPlace() || 0 == state.position());
    }

    /**
     * {@return the layout by which members have what counts: the old one until the first slice of the head was moved,
     * whose rows are restored when a step fails}
     */
    ArrayLayout countingLayout()
    {
        return null != old && 0 == state.position() && !hasSlices() ? old : layout;
    }

    /**
     * {@return slots that have data or P in some stripe: the first ones; those behind them have Q alone}
     */
    int slotsWithData()
    {
        return RaidLevel.RAID6_Q_LAST == layout.level() && (null == old || RaidLevel.RAID6 != old.level()) ?
            layout.rotatingCount() : layout.memberCount();
    }

    /**
     * {@return rows of the old layout that the head has, from the position on}
     */
    int headRows()
    {
        return headRows;
    }

    /**
     * {@return bytes of each strip that are moved at once in the head: as many as the place of the journal has room for
     * in all its rows; a power of two}
     */
    int sliceBytes()
    {
        return Math.min(1 << shift, Integer.highestOneBit(MemberArea.JOURNAL_BYTES / headRows));
    }

    /**
     * {@return where members have the backup of rows of the head, from the beginning of their data: before it}
     *
     * @param row   of the old layout.
     * @param start in the strip, within the slice.
     */
    long backupOffset(final long row, final int start)
    {
        return MemberArea.JOURNAL_OFFSET_BYTES - MemberArea.DATA_OFFSET_BYTES +
            (row - state.position()) * sliceBytes() + start - state.sliceStart();
    }

    /**
     * {@return position at the end of the next step: none of the rows that it writes has data that is not moved}
     *
     * @param stripesMax of a step behind the head.
     */
    long nextPosition(final long stripesMax)
    {
        return isAtHead() ? state.position() + headStripes :
            Math.min(old.stripes(), Math.min(state.position() + stripesMax, firstOldRow));
    }

    /**
     * {@return the state when a step has moved its stripes}
     *
     * @param stripesMax as {@link #nextPosition} has it.
     */
    ReshapeState next(final long stripesMax)
    {
        final int sliceEnd = state.sliceStart() + sliceBytes();
        final boolean isSlice = isAtHead() && sliceEnd < 1 << shift;
        return new ReshapeState(state.previousCount(), isSlice ? state.position() : nextPosition(stripesMax),
            isSlice ? sliceEnd : 0, ReshapeState.Stage.MOVING);
    }

    /**
     * {@return the map with the window of the next step: whole rows of the old layout, whose parity is read with them}
     *
     * @param stripesMax as {@link #nextPosition} has it.
     */
    StripMap waitingForNext(final long stripesMax)
    {
        if (isAtHead())
        {
            return waitingFor(movedBytes, headEnd);
        }
        final long end = nextPosition(stripesMax) * layout.dataCount();
        return waitingFor(movedBytes, (end + old.dataCount() - 1) / old.dataCount() * old.dataCount() << shift);
    }

    /**
     * {@return number of the array's strip that a new stripe has; -1: behind the capacity before}
     *
     * @param stripe of the new layout.
     * @param index  of the data strip.
     */
    long strip(final long stripe, final int index)
    {
        final long strip = stripe * layout.dataCount() + index;
        return strip < old.stripes() * old.dataCount() ? strip : -1;
    }

    /**
     * {@return row of the old layout that has a strip}
     *
     * @param strip of the array.
     */
    long oldRow(final long strip)
    {
        return strip / old.dataCount();
    }

    /**
     * {@return slot that has a strip by the old layout}
     *
     * @param strip of the array.
     */
    int oldSlot(final long strip)
    {
        final long row = oldRow(strip);
        return old.dataSlot(row, (int)(strip - row * old.dataCount()));
    }
}
