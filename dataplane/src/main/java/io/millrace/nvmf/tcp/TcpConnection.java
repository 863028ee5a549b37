package io.millrace.nvmf.tcp;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.linux.Epoll;
import io.millrace.bindings.linux.Files;
import io.millrace.bindings.linux.SocketAddress;
import io.millrace.bindings.linux.Sockets;
import io.millrace.nvmf.QueuePair;
import io.millrace.nvmf.QueuePairTransport;
import io.millrace.nvmf.Request;
import io.millrace.nvmf.TransportAddress;
import io.millrace.reactor.ReadinessListener;
import io.millrace.reactor.TimerListener;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;

/**
 * One host connection: the life of its socket (see {@link ConnectionState}), what the reactor watches it for, its
 * timers. What arrives is {@link PduReceiver}'s, what leaves is {@link PduSender}'s business. Its reactor only.
 */
final class TcpConnection implements QueuePairTransport, ReadinessListener
{
    /**
     * How long a host has to close after C2HTermReq or the target's end of stream. The specification allows up to 30 s;
     * a connection that is over anyway need not hold its slot so long.
     */
    static final long DRAIN_TIMEOUT_NS = 2_000_000_000L;
    /**
     * How long a full socket may keep others from writing what its answers borrow from devices; then that is copied
     * and given back. What nobody waits for stays where it is: a host that reads all the time under load has a full
     * socket all the time, and copying for it would cost half of its answers' speed.
     */
    static final long LOAN_TIMEOUT_NS = 2_000_000L;
    /** A writer shows where else it is held up when it tries again, so after a copy the next look comes soon. */
    static final long LOAN_RETRY_NS = 100_000L;

    private static final long NO_TIMER = -1;

    private final TcpPollGroup group;
    private final int fd;
    private final long blockAddress;
    private final QueuePair queuePair;
    private final SocketWatch watch;
    private final HostDataReceiver hostData;
    private final PduReceiver receiver;
    private final PduSender sender;

    private final TimerListener loanListener = this::onLoanTimeout;

    private ConnectionState state;
    private boolean isMoving;
    private SendState sendState = SendState.IDLE;
    private String endReason = "";
    private final long connectTimer;
    private long drainTimer = NO_TIMER;
    private long loanTimer = NO_TIMER;
    private long blockedSinceNs;

    /** Its place among the group's connections. */
    private int index;

    TcpConnection(final TcpPollGroup group, final int fd, final TransportAddress local)
    {
        this.group = group;
        this.fd = fd;
        watch = new SocketWatch(group.reactor(), fd);
        blockAddress = group.senderBlocks().acquire();
        sender = new PduSender(this, group.gatherBuffer(), blockAddress, group.config().c2hSuccess());
        hostData = new HostDataReceiver(this, group.counters(), group.config().maxH2cDataBytes());
        receiver = new PduReceiver(this, group.receiveBuffer(), group.counters(), hostData);
        queuePair = group.pollGroup().newQueuePair(this, local);
        state = ConnectionState.AWAITING_ICREQ;
        connectTimer = group.reactor().schedule(
            group.reactor().nowNs() + group.config().connectTimeoutNs(), this::onConnectTimeout);
    }

    /**
     * Goes on where a connection has ended that {@link #depart departed} from another reactor.
     */
    TcpConnection(final TcpPollGroup group, final TcpConnection former)
    {
        this.group = group;
        fd = former.fd;
        watch = new SocketWatch(group.reactor(), fd);
        blockAddress = group.senderBlocks().acquire();
        sender = new PduSender(this, group.gatherBuffer(), blockAddress, group.config().c2hSuccess());
        sender.takeOver(former.sender);
        hostData = new HostDataReceiver(this, group.counters(), group.config().maxH2cDataBytes());
        receiver = new PduReceiver(this, group.receiveBuffer(), group.counters(), hostData);
        receiver.takeOver(former.receiver);
        queuePair = former.queuePair;
        state = ConnectionState.READY;
        connectTimer = NO_TIMER;
        queuePair.arrive(group.pollGroup(), this);
    }

    int fd()
    {
        return fd;
    }

    QueuePair queuePair()
    {
        return queuePair;
    }

    ConnectionState state()
    {
        return state;
    }

    SendState sendState()
    {
        return sendState;
    }

    int index()
    {
        return index;
    }

    void index(final int place)
    {
        index = place;
    }

    SocketWatch watch()
    {
        return watch;
    }

    boolean isReady()
    {
        return ConnectionState.READY == state;
    }

    /**
     * {@return whether PDUs of the host are looked at}
     */
    boolean isReceiving()
    {
        return ConnectionState.READY == state || ConnectionState.AWAITING_ICREQ == state;
    }

    /**
     * {@return whether it is about to move to another reactor, or has given that up and is not yet as before}
     */
    boolean isMoving()
    {
        return isMoving;
    }

    /**
     * Is to move: begins no command any more. It is ready.
     */
    void beginMove()
    {
        isMoving = true;
        receiver.hold();
        updateInterest();
    }

    /**
     * {@return whether nothing of it is under way, so that it can {@link #depart}}
     */
    boolean isQuiet()
    {
        return ConnectionState.READY == state && queuePair.connected() && queuePair.isIdle() &&
            SendState.IDLE == sendState && receiver.isBetween();
    }

    /**
     * Is not to move any more.
     *
     * @return false when it must be asked again later.
     */
    boolean endMove()
    {
        if (ConnectionState.READY == state && !receiver.goOn())
        {
            return false;
        }
        isMoving = false;
        updateInterest();
        return true;
    }

    /**
     * Leaves its reactor: gives back everything but the socket and the queue pair. It {@link #isQuiet}.
     *
     * @return what the host has sent and nobody has looked at.
     */
    byte[] depart()
    {
        final byte[] unread = receiver.release();
        state(ConnectionState.CLOSED);
        watch.stop();
        cancelTimers();
        receiver.close();
        group.senderBlocks().release(blockAddress);
        queuePair.leave();
        group.remove(this);
        return unread;
    }

    /**
     * Begins with what its former self had not looked at.
     *
     * @param unread of {@link #depart}.
     */
    void begin(final byte[] unread)
    {
        if (isReceiving())
        {
            queuePair.begin();
        }
        if (isReceiving())
        {
            receiver.feed(unread);
            updateInterest();
        }
    }

    /**
     * Receives what is there and acts on it.
     *
     * @return bytes received.
     */
    long receive()
    {
        final long received = switch (state)
        {
            case AWAITING_ICREQ, READY -> isStalled() ? 0 : receiver.receive();
            case DRAINING -> receiver.discard();
            case CLOSED -> 0;
        };
        if (received > 0 && ConnectionState.CLOSED != state)
        {
            watch.onData(group.reactor().nowNs());
        }
        return received;
    }

    /**
     * {@return whether a capsule waits: for a buffer, a limit, or the end of a pause}
     */
    boolean isStalled()
    {
        return ConnectionState.READY == state && ReceiveState.STALLED == receiver.state();
    }

    /**
     * {@return whether the capsule that waits can go on now, as far as that is known}
     */
    boolean isResumable()
    {
        return isStalled() && receiver.isResumable();
    }

    /**
     * Tries again with the capsule that waits.
     *
     * @return whether it went on.
     */
    boolean resume()
    {
        final boolean resumed = receiver.resume();
        updateInterest();
        return resumed;
    }

    /**
     * Sends what the socket takes.
     *
     * @return bytes sent.
     */
    long flush()
    {
        return ConnectionState.CLOSED == state ? 0 : sender.flush();
    }

    /**
     * How far a flush went.
     *
     * @param next what the connection waits for now.
     */
    void onFlushed(final SendState next)
    {
        if (SendState.BLOCKED == next && SendState.BLOCKED != sendState)
        {
            blockedSinceNs = group.reactor().nowNs();
            if (NO_TIMER == loanTimer)
            {
                loanTimer = group.reactor().schedule(blockedSinceNs + LOAN_TIMEOUT_NS, loanListener);
            }
        }
        if (SendState.QUEUED == next && SendState.BLOCKED == sendState)
        {
            // Epoll said that there is room, so it is not in the list of those who flush each cycle.
            group.addFlush(this);
        }
        sendState = next;
        updateInterest();
        if (ConnectionState.DRAINING == state && SendState.IDLE == next)
        {
            Sockets.shutdown(fd, Sockets.SHUT_WR);
        }
    }

    /**
     * An R2T or an answer has left.
     *
     * @param request whose it was.
     * @param sentNs  when the socket took it.
     */
    void onSent(final Request request, final long sentNs)
    {
        if (TransferState.R2T_QUEUED == request.transportState())
        {
            hostData.expect(request);
        }
        else
        {
            queuePair.onSent(request, sentNs);
        }
    }

    /**
     * {@return the time at this moment: what answers took is measured to it}
     */
    long clockNs()
    {
        return group.reactor().clockNs();
    }

    /**
     * A valid ICReq came.
     *
     * @param digests           that it asks for, all granted.
     * @param hostDataAlignment HPDA.
     */
    void onInitialized(final Digests digests, final int hostDataAlignment)
    {
        state(ConnectionState.READY);
        sender.open(digests, hostDataAlignment, group.config().maxH2cDataBytes());
        enqueueFlush();
    }

    /**
     * A capsule waits.
     */
    void onStalled()
    {
        group.counters().onStalled();
        group.addStalled(this);
        updateInterest();
    }

    /**
     * The peer sent H2CTermReq.
     *
     * @param status that it names.
     */
    void onPeerTermination(final FatalErrorStatus status)
    {
        group.counters().onPeerTermination();
        close("host ended the connection: " + status);
    }

    void onEndOfStream()
    {
        close(ConnectionState.DRAINING == state ? endReason : "host closed the connection");
    }

    void onSocketError(final String call, final int errno)
    {
        close(ConnectionState.DRAINING == state ? endReason : call + ": " + Errno.describe(errno));
    }

    /**
     * A field of a PDU is invalid.
     *
     * @param fieldOffset  of it.
     * @param pdu          wrapped.
     * @param headerLength bytes of the PDU's header that have been looked at.
     * @return bytes of the PDU that are done with.
     */
    int invalid(final int fieldOffset, final CommonHeader pdu, final int headerLength)
    {
        return terminate(FatalErrorStatus.INVALID_HEADER_FIELD, fieldOffset, pdu, headerLength);
    }

    /**
     * A header digest is wrong.
     *
     * @param pdu          wrapped, its digest behind the header.
     * @param headerLength of the PDU.
     * @return bytes of the PDU that are done with.
     */
    int wrongHeaderDigest(final CommonHeader pdu, final int headerLength)
    {
        group.counters().onHeaderDigestError();
        return terminate(FatalErrorStatus.HEADER_DIGEST_ERROR,
            pdu.buffer().getInt(pdu.offset() + headerLength, ByteOrder.LITTLE_ENDIAN), pdu, headerLength);
    }

    /**
     * A fatal error of the host: sends what is queued and C2HTermReq, then ends.
     *
     * @param status       what went wrong.
     * @param information  that belongs to the status.
     * @param pdu          wrapped.
     * @param headerLength bytes of the PDU's header that have been looked at.
     * @return bytes of the PDU that are done with.
     */
    int terminate(
        final FatalErrorStatus status, final int information, final CommonHeader pdu, final int headerLength)
    {
        group.counters().onTermination(status);
        sender.terminate(status, information, pdu.buffer(), pdu.offset(), headerLength);
        final String reason = "fatal error of the host: " + status + ", information " + information;
        queuePair.onProtocolError(reason);
        drain(reason);
        return CommonHeader.SIZE_BYTES;
    }

    /**
     * Closes the socket and ends the queue pair; nothing when it is closed already.
     *
     * @param reason why.
     */
    void close(final String reason)
    {
        if (ConnectionState.CLOSED == state)
        {
            return;
        }
        state(ConnectionState.CLOSED);
        group.counters().onClosed(reason);
        watch.stop();
        Files.close(fd);
        cancelTimers();
        sender.clear();
        sendState = SendState.IDLE;
        receiver.close();
        group.senderBlocks().release(blockAddress);
        queuePair.onDisconnected(reason);
        group.remove(this);
    }

    @Override
    public String remote()
    {
        try (Arena arena = Arena.ofConfined())
        {
            final long address = arena.allocate(SocketAddress.SIZE_BYTES_MAX, Long.BYTES).address();
            final long lengthAddress = arena.allocate(Integer.BYTES, Integer.BYTES).address();
            NativeMemory.putInt(lengthAddress, SocketAddress.SIZE_BYTES_MAX);
            if (Sockets.getpeername(fd, address, lengthAddress) < 0)
            {
                return "";
            }
            final InetSocketAddress peer = SocketAddress.read(address);
            return TransportAddress.tcp(peer.getAddress().getHostAddress(), peer.getPort()).toString();
        }
    }

    @Override
    public void receiveData(final Request request)
    {
        if (ConnectionState.READY == state)
        {
            request.transportState(TransferState.R2T_QUEUED);
            sender.enqueue(request);
            enqueueFlush();
        }
    }

    @Override
    public void respond(final Request request)
    {
        if (ConnectionState.READY == state)
        {
            request.transportState(TransferState.RESPONSE_QUEUED);
            sender.enqueue(request);
            enqueueFlush();
        }
        else if (ConnectionState.DRAINING == state)
        {
            queuePair.onSent(request, group.reactor().nowNs());
        }
    }

    @Override
    public void disconnect(final String reason)
    {
        if (isReceiving())
        {
            drain(reason);
        }
    }

    @Override
    public int inCapsuleDataBytesMax()
    {
        return group.config().inCapsuleDataBytes();
    }

    @Override
    public void onReady(final int events)
    {
        if (SendState.BLOCKED == sendState && 0 != (events & (Epoll.EPOLLOUT | Epoll.EPOLLERR | Epoll.EPOLLHUP)))
        {
            flush();
        }
        if (isStalled() && 0 != (events & (Epoll.EPOLLERR | Epoll.EPOLLHUP)))
        {
            close("host closed the connection");
        }
        else if (0 != (events & (Epoll.EPOLLIN | Epoll.EPOLLERR | Epoll.EPOLLHUP)))
        {
            group.onReadable(this);
        }
    }

    @Override
    public String toString()
    {
        return "connection " + fd + ' ' + state + ' ' + receiver.state() + ' ' + sendState;
    }

    private void enqueueFlush()
    {
        if (SendState.IDLE == sendState)
        {
            sendState = SendState.QUEUED;
            group.addFlush(this);
        }
    }

    private void drain(final String reason)
    {
        state(ConnectionState.DRAINING);
        endReason = reason;
        drainTimer = group.reactor().schedule(group.reactor().nowNs() + DRAIN_TIMEOUT_NS, this::onDrainTimeout);
        enqueueFlush();
        updateInterest();
    }

    private void state(final ConnectionState next)
    {
        if (!state.mayBecome(next))
        {
            throw new IllegalStateException("connection cannot go from " + state + " to " + next);
        }
        state = next;
    }

    private void updateInterest()
    {
        if (ConnectionState.CLOSED != state)
        {
            watch.want(ReceiveState.STALLED != receiver.state() || ConnectionState.DRAINING == state,
                SendState.BLOCKED == sendState);
        }
    }

    private void cancelTimers()
    {
        if (NO_TIMER != connectTimer)
        {
            group.reactor().cancel(connectTimer);
        }
        if (NO_TIMER != drainTimer)
        {
            group.reactor().cancel(drainTimer);
        }
        if (NO_TIMER != loanTimer)
        {
            group.reactor().cancel(loanTimer);
        }
    }

    private void onConnectTimeout(final long nowNs)
    {
        if (isReceiving() && !queuePair.connected())
        {
            group.counters().onConnectTimeout();
            final String reason = "no Connect command within " +
                TimeUnit.NANOSECONDS.toMillis(group.config().connectTimeoutNs()) + " ms";
            queuePair.onProtocolError(reason);
            close(reason);
        }
    }

    private void onDrainTimeout(final long nowNs)
    {
        close(endReason);
    }

    private void onLoanTimeout(final long nowNs)
    {
        loanTimer = NO_TIMER;
        if (SendState.BLOCKED == sendState)
        {
            long dueNs = blockedSinceNs + LOAN_TIMEOUT_NS;
            if (dueNs - nowNs <= 0)
            {
                final int copied = sender.copyLoans();
                group.counters().onCopiedLoans(copied);
                dueNs = nowNs + (copied > 0 ? LOAN_RETRY_NS : LOAN_TIMEOUT_NS);
            }
            loanTimer = group.reactor().schedule(dueNs, loanListener);
        }
    }
}
