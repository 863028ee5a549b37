package io.millrace.rdma.endpoint;

import io.millrace.bindings.Errno;
import io.millrace.bindings.verbs.ReceiveRequest;
import io.millrace.bindings.verbs.ScatterGatherEntry;
import io.millrace.bindings.verbs.SendRequest;
import io.millrace.bindings.verbs.Verbs;
import io.millrace.bindings.verbs.VerbsQueues;
import java.lang.foreign.Arena;

/**
 * A reliable connection's queues. A request is made of the segments that were added before it, none or up to the
 * configured number; a {@code post} takes them, whether or not there is room. Requests of the send queue are carried
 * out
 * and reported in their order. Their memory belongs to the device until they are reported, or, when posted without
 * notice, until a later one is. Reactor's thread; nothing is allocated.
 */
public final class RdmaQueuePair
{
    private final CompletionQueue completions;
    private final CompletionHandler handler;
    private final QueuePairConfig config;
    /** Called when a request has failed, or nothing is outstanding. */
    private final Runnable onProgress;
    private final Arena arena;
    private final long sendAddress;
    private final long receiveAddress;
    private final long badAddress;
    private final long segmentsAddress;
    private final RequestOrder sends;
    private final RequestOrder receives;
    private final int slot;
    private long qpAddress;
    private int inlineBytes;
    private int segmentCount;
    private long segmentBytes;
    private int flags;
    private CompletionStatus failure = CompletionStatus.SUCCESS;
    private boolean isClosed;

    /** Reserves its entries of the completion queue; the queue pair itself follows. */
    RdmaQueuePair(
        final CompletionQueue completions,
        final CompletionHandler handler,
        final QueuePairConfig config,
        final Runnable onProgress)
    {
        this.onProgress = onProgress;
        this.completions = completions;
        this.handler = handler;
        this.config = config;
        // First, as it may be refused: nothing would free the memory then.
        slot = completions.add(this, config.completions());
        arena = Arena.ofShared();
        sendAddress = arena.allocate(SendRequest.SIZE_BYTES, Long.BYTES).address();
        receiveAddress = arena.allocate(ReceiveRequest.SIZE_BYTES, Long.BYTES).address();
        badAddress = arena.allocate(Long.BYTES, Long.BYTES).address();
        segmentsAddress = arena.allocate(
            (long)config.segments() * ScatterGatherEntry.SIZE_BYTES, Long.BYTES).address();
        sends = new RequestOrder(config.sendDepth());
        receives = new RequestOrder(config.receiveDepth());
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
    }

    /**
     * {@return how many send requests can be posted now}
     */
    public int sendRoom()
    {
        return sends.room();
    }

    /**
     * {@return how many receive requests can be posted now}
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

    int outstanding()
    {
        return sends.outstanding() + receives.outstanding();
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
        if (segmentCount == config.segments())
        {
            throw new IllegalStateException("a request has at most " + config.segments() + " segments");
        }
        if (isClosed)
        {
            return this;
        }
        final long entry = segmentsAddress + (long)segmentCount * ScatterGatherEntry.SIZE_BYTES;
        ScatterGatherEntry.memory(entry, address);
        ScatterGatherEntry.length(entry, lengthBytes);
        ScatterGatherEntry.localKey(entry, localKey);
        segmentCount++;
        segmentBytes += Integer.toUnsignedLong(lengthBytes);
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
     * Posts the buffer of the peer's next message.
     *
     * @param id that its completion is reported with.
     * @return false when there is no room, or the connection has ended.
     */
    public boolean postReceive(final long id)
    {
        final int count = takeSegments();
        if (isClosed || 0 == receives.room())
        {
            return false;
        }
        ReceiveRequest.id(receiveAddress, RequestId.receive(slot, receives.add(id, true)));
        ReceiveRequest.segments(receiveAddress, segmentsAddress);
        ReceiveRequest.segmentCount(receiveAddress, count);
        onPosted(VerbsQueues.postReceive(qpAddress, receiveAddress, badAddress));
        return true;
    }

    /**
     * Sends a message.
     *
     * @param id       that its completion is reported with.
     * @param isNotice whether it is reported when it succeeds.
     * @return false when there is no room, or the connection has ended.
     */
    public boolean postSend(final long id, final boolean isNotice)
    {
        return post(id, isNotice, Verbs.IBV_WR_SEND, true);
    }

    /**
     * Sends a message with immediate data.
     *
     * @param id        that its completion is reported with.
     * @param isNotice  whether it is reported when it succeeds.
     * @param immediate that the peer gets with its completion.
     * @return false when there is no room, or the connection has ended.
     */
    public boolean postSendWithImmediate(final long id, final boolean isNotice, final int immediate)
    {
        immediate(Integer.reverseBytes(immediate));
        return post(id, isNotice, Verbs.IBV_WR_SEND_WITH_IMM, true);
    }

    /**
     * Sends a message and invalidates a key of the peer.
     *
     * @param id        that its completion is reported with.
     * @param isNotice  whether it is reported when it succeeds.
     * @param remoteKey that is invalid when the peer gets the message.
     * @return false when there is no room, or the connection has ended.
     */
    public boolean postSendWithInvalidate(final long id, final boolean isNotice, final int remoteKey)
    {
        immediate(remoteKey);
        return post(id, isNotice, Verbs.IBV_WR_SEND_WITH_INV, true);
    }

    /**
     * Writes to the memory of the peer, who is not notified.
     *
     * @param id            that its completion is reported with.
     * @param isNotice      whether it is reported when it succeeds.
     * @param remoteAddress at the peer.
     * @param remoteKey     of a region there that may be written.
     * @return false when there is no room, or the connection has ended.
     */
    public boolean postWrite(final long id, final boolean isNotice, final long remoteAddress, final int remoteKey)
    {
        remote(remoteAddress, remoteKey);
        return post(id, isNotice, Verbs.IBV_WR_RDMA_WRITE, true);
    }

    /**
     * Writes to the memory of the peer and completes a receive request there.
     *
     * @param id            that its completion is reported with.
     * @param isNotice      whether it is reported when it succeeds.
     * @param remoteAddress at the peer.
     * @param remoteKey     of a region there that may be written.
     * @param immediate     that the peer gets with its completion.
     * @return false when there is no room, or the connection has ended.
     */
    public boolean postWriteWithImmediate(
        final long id, final boolean isNotice, final long remoteAddress, final int remoteKey, final int immediate)
    {
        remote(remoteAddress, remoteKey);
        immediate(Integer.reverseBytes(immediate));
        return post(id, isNotice, Verbs.IBV_WR_RDMA_WRITE_WITH_IMM, true);
    }

    /**
     * Reads from the memory of the peer, who is not notified. More than the connection allows at a time wait in the
     * queue, and what is posted after them.
     *
     * @param id            that its completion is reported with.
     * @param isNotice      whether it is reported when it succeeds.
     * @param remoteAddress at the peer.
     * @param remoteKey     of a region there that may be read.
     * @return false when there is no room, or the connection has ended.
     */
    public boolean postRead(final long id, final boolean isNotice, final long remoteAddress, final int remoteKey)
    {
        remote(remoteAddress, remoteKey);
        return post(id, isNotice, Verbs.IBV_WR_RDMA_READ, false);
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
        atomic(remoteAddress, remoteKey, expected);
        if (!isClosed)
        {
            SendRequest.atomicSwap(sendAddress, value);
        }
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
        atomic(remoteAddress, remoteKey, addend);
        return post(id, true, Verbs.IBV_WR_ATOMIC_FETCH_AND_ADD, false);
    }

    private void remote(final long remoteAddress, final int remoteKey)
    {
        if (!isClosed)
        {
            SendRequest.remoteAddress(sendAddress, remoteAddress);
            SendRequest.remoteKey(sendAddress, remoteKey);
        }
    }

    private void immediate(final int value)
    {
        if (!isClosed)
        {
            SendRequest.immediate(sendAddress, value);
        }
    }

    private void atomic(final long remoteAddress, final int remoteKey, final long compareOrAdd)
    {
        if (!isClosed)
        {
            SendRequest.atomicAddress(sendAddress, remoteAddress);
            SendRequest.atomicCompareOrAdd(sendAddress, compareOrAdd);
            SendRequest.atomicKey(sendAddress, remoteKey);
        }
    }

    private boolean post(final long id, final boolean isNotice, final int opcode, final boolean mayInline)
    {
        final boolean isInline = mayInline && 0 != segmentCount && segmentBytes <= inlineBytes;
        final int requestFlags = flags;
        final int count = takeSegments();
        flags = 0;
        if (isClosed || 0 == sends.room())
        {
            return false;
        }
        // Places are free again when a request with a completion has ended: there is one in each half of the queue.
        final boolean isSignalled = isNotice || 2 * (sends.sinceSignalled() + 1) >= config.sendDepth();
        SendRequest.id(sendAddress, RequestId.send(slot, sends.add(id, isNotice)));
        if (isSignalled)
        {
            sends.signalled();
        }
        SendRequest.segments(sendAddress, segmentsAddress);
        SendRequest.segmentCount(sendAddress, count);
        SendRequest.opcode(sendAddress, opcode);
        SendRequest.flags(sendAddress, requestFlags |
            (isSignalled ? Verbs.IBV_SEND_SIGNALED : 0) | (isInline ? Verbs.IBV_SEND_INLINE : 0));
        onPosted(VerbsQueues.postSend(qpAddress, sendAddress, badAddress));
        return true;
    }

    private int takeSegments()
    {
        final int count = segmentCount;
        segmentCount = 0;
        segmentBytes = 0;
        return count;
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

    /** Its completion queue has failed, and with it the device. */
    void onBroken()
    {
        fail(CompletionStatus.DEVICE);
        onProgress.run();
    }

    void onSent(final int sequence, final int number)
    {
        final CompletionStatus status = CompletionStatus.of(number);
        if (!sends.endUntil(sequence))
        {
            return;
        }
        if (CompletionStatus.SUCCESS != status)
        {
            fail(status);
        }
        if (sends.isNotice(sequence) || CompletionStatus.SUCCESS != status)
        {
            handler.onSent(sends.id(sequence), status);
        }
        progress(status);
    }

    private void progress(final CompletionStatus status)
    {
        if (CompletionStatus.SUCCESS != status || 0 == outstanding())
        {
            onProgress.run();
        }
    }

    void onReceived(final int sequence, final int number, final int bytes, final int immediate)
    {
        final CompletionStatus status = CompletionStatus.of(number);
        if (!receives.endUntil(sequence))
        {
            return;
        }
        if (CompletionStatus.SUCCESS == status)
        {
            handler.onReceived(receives.id(sequence), status, bytes, immediate);
        }
        else
        {
            fail(status);
            handler.onReceived(receives.id(sequence), status, 0, 0);
        }
        progress(status);
    }

    /** The queue pair has been destroyed: what is outstanding has ended, and the device uses its memory no more. */
    void close()
    {
        // The handler may post below: there is no queue pair that would take it, and soon no memory for requests.
        isClosed = true;
        completions.remove(slot, config.completions());
        while (0 != sends.outstanding())
        {
            final int sequence = sends.endFirst();
            handler.onSent(sends.id(sequence), CompletionStatus.FLUSHED);
        }
        while (0 != receives.outstanding())
        {
            final int sequence = receives.endFirst();
            handler.onReceived(receives.id(sequence), CompletionStatus.FLUSHED, 0, 0);
        }
        arena.close();
    }
}
