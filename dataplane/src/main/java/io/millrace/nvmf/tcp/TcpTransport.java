package io.millrace.nvmf.tcp;

import io.millrace.nvmf.PollGroup;
import io.millrace.nvmf.Target;
import io.millrace.nvmf.connection.ConnectionAdmission;
import io.millrace.nvmf.transport.Transport;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.Reactor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;

/**
 * Serves a target over NVMe/TCP (NVMe over TCP Transport Specification 1.0): listens, accepts, and gives each
 * connection to a reactor, where it stays. Any thread but the reactors' may call it;
 * its reactors must be running until it is closed.
 */
public final class TcpTransport implements Transport
{
    private final Target target;
    private final TcpTransportConfig config;
    private final TcpCounters counters = new TcpCounters();
    private final ConnectionAdmission admission;
    private final List<TcpPollGroup> groups = new ArrayList<>();
    private final List<TcpAcceptor> acceptors = new ArrayList<>();

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

    @Override
    public synchronized TransportAddress listen(final TransportAddress address)
    {
        final TransportAddress local = open(address);
        target.addListener(local);
        return local;
    }

    @Override
    public synchronized TransportAddress listenForDiscovery(final TransportAddress address)
    {
        final TransportAddress local = open(address);
        target.addDiscoveryListener(local);
        return local;
    }

    @Override
    public synchronized boolean stopListening(final TransportAddress local)
    {
        for (int i = 0; i < acceptors.size(); i++)
        {
            final TcpAcceptor acceptor = acceptors.get(i);
            if (local.equals(acceptor.local()))
            {
                acceptors.remove(i);
                target.removeListener(local);
                run(groups.get(0), acceptor::close);
                return true;
            }
        }
        return false;
    }

    @Override
    public TcpTransportConfig config()
    {
        return config;
    }

    @Override
    public int connectionCount()
    {
        int count = 0;
        for (final TcpPollGroup group : groups)
        {
            count += group.assignedCount().get();
        }
        return count;
    }

    /** Of the 64 addresses that were refused last. */
    @Override
    public Map<String, Long> refusedByAddress()
    {
        return admission.refused();
    }

    @Override
    public TcpCounters counters()
    {
        return counters;
    }

    TcpPollGroup group(final int index)
    {
        return groups.get(index);
    }

    @Override
    public synchronized void close()
    {
        Reactor.checkMayBlock("the end of a transport");
        for (final TcpAcceptor acceptor : acceptors)
        {
            target.removeListener(acceptor.local());
            run(groups.get(0), acceptor::close);
        }
        acceptors.clear();
        for (final TcpPollGroup group : groups)
        {
            run(group, group::close);
        }
        groups.clear();
    }

    private TransportAddress open(final TransportAddress address)
    {
        if (TransportAddress.Type.TCP != address.transportType())
        {
            throw new IllegalStateException(
                "cannot listen on " + address + ": no address of tcp: give it to the transport of its type");
        }
        final TcpAcceptor acceptor = TcpAcceptor.listen(address.socketAddress(), groups, config, counters);
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
}
