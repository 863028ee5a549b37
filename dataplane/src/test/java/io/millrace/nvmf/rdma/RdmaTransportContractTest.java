package io.millrace.nvmf.rdma;

import io.millrace.memory.MemoryDomain;
import io.millrace.memory.MemoryRegion;
import io.millrace.memory.MemoryRegistry;
import io.millrace.memory.MemoryRole;
import io.millrace.nvmf.PollGroup;
import io.millrace.nvmf.Target;
import io.millrace.nvmf.TransportContractTest;
import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.rdma.HostBuffers;
import io.millrace.nvmf.initiator.rdma.RdmaHostTransport;
import io.millrace.nvmf.transport.Transport;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.rdma.model.RdmaModel;
import io.millrace.reactor.Reactor;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.AutoClose;

class RdmaTransportContractTest extends TransportContractTest
{
    private static final long PAGE_BYTES = 4096;

    private final RdmaModel model = new RdmaModel();
    private final MemoryRegistry hostRegistry = new MemoryRegistry();
    private final HostBuffers hostBuffers = new HostBuffers(hostRegistry, model.hostCore());
    /** Closed when nothing of a test is left. */
    @AutoClose
    private final AutoCloseable all = () ->
    {
        hostBuffers.close();
        model.close();
    };

    @Override
    protected Transport transport(final Target target, final List<PollGroup> groups, final MemoryRegistry registry)
    {
        return new RdmaTransport(target, groups, RdmaTransportConfig.defaults(), model.targetCore(), registry);
    }

    @Override
    protected HostPollGroup hosts(final Reactor reactor)
    {
        return new HostPollGroup(reactor, List.of(new RdmaHostTransport(model.hostCore(), hostBuffers)));
    }

    /** Payloads in several pieces, every second one, share the host's bounce buffer. */
    @Override
    protected int outstandingMax()
    {
        return 4;
    }

    @Override
    protected void onHostMemory(final MemorySegment memory)
    {
        if (0 != memory.byteSize())
        {
            hostRegistry.add(MemoryRegion.imported(MemoryRole.BUFFERS, MemoryDomain.HOST, memory.address(),
                memory.byteSize(), PAGE_BYTES));
        }
    }

    @Override
    protected TransportAddress anyAddress()
    {
        return TransportAddress.of(TransportAddress.Type.RDMA, new InetSocketAddress(RdmaModel.address(2), 0));
    }

    @Override
    protected TransportAddress foreignAddress()
    {
        return TransportAddress.tcp("127.0.0.1", 4420);
    }
}
