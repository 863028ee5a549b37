package io.millrace.nvmf.tcp;

import io.millrace.bindings.Errno;
import io.millrace.bindings.linux.Epoll;
import io.millrace.bindings.linux.Files;
import io.millrace.bindings.linux.Sockets;
import io.millrace.nvmf.QueuePair;
import io.millrace.nvmf.QueuePairTransport;
import io.millrace.nvmf.Request;
import io.millrace.nvmf.TransportAddress;
import io.millrace.reactor.ReadinessListener;
import java.net.InetSocketAddress;

/**
 * One host connection: the life of its socket (see {@link ConnectionState}), what the reactor watches it for, its move
 * to another reactor. What arrives is {@link PduReceiver}'s, what leaves is {@link PduSender}'s business, when it
 * leaves that of {@link SendTurn}. Its reactor only.
 */
final class TcpConnection implements QueuePairTransport, ReadinessListener
{
    private final TcpPollGroup group;
    private final int fd;
    private final ConnectionPlace place;
    private final QueuePair queuePair;
    private final SocketWatch watch;
    private final HostDataReceiver hostData;
    private final PduReceiver receiver;
    private final PduSender sender;
    private final SendTurn sendTurn;
    private final ConnectionTimers timers;
    private ConnectionState state;
    private String endReason = "";
    /** Its place among the group's connections. */
    private int index;
    private boolean isListedAsWaiting;

    TcpConnection(final TcpPollGroup group, final int fd, final TransportAddress local, final ConnectionPlace place)
    {
        this.group = group;
        this.fd = fd;
        this.place = place;
        watch = new SocketWatch(group.reactor(), fd);
        sender = new PduSender(this, group);
        sendTurn = new SendTurn(group, this, sender);
        final FatalErrors errors = new FatalErrors(this, sender, group.counters());
        hostData = new HostDataReceiver(this, errors, group.counters(), group.config().maxH2cDataBytes());
        receiver = new PduReceiver(this, errors, group.receiveBuffer(), group.counters(), hostData);
        queuePair = group.pollGroup().newQueuePair(this, local);
        state = ConnectionState.AWAITING_ICREQ;
        timers = new ConnectionTimers(group, this);
        timers.awaitConnect();
        group.admission().occupy(place, () -> group.reactor().execute(
            () -> close("more connections are to become queues than limits.pending-connections")));
    }

    /**
     * Goes on where a connection has ended that {@link #depart departed} from another reactor.
     */
    TcpConnection(final TcpPollGroup group, final TcpConnection former)
    {
        this.group = group;
        fd = former.fd;
        place = former.place;
        // It is pending no more, and must not hold on to its former self.
        group.admission().occupy(place, null);
        watch = new SocketWatch(group.reactor(), fd);
        sender = new PduSender(this, group);
        sendTurn = new SendTurn(group, this, sender);
        sender.takeOver(former.sender);
        final FatalErrors errors = new FatalErrors(this, sender, group.counters());
        hostData = new HostDataReceiver(this, errors, group.counters(), group.config().maxH2cDataBytes());
        receiver = new PduReceiver(this, errors, group.receiveBuffer(), group.counters(), hostData);
        receiver.takeOver(former.receiver);
        queuePair = former.queuePair;
        state = ConnectionState.READY;
        timers = new ConnectionTimers(group, this);
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
        return sendTurn.state();
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
     * Is to move: begins no command any more. It is ready.
     */
    void beginMove()
    {
        receiver.hold();
        updateInterest();
    }

    /**
     * {@return whether nothing of it is under way, so that it can {@link #depart}}
     */
    boolean isQuiet()
    {
        return ConnectionState.READY == state && queuePair.connected() && queuePair.isIdle() &&
            SendState.IDLE == sendTurn.state() && receiver.isBetween();
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
        timers.cancel();
        sendTurn.stop();
        sender.close();
        receiver.close();
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
     * {@return whether a capsule waits, while other things may be received}
     */
    boolean isWaiting()
    {
        return ConnectionState.READY == state && receiver.isWaiting();
    }

    /**
     * {@return whether it is in its group's list of those with capsules that wait}
     */
    boolean isListedAsWaiting()
    {
        return isListedAsWaiting;
    }

    void isListedAsWaiting(final boolean isListed)
    {
        isListedAsWaiting = isListed;
    }

    /**
     * {@return whether a capsule that waits can go on now, as far as that is known}
     */
    boolean isResumable()
    {
        return isWaiting() && receiver.isResumable();
    }

    /**
     * Tries again with the capsules that wait.
     *
     * @return whether one went on.
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
        sendTurn.onFlushed(next);
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
        else if (!request.isLastPart())
        {
            queuePair.intake().onPartSent(request);
        }
        else
        {
            queuePair.onSent(request, sentNs);
        }
    }

    /**
     * Data was asked for, and none was before.
     */
    void onDataAwaited()
    {
        timers.awaitData();
    }

    /**
     * {@return data that was asked for}
     */
    HostDataReceiver hostData()
    {
        return hostData;
    }

    /**
     * {@return whether what the host sends is taken in}
     */
    boolean isTaking()
    {
        return receiver.isTaking();
    }

    /**
     * The host did not do its part of a transfer in time: ends the connection, and tells why.
     *
     * @param reason in words.
     */
    void onTransferTimeout(final String reason)
    {
        queuePair.onProtocolError(reason);
        close(reason);
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
        sendTurn.request();
    }

    /**
     * A capsule waits, and what is behind it.
     */
    void onStalled()
    {
        group.counters().onStalled();
        group.addWaiting(this);
        updateInterest();
    }

    /**
     * A capsule was put aside until there is a slot for it.
     */
    void onDeferred()
    {
        group.counters().onDeferred();
        group.addWaiting(this);
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
     * Ends the connection when what is queued has gone, and the host has ended the stream or its time is up.
     *
     * @param reason why.
     */
    void drain(final String reason)
    {
        state(ConnectionState.DRAINING);
        endReason = reason;
        timers.awaitEnd(reason);
        sendTurn.request();
        updateInterest();
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
        timers.cancel();
        sendTurn.stop();
        sender.close();
        receiver.close();
        queuePair.onDisconnected(reason);
        group.remove(this);
    }

    @Override
    public String address()
    {
        return place.address();
    }

    @Override
    public boolean admit(final boolean isDiscovery)
    {
        return group.admission().admit(place,
            isDiscovery ? ConnectionPlace.Kind.DISCOVERY : ConnectionPlace.Kind.QUEUE, group.reactor().nowNs());
    }

    @Override
    public void dismiss()
    {
        group.admission().dismiss(place);
    }

    @Override
    public boolean isDiscoveryCrowded()
    {
        return group.admission().isDiscoveryCrowded(place);
    }

    /** What devices still have of it takes memory as a connection does, so it counts for as long. */
    @Override
    public void onDrained()
    {
        group.admission().end(place);
    }

    @Override
    public String remote()
    {
        final InetSocketAddress peer = group.socketSetup().peer(fd);
        return null == peer ? "" : TransportAddress.tcp(peer.getAddress().getHostAddress(), peer.getPort()).toString();
    }

    @Override
    public void receiveData(final Request request)
    {
        if (ConnectionState.READY == state)
        {
            request.transportState(TransferState.R2T_QUEUED);
            sender.enqueue(request);
            sendTurn.request();
        }
    }

    @Override
    public void respond(final Request request)
    {
        if (ConnectionState.READY == state)
        {
            request.transportState(TransferState.RESPONSE_QUEUED);
            sender.enqueue(request);
            sendTurn.request();
        }
        else if (ConnectionState.DRAINING == state && request.isLastPart())
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
    public boolean cancelReceive(final Request request)
    {
        if (TransferState.R2T_QUEUED == request.transportState() && sender.withdraw(request))
        {
            request.transportState(TransferState.NONE);
            return true;
        }
        return false;
    }

    @Override
    public void abort(final String reason)
    {
        close(reason);
    }

    @Override
    public int inCapsuleDataBytesMax()
    {
        return group.config().inCapsuleDataBytes();
    }

    @Override
    public void onReady(final int events)
    {
        if (SendState.BLOCKED == sendTurn.state() && 0 != (events & (Epoll.EPOLLOUT | Epoll.EPOLLERR | Epoll.EPOLLHUP)))
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
        return "connection " + fd + ' ' + state + ' ' + receiver.state() + ' ' + sendTurn.state();
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
                SendState.BLOCKED == sendTurn.state());
        }
    }
}
