package io.millrace.nvmf.initiator.tcp;

import io.millrace.bindings.Errno;
import io.millrace.bindings.linux.Epoll;
import io.millrace.nvme.ConnectData;
import io.millrace.nvmf.initiator.AssociationCommand;
import io.millrace.nvmf.initiator.CapsuleLimits;
import io.millrace.nvmf.initiator.CommandTable;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.ConnectionListener;
import io.millrace.nvmf.initiator.HostConfig;
import io.millrace.nvmf.initiator.HostMemory;
import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.HostQueueTransport;
import io.millrace.nvmf.initiator.HostRequest;
import io.millrace.nvmf.tcp.pdu.CommonHeader;
import io.millrace.nvmf.tcp.pdu.FatalErrorStatus;
import io.millrace.nvmf.tcp.pdu.ICPdu;
import io.millrace.nvmf.tcp.pdu.PduType;
import io.millrace.nvmf.tcp.pdu.TerminationRequest;
import io.millrace.reactor.ReadinessListener;

/**
 * One NVMe/TCP connection, which carries one queue: from the socket to completions. Its state is
 * {@link ConnectionState}. It never calls its listener from within {@link #submit} or {@link #close}. One reactor's.
 */
final class HostConnection implements HostQueueTransport, PduHandler, ReadinessListener
{
    private static final int LARGE_WINDOW_BYTES = 8 << 10;
    private static final int STAGING_BYTES_PER_SLOT = 136;
    private static final int VECTORS_PER_SLOT = CapsuleWriter.VECTORS_MAX;
    private static final int SPARE_SLOTS = 64;

    private final HostPollGroup group;
    private final ReceiveBuffer receiveBuffer;
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
     * @param group         whose turns it shares.
     * @param receiveBuffer of all connections of the group.
     * @param slotMax       most commands outstanding at once.
     * @param listener      notified of what happens to it.
     */
    HostConnection(
        final HostPollGroup group,
        final ReceiveBuffer receiveBuffer,
        final int slotMax,
        final ConnectionListener listener)
    {
        this.group = group;
        this.receiveBuffer = receiveBuffer;
        this.listener = listener;
        socket = new HostSocket(group.reactor(), this);
        sender = new PduSender(group.reactor().kernel(), (slotMax + SPARE_SLOTS) * STAGING_BYTES_PER_SLOT,
            (slotMax + SPARE_SLOTS) * VECTORS_PER_SLOT);
        exchange = new CommandExchange(group, sender, slotMax, this);
        receiver = new PduReceiver(group.reactor().kernel(), receiveBuffer, this, exchange);
        commands = exchange.commands();
    }

    @Override
    public void open(
        final ConnectionConfig newConfig,
        final HostConfig newHost,
        final int newQueueId,
        final int newControllerId,
        final int entries,
        final CapsuleLimits capsules)
    {
        state(ConnectionState.CONNECTING);
        config = newConfig;
        host = newHost;
        queueId = newQueueId;
        controllerId = newControllerId;
        inCapsuleBytes = capsules.dataBytes();
        exchange.open(newQueueId, entries - 1);
        closeReason = null;
        // A group without connections does not read the clock.
        group.readClock();
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

    @Override
    public boolean isReady()
    {
        return ConnectionState.READY == state;
    }

    @Override
    public boolean isClosed()
    {
        return ConnectionState.CLOSED == state;
    }

    @Override
    public int controllerId()
    {
        return controllerId;
    }

    @Override
    public int depth()
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

    /**
     * {@return whether bytes wait until the socket takes more}
     */
    boolean waitsForSocket()
    {
        return 0 != (socket.watched() & Epoll.EPOLLOUT);
    }

    @Override
    public int inFlight()
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

    @Override
    public boolean submit(final HostRequest request)
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

    @Override
    public boolean wantsPoll()
    {
        return commands.expected() > 0 || ConnectionState.CLOSING == state || !sender.isEmpty();
    }

    @Override
    public int pollWithoutReceive()
    {
        if (ConnectionState.CLOSING == state)
        {
            return poll();
        }
        arm();
        return flush();
    }

    @Override
    public boolean arm()
    {
        if (state.receives())
        {
            socket.watch(exchange.isSent() ? Epoll.EPOLLIN : Epoll.EPOLLIN | Epoll.EPOLLOUT);
        }
        return ConnectionState.CLOSING != state;
    }

    @Override
    public int poll()
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

    @Override
    public int flush()
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
        final String refusal = AssociationCommand.refusal(request, config, host);
        if (null != refusal)
        {
            close(refusal);
        }
        else
        {
            controllerId = AssociationCommand.controllerId(request);
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
                receiveBuffer.buffer(), headerOffset, headerBytes);
            sender.flush(socket.fd());
        }
        close(config.target() + " violated the protocol: " + reason);
    }

    @Override
    public void close(final String reason)
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
            final HostRequest next = lost.takeNext();
            if (connectRequest == lost)
            {
                lost.recall();
            }
            else
            {
                listener.onLost(lost);
            }
            lost = next;
        }
        listener.onClosed(closeReason);
    }

    @Override
    public void onTick(final long nowNs)
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

    @Override
    public void free()
    {
        sender.close();
        receiver.close();
        connectMemory.close();
    }
}
