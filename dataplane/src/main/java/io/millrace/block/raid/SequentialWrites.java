package io.millrace.block.raid;

import io.millrace.block.BlockOperation;
import io.millrace.block.raid.layout.ArrayLayout;

/**
 * Gathers writes of hosts that follow each other on an array with parity, so that members are written whole stripes or
 * long parts of strips and not the same rows again and again. A write waits for others only where that costs nothing:
 * until the channel's next poll, when another one of its stream came in the same cycle, or when those of the last cycle
 * could be gathered; and as long as others write its rows, which it would have to wait for anyway. So a host that waits
 * for each write before it sends the next, and one that writes at random, are not delayed. Whole stripes are left
 * alone. The reactor's only; nothing is allocated per request.
 */
final class SequentialWrites
{
    private static final int STREAMS = 8;
    private static final int GATHERED_MAX = 16;

    /** Writes of which each begins where the last one ends. */
    private static final class Stream
    {
        /** Offset on the array where the next one begins. */
        private long end = -1;
        /** When the last write came: time of the reactor's cycle, and polls of the channel. */
        private long cycleNs;
        private long polls;
        /** Whether the cycle before brought more than one. */
        private boolean isDeep;
        /** Whether the present write is gathered, as far as it is no whole stripe. */
        private boolean isGathering;
        /** That the next write may be added to; null: none. */
        private GatheredWrite open;
    }

    private final RaidChannel channel;
    private final RaidDevice device;
    private final Stream[] streams = new Stream[STREAMS];
    private int oldest;
    private GatheredWrite free;
    /** Those that wait for a poll, in their order. */
    private GatheredWrite first;
    private GatheredWrite last;
    private int waitingCount;
    private long polls;

    /**
     * Has gathered nothing.
     *
     * @param channel that writes are submitted to.
     */
    SequentialWrites(final RaidChannel channel)
    {
        this.channel = channel;
        device = channel.device();
        for (int i = 0; i < STREAMS; i++)
        {
            streams[i] = new Stream();
        }
        for (int i = 0; i < GATHERED_MAX; i++)
        {
            onFree(new GatheredWrite(channel, this));
        }
    }

    /**
     * Takes the part of a request up to the end of its stripe, if it is to be gathered.
     *
     * @param request that goes on there; the part is noted in it.
     * @return false when a stripe request is to be made for it.
     */
    boolean take(final ArrayRequest request)
    {
        final ArrayView view = device.view();
        if (BlockOperation.WRITE != request.operation() || 0 != request.nextRow() || view.map().isReshaping())
        {
            return false;
        }
        final long from = request.nextOffset();
        final Stream stream = find(from, request.isUntouched());
        if (null == stream)
        {
            return false;
        }
        final ArrayLayout layout = view.layout();
        final long stripe = layout.stripeOf(from);
        final long stripeStart = stripe * layout.dataCount() << layout.stripShift();
        final long stripeEnd = stripeStart + ((long)layout.dataCount() << layout.stripShift());
        final long to = Math.min(request.endOffset(), stripeEnd);
        if (request.isUntouched())
        {
            judge(stream, from, to, layout);
        }
        stream.end = to;
        if (!stream.isGathering || stripeStart == from && stripeEnd == to || !add(stream, request, from, to))
        {
            close(stream);
            return false;
        }
        if (stripeEnd == to)
        {
            // Writes of a stripe do not wait for those of the next.
            close(stream);
        }
        return true;
    }

    /** The stream that goes on at an offset; a new one for a request of none. */
    private Stream find(final long from, final boolean isNew)
    {
        for (final Stream each : streams)
        {
            if (from == each.end)
            {
                return each;
            }
        }
        if (!isNew)
        {
            return null;
        }
        final Stream stream = streams[oldest];
        oldest = oldest + 1 & STREAMS - 1;
        close(stream);
        stream.end = -1;
        stream.isDeep = false;
        return stream;
    }

    /** Decides whether a write is gathered. */
    private void judge(final Stream stream, final long from, final long to, final ArrayLayout layout)
    {
        final long nowNs = channel.reactor().nowNs();
        if (stream.end < 0)
        {
            stream.isGathering = false;
        }
        else
        {
            final boolean isOneOfMany = nowNs == stream.cycleNs && polls == stream.polls || null != stream.open;
            stream.isGathering = isOneOfMany || stream.isDeep || isBusy(from, to, layout);
            stream.isDeep = isOneOfMany;
        }
        stream.cycleNs = nowNs;
        stream.polls = polls;
    }

    /** Whether a write of a part of a stripe has to wait: others write its rows, or its region is being set. */
    private boolean isBusy(final long from, final long to, final ArrayLayout layout)
    {
        final WriteIntent intent = device.intent();
        final int stripBytes = layout.stripBytes();
        final long memberStrip = layout.stripeOf(from) << layout.stripShift();
        final int row = (int)(from & stripBytes - 1);
        return intent.isWanted(intent.region(memberStrip)) ||
            (row + (to - from) > stripBytes ? device.locks().isExclusive(memberStrip, stripBytes) :
            device.locks().isExclusive(memberStrip + row, to - from));
    }

    private boolean add(final Stream stream, final ArrayRequest request, final long from, final long to)
    {
        if (null == stream.open || !stream.open.add(request, from, to))
        {
            close(stream);
            final GatheredWrite gathered = free;
            if (null == gathered)
            {
                return false;
            }
            free = gathered.next;
            gathered.open(from);
            gathered.add(request, from, to);
            wait(gathered);
            stream.open = gathered;
        }
        request.issued(to, 0);
        return true;
    }

    private static void close(final Stream stream)
    {
        if (null != stream.open)
        {
            stream.open.close();
            stream.open = null;
        }
    }

    private void wait(final GatheredWrite gathered)
    {
        gathered.next = null;
        if (null == first)
        {
            first = gathered;
        }
        else
        {
            last.next = gathered;
        }
        last = gathered;
        waitingCount++;
    }

    private GatheredWrite removeFirst()
    {
        final GatheredWrite gathered = first;
        first = gathered.next;
        waitingCount--;
        return gathered;
    }

    /**
     * {@return whether there is nothing to write}
     */
    boolean isEmpty()
    {
        return null == first;
    }

    /**
     * Begins to write what was gathered, as far as stripe requests are free, but what others have the rows of, and may
     * get more meanwhile.
     *
     * @return how many stripe requests were made.
     */
    int poll()
    {
        polls++;
        int count = 0;
        for (int left = waitingCount; left > 0 && null != first && channel.hasFreeStripe(); left--)
        {
            final GatheredWrite gathered = removeFirst();
            if (gathered.isOpen() && mayWait(gathered))
            {
                wait(gathered);
            }
            else
            {
                count += begin(gathered);
            }
        }
        return count;
    }

    private boolean mayWait(final GatheredWrite gathered)
    {
        final ArrayView view = device.view();
        // A region is not set any more when the array has failed or ended.
        return !view.map().isReshaping() && null == view.failure() && !device.hasEnded() &&
            isBusy(gathered.nextOffset(), gathered.endOffset(), view.layout());
    }

    private int begin(final GatheredWrite gathered)
    {
        closeStream(gathered);
        int count = 0;
        while (channel.hasFreeStripe())
        {
            final ParityStripeRequest stripe = (ParityStripeRequest)channel.takeStripe();
            stripe.begin(gathered);
            // It may have ended, and have been begun again, when the stripe request was advanced.
            final boolean isLast = gathered.isIssued();
            channel.advance(stripe);
            count++;
            if (isLast)
            {
                return count;
            }
        }
        wait(gathered);
        return count;
    }

    private void closeStream(final GatheredWrite gathered)
    {
        gathered.close();
        for (final Stream each : streams)
        {
            if (gathered == each.open)
            {
                each.open = null;
            }
        }
    }

    /**
     * Begins to write it again with the next poll.
     *
     * @param gathered of which one write is to be written.
     */
    void tryAgain(final GatheredWrite gathered)
    {
        wait(gathered);
    }

    /**
     * Takes a slot back.
     *
     * @param gathered that has ended.
     */
    void onFree(final GatheredWrite gathered)
    {
        gathered.next = free;
        free = gathered;
    }

    /** Ends what is not being written: the channel closes. */
    void abandon()
    {
        while (null != first)
        {
            final GatheredWrite gathered = removeFirst();
            closeStream(gathered);
            gathered.abandon();
        }
    }
}
