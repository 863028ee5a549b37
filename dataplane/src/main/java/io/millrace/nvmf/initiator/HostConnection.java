package io.millrace.nvmf.initiator;

import io.millrace.bindings.Errno;
import io.millrace.bindings.linux.Epoll;
import io.millrace.nvme.ConnectData;
import io.millrace.nvmf.tcp.CommonHeader;
import io.millrace.nvmf.tcp.FatalErrorStatus;
import io.millrace.nvmf.tcp.ICPdu;
import io.millrace.nvmf.tcp.PduType;
import io.millrace.nvmf.tcp.TerminationRequest;
import io.millrace.reactor.ReadinessListener;

/**
 * One NVMe/TCP connection, which carries one queue: from the socket to completions. Its state is
 * {@link ConnectionState}. It never calls its listener from within {@link #submit} or {@link #close}. One reactor's.
 */
final class HostConnection implements PduHandler, ReadinessListener
{
    private static final int LARGE_WINDOW_BYTES = 8 << 10;
    private static final int AUTHENTICATION_REQUIRED = 0x3_0000;
    private static final int STAGING_BYTES_PER_SLOT = 136;
    private static final int VECTORS_PER_SLOT = 4;
    private static final int SPARE_SLOTS = 64;

    private final HostPollGroup group;
    private final ConnectionListener listener;
    private final HostSocket socket;
    private final PduSender sender;
    private final PduReceiver receiver;
    private final CommandExchange exchange;
    private final CommandTable commands;
    private final HostMemory connectMemory = new HostMemory(ConnectData.SIZE_BYTES);
    private final HostRequest connectRequest = new HostRequest(this, this::onConnectAnswered);

    private ConnectionState state = ConnectionState.CLOSED;
    private ConnectionConfig config;
    private HostConfig host;
    private int queueId;
    private int controllerId;
    private int inCapsuleBytes;
    private long connectDeadlineNs;
    private String closeReason;

    /**
     * Maps what the connection needs; opens nothing.
     *
     * @param group    whose buffer and turn it shares.
     * @param slotMax  most commands outstanding at once.
     * @param listener notified of its events.
     */
    HostConnection(final HostPollGroup group, final int slotMax, final ConnectionListener listener)
    {
        this.group = group;
        this.listener = listener;
        socket = new HostSocket(group.reactor(), this);
        sender = new PduSender((slotMax + SPARE_SLOTS) * STAGING_BYTES_PER_SLOT,
            (slotMax + SPARE_SLOTS) * VECTORS_PER_SLOT);
        exchange = new CommandExchange(group, sender, slotMax, this);
        receiver = new PduReceiver(group.receiveBuffer(), this, exchange);
        commands = exchange.commands();
    }

    /**
     * Begins to connect; the listener is notified of the outcome.
     *
     * @param newConfig       where to.
     * @param newHost         as whom.
     * @param newQueueId      0 for the admin queue.
     * @param newControllerId of the association, or any for the admin queue.
     * @param entries         of the submission queue; one fewer commands may be outstanding.
     * @param capsuleBytes    of data that a capsule may carry.
     */
    void open(
        final ConnectionConfig newConfig,
        final HostConfig newHost,
        final int newQueueId,
        final int newControllerId,
        final int entries,
        final int capsuleBytes)
    {
        state(ConnectionState.CONNECTING);
        config = newConfig;
        host = newHost;
        queueId = newQueueId;
        controllerId = newControllerId;
        inCapsuleBytes = capsuleBytes;
        exchange.open(newQueueId, entries - 1);
        closeReason = null;
        connectDeadlineNs = group.nowNs() + newConfig.connectTimeoutMs() * 1_000_000L;
        group.add(this);
        final String failure = socket.connect(config);
        if (null != failure)
        {
            close(failure);
        }
    }

    private void state(final ConnectionState next)
    {
        if (!state.canBecome(next))
        {
            throw new IllegalStateException("connection cannot go from " + state + " to " + next);
        }
        state = next;
    }

    ConnectionState state()
    {
        return state;
    }

    /**
     * {@return the controller that the target gave; valid when ready}
     */
    int controllerId()
    {
        return controllerId;
    }

    /**
     * {@return most commands outstanding at once on the present connection}
     */
    int depth()
    {
        return commands.limit();
    }

    /**
     * {@return whether answers have come to commands whose bytes have not all left}
     */
    boolean holdsAnswers()
    {
        return commands.hasAnswered();
    }

    int inFlight()
    {
        return commands.inFlight();
    }

    /**
     * Sets how much data a capsule may carry, once the controller said so.
     *
     * @param bytes of IOCCSZ without the entry.
     */
    void inCapsuleBytes(final int bytes)
    {
        exchange.inCapsuleBytes(bytes);
    }

    /**
     * Queues a command, to be sent with the next {@link #flush} or turn. The connection is ready.
     *
     * @param request filled and idle.
     * @return false when there is no room.
     */
    boolean submit(final HostRequest request)
    {
        return exchange.submit(request);
    }

    @Override
    public void onReady(final int events)
    {
        if (ConnectionState.CONNECTING != state)
        {
            poll();
            if (group.pollsDirectly() && wantsPoll() && ConnectionState.CLOSED != state)
            {
                // From now on the socket is polled in every cycle; events of epoll would be redundant.
                socket.watch(sender.isEmpty() ? 0 : Epoll.EPOLLOUT);
            }
            return;
        }
        final String failure = socket.finishConnect(config);
        if (null != failure)
        {
            close(failure);
            return;
        }
        state(ConnectionState.INITIALIZING);
        socket.watch(Epoll.EPOLLIN);
        final ICPdu request = new ICPdu();
        request.wrap(sender.staging(), sender.stage(ICPdu.SIZE_BYTES));
        request.build(PduType.IC_REQ, 0, wantedDigests(), 0);
        flush();
    }

    private int wantedDigests()
    {
        return (config.headerDigest() ? ICPdu.DIGEST_HEADER : 0) |
            (config.dataDigest() ? ICPdu.DIGEST_DATA : 0);
    }

    /**
     * {@return whether it has to be polled although the descriptor may not be ready: answers are expected or data waits
     * to be sent}
     */
    boolean wantsPoll()
    {
        return commands.expected() > 0 || ConnectionState.CLOSING == state || !sender.isEmpty();
    }

    /**
     * Polls without reading the socket: the reactor notifies when there are bytes.
     *
     * @return how much was done.
     */
    int pollWithoutReceive()
    {
        if (ConnectionState.CLOSING == state)
        {
            return poll();
        }
        arm();
        return flush();
    }

    /**
     * Enables notifications of the reactor, because the socket is not polled from now on.
     *
     * @return whether nothing would be missed while the reactor sleeps.
     */
    boolean arm()
    {
        if (state.receives())
        {
            socket.watch(exchange.isSent() ? Epoll.EPOLLIN : Epoll.EPOLLIN | Epoll.EPOLLOUT);
        }
        return ConnectionState.CLOSING != state;
    }

    /**
     * Sends what waits, takes in what came.
     *
     * @return how much was done.
     */
    int poll()
    {
        if (ConnectionState.CLOSING == state)
        {
            tearDown();
            return 1;
        }
        if (!state.receives())
        {
            return 0;
        }
        int work = flush();
        work += receive();
        return work + flush();
    }

    /**
     * Sends what waits.
     *
     * @return 1 when something was sent.
     */
    int flush()
    {
        if (exchange.isSent() || !state.receives())
        {
            return 0;
        }
        final long before = sender.sentPosition();
        final int result = exchange.send(socket.fd());
        if (0 == result)
        {
            socket.watch(socket.watched() & ~Epoll.EPOLLOUT);
        }
        else if (-Errno.EAGAIN == result)
        {
            socket.watch(Epoll.EPOLLIN | Epoll.EPOLLOUT);
        }
        else
        {
            close("connection to " + config.target() + " broke: " + Errno.describe(-result));
        }
        if (commands.hasAnswered())
        {
            exchange.completeAnswered();
        }
        return sender.sentPosition() != before ? 1 : 0;
    }

    private int receive()
    {
        int work = 0;
        int budget = ReceiveBuffer.WINDOW_BYTES;
        while (budget > 0 && state.receives())
        {
            final int window = commands.hasLargeReads() ? LARGE_WINDOW_BYTES : ReceiveBuffer.WINDOW_BYTES;
            final long received = receiver.receive(socket.fd(), window);
            if (received <= 0)
            {
                onNothingReceived((int)received);
                break;
            }
            group.readClock();
            receiver.process((int)received);
            work++;
            budget -= (int)received;
            if (received < window)
            {
                break;
            }
        }
        return work;
    }

    private void onNothingReceived(final int result)
    {
        if (0 == result)
        {
            close(config.target() + " closed the connection" + duringSetUp());
        }
        else if (-Errno.EAGAIN != result && -Errno.EINTR != result)
        {
            close("connection to " + config.target() + " broke" + duringSetUp() + ": " + Errno.describe(-result));
        }
    }

    private String duringSetUp()
    {
        return switch (state)
        {
            case INITIALIZING -> " before it answered the NVMe/TCP greeting";
            case ASSOCIATING -> " before it answered Connect";
            default -> "";
        };
    }

    @Override
    public boolean isReceiving()
    {
        return state.receives();
    }

    @Override
    public boolean accepts(final int type)
    {
        return switch (type)
        {
            case PduType.CAPSULE_RESPONSE, PduType.C2H_DATA, PduType.READY_TO_TRANSFER ->
                ConnectionState.INITIALIZING != state;
            case PduType.IC_RESP -> ConnectionState.INITIALIZING == state;
            case PduType.C2H_TERM_REQ -> true;
            default -> false;
        };
    }

    @Override
    public void onICResp(final ICPdu pdu)
    {
        final int wanted = wantedDigests();
        if (ICPdu.FORMAT_VERSION != pdu.formatVersion())
        {
            refuse(pdu, FatalErrorStatus.UNSUPPORTED_PARAMETER, ICPdu.FORMAT_VERSION_OFFSET,
                "PDU format version " + pdu.formatVersion() + " is not supported");
        }
        else if (pdu.dataAlignment() > CommonHeader.DATA_ALIGNMENT_MAX)
        {
            refuse(pdu, FatalErrorStatus.INVALID_HEADER_FIELD, ICPdu.DATA_ALIGNMENT_OFFSET,
                "data alignment " + pdu.dataAlignment() + " is above " + CommonHeader.DATA_ALIGNMENT_MAX);
        }
        else if (wanted != pdu.digests())
        {
            refuse(pdu, FatalErrorStatus.INVALID_HEADER_FIELD, ICPdu.DIGESTS_OFFSET,
                "digests offered are " + describeDigests(pdu.digests()) + ", asked for were " +
                describeDigests(wanted));
        }
        else if (Integer.compareUnsigned(pdu.maxH2CDataBytes(), ReadyToTransferQueue.DATA_BYTES_MIN) < 0 ||
            0 != (pdu.maxH2CDataBytes() & 3))
        {
            refuse(pdu, FatalErrorStatus.INVALID_HEADER_FIELD, ICPdu.MAXIMUM_OFFSET,
                "MAXH2CDATA " + Integer.toUnsignedString(pdu.maxH2CDataBytes()) + " is below " +
                ReadyToTransferQueue.DATA_BYTES_MIN + " or no multiple of 4");
        }
        else
        {
            associate(pdu);
        }
    }

    private void associate(final ICPdu pdu)
    {
        final int alignment = (pdu.dataAlignment() + 1) * 4;
        final int maxBytes = pdu.maxH2CDataBytes();
        receiver.digests(config.headerDigest(), config.dataDigest());
        exchange.agree(config.headerDigest(), config.dataDigest(), alignment,
            maxBytes < 0 ? Integer.MAX_VALUE & -4 : maxBytes);
        state(ConnectionState.ASSOCIATING);
        AssociationCommand.writeData(connectMemory.buffer(), host, config.subsystemNqn(), controllerId);
        AssociationCommand.write(connectRequest, connectMemory.address(), queueId, commands.limit() + 1,
            config.sqFlowControl(), 0 == queueId ? config.keepAliveMs() : 0);
        exchange.inCapsuleBytes(ConnectData.SIZE_BYTES);
        submit(connectRequest);
        exchange.inCapsuleBytes(inCapsuleBytes);
    }

    private static String describeDigests(final int digests)
    {
        return switch (digests)
        {
            case 0 -> "none";
            case ICPdu.DIGEST_HEADER -> "header";
            case ICPdu.DIGEST_DATA -> "data";
            case ICPdu.DIGEST_HEADER | ICPdu.DIGEST_DATA -> "header and data";
            default -> "0x" + Integer.toHexString(digests);
        };
    }

    private void onConnectAnswered(final HostRequest request)
    {
        if (!request.isSuccess())
        {
            close(AssociationCommand.explain(request.status(), request.result0(), config, host));
        }
        else if (0 != (request.result0() & AUTHENTICATION_REQUIRED))
        {
            close(config.subsystemNqn() + " requires authentication, which this host does not support: allow host " +
                host.hostNqn() + " without");
        }
        else
        {
            controllerId = request.result0() & 0xFFFF;
            state(ConnectionState.READY);
            listener.onReady();
        }
    }

    @Override
    public void onTermination(final TerminationRequest pdu)
    {
        close(config.target() + " ended the connection: " + pdu.status() + " (status " + pdu.statusCode() +
            ", information 0x" + Integer.toHexString(pdu.information()) + ")");
    }

    private void refuse(
        final CommonHeader pdu, final FatalErrorStatus status, final int information, final String reason)
    {
        onProtocolError(status, information, pdu.offset(), pdu.headerLength(), reason);
    }

    @Override
    public void onProtocolError(
        final FatalErrorStatus status,
        final int information,
        final int headerOffset,
        final int headerBytes,
        final String reason)
    {
        if (!state.receives())
        {
            return;
        }
        if (FatalErrorStatus.RESERVED != status && sender.hasRoom(TerminationRequest.SIZE_BYTES_MAX, 1))
        {
            final TerminationRequest request = new TerminationRequest();
            final int pduBytes = TerminationRequest.SIZE_BYTES +
                Math.min(headerBytes, TerminationRequest.DATA_BYTES_MAX);
            request.wrap(sender.staging(), sender.stage(pduBytes));
            request.build(PduType.H2C_TERM_REQ, status, information,
                group.receiveBuffer().buffer(), headerOffset, headerBytes);
            sender.flush(socket.fd());
        }
        close(config.target() + " violated the protocol: " + reason);
    }

    /**
     * Closes the connection; it is torn down in the next poll. Does nothing when it is closed or closing.
     *
     * @param reason in one sentence.
     */
    void close(final String reason)
    {
        if (ConnectionState.CLOSED != state && ConnectionState.CLOSING != state)
        {
            closeReason = reason;
            state(ConnectionState.CLOSING);
        }
    }

    private void tearDown()
    {
        socket.close();
        group.remove(this);
        receiver.reset();
        HostRequest lost = exchange.close();
        state(ConnectionState.CLOSED);
        while (null != lost)
        {
            final HostRequest next = lost.next;
            lost.next = null;
            if (connectRequest == lost)
            {
                lost.state(RequestState.IDLE);
            }
            else
            {
                listener.onLost(lost);
            }
            lost = next;
        }
        listener.onClosed(closeReason);
    }

    /**
     * Looks for deadlines that have passed.
     *
     * @param nowNs clock of the reactor.
     */
    void onTick(final long nowNs)
    {
        if (ConnectionState.READY == state)
        {
            final HostRequest overdue = commands.findOverdue(nowNs, config.commandTimeoutMs() * 1_000_000L);
            if (null != overdue)
            {
                close(config.target() + " did not answer a command within " + config.commandTimeoutMs() +
                    " ms (" + overdue + ")");
            }
        }
        else if (ConnectionState.CLOSED != state && ConnectionState.CLOSING != state &&
            nowNs - connectDeadlineNs > 0)
        {
            close(config.target() + " did not answer within " + config.connectTimeoutMs() + " ms" +
                (ConnectionState.CONNECTING == state ? ": check address and firewall" : duringSetUp()));
        }
    }

    /**
     * Unmaps what the connection used. It is closed.
     */
    void free()
    {
        sender.close();
        receiver.close();
        connectMemory.close();
    }
}
