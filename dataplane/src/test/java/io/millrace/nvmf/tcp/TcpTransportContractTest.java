package io.millrace.nvmf.tcp;

import io.millrace.dataplane.HostTransports;
import io.millrace.memory.MemoryRegistry;
import io.millrace.nvmf.PollGroup;
import io.millrace.nvmf.Target;
import io.millrace.nvmf.TransportContractTest;
import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.transport.Transport;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.Reactor;
import java.util.List;

class TcpTransportContractTest extends TransportContractTest
{
    @Override
    protected Transport transport(final Target target, final List<PollGroup> groups, final MemoryRegistry registry)
    {
        return new TcpTransport(target, groups, TcpTransportConfig.defaults());
    }

    @Override
    protected HostPollGroup hosts(final Reactor reactor)
    {
        return HostTransports.pollGroup(reactor);
    }

    @Override
    protected TransportAddress anyAddress()
    {
        return TransportAddress.tcp("127.0.0.1", 0);
    }

    @Override
    protected TransportAddress foreignAddress()
    {
        return new TransportAddress(TransportAddress.Type.RDMA, TransportAddress.Family.IPV4, "127.0.0.1", "4420");
    }
}
