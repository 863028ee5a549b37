package io.millrace.block.raid;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.CloseListener;
import io.millrace.block.MemoryHold;
import io.millrace.block.ReactorContext;
import io.millrace.block.raid.format.MemberArea;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.reactor.Reactor;
import java.util.ArrayList;
import java.util.List;

/**
 * One reactor's channel to an array: a channel to each member, and the requests that are worked on. Requests are cut
 * into stripe requests in their order; those that cannot go on are tried again in each cycle.
 */
final class RaidChannel implements BlockChannel
{
    private static final int STRIPE_REQUESTS_MAX = 128;

    private final RaidDevice device;
    private final ReactorContext context;
    private final int blockShift;
    private final MemberChannels members;
    private final LostBlockWrites lostBlockWrites;
    /** All of them, in use or not. */
    private final List<StripeRequest> stripes = new ArrayList<>();
    private final StripeBuffers buffers;
    /** Null of an array without parity. */
    private final StripeCodes codes;
    private final RequestSizes sizes;
    private final WriteGate gate;
    private final WaitingStripes waiting;
    private final HostLoad hostLoad = new HostLoad();
    private final StripeWriteCounts writeCounts = new StripeWriteCounts();
    private final ZeroQueue zeroes;
    private final ChannelClosing closing;
    private final DirectRequests direct;
    private final LentStrips lentStrips = new LentStrips(this);
    private StripeRequest freeStripes;
    /** Requests that stripe requests are still to be made for, in their order. */
    private final ArrayRequestList issuing = new ArrayRequestList();
    private final WindowRequests window;
    private final ArrayRequests requests;
    /** Null of an array without parity. */
    private final SequentialWrites sequential;
    private int stripeCount;
    private boolean isIssuing;
    private boolean isHeld;

    /**
     * Without a channel to any member: {@link ChannelOpening} opens them.
     *
     * @param device  of the channel.
     * @param context of the reactor.
     * @param buffers for requests to all members; the channel closes them.
     */
    RaidChannel(final RaidDevice device, final ReactorContext context, final StripeBuffers buffers)
    {
        this.device = device;
        this.context = context;
        this.buffers = buffers;
        blockShift = device.geometry().blockShift();
        waiting = new WaitingStripes(device.channels(), context.reactor());
        final boolean hasParity = device.layout().parityCount() > 0;
        codes = hasParity ? new StripeCodes(device.layout().level(), device.engineType()) : null;
        sizes = new RequestSizes(device, buffers, context.reactor());
        gate = device.gates().add();
        members = new MemberChannels(context, this::isUsed);
        lostBlockWrites = new LostBlockWrites(device, members);
        closing = new ChannelClosing(this, context.reactor(), device.times().closeNs());
        for (int i = 0; i < STRIPE_REQUESTS_MAX; i++)
        {
            freeStripe(hasParity ? new ParityStripeRequest(this) : new MirrorStripeRequest(this));
        }
        requests = new ArrayRequests(context.quarantine(), blockShift, device.pages().zeroesAddress());
        zeroes = new ZeroQueue(this);
        direct = new DirectRequests(this, sizes.directBytesMax());
        window = new WindowRequests(this, stripes, direct);
        sequential = hasParity ? new SequentialWrites(this) : null;
    }

    /**
     * A stripe request was made.
     *
     * @param stripe that may use members.
     */
    void created(final StripeRequest stripe)
    {
        stripes.add(stripe);
    }

    private boolean isUsed(final RaidMember member)
    {
        for (final StripeRequest each : stripes)
        {
            if (each.uses(member))
            {
                return true;
            }
        }
        return false;
    }

    /**
     * {@return channels to the members}
     */
    MemberChannels members()
    {
        return members;
    }

    /**
     * {@return the reactor that it is used on; any thread}
     */
    Reactor reactor()
    {
        return context.reactor();
    }

    /**
     * {@return what hosts do through it; any thread}
     */
    HostLoad hostLoad()
    {
        return hostLoad;
    }

    /**
     * {@return how it has written stripes for hosts; any thread}
     */
    StripeWriteCounts writeCounts()
    {
        return writeCounts;
    }

    RaidDevice device()
    {
        return device;
    }

    /**
     * {@return layout of the array, or the one that it has when its reshape has ended}
     */
    ArrayLayout layout()
    {
        return device.layout();
    }

    /**
     * {@return requests of hosts to what is moved by a reshape}
     */
    WindowRequests window()
    {
        return window;
    }

    /**
     * {@return first of the requests that stripe requests are still to be made for}
     */
    ArrayRequest firstIssuing()
    {
        return issuing.first();
    }

    StripeBuffers buffers()
    {
        return buffers;
    }

    StripeCodes codes()
    {
        return codes;
    }

    /**
     * {@return loans of members, of one call at a time}
     */
    LentStrips lentStrips()
    {
        return lentStrips;
    }

    int blockShift()
    {
        return blockShift;
    }

    /**
     * {@return how long requests to members may be}
     */
    RequestSizes sizes()
    {
        return sizes;
    }

    /**
     * The array is going to get another slot.
     *
     * @throws BlockDeviceException when buffers are too short for requests to so many.
     */
    void grow()
    {
        sizes.grow();
        direct.fit(sizes.directBytesMax());
    }

    WriteGate gate()
    {
        return gate;
    }

    /**
     * {@return where the data of a member begins}
     */
    static long dataOffsetBytes()
    {
        return MemberArea.DATA_OFFSET_BYTES;
    }

    ZeroQueue zeroes()
    {
        return zeroes;
    }

    /**
     * {@return whether nothing begins any more}
     */
    boolean isClosing()
    {
        return closing.hasBegun();
    }

    /**
     * {@return whether it closes, and has waited long for writes}
     */
    boolean isOverdue()
    {
        return closing.isOverdue();
    }

    /**
     * {@return whether no write is under way that has to end before members are closed}
     */
    boolean isDrained()
    {
        for (final StripeRequest each : stripes)
        {
            if (each.isUnderWay())
            {
                return false;
            }
        }
        return true;
    }

    /** No stripe request begins to read or write members from here on to {@link #resume}: it is tried again then. */
    void hold()
    {
        isHeld = true;
    }

    void resume()
    {
        isHeld = false;
    }

    boolean isHeld()
    {
        return isHeld;
    }

    /**
     * Closes all members.
     *
     * @param listener of the close.
     */
    void closeMembers(final CloseListener listener)
    {
        lostBlockWrites.close();
        members.close(() -> onMembersClosed(listener));
    }

    /**
     * {@return requests at a member}
     *
     * @param member of the array.
     */
    int inFlight(final RaidMember member)
    {
        return members.inFlight(member);
    }

    /**
     * Submits a request to a member, behind those that wait for it. All that members are asked for comes through here,
     * so that no block is read that is lost.
     *
     * @param member of the array.
     * @param part   filled and idle.
     */
    void submit(final RaidMember member, final BlockRequest part)
    {
        if (member.lostBlocks().isEmpty() || !lostBlockWrites.submit(member, part))
        {
            members.submit(member, part);
        }
    }

    @Override
    public boolean submit(final BlockRequest request)
    {
        if (submitDirectly(request))
        {
            return true;
        }
        if (!requests.canBegin())
        {
            return false;
        }
        switch (request.operation())
        {
            case READ, WRITE, FLUSH ->
            {
                hostLoad.count((long)request.blocks() << blockShift);
                enqueue(requests.begin(request));
                issue();
            }
            case WRITE_ZEROES, DEALLOCATE ->
            {
                if (!supports(request.operation()))
                {
                    request.complete(BlockStatus.NOT_SUPPORTED);
                    return true;
                }
                // Members get few commands, and no data.
                hostLoad.count(0);
                zeroes.add(requests.begin(request));
                issue();
            }
            default -> request.complete(BlockStatus.NOT_SUPPORTED);
        }
        return true;
    }

    @Override
    public void releaseLoan(final BlockRequest request)
    {
        direct.hedges().releaseLoan(request.channelSlot());
    }

    private boolean supports(final BlockOperation operation)
    {
        return BlockOperation.DEALLOCATE == operation ?
            device.geometry().supportsDeallocate() : device.geometry().supportsWriteZeroes();
    }

    /** Not before others that wait, nor within a completion, which keeps the stack flat. */
    private boolean submitDirectly(final BlockRequest request)
    {
        if (isIssuing || isHeld || !issuing.isEmpty())
        {
            return false;
        }
        isIssuing = true;
        final boolean isSubmitted = direct.submit(request);
        isIssuing = false;
        if (!issuing.isEmpty() || direct.hasFailed())
        {
            issue();
        }
        return isSubmitted;
    }

    void enqueue(final ArrayRequest request)
    {
        issuing.add(request);
    }

    /** Makes stripe requests, also for what completions within submit, which keeps the stack flat. */
    void issue()
    {
        if (isIssuing)
        {
            return;
        }
        isIssuing = true;
        zeroes.issue();
        while (null != freeStripes && (canAdopt() || !issuing.isEmpty()))
        {
            if (canAdopt())
            {
                adopt(direct.removeFailed());
                continue;
            }
            final ArrayRequest request = issuing.first();
            if (window.blocks(request))
            {
                window.add(issuing.removeFirst());
                continue;
            }
            if (null != sequential && sequential.take(request))
            {
                removeIssued(request);
                continue;
            }
            final StripeRequest stripe = takeStripe();
            if (BlockOperation.FLUSH == request.request().operation())
            {
                stripe.begin(Purpose.FLUSH, request, null);
                request.issued(request.endOffset(), 0);
            }
            else
            {
                begin(stripe, request);
            }
            removeIssued(request);
            advance(stripe);
        }
        isIssuing = false;
    }

    private void removeIssued(final ArrayRequest request)
    {
        if (request.isIssued())
        {
            issuing.removeFirst();
        }
    }

    /** Begins to write what was gathered, but not what completions submit meanwhile, which keeps the stack flat. */
    private int issueGathered()
    {
        isIssuing = true;
        final int count = sequential.poll();
        isIssuing = false;
        issue();
        return count;
    }

    /**
     * {@return whether writes were gathered that no stripe request was made for}
     */
    boolean hasGathered()
    {
        return null != sequential && !sequential.isEmpty();
    }

    private static void begin(final StripeRequest stripe, final ArrayRequest request)
    {
        if (stripe instanceof final ParityStripeRequest parity)
        {
            parity.begin(request);
        }
        else
        {
            ((MirrorStripeRequest)stripe).begin(request);
        }
    }

    private boolean canAdopt()
    {
        return direct.hasFailed() && requests.canBegin();
    }

    /** A stripe request goes on with what a member did not end well. */
    private void adopt(final DirectRequest failed)
    {
        final ArrayRequest request = requests.begin(failed.request);
        final StripeRequest stripe = takeStripe();
        begin(stripe, request);
        if (request.isIssued())
        {
            stripe.adopt(failed.view, failed.slot, failed.part);
            direct.end(failed);
            return;
        }
        // The array has got a slot since, so that stripe requests have fewer rows: all of it is done once more.
        final MemoryHold hold = failed.part.hold();
        if (null != hold)
        {
            failed.part.clearHold();
            request.hold(hold);
        }
        direct.end(failed);
        enqueue(request);
        advance(stripe);
    }

    boolean hasFreeStripe()
    {
        return null != freeStripes;
    }

    /**
     * Takes a stripe request of the pool.
     *
     * @return one, to be {@link #advance advanced}; {@link #hasFreeStripe} was asked before.
     */
    StripeRequest takeStripe()
    {
        final StripeRequest stripe = freeStripes;
        freeStripes = stripe.next;
        stripeCount++;
        return stripe;
    }

    /**
     * A stripe request that is in no pool of the channel begins, to be {@link #advance advanced}.
     *
     * @param <T>    type of the stripe request.
     * @param stripe that was idle.
     * @return it.
     */
    <T extends StripeRequest> T began(final T stripe)
    {
        stripeCount++;
        return stripe;
    }

    /**
     * Begins a stripe request, or goes on with it.
     *
     * @param stripe in no list.
     */
    void advance(final StripeRequest stripe)
    {
        if (!stripe.advance())
        {
            waiting.add(stripe);
        }
    }

    /**
     * A stripe request cannot go on now.
     *
     * @param stripe in no list.
     */
    void retryLater(final StripeRequest stripe)
    {
        waiting.add(stripe);
    }

    /**
     * Begins the rebuild or resync of a part of the array; a stripe request {@link #hasFreeStripe is free} for it.
     *
     * @param purpose a rebuild or a resync.
     * @param target  member that rows are copied to: those that cannot be computed are lost of it, and of no other that
     *                the view has by then; null for a resync.
     * @param offset  of a part of a strip: on the array, or on the members of an array with parity.
     * @param length  in bytes, at most {@link RequestSizes#workBytesMax}.
     * @param onDone  notified at its end.
     */
    void beginWork(
        final Purpose purpose,
        final RaidMember target,
        final long offset,
        final int length,
        final WorkListener onDone)
    {
        final StripeRequest stripe = takeStripe();
        if (stripe instanceof final ParityStripeRequest parity)
        {
            parity.begin(purpose, target, offset, length, onDone);
        }
        else
        {
            ((MirrorStripeRequest)stripe).begin(purpose, target, offset, length, onDone);
        }
        advance(stripe);
    }

    /**
     * {@return a request to check and repair with, of whoever asks}
     */
    CheckRequest newCheckRequest()
    {
        return null == codes ? new MirrorCheckRequest(this) : new ParityCheckRequest(this);
    }

    /**
     * Begins to check or repair a part of the array.
     *
     * @param request that is idle.
     * @param purpose a check or a repair.
     * @param offset  of a part of a strip: on the array, or on the members of an array with parity.
     * @param length  in bytes, at most {@link RequestSizes#checkBytesMax}.
     * @param onDone  notified at its end.
     */
    void begin(
        final CheckRequest request,
        final Purpose purpose,
        final long offset,
        final int length,
        final WorkListener onDone)
    {
        stripeCount++;
        request.begin(purpose, offset, length, onDone);
        advance(request);
    }

    /**
     * A stripe request has ended, and is free again.
     *
     * @param stripe with its status.
     */
    void onEnded(final StripeRequest stripe)
    {
        final StripedRequest request = stripe.parent();
        final WorkListener onDone = stripe.onDone();
        final BlockStatus status = stripe.status();
        stripeCount--;
        members.closeUnused();
        if (stripe.isPooled())
        {
            freeStripe(stripe);
        }
        else
        {
            stripe.onFree();
        }
        if (null == request)
        {
            onDone.onDone(status);
            return;
        }
        if (BlockStatus.SUCCESS != status)
        {
            request.fail(status);
        }
        if (request.onPartEnded())
        {
            request.end();
        }
        issue();
    }

    private void freeStripe(final StripeRequest stripe)
    {
        stripe.next = freeStripes;
        freeStripes = stripe;
    }

    /** What stripe requests wait for may have come about. Any thread. */
    void onProgress()
    {
        if (waiting.disarm())
        {
            context.reactor().wake();
        }
    }

    @Override
    public int poll()
    {
        int count = members.poll() + (lostBlockWrites.isEmpty() ? 0 : lostBlockWrites.poll());
        if (zeroes.canBegin())
        {
            issue();
            count++;
        }
        if (null != sequential)
        {
            count += issueGathered();
        }
        return count + window.poll() + waiting.retry() + closing.poll();
    }

    @Override
    public boolean canSleep()
    {
        return window.canSleep() && !zeroes.canBegin() && members.canSleep() &&
            !(closing.isAwaiting() && isDrained()) && (!hasWaiting() || waiting.canSleep());
    }

    private boolean hasWaiting()
    {
        return 0 != waiting.size() || hasGathered() || !lostBlockWrites.isEmpty() || !window.isEmpty();
    }

    @Override
    public int inFlight()
    {
        return direct.count() + requests.count() + stripeCount + members.inFlight() + (closing.isAwaiting() ? 1 : 0) +
            (window.isDraining() ? 1 : 0);
    }

    @Override
    public void close(final CloseListener listener)
    {
        closing.begin(listener);
        abandonUnissued();
        // What waits and has not begun finds that the channel closes.
        for (int left = waiting.size(); left > 0 && 0 != waiting.size(); left--)
        {
            advance(waiting.removeFirst());
        }
        closing.poll();
    }

    private void abandonUnissued()
    {
        window.release();
        zeroes.abandon();
        if (null != sequential)
        {
            sequential.abandon();
        }
        // The first may be partly issued.
        while (!issuing.isEmpty())
        {
            final ArrayRequest request = issuing.removeFirst();
            request.abandon();
            if (request.isDone())
            {
                request.end();
            }
        }
    }

    /**
     * Every member's channel has closed, and every request has ended.
     *
     * @param listener of the close.
     */
    private void onMembersClosed(final CloseListener listener)
    {
        window.close();
        waiting.disarm();
        buffers.close();
        direct.close();
        device.channels().remove(this);
        device.gates().remove(gate);
        if (null != codes)
        {
            codes.close();
        }
        listener.onClosed(this);
    }
}
