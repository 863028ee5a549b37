package io.millrace.nvmf.tcp;

import io.millrace.bindings.Errno;
import io.millrace.bindings.linux.Epoll;
import io.millrace.bindings.linux.Sockets;
import io.millrace.nvmf.connection.ConnectionPermit;
import io.millrace.nvmf.queue.QueuePair;
import io.millrace.nvmf.request.QueuePairTransport;
import io.millrace.nvmf.request.Request;
import io.millrace.nvmf.tcp.pdu.FatalErrorStatus;
import io.millrace.nvmf.transport.DataPointerFormat;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.ReadinessListener;
import java.net.InetSocketAddress;

/**
 * One host connection: the states of its socket (see {@link ConnectionState}) and its epoll interest.
 * {@link PduReceiver} receives, {@link PduSender} sends, {@link SendScheduler} schedules the sending. Its reactor only.
 */
final class TcpConnection implements QueuePairTransport, ReadinessListener
{
    private final TcpPollGroup group;
    private final int fd;
    private final ConnectionPermit permit;
    /** Whether its group counts it among the admin queues. */
    private boolean isAdmin;
    private final QueuePair queuePair;
    private final SocketReadiness readiness;
    private final H2CDataReceiver h2cData;
    private final PduReceiver receiver;
    private final PduSender sender;
    private final SendScheduler sendScheduler;
    private final ConnectionTimers timers;
    private ConnectionState state;
    private String endReason = "";
    /** Its index in the group's connections. */
    private int index;
    private boolean isListedAsWaiting;

    TcpConnection(final TcpPollGroup group, final int fd, final TransportAddress local, final ConnectionPermit permit)
    {
        this.group = group;
        this.fd = fd;
        this.permit = permit;
        readiness = new SocketReadiness(group.reactor(), fd);
        sender = new PduSender(this, group);
        sendScheduler = new SendScheduler(group, this, sender);
        final FatalErrors errors = new FatalErrors(this, sender, group.counters());
        h2cData = new H2CDataReceiver(this, errors, group.counters(), group.config().maxH2cDataBytes());
        receiver = new PduReceiver(this, errors, group.receiveBuffer(), group.counters(), h2cData);
        queuePair = group.pollGroup().newQueuePair(this, local);
        state = ConnectionState.AWAITING_ICREQ;
        timers = new ConnectionTimers(group, this);
        timers.awaitConnect();
        group.admission().occupy(permit, (limit) -> group.reactor().execute(() -> close(limit.evictionReason())));
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
        return sendScheduler.state();
    }

    int index()
    {
        return index;
    }

    void index(final int permit)
    {
        index = permit;
    }

    SocketReadiness readiness()
    {
        return readiness;
    }

    boolean isReady()
    {
        return ConnectionState.READY == state;
    }

    /**
     * {@return whether PDUs of the host are processed}
     */
    boolean isReceiving()
    {
        return ConnectionState.READY == state || ConnectionState.AWAITING_ICREQ == state;
    }

    /**
     * Receives available bytes and processes them.
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
            readiness.onData(group.reactor().nowNs());
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
     * {@return whether a waiting capsule can be dispatched now, as far as is known}
     */
    boolean isResumable()
    {
        return isWaiting() && receiver.isResumable();
    }

    /**
     * Retries the waiting capsules.
     *
     * @return whether one was dispatched.
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
        sendScheduler.onFlushed(next);
        updateInterest();
        if (ConnectionState.DRAINING == state && SendState.IDLE == next)
        {
            group.reactor().kernel().shutdown(fd, Sockets.SHUT_WR);
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
            h2cData.expect(request);
        }
        else if (!request.isLastPart())
        {
            queuePair.dispatcher().onPartSent(request);
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
    H2CDataReceiver h2cData()
    {
        return h2cData;
    }

    /**
     * {@return whether data of the host can be received}
     */
    boolean canReceiveData()
    {
        return receiver.canReceiveData();
    }

    /**
     * The host did not send or receive the data of a transfer in time: ends the connection, and reports the reason.
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
        sendScheduler.request();
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
     * A capsule was deferred until there is a slot for it.
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
     * Ends the connection when the queue is sent, and the host has ended the stream or the time-out has passed.
     *
     * @param reason why.
     */
    void drain(final String reason)
    {
        state(ConnectionState.DRAINING);
        endReason = reason;
        timers.awaitEnd(reason);
        sendScheduler.request();
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
        readiness.stop();
        group.reactor().kernel().close(fd);
        timers.cancel();
        sendScheduler.stop();
        sender.close();
        receiver.close();
        queuePair.onDisconnected(reason);
        group.remove(this);
        countAsAdmin(false);
    }

    @Override
    public String address()
    {
        return permit.address();
    }

    @Override
    public boolean admit(final int queueId, final boolean isDiscovery)
    {
        if (!group.admission().admit(permit,
            isDiscovery ? ConnectionPermit.Kind.DISCOVERY : ConnectionPermit.Kind.QUEUE, group.reactor().nowNs()))
        {
            return false;
        }
        countAsAdmin(0 == queueId);
        return true;
    }

    private void countAsAdmin(final boolean value)
    {
        if (isAdmin != value)
        {
            isAdmin = value;
            group.adminCount().addAndGet(value ? 1 : -1);
        }
    }

    @Override
    public void dismiss()
    {
        group.admission().dismiss(permit);
        countAsAdmin(false);
    }

    @Override
    public boolean isDiscoveryCrowded()
    {
        return group.admission().isDiscoveryCrowded(permit);
    }

    /** Commands that devices still have take memory as a connection does, so it counts until they end. */
    @Override
    public void onDrained()
    {
        group.admission().end(permit);
    }

    @Override
    public String remote()
    {
        final InetSocketAddress peer = group.socketSetup().peer(fd);
        return null == peer ? "" : TransportAddress.tcp(peer).toString();
    }

    @Override
    public void receiveData(final Request request)
    {
        if (ConnectionState.READY == state)
        {
            request.transportState(TransferState.R2T_QUEUED);
            sender.enqueue(request);
            sendScheduler.request();
        }
    }

    @Override
    public void respond(final Request request)
    {
        if (ConnectionState.READY == state)
        {
            request.transportState(TransferState.RESPONSE_QUEUED);
            sender.enqueue(request);
            sendScheduler.request();
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
    public DataPointerFormat dataPointers()
    {
        return group.dataPointers();
    }

    @Override
    public void onReady(final int events)
    {
        if (SendState.BLOCKED == sendScheduler.state() &&
            0 != (events & (Epoll.EPOLLOUT | Epoll.EPOLLERR | Epoll.EPOLLHUP)))
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
        return "connection " + fd + ' ' + state + ' ' + receiver.state() + ' ' + sendScheduler.state();
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
            readiness.setInterest(ReceiveState.STALLED != receiver.state() || ConnectionState.DRAINING == state,
                SendState.BLOCKED == sendScheduler.state());
        }
    }
}
