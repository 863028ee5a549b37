package io.millrace.block.raid;

import io.millrace.block.BlockStatus;

/**
 * A part of a step of {@link Reshaping}: rows of one stripe. Nobody else has them, since hosts wait and the array's own
 * work does nothing else meanwhile, so that it locks nothing. It is in no pool of the channel.
 */
abstract class ReshapeRequest extends StripeRequest
{
    private static final int ALIGNMENT_MASK = 4095;

    /** Of the view with which the step began. */
    protected StripMap map;
    protected long stripe;
    /** First row of the strips. */
    protected int start;
    protected int length;
    private int areaBytes;
    private long unreadableRow;

    /**
     * A request of its owner.
     *
     * @param channel that it is of.
     */
    ReshapeRequest(final RaidChannel channel)
    {
        super(channel);
    }

    /**
     * Begins.
     *
     * @param newMap    of the step.
     * @param newStripe as members have it.
     * @param newStart  first row of the strips.
     * @param newLength count of the rows, in bytes of each strip.
     * @param newOnDone notified at its end.
     */
    final void begin(
        final StripMap newMap,
        final long newStripe,
        final int newStart,
        final int newLength,
        final WorkListener newOnDone)
    {
        begin(Purpose.MOVE, null, newOnDone);
        map = newMap;
        stripe = newStripe;
        start = newStart;
        length = newLength;
        channel.advance(channel.began(this));
    }

    /**
     * {@return row of the old layout that a member could not read, when it has ended with
     * {@link BlockStatus#MEDIA_ERROR}; not of a backup, which is stored anew}
     */
    final long unreadableRow()
    {
        return unreadableRow;
    }

    /**
     * Takes a buffer.
     *
     * @param areas that it has room for, each for the rows of a strip.
     * @return its address; 0: none is free now.
     */
    protected final long acquireAreas(final int areas)
    {
        // Memory of direct I/O is aligned.
        areaBytes = length + ALIGNMENT_MASK & ~ALIGNMENT_MASK;
        return acquireBuffer(areas * areaBytes);
    }

    protected final int areaBytes()
    {
        return areaBytes;
    }

    @Override
    protected final boolean isPooled()
    {
        return false;
    }

    @Override
    protected void onUnreadable()
    {
        // Others have what is left of the rows: they are rewritten before the step is tried again.
        for (long left = badSlots; 0 != left; left &= left - 1)
        {
            final long offset =
                LostBlockWrites.dataOffset(parts[Long.numberOfTrailingZeros(left)], channel.blockShift());
            if (offset >= 0)
            {
                unreadableRow = offset >>> map.layout().stripShift();
                channel.device().onUnreadable(offset, length);
            }
        }
    }

    @Override
    protected final boolean isWrittenWithout(final ArrayView present, final long slots)
    {
        // Whoever begins the parts of a step looks at the view when they have ended.
        return true;
    }

    /**
     * {@return why a part of a step cannot be done by the present view; {@link BlockStatus#SUCCESS}: it can}
     */
    protected final BlockStatus problem()
    {
        return 0 != badSlots ? BlockStatus.MEDIA_ERROR :
            view.isComplete() ? BlockStatus.SUCCESS : BlockStatus.DEVICE_ERROR;
    }
}
