package io.millrace.block.raid;

import io.millrace.block.BlockOperation;
import io.millrace.block.StripeLocks;
import io.millrace.block.raid.layout.ArrayLayout;

/**
 * Requests to a channel that write zeroes or deallocate, which may be as long as the array: a part of each in turn,
 * some at a time, so that reads and writes go on beside them. Whole stripes are passed on to the members, each of which
 * gets one range of many strips. What is left at both ends is passed on by strips without parity; with parity it is
 * written as zeroes, and left as it is by a request that deallocates. The reactor's only; nothing is allocated per
 * request.
 */
final class ZeroQueue
{
    /** Parts under way, and parts that are begun at once. */
    private static final int PARTS_MAX = 16;
    /** Longest range of a member where no lock says otherwise. */
    private static final int RANGE_BYTES_MAX = 16 << 20;

    private final RaidChannel channel;
    private final boolean hasParity;
    /** Layout of the next part. */
    private ArrayLayout layout;
    /** Smallest range that is whole strips of every member: bytes of the array, and of each member. */
    private long unitBytes;
    private int unitMemberBytes;
    private StripeRequest free;
    private final ArrayRequestList requests = new ArrayRequestList();

    /**
     * Has no requests.
     *
     * @param channel that it is of.
     */
    ZeroQueue(final RaidChannel channel)
    {
        this.channel = channel;
        hasParity = channel.layout().parityCount() > 0;
        use(channel.layout());
        for (int i = 0; i < PARTS_MAX; i++)
        {
            free(new ZeroRequest(channel));
        }
    }

    private void use(final ArrayLayout used)
    {
        if (used == layout)
        {
            return;
        }
        layout = used;
        // Two copies of an odd count of members meet their slots again in the second row.
        final int rows = 0 == layout.memberCount() % layout.copyCount() ? 1 : layout.copyCount();
        final int strips = hasParity ? layout.dataCount() : layout.memberCount() * rows / layout.copyCount();
        unitBytes = (long)strips << layout.stripShift();
        unitMemberBytes = rows << layout.stripShift();
    }

    /**
     * {@return first of the requests that parts are still to be begun of}
     */
    ArrayRequest first()
    {
        return requests.first();
    }

    void add(final ArrayRequest request)
    {
        requests.add(request);
    }

    /**
     * A part has ended.
     *
     * @param stripe that it was.
     */
    void free(final StripeRequest stripe)
    {
        stripe.next = free;
        free = stripe;
    }

    /**
     * {@return whether a part can be begun}
     */
    boolean canBegin()
    {
        return !requests.isEmpty() && null != free && channel.hasFreeStripe();
    }

    /** Begins parts of the requests in turn. */
    void issue()
    {
        for (int left = PARTS_MAX; left > 0 && canBegin(); left--)
        {
            final ArrayRequest request = requests.removeFirst();
            if (channel.window().blocks(request))
            {
                channel.window().add(request);
                continue;
            }
            final StripeRequest stripe = request.hasFailed() ? skip(request, request.endOffset()) : begin(request);
            if (!request.isIssued())
            {
                add(request);
            }
            if (null != stripe)
            {
                channel.advance(stripe);
            }
            else if (request.isDone())
            {
                request.end();
            }
        }
    }

    private static StripeRequest skip(final ArrayRequest request, final long offset)
    {
        request.skip(offset);
        return null;
    }

    /** {@return the next part; null when it was left out} */
    private StripeRequest begin(final ArrayRequest request)
    {
        final long offset = request.nextOffset();
        final StripMap map = channel.device().view().map();
        use(map.layoutOf(offset));
        // Of a part that has one layout.
        final long leftBytes = Math.min(request.endOffset(), map.limit(offset)) - offset;
        if (0 == offset % unitBytes && leftBytes >= unitBytes)
        {
            final long memberOffset = offset / unitBytes * unitMemberBytes;
            final long units = Math.min(leftBytes / unitBytes, unitsMax(memberOffset, request));
            if (units > 0)
            {
                final ZeroRequest stripes = take();
                stripes.beginStripes(
                    request, memberOffset, (int)(units * unitMemberBytes), units * unitBytes);
                return stripes;
            }
        }
        if (!hasParity)
        {
            final ZeroRequest strip = take();
            final long leftOfStrip = layout.stripBytes() - (offset & layout.stripBytes() - 1);
            strip.beginStrip(request, (int)Math.min(leftOfStrip, leftBytes));
            return strip;
        }
        if (BlockOperation.DEALLOCATE == request.request().operation())
        {
            return skip(request, Math.min(offset + leftBytes, (offset / unitBytes + 1) * unitBytes));
        }
        final ParityStripeRequest rows = (ParityStripeRequest)channel.takeStripe();
        rows.begin(request);
        return rows;
    }

    private ZeroRequest take()
    {
        final StripeRequest taken = free;
        free = taken.next;
        return channel.began((ZeroRequest)taken);
    }

    /** Units that one part may have: within a region of the bitmap, and no longer than what is locked at once. */
    private long unitsMax(final long memberOffset, final ArrayRequest request)
    {
        final RaidDevice device = channel.device();
        long memberBytes = RANGE_BYTES_MAX;
        final WriteIntent intent = device.intent();
        if (null != intent)
        {
            final long lockedBytes = hasParity ? unitMemberBytes : unitBytes;
            memberBytes = Math.min(StripeLocks.RANGE_BYTES_MAX / lockedBytes * unitMemberBytes,
                intent.regionBytes() - (memberOffset & intent.regionBytes() - 1));
        }
        if (ZeroRequest.needsWrites(device, device.view(), request.request().operation()))
        {
            memberBytes = Math.min(memberBytes, unitMemberBytes);
        }
        return memberBytes / unitMemberBytes;
    }

    /** Completes what no part is under way of: the channel closes. */
    void abandon()
    {
        while (!requests.isEmpty())
        {
            final ArrayRequest request = requests.removeFirst();
            request.abandon();
            if (request.isDone())
            {
                request.end();
            }
        }
    }
}
