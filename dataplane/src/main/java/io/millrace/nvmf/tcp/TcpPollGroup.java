package io.millrace.nvmf.tcp;

import io.millrace.bindings.NativeException;
import io.millrace.memory.DmaMemory;
import io.millrace.nvmf.PollGroup;
import io.millrace.nvmf.connection.ConnectionAdmission;
import io.millrace.nvmf.connection.ConnectionPermit;
import io.millrace.nvmf.transport.DataPointer;
import io.millrace.nvmf.transport.DataPointerFormat;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.DeferredRemovalList;
import io.millrace.reactor.Kernel;
import io.millrace.reactor.LinkListener;
import io.millrace.reactor.Poller;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorLink;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;

/**
 * The connections of one reactor and their shared resources: receive buffer, gather buffer, blocks. Made, polled and
 * closed on the reactor's thread.
 * <p>
 * A connection that receives data continuously is polled: its socket is read in every cycle, which finds data a system
 * call earlier than epoll does. Few are polled, so that a cycle stays short; all others, idle ones included, are
 * watched by the reactor's epoll and cost nothing until they are ready.
 */
final class TcpPollGroup implements Poller, LinkListener
{
    /**
     * Reading an empty socket costs about 0.2 µs; above this number, epoll finds the ready ones at lower cost.
     */
    static final int POLLED_MAX = 8;

    /** Memory that connections did not need for this time is freed. */
    static final long TRIM_INTERVAL_NS = 10_000_000_000L;

    /** The one kind of message on the link: its slot is the descriptor of an accepted socket. */
    private static final int ACCEPTED = 1;

    private final PollGroup pollGroup;
    private final Reactor reactor;
    private final TcpTransportConfig config;
    private final TcpCounters counters;
    private final ConnectionAdmission admission;
    private final DmaMemory memory;
    private final Arena arena = Arena.ofShared();
    private final ReceiveBuffer receiveBuffer;
    private final GatherBuffer gatherBuffer;
    private final SlabPool senderBlocks;
    private final SocketSetup socketSetup;
    private final DataPointerFormat dataPointers;
    /** Idle time after which a connection is no longer polled; as long as its reactor spins. */
    private final long pollIdleTimeoutNs;
    /** Connections here or on their way here; written by the acceptor and by this reactor. */
    private final AtomicInteger assignedCount = new AtomicInteger();
    /** Those of them that are known to be admin queues; written by this reactor. */
    private final AtomicInteger adminCount = new AtomicInteger();

    /** Receiving and sending may close any connection, so the lists that loops go over keep their places meanwhile. */
    private final DeferredRemovalList<TcpConnection> polled = new DeferredRemovalList<>();
    private final DeferredRemovalList<TcpConnection> flushes = new DeferredRemovalList<>();
    private final DeferredRemovalList<TcpConnection> waiting = new DeferredRemovalList<>();
    private TcpConnection[] connections = new TcpConnection[64];
    private int connectionCount;
    private ReactorLink accepted;
    private boolean isTrimScheduled;
    private boolean isClosed;

    TcpPollGroup(
        final PollGroup pollGroup,
        final TcpTransportConfig config,
        final TcpCounters counters,
        final ConnectionAdmission admission)
    {
        this(pollGroup, config, counters, admission, GatherBuffer::new);
    }

    /**
     * Sends in a way of its own, such as a part of what there is.
     *
     * @param sending makes what gathers and sends, in the memory that it is given.
     */
    TcpPollGroup(
        final PollGroup pollGroup,
        final TcpTransportConfig config,
        final TcpCounters counters,
        final ConnectionAdmission admission,
        final BiFunction<Kernel, DmaMemory, GatherBuffer> sending)
    {
        this.pollGroup = pollGroup;
        this.config = config;
        this.counters = counters;
        this.admission = admission;
        reactor = pollGroup.reactor();
        memory = DmaMemory.map(ReceiveBuffer.memoryBytes(config) + GatherBuffer.memoryBytes());
        receiveBuffer = new ReceiveBuffer(reactor.kernel(), memory, config, this::scheduleTrim);
        gatherBuffer = sending.apply(reactor.kernel(), memory);
        senderBlocks = new SlabPool(PduSender.BLOCK_BYTES, 64, this::scheduleTrim);
        socketSetup = new SocketSetup(reactor.kernel(), arena);
        dataPointers = new DataPointerFormat(
            EnumSet.of(DataPointer.Kind.IN_CAPSULE, DataPointer.Kind.TRANSPORT), config.inCapsuleDataBytes());
        pollIdleTimeoutNs = reactor.config().spinNs();
    }

    /**
     * Begins to be polled and to take connections.
     */
    void start()
    {
        reactor.addPoller(this);
        accepted = new ReactorLink(reactor, TcpAcceptor.BACKLOG, this);
    }

    PollGroup pollGroup()
    {
        return pollGroup;
    }

    Reactor reactor()
    {
        return reactor;
    }

    TcpTransportConfig config()
    {
        return config;
    }

    /**
     * {@return data in the capsule, else by R2T and C2HData: no address of the host's memory}
     */
    DataPointerFormat dataPointers()
    {
        return dataPointers;
    }

    TcpCounters counters()
    {
        return counters;
    }

    /**
     * {@return how many connections there may be, on all reactors}
     */
    ConnectionAdmission admission()
    {
        return admission;
    }

    ReceiveBuffer receiveBuffer()
    {
        return receiveBuffer;
    }

    GatherBuffer gatherBuffer()
    {
        return gatherBuffer;
    }

    /**
     * {@return names of its sockets}
     */
    SocketSetup socketSetup()
    {
        return socketSetup;
    }

    SlabPool senderBlocks()
    {
        return senderBlocks;
    }

    /**
     * {@return connections here or on their way here; any thread}
     */
    AtomicInteger assignedCount()
    {
        return assignedCount;
    }

    /**
     * {@return how many of the connections here are admin queues, as far as they have connected}
     */
    AtomicInteger adminCount()
    {
        return adminCount;
    }

    int polledCount()
    {
        return polled.size();
    }

    /**
     * Hands over a new connection, which has been counted in {@link #assignedCount()}. Any thread.
     *
     * @param fd accepted, non-blocking socket; the group's from now on.
     * @return false when as many wait already as a backlog holds: the caller keeps it.
     */
    boolean handOver(final int fd)
    {
        return accepted.offer(ACCEPTED, fd, 0, 0, 0, 0);
    }

    @Override
    public void onMessage(
        final int type,
        final int slot,
        final long address,
        final int lengthBytes,
        final long word0,
        final long word1)
    {
        adopt(slot);
    }

    /**
     * Takes a new connection.
     *
     * @param fd accepted, non-blocking socket; the group's from now on.
     * @return the connection; closed when the reactor cannot watch one more; null when its host has gone already, or
     *     when
     *     there are too many.
     */
    TcpConnection adopt(final int fd)
    {
        final InetSocketAddress name = socketSetup.name(fd);
        final InetSocketAddress peer = socketSetup.peer(fd);
        if (null == name || null == peer)
        {
            counters.onAccepted();
            reactor.kernel().close(fd);
            assignedCount.decrementAndGet();
            counters.onClosed("accepted socket has no name");
            return null;
        }
        final ConnectionPermit permit = admission.begin(peer.getAddress().getHostAddress(), reactor.nowNs());
        if (null == permit)
        {
            reactor.kernel().close(fd);
            assignedCount.decrementAndGet();
            return null;
        }
        counters.onAccepted();
        socketSetup.prepare(fd, config);
        final TcpConnection connection = new TcpConnection(
            this, fd, TransportAddress.tcp(name), permit);
        add(connection);
        return connection;
    }

    private void add(final TcpConnection connection)
    {
        if (connectionCount == connections.length)
        {
            connections = Arrays.copyOf(connections, 2 * connectionCount);
        }
        connection.index(connectionCount);
        connections[connectionCount++] = connection;
        try
        {
            connection.readiness().start(connection);
        }
        catch (final NativeException e)
        {
            connection.close(e.getMessage());
        }
    }

    /**
     * A connection is closing.
     *
     * @param connection of this group.
     */
    void remove(final TcpConnection connection)
    {
        final TcpConnection last = connections[--connectionCount];
        connections[connection.index()] = last;
        last.index(connection.index());
        connections[connectionCount] = null;
        polled.remove(connection);
        assignedCount.decrementAndGet();
    }

    /**
     * A connection has something to send.
     *
     * @param connection in {@link SendState#QUEUED}.
     */
    void addFlush(final TcpConnection connection)
    {
        flushes.add(connection);
    }

    /**
     * A capsule of a connection waits.
     *
     * @param connection {@link TcpConnection#isWaiting}.
     */
    void addWaiting(final TcpConnection connection)
    {
        if (!connection.isListedAsWaiting())
        {
            connection.isListedAsWaiting(true);
            waiting.add(connection);
        }
    }

    /**
     * The reactor found a socket readable.
     *
     * @param connection of the socket.
     */
    void onReadable(final TcpConnection connection)
    {
        if (receive(connection) && polled.size() < POLLED_MAX && connection.isReady() &&
            SocketReadiness.PollMode.EPOLL == connection.readiness().pollMode())
        {
            polled.add(connection);
            connection.readiness().startPolling(reactor.nowNs());
        }
    }

    @Override
    public int poll()
    {
        int work = flushAll();
        // Before new commands: there may be resources for the first ones only.
        if (0 != waiting.size())
        {
            work += resumeWaiting();
        }
        work += receivePolled();
        return work;
    }

    @Override
    public boolean canSleep()
    {
        return 0 == polled.size() && 0 == flushes.size() && !isAnyResumable();
    }

    /**
     * Capsules are resumed by a timer, a command or the buffer pool, which run before this check.
     */
    private boolean isAnyResumable()
    {
        for (int i = 0; i < waiting.limit(); i++)
        {
            final TcpConnection connection = waiting.get(i);
            if (null != connection && connection.isResumable())
            {
                return true;
            }
        }
        return false;
    }

    /**
     * Closes every connection, those included that were handed over, and frees the memory. Nobody hands over any more.
     */
    void close()
    {
        isClosed = true;
        if (null != accepted)
        {
            accepted.close();
        }
        while (connectionCount > 0)
        {
            connections[connectionCount - 1].close("the target is closing");
        }
        reactor.removePoller(this);
        receiveBuffer.close();
        senderBlocks.close();
        arena.close();
        memory.close();
    }

    private void scheduleTrim()
    {
        if (!isTrimScheduled)
        {
            isTrimScheduled = true;
            reactor.schedule(reactor.nowNs() + TRIM_INTERVAL_NS, this::onTrim);
        }
    }

    private void onTrim(final long nowNs)
    {
        isTrimScheduled = false;
        if (!isClosed && receiveBuffer.trim() | senderBlocks.trim())
        {
            scheduleTrim();
        }
    }

    private boolean receive(final TcpConnection connection)
    {
        final boolean received = connection.receive() > 0;
        if (0 != flushes.size())
        {
            flushAll();
        }
        return received;
    }

    private int receivePolled()
    {
        int work = 0;
        for (int i = 0; i < polled.limit(); i++)
        {
            final TcpConnection connection = polled.get(i);
            if (null == connection)
            {
                continue;
            }
            if (receive(connection))
            {
                work++;
            }
            else if (connection == polled.get(i) && connection.readiness().isSilent(reactor.nowNs(), pollIdleTimeoutNs))
            {
                polled.removeAt(i);
                connection.readiness().stopPolling();
            }
        }
        polled.compact();
        return work;
    }

    private int flushAll()
    {
        int work = 0;
        // Sending a response may release what another one waited for, so the list can grow meanwhile.
        for (int i = 0; i < flushes.limit(); i++)
        {
            final TcpConnection connection = flushes.get(i);
            if (null == connection)
            {
                continue;
            }
            if (connection.flush() > 0)
            {
                work++;
            }
            if (SendState.QUEUED != connection.sendState())
            {
                flushes.removeAt(i);
            }
        }
        flushes.compact();
        return work;
    }

    private int resumeWaiting()
    {
        int work = 0;
        // One whose next capsule waits is moved to the end and retried in the next cycle.
        final int count = waiting.limit();
        for (int i = 0; i < count; i++)
        {
            final TcpConnection connection = waiting.get(i);
            if (null == connection)
            {
                continue;
            }
            final boolean isResumed = connection.isResumable() && connection.resume();
            if (isResumed)
            {
                work++;
            }
            if (isResumed || !connection.isWaiting())
            {
                waiting.removeAt(i);
                connection.isListedAsWaiting(false);
                if (connection.isWaiting())
                {
                    addWaiting(connection);
                }
            }
        }
        waiting.compact();
        return work + flushAll();
    }
}
