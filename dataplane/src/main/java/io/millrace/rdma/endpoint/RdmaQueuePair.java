package io.millrace.rdma.endpoint;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.verbs.Verbs;
import io.millrace.bindings.verbs.WorkCompletion;
import io.millrace.rdma.core.RdmaCore;

/**
 * A reliable connection's queues. A request is made of the segments that were added before it, none or up to the
 * configured number; a {@code post} takes them, whether or not there is room. Requests of the send queue are carried
 * out and reported in their order. Their memory belongs to the device until they are reported, or, when posted
 * unsignalled, until a later one is. Reactor's thread; nothing is allocated.
 */
public final class RdmaQueuePair implements CompletionTarget
{
    /** When the device gets what is posted. */
    private enum Doorbell
    {
        /** At once. */
        EACH,
        /** Send requests with {@link #release}; receive requests at once. */
        HELD,
        /** At the end of a poll of the completion queue. */
        POLL
    }

    /** Requests of one list: those of 16 answers of a READ, each of them a WRITE and a SEND. */
    static final int LIST_MAX = 32;

    private final CompletionQueue completions;
    private final CompletionHandler handler;
    private final QueuePairConfig config;
    /** Called when a request has failed, or nothing is outstanding. */
    private final Runnable onProgress;
    private final RdmaCore core;
    private final DeviceCounters counters;
    private final NextRequest next;
    private final ReceiveList nextReceives;
    private final RequestOrder sends;
    private final RequestTimes sendTimes;
    private final RequestOrder receives;
    private final int slot;
    /** From which it takes receive requests, or null. */
    private final SharedReceiveQueue shared;
    private final int reserved;
    private final DoorbellList.Entry listed;
    private long qpAddress;
    private int number;
    private int inlineBytes;
    private int flags;
    /** Request of {@link #flush}, of which the handler does not know. */
    private boolean hasMarker;
    /** Whether the provider has refused a send request: the device reports neither that nor those behind it. */
    private boolean hasRefused;
    private int marker;
    /** The last receive requests, which the provider has refused: they end when the queue pair is destroyed. */
    private int refusedReceives;
    /** The first of those that it has bound. */
    private MemoryWindow windows;
    /** Of the completion that is being reported. */
    private long entryAddress;
    private Doorbell doorbell = Doorbell.EACH;
    private long sendLists;
    /** Whether it has failed, and its device takes no more from the shared receive queue. */
    private boolean hasTakenLast;
    private CompletionStatus failure = CompletionStatus.SUCCESS;

    /** Reserves its entries of the completion queue; the queue pair itself follows. */
    RdmaQueuePair(
        final CompletionQueue completions,
        final CompletionHandler handler,
        final QueuePairConfig config,
        final Runnable onProgress)
    {
        this(completions, handler, config, null, onProgress);
    }

    /** As above; null when it has a receive queue of its own. */
    RdmaQueuePair(
        final CompletionQueue completions,
        final CompletionHandler handler,
        final QueuePairConfig config,
        final SharedReceiveQueue shared,
        final Runnable onProgress)
    {
        this.shared = shared;
        this.onProgress = onProgress;
        this.completions = completions;
        core = completions.core();
        counters = completions.counters();
        this.handler = handler;
        this.config = config;
        // First, as it may be refused: nothing would free the memory then.
        reserved = null == shared ? config.completions() : config.sendDepth();
        slot = completions.add(this, reserved);
        next = new NextRequest(config.segments(), Math.min(LIST_MAX, config.sendDepth()));
        nextReceives = next.receives(Math.min(LIST_MAX, null == shared ? config.receiveDepth() : 1));
        sends = new RequestOrder(config.sendDepth());
        sendTimes = new RequestTimes(counters, config.sendDepth());
        receives = new RequestOrder(null == shared ? config.receiveDepth() : 0);
        listed = completions.doorbells().entry(this::ring);
    }

    /**
     * The queue pair is there.
     *
     * @param address       of it.
     * @param grantedInline bytes that a request may hold itself.
     */
    void open(final long address, final int grantedInline)
    {
        qpAddress = address;
        inlineBytes = grantedInline;
        counters.add(DeviceCounters.Value.QUEUE_PAIRS, 1);
        if (null != shared)
        {
            number = core.queuePairNumber(address);
            shared.join(number, this);
        }
    }

    private void leaveShared()
    {
        if (null != shared && 0 != qpAddress)
        {
            shared.leave(number);
        }
    }

    /**
     * {@return how many send requests can be posted now}
     */
    public int sendRoom()
    {
        return sends.room();
    }

    /**
     * {@return how many receive requests can be posted now; 0 with a {@link SharedReceiveQueue}, which takes them}
     */
    public int receiveRoom()
    {
        return receives.room();
    }

    /**
     * {@return the most bytes that a send request holds itself, so that their memory is free when it has been posted}
     */
    public int inlineBytes()
    {
        return inlineBytes;
    }

    /** {@return the number of the queue pair whose datagram is being reported} */
    int source()
    {
        return WorkCompletion.source(entryAddress);
    }

    /** {@return the bytes of the segments of the next request} */
    long nextBytes()
    {
        return next.bytes();
    }

    /** The next request is not posted. */
    void dropSegments()
    {
        next.takeSegments();
    }

    /** The next request is a datagram. */
    void datagram(final long handleAddress, final int queuePair, final int queueKey)
    {
        next.datagram(handleAddress, queuePair, queueKey);
    }

    int outstanding()
    {
        return sends.outstanding() + receives.outstanding() - refusedReceives;
    }

    /** The device has reported that it takes no more from the shared receive queue. */
    void onLastTaken()
    {
        hasTakenLast = true;
    }

    /** {@return whether the device, once the queue pair has failed, has nothing that it would still report} */
    boolean isDrained()
    {
        return 0 == outstanding() && (null == shared || hasTakenLast);
    }

    CompletionStatus failure()
    {
        return failure;
    }

    /**
     * Adds a segment to the next request.
     *
     * @param address     of the memory, in a registered region.
     * @param lengthBytes of the memory, unsigned.
     * @param localKey    of the region.
     * @return this queue pair.
     * @throws IllegalStateException when there are as many as configured.
     */
    public RdmaQueuePair segment(final long address, final int lengthBytes, final int localKey)
    {
        next.segment(address, lengthBytes, localKey);
        return this;
    }

    /**
     * Has the next request begin only after the READs and atomics before it have ended.
     *
     * @return this queue pair.
     */
    public RdmaQueuePair fence()
    {
        flags |= Verbs.IBV_SEND_FENCE;
        return this;
    }

    /**
     * Has requests of the send queue collected from now on, so that the device is notified once of many: it gets them
     * as one list, {@value #LIST_MAX} at most, with {@link #release}, when a list is full, or when the connection
     * closes. Until then memory of requests is in use that are sent inline too. Call it at the beginning of a cycle
     * that posts several.
     */
    public void hold()
    {
        doorbell = Doorbell.HELD;
    }

    /**
     * Posts what was collected since {@link #hold}, and collects no more. Does nothing when it does not collect.
     */
    public void release()
    {
        doorbell = Doorbell.EACH;
        ring();
    }

    /**
     * Has requests of both queues collected from now on: what completions have their handlers post leaves at the end of
     * the same poll of the completion queue, as one list for each queue; what is posted at another time, at the end of
     * the next poll, which the reactor does in each of its cycles, or with {@link #ring}. A list of
     * {@value #LIST_MAX} is full, and leaves at once. Until then memory of requests is in use that are sent inline too.
     */
    public void holdUntilPolled()
    {
        doorbell = Doorbell.POLL;
    }

    /**
     * Posts what was collected, by its {@link SharedReceiveQueue} too, and goes on to collect.
     *
     * @return whether anything was collected.
     */
    public boolean ring()
    {
        // First: the peer may send as soon as it has what is sent.
        final boolean hasReceives = null == shared ? postHeldReceives() : shared.ring();
        return postHeld() | hasReceives;
    }

    /**
     * {@return how many lists of send requests were posted: a request that is collected is still here as long as the
     *     number is that from before it was posted}
     */
    public long sendLists()
    {
        return sendLists;
    }

    private boolean postHeld()
    {
        if (next.isClosed() || 0 == next.heldCount())
        {
            return false;
        }
        sendLists++;
        final int status = core.postSend(qpAddress, next.firstHeld(), next.badAddress());
        next.restart();
        onSendsPosted(status);
        return true;
    }

    private boolean postHeldReceives()
    {
        final int count = nextReceives.count();
        if (next.isClosed() || 0 == count)
        {
            return false;
        }
        final int status = core.postReceive(qpAddress, nextReceives.take(), next.badAddress());
        if (0 != status)
        {
            refusedReceives += nextReceives.refused(count, NativeMemory.getLong(next.badAddress()));
        }
        onPosted(status);
        return true;
    }

    /**
     * Posts the buffer of the peer's next message.
     *
     * @param id that its completion is reported with.
     * @return false when there is no room, or the connection has ended.
     */
    public boolean postReceive(final long id)
    {
        final int segments = next.takeSegments();
        // What follows a refused one would be taken for its end.
        if (next.isClosed() || 0 == receives.room() || 0 != refusedReceives)
        {
            return false;
        }
        final boolean isFull = nextReceives.add(
            RequestId.receive(slot, receives.add(id, true)), next.segmentsAddress(), segments);
        if (isFull || Doorbell.POLL != doorbell)
        {
            postHeldReceives();
        }
        else
        {
            listed.ringWhenPolled();
        }
        return true;
    }

    /**
     * Sends a message.
     *
     * @param id          that its completion is reported with.
     * @param isSignalled whether it is reported when it succeeds.
     * @return false when there is no room, or the connection has ended.
     */
    public boolean postSend(final long id, final boolean isSignalled)
    {
        return post(id, isSignalled, Verbs.IBV_WR_SEND, true);
    }

    /**
     * Sends a message with immediate data.
     *
     * @param id          that its completion is reported with.
     * @param isSignalled whether it is reported when it succeeds.
     * @param immediate   that the peer gets with its completion.
     * @return false when there is no room, or the connection has ended.
     */
    public boolean postSendWithImmediate(final long id, final boolean isSignalled, final int immediate)
    {
        next.immediate(Integer.reverseBytes(immediate));
        return post(id, isSignalled, Verbs.IBV_WR_SEND_WITH_IMM, true);
    }

    /**
     * Sends a message and invalidates a key of the peer.
     *
     * @param id          that its completion is reported with.
     * @param isSignalled whether it is reported when it succeeds.
     * @param remoteKey   that is invalid when the peer gets the message.
     * @return false when there is no room, or the connection has ended.
     */
    public boolean postSendWithInvalidate(final long id, final boolean isSignalled, final int remoteKey)
    {
        next.immediate(remoteKey);
        return post(id, isSignalled, Verbs.IBV_WR_SEND_WITH_INV, true);
    }

    /**
     * Writes to the memory of the peer, who is not notified.
     *
     * @param id            that its completion is reported with.
     * @param isSignalled   whether it is reported when it succeeds.
     * @param remoteAddress at the peer.
     * @param remoteKey     of a region there that may be written.
     * @return false when there is no room, or the connection has ended.
     */
    public boolean postWrite(final long id, final boolean isSignalled, final long remoteAddress, final int remoteKey)
    {
        next.remote(remoteAddress, remoteKey);
        return post(id, isSignalled, Verbs.IBV_WR_RDMA_WRITE, true);
    }

    /**
     * Writes to the memory of the peer and completes a receive request there.
     *
     * @param id            that its completion is reported with.
     * @param isSignalled   whether it is reported when it succeeds.
     * @param remoteAddress at the peer.
     * @param remoteKey     of a region there that may be written.
     * @param immediate     that the peer gets with its completion.
     * @return false when there is no room, or the connection has ended.
     */
    public boolean postWriteWithImmediate(
        final long id, final boolean isSignalled, final long remoteAddress, final int remoteKey, final int immediate)
    {
        next.remote(remoteAddress, remoteKey);
        next.immediate(Integer.reverseBytes(immediate));
        return post(id, isSignalled, Verbs.IBV_WR_RDMA_WRITE_WITH_IMM, true);
    }

    /**
     * Reads from the memory of the peer, who is not notified. More than the connection allows at a time wait in the
     * queue, and what is posted after them.
     *
     * @param id            that its completion is reported with.
     * @param isSignalled   whether it is reported when it succeeds.
     * @param remoteAddress at the peer.
     * @param remoteKey     of a region there that may be read.
     * @return false when there is no room, or the connection has ended.
     */
    public boolean postRead(final long id, final boolean isSignalled, final long remoteAddress, final int remoteKey)
    {
        next.remote(remoteAddress, remoteKey);
        return post(id, isSignalled, Verbs.IBV_WR_RDMA_READ, false);
    }

    /**
     * Compares 64 bits of the peer's memory and replaces them when they are equal; what was there comes into the
     * segment of eight bytes.
     *
     * @param id            that its completion is reported with.
     * @param remoteAddress at the peer, a multiple of 8.
     * @param remoteKey     of a region there that takes atomics.
     * @param expected      to compare with.
     * @param value         to replace by.
     * @return false when there is no room, or the connection has ended.
     */
    public boolean postCompareAndSwap(
        final long id, final long remoteAddress, final int remoteKey, final long expected, final long value)
    {
        next.atomic(remoteAddress, remoteKey, expected);
        next.swap(value);
        return post(id, true, Verbs.IBV_WR_ATOMIC_CMP_AND_SWP, false);
    }

    /**
     * Adds to 64 bits of the peer's memory; what was there comes into the segment of eight bytes.
     *
     * @param id            that its completion is reported with.
     * @param remoteAddress at the peer, a multiple of 8.
     * @param remoteKey     of a region there that takes atomics.
     * @param addend        to add.
     * @return false when there is no room, or the connection has ended.
     */
    public boolean postFetchAndAdd(
        final long id, final long remoteAddress, final int remoteKey, final long addend)
    {
        next.atomic(remoteAddress, remoteKey, addend);
        return post(id, true, Verbs.IBV_WR_ATOMIC_FETCH_AND_ADD, false);
    }

    /**
     * Opens a range of a region to the peer, until the window is invalidated, bound again or closed. It was invalidated
     * before, or never bound. What is posted later, such as a message with the key, comes after it.
     *
     * @param id          that its completion is reported with.
     * @param isSignalled whether it is reported when it succeeds.
     * @param window      of the same domain; {@link MemoryWindow#remoteKey} is the new key then.
     * @param region      with {@link RegionAccess#WINDOWS}.
     * @param address     where the range begins, in the region.
     * @param lengthBytes of the range.
     * @param access      what the peer may do: one that begins with {@code REMOTE}.
     * @return false when there is no room, or the connection has ended.
     */
    public boolean postBind(
        final long id,
        final boolean isSignalled,
        final MemoryWindow window,
        final RdmaRegion region,
        final long address,
        final long lengthBytes,
        final RegionAccess access)
    {
        if (!window.mayBindBy(this) || 0 == access.remoteBits())
        {
            throw new IllegalArgumentException(0 == access.remoteBits() ? access + " is no access by a peer" :
                "the memory window is closed, or belongs to another connection");
        }
        next.takeSegments();
        final int key = window.nextKey();
        next.window(window, region, address, lengthBytes, access.remoteBits());
        final boolean isPosted = post(id, isSignalled, Verbs.IBV_WR_BIND_MW, false);
        if (isPosted)
        {
            if (!window.isOf(this))
            {
                window.onFirst(this, windows);
                windows = window;
            }
            window.onBound(key);
        }
        return isPosted;
    }

    /**
     * Ends what a key of this side opens, such as that of a memory window: the peer has no access from the completion
     * on.
     *
     * @param id          that its completion is reported with.
     * @param isSignalled whether it is reported when it succeeds.
     * @param key         of this side.
     * @return false when there is no room, or the connection has ended.
     */
    public boolean postInvalidate(final long id, final boolean isSignalled, final int key)
    {
        next.takeSegments();
        next.invalidatedKey(key);
        return post(id, isSignalled, Verbs.IBV_WR_LOCAL_INV, false);
    }

    private boolean post(final long id, final boolean isSignalled, final int opcode, final boolean mayInline)
    {
        final boolean isInline = mayInline && next.fitsInline(inlineBytes);
        final long bytes = next.bytes();
        final int requestFlags = flags;
        final int segments = next.takeSegments();
        flags = 0;
        if (next.isClosed() || 0 == sends.room())
        {
            return false;
        }
        // Places are free again when a request with a completion has ended: there is one in each half of the queue.
        final boolean hasCompletion = isSignalled || 2 * (sends.sinceCompletion() + 1) >= config.sendDepth();
        final int sequence = sends.add(id, isSignalled);
        final long sendId = RequestId.send(slot, sequence);
        sendTimes.onPosted(sequence, opcode, completions.nowNs());
        if (hasCompletion)
        {
            sends.lastHasCompletion();
        }
        final long request = next.send(sendId, segments, opcode, requestFlags |
            (hasCompletion ? Verbs.IBV_SEND_SIGNALED : 0) | (isInline ? Verbs.IBV_SEND_INLINE : 0));
        counters.onPosted(opcode, bytes);
        if (Doorbell.EACH != doorbell)
        {
            if (next.hold())
            {
                // Receive requests too, which come first.
                ring();
            }
            else if (Doorbell.POLL == doorbell)
            {
                listed.ringWhenPolled();
            }
            return true;
        }
        onSendsPosted(core.postSend(qpAddress, request, next.badAddress()));
        return true;
    }

    private void onSendsPosted(final int status)
    {
        hasRefused |= 0 != status;
        onPosted(status);
    }

    /** A request that the provider does not take ends with the connection. */
    private void onPosted(final int status)
    {
        if (0 != status)
        {
            fail(-status == Errno.EINVAL ? CompletionStatus.REQUEST : CompletionStatus.DEVICE);
            onProgress.run();
        }
    }

    private void fail(final CompletionStatus status)
    {
        if (CompletionStatus.SUCCESS == failure && CompletionStatus.FLUSHED != status)
        {
            failure = status;
        }
    }

    /**
     * The queue pair has failed. A request that succeeded without being reported, or was refused, is known to have
     * ended only when a later one is reported, so that one is posted, which comes back as flushed.
     */
    void flush()
    {
        if (!hasMarker && !next.isClosed() && (hasRefused || 0 != sends.sinceCompletion()) && 0 != sends.room())
        {
            hasMarker = true;
            marker = sends.add(0, true);
            sends.lastHasCompletion();
            // When it is not taken, the connection's limit of time stands.
            core.postSend(qpAddress, next.send(
                RequestId.send(slot, marker), 0, Verbs.IBV_WR_SEND, Verbs.IBV_SEND_SIGNALED), next.badAddress());
        }
    }

    private void report(final int sequence, final CompletionStatus status)
    {
        if (!hasMarker || marker != sequence)
        {
            handler.onSent(sends.id(sequence), status);
        }
    }

    @Override
    public void onBroken()
    {
        fail(CompletionStatus.DEVICE);
        onProgress.run();
    }

    @Override
    public void onSent(final int sequence, final int ended)
    {
        final CompletionStatus status = CompletionStatus.of(ended);
        if (CompletionStatus.SUCCESS != failure)
        {
            endRefused(sequence);
        }
        final int first = sends.first();
        if (!sends.endUntil(sequence))
        {
            return;
        }
        // The request of flush has no time.
        if (CompletionStatus.SUCCESS == status && !hasMarker)
        {
            sendTimes.onSucceeded(first, sequence, completions.nowNs());
        }
        if (CompletionStatus.SUCCESS != status)
        {
            fail(status);
            counters.onFailed(status);
        }
        if (sends.isSignalled(sequence) || CompletionStatus.SUCCESS != status)
        {
            report(sequence, status);
        }
        progress(status);
    }

    /**
     * The device reports no request that its provider refused, nor what followed that in a list: a later one, such as
     * that of {@link #flush}, ends them. One at a time, as the handler may post.
     */
    private void endRefused(final int sequence)
    {
        while (sends.hasBefore(sequence))
        {
            final int refused = sends.endFirst();
            if (sends.isSignalled(refused))
            {
                report(refused, CompletionStatus.FLUSHED);
            }
        }
    }

    private void progress(final CompletionStatus status)
    {
        if (CompletionStatus.SUCCESS != status || 0 == outstanding())
        {
            onProgress.run();
        }
    }

    @Override
    public void onReceived(final int sequence, final int ended, final long entry)
    {
        if (receives.endUntil(sequence))
        {
            report(receives.id(sequence), CompletionStatus.of(ended), ended, entry);
        }
    }

    /** A request of its shared receive queue ended. */
    void onShared(final long id, final int ended, final long entry)
    {
        report(id, CompletionStatus.of(ended), ended, entry);
    }

    private void report(final long id, final CompletionStatus status, final int ended, final long entry)
    {
        entryAddress = entry;
        if (CompletionStatus.SUCCESS == status)
        {
            counters.onReceived(WorkCompletion.bytes(entry));
            handler.onReceived(id, status, WorkCompletion.bytes(entry), CompletionQueue.immediate(ended, entry));
        }
        else
        {
            fail(status);
            counters.onFailed(status);
            handler.onReceived(id, status, 0, 0);
        }
        progress(status);
    }

    /** Frees what it has bound: a device does not let go of a queue pair before. */
    void freeWindows()
    {
        for (; null != windows; windows = windows.next())
        {
            windows.free();
        }
    }

    /** Reports what has completed, before the queue pair is destroyed and its completions with it. */
    void drain()
    {
        completions.drain();
        if (null != shared)
        {
            shared.completions().drain();
        }
    }

    /** The queue pair has been destroyed: what is outstanding has ended, and the device uses its memory no more. */
    void close()
    {
        // The handler may post below: there is no queue pair that would take it, and no memory for requests.
        next.close();
        if (0 != qpAddress)
        {
            counters.add(DeviceCounters.Value.QUEUE_PAIRS, -1);
        }
        completions.remove(slot, reserved);
        leaveShared();
        while (0 != sends.outstanding())
        {
            report(sends.endFirst(), CompletionStatus.FLUSHED);
        }
        while (0 != receives.outstanding())
        {
            final int sequence = receives.endFirst();
            handler.onReceived(receives.id(sequence), CompletionStatus.FLUSHED, 0, 0);
        }
    }
}
