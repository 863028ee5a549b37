package io.millrace.nvmf.initiator.rdma;

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
import io.millrace.nvmf.rdma.cm.ConnectAccept;
import io.millrace.nvmf.rdma.cm.ConnectReject;
import io.millrace.nvmf.rdma.cm.ConnectRequest;
import io.millrace.nvmf.rdma.cm.RejectStatus;
import io.millrace.rdma.RdmaException;
import io.millrace.rdma.endpoint.CompletionStatus;
import io.millrace.rdma.endpoint.ConnectionHandler;
import io.millrace.rdma.endpoint.QueuePairConfig;
import io.millrace.rdma.endpoint.RdmaConnection;
import io.millrace.rdma.endpoint.RdmaRegion;
import io.millrace.rdma.endpoint.RegionAccess;

/**
 * One NVMe/RDMA queue of a host over one queue pair: from the connection manager to completions. Its state is
 * {@link QueueState}. The memory of a command is the peer's until its answer has come or the queue pair is destroyed:
 * whatever ends the connection, its commands are given back only then, so that no late RDMA WRITE finds memory that has
 * another use by now. It never calls its listener from within {@link #submit} or {@link #close}. One reactor's.
 */
final class RdmaHostQueue implements HostQueueTransport, ConnectionHandler
{
    /** Of an admin queue: each command may have as much as the queue of hosts sends. */
    private static final int ADMIN_BOUNCE_BYTES = 128 << 10;
    private static final int INLINE_BYTES = 64;
    private static final int READS = 16;

    private final RdmaHostTransport transport;
    private final HostPollGroup group;
    private final ConnectionListener listener;
    private final CommandExchange exchange;
    private final CommandTable commands;
    private final HostMemory connectMemory = new HostMemory(ConnectData.SIZE_BYTES);
    private final HostRequest connectRequest = new HostRequest(this, this::onConnectAnswered);

    private QueueState state = QueueState.CLOSED;
    private RdmaConnection connection;
    private RdmaRegion connectRegion;
    private ConnectionConfig config;
    private HostConfig host;
    private CapsuleLimits capsules;
    private int queueId;
    private int controllerId;
    private int entries;
    private long connectDeadlineNs;
    private String closeReason;

    /**
     * Maps what the queue needs; connects nothing.
     *
     * @param transport of the reactor.
     * @param group     whose turns it shares.
     * @param slotMax   most commands outstanding at once.
     * @param listener  notified of what happens to it.
     */
    RdmaHostQueue(
        final RdmaHostTransport transport,
        final HostPollGroup group,
        final int slotMax,
        final ConnectionListener listener)
    {
        this.transport = transport;
        this.group = group;
        this.listener = listener;
        exchange = new CommandExchange(group, slotMax, this::close);
        commands = exchange.commands();
    }

    @Override
    public void open(
        final ConnectionConfig newConfig,
        final HostConfig newHost,
        final int newQueueId,
        final int newControllerId,
        final int newEntries,
        final CapsuleLimits newCapsules)
    {
        state(QueueState.CONNECTING);
        config = newConfig;
        host = newHost;
        queueId = newQueueId;
        controllerId = newControllerId;
        entries = newEntries;
        capsules = newCapsules;
        commands.reset(newEntries - 1);
        group.readClock();
        final long timeoutNs = newConfig.connectTimeoutMs() * 1_000_000L;
        connectDeadlineNs = group.nowNs() + timeoutNs;
        group.add(this);
        if (0 != newQueueId && !newCapsules.takesKeyedBlocks())
        {
            close("controller of " + config.subsystemNqn() + " at " + config.target() + " takes no keyed SGL data " +
                "blocks, which NVMe/RDMA has for payload (SGLS 0x" + Integer.toHexString(newCapsules.sglSupport()) +
                "): its Identify data are invalid");
            return;
        }
        try
        {
            connection = transport.connections(group.reactor()).connect(config.address(), queuePair(), this,
                new ConnectRequest(queueId, entries, entries, 0 == queueId ? 0 : controllerId).toBytes(), timeoutNs);
        }
        catch (final RdmaException e)
        {
            close("cannot connect to " + config.target() + ": " + e.getMessage());
        }
    }

    /** Capsules that are sent without notice take a place of the send queue until a later one is reported. */
    private QueuePairConfig queuePair()
    {
        return new QueuePairConfig(2 * entries, entries, CapsuleSender.SEGMENTS, INLINE_BYTES, READS);
    }

    private void state(final QueueState next)
    {
        if (!state.canBecome(next))
        {
            throw new IllegalStateException("queue cannot go from " + state + " to " + next);
        }
        state = next;
    }

    QueueState state()
    {
        return state;
    }

    CommandExchange exchange()
    {
        return exchange;
    }

    @Override
    public boolean isReady()
    {
        return QueueState.READY == state;
    }

    @Override
    public boolean isClosed()
    {
        return QueueState.CLOSED == state;
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

    @Override
    public int inFlight()
    {
        return commands.inFlight();
    }

    @Override
    public boolean submit(final HostRequest request)
    {
        return exchange.submit(request);
    }

    /** Capsules that answers had submitted leave by themselves, when the answers that came together are taken. */
    @Override
    public int flush()
    {
        return state.receives() && connection.queuePair().ring() ? 1 : 0;
    }

    /** Completions come by the completion queue, which the reactor polls for all queues. */
    @Override
    public boolean wantsPoll()
    {
        return false;
    }

    @Override
    public int poll()
    {
        return pollWithoutReceive();
    }

    @Override
    public int pollWithoutReceive()
    {
        if (isEndDue())
        {
            tearDown();
            return 1;
        }
        int work = 0;
        if (state.receives())
        {
            if (exchange.hasAnswered())
            {
                exchange.completeAnswered();
            }
            work = exchange.hasWaiting() ? exchange.sendWaiting() : 0;
        }
        return work;
    }

    /** It has been given up and has no connection whose end would be awaited. */
    private boolean isEndDue()
    {
        return QueueState.CLOSING == state && null == connection;
    }

    /** The completion queue arms itself; only what needs a turn of the group keeps it awake. */
    @Override
    public boolean arm()
    {
        return !isEndDue() && !(state.receives() && exchange.hasAnswered());
    }

    @Override
    public void onQueuePair(final RdmaConnection established)
    {
        connection = established;
        established.queuePair().holdUntilPolled();
        try
        {
            connectRegion = established.domain().register(
                connectMemory.address(), connectMemory.lengthBytes(), RegionAccess.REMOTE_READ);
            exchange.open(established, capsules, entries,
                0 == queueId ? ADMIN_BOUNCE_BYTES : RdmaHostTransport.TRANSFER_BYTES_MAX);
            exchange.sender().ownMemory(connectMemory.address(), connectRegion.remoteKey());
        }
        catch (final RdmaException e)
        {
            close("cannot connect to " + config.target() + ": " + e.getMessage());
        }
    }

    @Override
    public void onEstablished(final RdmaConnection established)
    {
        final ConnectAccept accept = ConnectAccept.read(established.peerData());
        if (null == accept || 0 == accept.receiveQueueSize())
        {
            close(config.target() + " violated the protocol: it accepted the connection " + (null == accept ?
                "with private data of an unknown length or format" : "and receives no capsules (CRQSIZE 0)"));
            return;
        }
        commands.reset(Math.min(entries - 1, accept.receiveQueueSize()));
        state(QueueState.ASSOCIATING);
        AssociationCommand.writeData(connectMemory.buffer(), host, config.subsystemNqn(), controllerId);
        AssociationCommand.write(connectRequest, connectMemory.address(), queueId, entries, config.sqFlowControl(),
            0 == queueId ? config.keepAliveMs() : 0);
        submit(connectRequest);
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
            state(QueueState.READY);
            listener.onReady();
        }
    }

    @Override
    public void onSent(final long id, final CompletionStatus status)
    {
        // Any other status ends the connection, and with it the command.
        if (CompletionStatus.SUCCESS == status && state.receives())
        {
            exchange.onSent((int)id);
        }
    }

    @Override
    public void onReceived(final long id, final CompletionStatus status, final int bytes, final int immediate)
    {
        if (CompletionStatus.SUCCESS != status || QueueState.CLOSED == state || QueueState.CLOSING == state)
        {
            return;
        }
        group.readClock();
        // No key is a peer's to invalidate: it names memory that other commands use.
        final String violation = 0 == immediate ? exchange.onResponse((int)id, bytes) :
            "an answer that invalidates key 0x" + Integer.toHexString(immediate) + ", or has immediate data";
        if (null != violation)
        {
            close(config.target() + " violated the protocol: it sent " + violation);
        }
    }

    @Override
    public void close(final String reason)
    {
        if (QueueState.CLOSED != state && QueueState.CLOSING != state)
        {
            closeReason = reason;
            state(QueueState.CLOSING);
            if (null != connection)
            {
                connection.close(reason);
            }
        }
    }

    /** The queue pair is destroyed. */
    @Override
    public void onClosed(final RdmaConnection ended, final String reason)
    {
        close(explain(ended, reason));
        tearDown();
    }

    private String explain(final RdmaConnection ended, final String reason)
    {
        return switch (state)
        {
            case CONNECTING ->
            {
                final RejectStatus status = ConnectReject.read(ended.peerData()).status();
                yield RejectStatus.UNKNOWN == status ? "cannot connect to " + config.target() + ": " + reason :
                    config.target() + " refused the connection: " + status.text();
            }
            case ASSOCIATING -> "connection to " + config.target() + " broke before it answered Connect: " + reason;
            default -> "connection to " + config.target() + " broke: " + reason;
        };
    }

    private void tearDown()
    {
        connection = null;
        group.remove(this);
        try
        {
            if (null != connectRegion)
            {
                connectRegion.close();
                connectRegion = null;
            }
        }
        finally
        {
            endCommands();
        }
    }

    /** Whoever waits is notified, whatever the device answers. */
    private void endCommands()
    {
        HostRequest lost = exchange.close();
        state(QueueState.CLOSED);
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
        if (QueueState.READY == state)
        {
            final HostRequest overdue = commands.findOverdue(nowNs, config.commandTimeoutMs() * 1_000_000L);
            if (null != overdue)
            {
                close(config.target() + " did not answer a command within " + config.commandTimeoutMs() +
                    " ms (" + overdue + ")");
            }
        }
        else if (QueueState.ASSOCIATING == state && nowNs - connectDeadlineNs > 0)
        {
            close(config.target() + " did not answer Connect within " + config.connectTimeoutMs() + " ms");
        }
    }

    @Override
    public void free()
    {
        exchange.free();
        connectMemory.close();
    }
}
