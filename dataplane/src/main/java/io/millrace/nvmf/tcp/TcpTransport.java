package io.millrace.nvmf.tcp;

import io.millrace.nvmf.MoveOutcome;
import io.millrace.nvmf.PollGroup;
import io.millrace.nvmf.QueuePair;
import io.millrace.nvmf.Target;
import io.millrace.nvmf.TransportAddress;
import io.millrace.reactor.Reactor;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Serves a target over NVMe/TCP (NVMe over TCP Transport Specification 1.0): listens, accepts, and gives each
 * connection to a reactor, where it stays unless it is {@link #move moved}. Any thread but the reactors' may call it;
 * its reactors must be running until it is closed.
 */
public final class TcpTransport implements AutoCloseable
{
    private final Target target;
    private final TcpTransportConfig config;
    private final TcpCounters counters = new TcpCounters();
    private final ConnectionAdmission admission;
    private final List<TcpPollGroup> groups = new ArrayList<>();
    private final List<TcpAcceptor> acceptors = new ArrayList<>();
    private final Set<CompletableFuture<MoveOutcome>> moves = ConcurrentHashMap.newKeySet();
    private boolean isClosing;

    /**
     * Prepares the reactors; there are no listeners yet.
     *
     * @param target     that discovery tells of the listeners.
     * @param pollGroups of the reactors that share the connections, at least one; their reactors run.
     * @param config     of the transport.
     */
    public TcpTransport(final Target target, final List<PollGroup> pollGroups, final TcpTransportConfig config)
    {
        if (pollGroups.isEmpty())
        {
            throw new IllegalArgumentException("tcp transport has no reactors: configure at least one");
        }
        Reactor.checkMayBlock("the start of a transport");
        this.target = target;
        this.config = config;
        admission = new ConnectionAdmission(target.config().capacity(), counters, target.listener()::onError);
        for (final PollGroup pollGroup : pollGroups)
        {
            groups.add(pollGroup.reactor().call(() ->
            {
                final TcpPollGroup group = new TcpPollGroup(pollGroup, config, counters, admission);
                group.start();
                return group;
            }).join());
        }
    }

    /**
     * Listens on one more address and tells discovery of it. The discovery service answers there as well.
     *
     * @param address resolved; port 0 for any that is free.
     * @return the address with the port that it got.
     * @throws IllegalStateException in one line with address, reason and remedy, when it cannot be listened on; the
     *     cause
     *                               is the {@code NativeException} with the {@code errno}, if there is one.
     */
    public synchronized InetSocketAddress listen(final InetSocketAddress address)
    {
        final InetSocketAddress local = open(address);
        target.addListener(transportAddress(local));
        return local;
    }

    /**
     * Listens on one more address, for the discovery service alone.
     *
     * @param address resolved; port 0 for any that is free.
     * @return the address with the port that it got.
     * @throws IllegalStateException as {@link #listen} does.
     */
    public synchronized InetSocketAddress listenForDiscovery(final InetSocketAddress address)
    {
        final InetSocketAddress local = open(address);
        target.addDiscoveryListener(transportAddress(local));
        return local;
    }

    /**
     * Stops listening on an address and removes it from discovery. Established connections stay; those waiting to be
     * accepted are refused.
     *
     * @param local as {@link #listen} or {@link #listenForDiscovery} answered it.
     * @return false when it does not listen there.
     */
    public synchronized boolean stopListening(final InetSocketAddress local)
    {
        for (int i = 0; i < acceptors.size(); i++)
        {
            final TcpAcceptor acceptor = acceptors.get(i);
            if (local.equals(acceptor.local()))
            {
                acceptors.remove(i);
                target.removeListener(transportAddress(local));
                run(groups.get(0), acceptor::close);
                return true;
            }
        }
        return false;
    }

    /**
     * Moves the connection of an I/O queue to another reactor. Outstanding commands end first and the host's next ones
     * begin there; when they do not end within a second, it stays. The host notices only the delay.
     *
     * @param queuePair of the connection.
     * @param to        share of the reactor.
     * @return outcome of the move; completed on a reactor.
     */
    public synchronized CompletableFuture<MoveOutcome> move(final QueuePair queuePair, final PollGroup to)
    {
        if (isClosing)
        {
            return CompletableFuture.completedFuture(MoveOutcome.CLOSING);
        }
        final CompletableFuture<MoveOutcome> done = new CompletableFuture<>();
        moves.add(done);
        done.whenComplete((outcome, failure) -> moves.remove(done));
        final TcpPollGroup target = groupOf(to);
        queuePair.execute(() -> groupOf(queuePair.owner()).moves().begin(queuePair, target, done));
        return done;
    }

    /** There are few groups, so they are searched. */
    private TcpPollGroup groupOf(final PollGroup pollGroup)
    {
        for (final TcpPollGroup group : groups)
        {
            if (group.pollGroup() == pollGroup)
            {
                return group;
            }
        }
        throw new IllegalArgumentException(
            "reactor " + pollGroup.reactor().config().name() + " does not belong to this transport");
    }

    /**
     * {@return settings it was made with}
     */
    public TcpTransportConfig config()
    {
        return config;
    }

    /**
     * {@return connections that are open or being handed to their reactor}
     */
    public int connectionCount()
    {
        int count = 0;
        for (final TcpPollGroup group : groups)
        {
            count += group.assignedCount().get();
        }
        return count;
    }

    /**
     * {@return how many connections and Connect commands of each address were refused as there were too many; of the 64
     *     addresses that were refused last}
     */
    public Map<String, Long> refusedByAddress()
    {
        return admission.refused();
    }

    TcpPollGroup group(final int index)
    {
        return groups.get(index);
    }

    /**
     * {@return what happened to the connections}
     */
    public TcpCounters counters()
    {
        return counters;
    }

    /**
     * Stops listening, closes every connection and frees what the reactors hold for it.
     */
    @Override
    public synchronized void close()
    {
        Reactor.checkMayBlock("the end of a transport");
        for (final TcpAcceptor acceptor : acceptors)
        {
            target.removeListener(transportAddress(acceptor.local()));
            run(groups.get(0), acceptor::close);
        }
        acceptors.clear();
        isClosing = true;
        CompletableFuture.allOf(moves.toArray(CompletableFuture[]::new)).join();
        for (final TcpPollGroup group : groups)
        {
            run(group, group::close);
        }
        groups.clear();
    }

    private InetSocketAddress open(final InetSocketAddress address)
    {
        final TcpAcceptor acceptor = TcpAcceptor.listen(address, groups, config, counters);
        acceptors.add(acceptor);
        run(groups.get(0), acceptor::start);
        return acceptor.local();
    }

    private static void run(final TcpPollGroup group, final Runnable task)
    {
        Reactor.checkMayBlock("a task of another reactor");
        try
        {
            group.reactor().call(() ->
            {
                task.run();
                return null;
            }).join();
        }
        catch (final CompletionException e)
        {
            throw new IllegalStateException(
                "reactor " + group.reactor().config().name() + " could not serve tcp: " + e.getCause(), e.getCause());
        }
    }

    private static TransportAddress transportAddress(final InetSocketAddress address)
    {
        return TransportAddress.tcp(address.getAddress().getHostAddress(), address.getPort());
    }
}
