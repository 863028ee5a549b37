package io.millrace.dataplane;

import io.millrace.dataplane.OperationException.Reason;
import io.millrace.memory.MemoryRegistry;
import io.millrace.nvmf.PollGroup;
import io.millrace.nvmf.Target;
import io.millrace.nvmf.rdma.RdmaTransport;
import io.millrace.nvmf.rdma.RdmaTransportConfig;
import io.millrace.nvmf.tcp.TcpTransport;
import io.millrace.nvmf.tcp.TcpTransportConfig;
import io.millrace.nvmf.transport.Transport;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.nvmf.transport.TransportConfig;
import io.millrace.rdma.core.RdmaCore;
import io.millrace.status.DataPlaneCounters;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The transports of a data plane, one of each type that its configuration has settings for. The one place that knows
 * which class serves which transport: everything else knows {@link Transport}. Any thread but the reactors', except for
 * {@link #count}.
 */
final class Transports implements AutoCloseable
{
    private final Transport[] transports;

    private Transports(final List<Transport> transports)
    {
        this.transports = transports.toArray(Transport[]::new);
    }

    /**
     * Prepares the reactors for every transport; listens nowhere yet.
     *
     * @param target   that is served.
     * @param groups   of the reactors, which run.
     * @param configs  one for each transport.
     * @param rdmaCore rdma-core.
     * @param registry memory of the data plane.
     * @return the transports; those begun are closed again when one cannot be made.
     */
    static Transports start(
        final Target target,
        final List<PollGroup> groups,
        final List<TransportConfig> configs,
        final RdmaCore rdmaCore,
        final MemoryRegistry registry)
    {
        final List<Transport> made = new ArrayList<>();
        try
        {
            for (final TransportConfig config : configs)
            {
                made.add(make(target, groups, config, rdmaCore, registry));
            }
        }
        catch (final RuntimeException | Error e)
        {
            made.forEach(Transport::close);
            throw e;
        }
        return new Transports(made);
    }

    private static Transport make(
        final Target target,
        final List<PollGroup> groups,
        final TransportConfig config,
        final RdmaCore rdmaCore,
        final MemoryRegistry registry)
    {
        return switch (config)
        {
            case final TcpTransportConfig tcp -> new TcpTransport(target, groups, tcp);
            case final RdmaTransportConfig rdma -> new RdmaTransport(target, groups, rdma, rdmaCore, registry);
            default -> throw new IllegalArgumentException("transport " + config.type() + " is not in this build");
        };
    }

    /**
     * {@return the transport that an address is of}
     *
     * @param address that is to be listened on.
     * @throws OperationException when there is no such transport.
     */
    Transport of(final TransportAddress address)
    {
        for (final Transport transport : transports)
        {
            if (address.transportType() == transport.config().type())
            {
                return transport;
            }
        }
        throw new OperationException(Reason.UNSUPPORTED, "listener " + address,
            "transport " + address.transportType() + " is not served by this data plane", "use " + Arrays.stream(
            transports).map((each) -> each.config().type().toString()).collect(Collectors.joining(", ")));
    }

    /**
     * {@return a counter of all transports together. Any thread; allocates nothing}
     *
     * @param value one that is of connections.
     */
    long count(final DataPlaneCounters.Value value)
    {
        long sum = 0;
        for (final Transport transport : transports)
        {
            sum += transport.counters().get(value);
        }
        return sum;
    }

    /**
     * Closes them all, the last one first.
     */
    @Override
    public void close()
    {
        for (int i = transports.length - 1; i >= 0; i--)
        {
            transports[i].close();
        }
    }
}
