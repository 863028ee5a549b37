package io.millrace.block.raid;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.layout.ArrayLayout;

/**
 * Requests that need one member and nothing else: reads within a strip whose member is in sync, and writes within a
 * strip of an array that has no copies and no parity, while all members are in sync. They go to the member with the
 * memory of the host, without lock, bitmap and buffer, which such requests do not take as stripe requests either. What
 * a member does not end well is continued by a {@link StripeRequest}, as if that had asked the member; until then it
 * uses none, and before that the member's channel counts it, which stays open for it. A read that takes long may be
 * answered by others first ({@link HedgedReads}). The reactor's only; nothing is allocated per request.
 */
final class DirectRequests
{
    /** Others are stripe requests. */
    private static final int REQUESTS_MAX = 128;
    private static final int NO_COPY = -1;

    private final RaidChannel channel;
    private final RaidDevice device;
    private final int blockShift;
    private final int stripShift;
    private final boolean hasParity;
    /** What a stripe request may have at most: it goes on with the whole request. */
    private int unitBytes;
    private final boolean acceptsWrites;
    /** Null of an array without redundancy. */
    private final HedgedReads hedges;
    /** Those that are free lie below the count: the one that was freed last is used next. */
    private final DirectRequest[] free = new DirectRequest[REQUESTS_MAX];
    private int freeCount;
    /** Those that a stripe request is still to go on with. */
    private DirectRequest failed;

    /**
     * Has no requests.
     *
     * @param channel   that it is of.
     * @param unitBytes most that a stripe request reads of a strip, a power of two.
     */
    DirectRequests(final RaidChannel channel, final int unitBytes)
    {
        this.channel = channel;
        this.unitBytes = unitBytes;
        device = channel.device();
        blockShift = channel.blockShift();
        stripShift = channel.layout().stripShift();
        hasParity = channel.layout().parityCount() > 0;
        acceptsWrites = null == device.intent();
        freeCount = REQUESTS_MAX;
        for (int i = 0; i < REQUESTS_MAX; i++)
        {
            free[i] = new DirectRequest(i, this::onPart);
        }
        hedges = null == device.intent() ? null : new HedgedReads(channel, this, free.clone());
    }

    /**
     * Stripe requests have fewer rows from now on.
     *
     * @param newUnitBytes most that a stripe request reads of a strip, a power of two.
     */
    void fit(final int newUnitBytes)
    {
        unitBytes = newUnitBytes;
    }

    /**
     * {@return hedges of its reads; null of an array without redundancy}
     */
    HedgedReads hedges()
    {
        return hedges;
    }

    /**
     * Submits a request to its member, if it needs one alone.
     *
     * @param request to the array.
     * @return false when a stripe request is needed.
     */
    boolean submit(final BlockRequest request)
    {
        final BlockOperation operation = request.operation();
        final long offset = request.lba() << blockShift;
        final long length = (long)request.blocks() << blockShift;
        final ArrayView view = device.view();
        final boolean isAccepted = BlockOperation.READ == operation ? view.isInPlace() :
            acceptsWrites && BlockOperation.WRITE == operation && view.isSteady();
        if (0 == freeCount || !isAccepted || (offset & unitBytes - 1) + length > unitBytes)
        {
            return false;
        }
        final ArrayLayout layout = view.layout();
        final long strip = offset >>> stripShift;
        final long memberStrip;
        final int slot;
        if (hasParity)
        {
            memberStrip = layout.stripeOf(offset);
            slot = layout.dataSlot(memberStrip, (int)(strip - memberStrip * layout.dataCount()));
        }
        else
        {
            final long firstStrip = layout.memberStrip(strip, 0);
            final int firstSlot = layout.firstSlot(strip, firstStrip);
            final int copy = 1 == layout.copyCount() ? 0 : source(view, strip, firstStrip, firstSlot);
            if (NO_COPY == copy)
            {
                return false;
            }
            slot = layout.slotBehind(firstSlot, copy);
            memberStrip = layout.memberStripBehind(firstSlot, firstStrip, copy);
        }
        if (!view.isComplete() && SlotState.IN_SYNC != view.state(slot))
        {
            return false;
        }
        submit(request, view, slot, (memberStrip << stripShift) + (offset & layout.stripBytes() - 1));
        return true;
    }

    private void submit(final BlockRequest request, final ArrayView view, final int slot, final long memberOffset)
    {
        freeCount--;
        final DirectRequest direct = free[freeCount];
        direct.request = request;
        direct.slot = slot;
        if (view != direct.view)
        {
            direct.view = view;
        }
        final BlockRequest part = direct.part;
        part.reset(
            request.operation(), RaidChannel.dataOffsetBytes() + memberOffset >>> blockShift, request.blocks());
        part.forceUnitAccess(request.forceUnitAccess());
        part.segments().copyFrom(request.segments());
        channel.hostLoad().count(request.segments().totalBytes());
        if (null != hedges)
        {
            hedges.onSubmitted(direct);
        }
        channel.submit(view.member(slot), part);
    }

    /**
     * The copy whose member has the least to do; none where copies may differ since a crash, or one is being rebuilt.
     *
     * @param view       with the members.
     * @param strip      of the array.
     * @param firstStrip of the first copy on its member.
     * @param firstSlot  of the first copy.
     */
    private int source(final ArrayView view, final long strip, final long firstStrip, final int firstSlot)
    {
        final WriteIntent intent = device.intent();
        if (intent.needsResync(intent.region(firstStrip << stripShift)) ||
            !view.isComplete() && isRebuilding(view, firstSlot))
        {
            return NO_COPY;
        }
        final ArrayLayout layout = view.layout();
        final int copyCount = layout.copyCount();
        int chosen = NO_COPY;
        int least = Integer.MAX_VALUE;
        final int start = (int)(strip & Integer.MAX_VALUE) % copyCount;
        for (int i = 0; i < copyCount && 0 != least; i++)
        {
            final int copy = start + i < copyCount ? start + i : start + i - copyCount;
            final int slot = layout.slotBehind(firstSlot, copy);
            final int load = SlotState.IN_SYNC == view.state(slot) ? channel.inFlight(view.member(slot)) : least;
            if (load < least)
            {
                least = load;
                chosen = copy;
            }
        }
        return chosen;
    }

    /** What a member that is being rebuilt has by now it takes off the others, which a stripe request sees to. */
    private static boolean isRebuilding(final ArrayView view, final int firstSlot)
    {
        final ArrayLayout layout = view.layout();
        for (int copy = 0; copy < layout.copyCount(); copy++)
        {
            if (SlotState.REBUILDING == view.state(layout.slotBehind(firstSlot, copy)))
            {
                return true;
            }
        }
        return false;
    }

    private void onPart(final BlockRequest part)
    {
        final DirectRequest direct = (DirectRequest)part.owner();
        if (null != hedges && hedges.onEnded(direct))
        {
            return;
        }
        if (BlockStatus.SUCCESS == part.status() && null == part.hold())
        {
            final BlockRequest request = direct.request;
            end(direct);
            request.complete(BlockStatus.SUCCESS);
        }
        else
        {
            direct.next = failed;
            failed = direct;
            channel.issue();
        }
    }

    /**
     * Frees a slot.
     *
     * @param direct whose part has ended.
     */
    void end(final DirectRequest direct)
    {
        direct.request = null;
        // It is nearly always the same, and storing a reference costs the collector's mark as well.
        if (direct != free[freeCount])
        {
            free[freeCount] = direct;
        }
        freeCount++;
        channel.members().closeUnused();
    }

    /**
     * {@return whether a stripe request is to go on with one}
     */
    boolean hasFailed()
    {
        return null != failed;
    }

    /**
     * {@return one that a stripe request goes on with; there is one. It is to be {@link #end ended} then}
     */
    DirectRequest removeFailed()
    {
        final DirectRequest direct = failed;
        failed = direct.next;
        return direct;
    }

    /** The channel has closed. */
    void close()
    {
        if (null != hedges)
        {
            hedges.close();
        }
    }

    /**
     * {@return requests that were submitted and have not ended}
     */
    int count()
    {
        return REQUESTS_MAX - freeCount;
    }
}
