package io.millrace.rdma.model;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.verbs.Verbs;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * A queue pair of a reliable connection (InfiniBand Architecture Specification 1.4, volume 1, chapters 9 and 10): the
 * requester of its own requests and, in {@link ModelResponder}, the responder of its peer's. Under the monitor of its
 * network.
 */
class ModelQueuePair
{
    /** States that matter here. */
    enum State
    {
        /** Takes receive requests. */
        INITIALIZED,
        /** Connected. */
        READY,
        /** Gives all requests back. */
        ERROR,
        /** Gone. */
        DESTROYED
    }

    /** Sizes as they were granted. */
    record Sizes(int sends, int receives, int sendSegments, int receiveSegments, int inlineBytes)
    {
    }

    private static final int RETRIES_WITHOUT_LIMIT = 7;
    private static final long[] NOT_READY_TIMERS_US = {
        655_360, 10, 20, 30, 40, 60, 80, 120, 160, 240, 320, 480, 640, 960, 1_280, 1_920,
        2_560, 3_840, 5_120, 7_680, 10_240, 15_360, 20_480, 30_720, 40_960, 61_440, 81_920, 122_880, 163_840, 245_760,
        327_680, 491_520};

    final ModelDevice device;
    final long pd;
    final ModelCompletionQueue sendQueue;
    final ModelCompletionQueue receiveQueue;
    final Sizes sizes;
    private final ModelNetwork network;
    private final int number;
    private final ModelResponder responder = new ModelResponder(this);
    /** Its own, or those of a shared receive queue. */
    final ArrayDeque<ModelRequest> receives;
    private final ModelSharedReceiveQueue shared;
    private final ArrayDeque<ModelRequest> sends = new ArrayDeque<>();
    private State state = State.INITIALIZED;
    private ModelQueuePair peer;
    private int retries;
    private int notReadyRetries;
    private int readsInitiated;
    private int readsServed;
    private int sendPlaces;
    private int receivePlaces;
    /** Ended without a completion: their places come back with the next one. */
    private int unsignalledPlaces;
    private int readsUnderWay;
    private boolean isOrphan;
    private long lastArrivalNs;
    private long lastAnswerNs;
    private long notReadyTimerNs = 655_360_000L;

    ModelQueuePair(
        final ModelNetwork network,
        final ModelDevice device,
        final long pd,
        final ModelCompletionQueue sendQueue,
        final ModelCompletionQueue receiveQueue,
        final ModelSharedReceiveQueue shared,
        final Sizes sizes,
        final int number)
    {
        this.shared = shared;
        receives = null == shared ? new ArrayDeque<>() : shared.receives;
        if (null != shared)
        {
            shared.pairs.add(this);
        }
        this.network = network;
        this.device = device;
        this.pd = pd;
        this.sendQueue = sendQueue;
        this.receiveQueue = receiveQueue;
        this.sizes = sizes;
        this.number = number;
        sendQueue.pairs.add(this);
        receiveQueue.pairs.add(this);
    }

    int number()
    {
        return number;
    }

    State state()
    {
        return state;
    }

    int readsServed()
    {
        return readsServed;
    }

    int readsUnderWay()
    {
        return readsUnderWay;
    }

    /** How long a peer waits that found no receive request, as section 9.7.5.2.8 numbers it. */
    void notReadyTimer(final int code)
    {
        notReadyTimerNs = NOT_READY_TIMERS_US[code] * 1_000;
    }

    void connect(
        final ModelQueuePair other,
        final int retryCount,
        final int notReadyRetryCount,
        final int initiated,
        final int served)
    {
        if (State.INITIALIZED == state)
        {
            peer = other;
            retries = retryCount;
            notReadyRetries = notReadyRetryCount;
            readsInitiated = initiated;
            readsServed = served;
            state = State.READY;
        }
    }

    int postSend(final long request)
    {
        if (State.READY != state && State.ERROR != state || ModelRequest.segments(request, true) > sizes.sendSegments)
        {
            return -Errno.EINVAL;
        }
        if (sendPlaces == sizes.sends)
        {
            return -Errno.ENOMEM;
        }
        final ModelRequest send = ModelRequest.send(request);
        if (null != send.inline && send.inline.length > sizes.inlineBytes)
        {
            return -Errno.EINVAL;
        }
        sendPlaces++;
        sends.add(send);
        if (State.ERROR == state)
        {
            flush();
        }
        else
        {
            advance();
        }
        return 0;
    }

    int postReceive(final long request)
    {
        if (null != shared || ModelRequest.segments(request, false) > sizes.receiveSegments)
        {
            return -Errno.EINVAL;
        }
        if (receivePlaces == sizes.receives)
        {
            return -Errno.ENOMEM;
        }
        receivePlaces++;
        receives.add(ModelRequest.receive(request));
        if (State.ERROR == state)
        {
            flush();
        }
        return 0;
    }

    void onPolled(final boolean isSend, final int places)
    {
        if (isSend)
        {
            sendPlaces -= places;
        }
        else
        {
            receivePlaces -= null == shared ? places : 0;
            if (null != shared)
            {
                shared.onCompleted();
            }
        }
    }

    /** Sends what may begin. */
    private void advance()
    {
        for (final ModelRequest send : sends)
        {
            if (ModelRequest.State.POSTED == send.state)
            {
                if (send.isFenced() && 0 != readsUnderWay)
                {
                    return;
                }
                if (send.isRead() && readsUnderWay >= readsInitiated)
                {
                    network.onBlockedRead();
                    return;
                }
                readsUnderWay += send.isRead() ? 1 : 0;
                transmit(send, 0);
            }
        }
    }

    private void transmit(final ModelRequest send, final long laterNs)
    {
        send.state = ModelRequest.State.SENT;
        lastArrivalNs = Math.max(lastArrivalNs, network.nowNs() + laterNs + network.delayNs());
        network.at(lastArrivalNs, () -> arrive(send));
    }

    private void arrive(final ModelRequest send)
    {
        if (State.READY != state || ModelRequest.State.SENT != send.state)
        {
            return;
        }
        if (send != firstUnexecuted())
        {
            send.state = ModelRequest.State.OUT_OF_ORDER;
            return;
        }
        if (!send.isLocal() && (!network.isDelivered(device, peer.device) || State.READY != peer.state))
        {
            retry(send, () -> transmit(send, network.acknowledgeTimeoutNs()));
            return;
        }
        execute(send);
    }

    private ModelRequest firstUnexecuted()
    {
        for (final ModelRequest send : sends)
        {
            if (ModelRequest.State.EXECUTED != send.state)
            {
                return send;
            }
        }
        return null;
    }

    private void retry(final ModelRequest send, final Runnable again)
    {
        send.attempts++;
        if (send.attempts > retries)
        {
            end(send, Verbs.IBV_WC_RETRY_EXC_ERR);
        }
        else
        {
            again.run();
        }
    }

    private void execute(final ModelRequest send)
    {
        // It gathers its memory now, not when it was posted.
        if (!send.isRead() && !send.isAllowed(device, pd, 0))
        {
            end(send, Verbs.IBV_WC_LOC_PROT_ERR);
            return;
        }
        final ModelQueuePair other = peer;
        final int status = send.isLocal() ? device.core().executeLocal(send, this) :
            other.responder.execute(send, this);
        if (ModelResponder.NOT_READY == status)
        {
            send.notReadyAttempts++;
            if (RETRIES_WITHOUT_LIMIT != notReadyRetries && send.notReadyAttempts > notReadyRetries)
            {
                end(send, Verbs.IBV_WC_RNR_RETRY_EXC_ERR);
                return;
            }
            transmit(send, other.notReadyTimerNs);
            return;
        }
        if (Verbs.IBV_WC_SUCCESS != status)
        {
            network.after(network.delayNs(), () -> end(send, status));
            return;
        }
        send.state = ModelRequest.State.EXECUTED;
        send.attempts = 0;
        answer(send, 0);
        final ModelRequest next = firstUnexecuted();
        if (null != next && ModelRequest.State.OUT_OF_ORDER == next.state)
        {
            transmit(next, 0);
        }
    }

    private void answer(final ModelRequest send, final long laterNs)
    {
        lastAnswerNs = Math.max(lastAnswerNs, network.nowNs() + laterNs + network.delayNs());
        network.at(lastAnswerNs, () -> onAnswer(send));
    }

    private void onAnswer(final ModelRequest send)
    {
        if (State.READY != state || !sends.contains(send) || !send.isRead() && network.isHeld(() -> onAnswer(send)))
        {
            return;
        }
        if (!network.isDelivered(peer.device, device))
        {
            retry(send, () -> answer(send, network.acknowledgeTimeoutNs()));
            return;
        }
        // An acknowledgement is one of all requests before it, too, but for those that bring data back.
        for (final ModelRequest each : sends)
        {
            each.isAcknowledged |= each == send || !each.isRead();
            if (each == send)
            {
                break;
            }
        }
        while (State.READY == state && !sends.isEmpty() && sends.peek().isAcknowledged)
        {
            complete(sends.peek());
        }
        if (State.READY == state)
        {
            advance();
        }
    }

    private void complete(final ModelRequest send)
    {
        if (send.isRead())
        {
            readsUnderWay--;
            if (!send.isAllowed(device, pd, device.rightsForReads()))
            {
                end(send, Verbs.IBV_WC_LOC_PROT_ERR);
                return;
            }
            send.write(send.answer);
        }
        sends.remove(send);
        if (send.isSignalled())
        {
            addSent(send, Verbs.IBV_WC_SUCCESS);
        }
        else
        {
            unsignalledPlaces++;
        }
    }

    /** It needs no connection. */
    final void ready()
    {
        state = State.READY;
    }

    /** {@return 0 when there is room for a send request, or negated errno} */
    final int addPlace()
    {
        if (sendPlaces == sizes.sends)
        {
            return -Errno.ENOMEM;
        }
        sendPlaces++;
        return 0;
    }

    /** A request ended without a completion. */
    final void addUnsignalled()
    {
        unsignalledPlaces++;
    }

    final void addSent(final ModelRequest send, final int status)
    {
        final int places = unsignalledPlaces + 1;
        unsignalledPlaces = 0;
        sendQueue.add(new ModelCompletionQueue.Entry(
            this, true, places, send.id, status, 0, send.isRead() ? (int)send.bytes() : 0, 0, 0, 0));
    }

    void addReceived(final ModelRequest receive, final int status, final int bytes, final int flags, final int value)
    {
        receiveQueue.add(
            new ModelCompletionQueue.Entry(this, false, 1, receive.id, status, 0, bytes, flags, value, 0));
    }

    /** A request failed: those before it have been carried out. */
    private void end(final ModelRequest send, final int status)
    {
        if (State.READY != state || !sends.contains(send))
        {
            return;
        }
        while (sends.peek() != send && State.READY == state)
        {
            complete(sends.peek());
        }
        if (State.READY == state)
        {
            sends.poll();
            addSent(send, status);
            fail();
        }
    }

    /** All that is outstanding is flushed, and all that is posted from now on. */
    void fail()
    {
        if (State.READY == state || State.INITIALIZED == state)
        {
            state = State.ERROR;
            flush();
            if (null != shared && network.isInMessage() && !receives.isEmpty())
            {
                addReceived(takeReceive(), Verbs.IBV_WC_WR_FLUSH_ERR, 0, 0, 0);
            }
            if (null != shared && !device.isRemoved())
            {
                device.event(Verbs.IBV_EVENT_QP_LAST_WQE_REACHED, device.core().handle(this));
            }
        }
    }

    /** {@return the next receive request, which there is} */
    ModelRequest takeReceive()
    {
        final ModelRequest receive = receives.poll();
        if (null != shared)
        {
            shared.onTaken();
        }
        return receive;
    }

    private void flush()
    {
        final List<ModelRequest> ended = new ArrayList<>(sends);
        sends.clear();
        ended.forEach((send) -> addSent(send, Verbs.IBV_WC_WR_FLUSH_ERR));
        while (null == shared && !receives.isEmpty())
        {
            addReceived(receives.poll(), Verbs.IBV_WC_WR_FLUSH_ERR, 0, 0, 0);
        }
    }

    /** The hardware has it no more. */
    void stop()
    {
        state = State.DESTROYED;
        sends.clear();
    }

    /** The process has let go of it, which the hardware does not know. */
    void orphan()
    {
        isOrphan = true;
        sendQueue.remove(this);
        receiveQueue.remove(this);
        device.addOrphan(this);
    }

    boolean isOrphan()
    {
        return isOrphan;
    }

    void destroy()
    {
        stop();
        sendQueue.remove(this);
        receiveQueue.remove(this);
        if (null == shared)
        {
            receives.clear();
        }
        else
        {
            shared.pairs.remove(this);
        }
    }

    /** {@return 64 bits of memory, before they are changed by an atomic request} */
    static byte[] atomic(final ModelRequest request)
    {
        final long before = NativeMemory.getLong(request.remoteAddress);
        if (Verbs.IBV_WR_ATOMIC_FETCH_AND_ADD == request.opcode)
        {
            NativeMemory.putLong(request.remoteAddress, before + request.compareOrAdd);
        }
        else if (before == request.compareOrAdd)
        {
            NativeMemory.putLong(request.remoteAddress, request.swap);
        }
        final byte[] answer = new byte[Long.BYTES];
        for (int i = 0; i < Long.BYTES; i++)
        {
            answer[i] = (byte)(before >>> 8 * i);
        }
        return answer;
    }
}
