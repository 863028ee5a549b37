package io.millrace.nvmf.tcp;

import io.millrace.nvmf.PollGroup;
import io.millrace.nvmf.Target;
import io.millrace.nvmf.connection.ConnectionAdmission;
import io.millrace.nvmf.transport.TransportAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * NVMe/TCP of a target for a simulation: what {@link TcpTransport} does with waits for its reactors, without them.
 */
public final class SimulatedListener
{
    private final Target target;
    private final TcpTransportConfig config;
    private final TcpCounters counters = new TcpCounters();
    private final ConnectionAdmission admission;
    private final List<TcpPollGroup> groups = new ArrayList<>();
    private final List<TcpAcceptor> acceptors = new ArrayList<>();

    public SimulatedListener(final Target target, final TcpTransportConfig config)
    {
        this.target = target;
        this.config = config;
        admission = new ConnectionAdmission(target.config().capacity(), counters, target.listener()::onError);
    }

    /** On the reactor of the group. */
    public void add(final PollGroup pollGroup)
    {
        final TcpPollGroup group = new TcpPollGroup(pollGroup, config, counters, admission);
        group.start();
        groups.add(group);
    }

    /** On the first group's reactor. */
    public void listen(final InetSocketAddress address)
    {
        final TcpAcceptor acceptor = TcpAcceptor.listen(address, groups, config, counters);
        acceptors.add(acceptor);
        acceptor.start();
        target.addListener(acceptor.local());
    }

    public boolean isListening()
    {
        return !acceptors.isEmpty();
    }

    public TransportAddress address(final int index)
    {
        return acceptors.get(index).local();
    }

    /** On the first group's reactor. */
    public void stopListening(final InetSocketAddress address)
    {
        for (final TcpAcceptor acceptor : List.copyOf(acceptors))
        {
            if (acceptor.local().equals(TransportAddress.tcp(address)))
            {
                target.removeListener(acceptor.local());
                acceptor.close();
                acceptors.remove(acceptor);
            }
        }
    }

    /** On the first group's reactor. */
    public void stopListening()
    {
        for (final TcpAcceptor acceptor : acceptors)
        {
            target.removeListener(acceptor.local());
            acceptor.close();
        }
        acceptors.clear();
    }

    public int connections()
    {
        return groups.stream().mapToInt((group) -> group.assignedCount().get()).sum();
    }

    public int pending()
    {
        return admission.pending() + admission.queues() + admission.discovery();
    }

    /** On the reactor of the group. */
    public void close(final int index)
    {
        groups.get(index).close();
    }
}
