package io.millrace.dataplane;

import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.HostPollGroups;
import io.millrace.nvmf.initiator.rdma.HostBuffers;
import io.millrace.nvmf.initiator.rdma.RdmaHostTransport;
import io.millrace.nvmf.initiator.tcp.TcpHostTransport;
import io.millrace.reactor.Reactor;
import java.util.List;

/**
 * The transports that hosts of this build have. The one place that knows their classes. Any thread. A transport that
 * this machine lacks refuses to connect; the others are not affected.
 */
public final class HostTransports
{
    private HostTransports()
    {
    }

    /**
     * {@return poll groups that share reactors, with every transport of this build; over RDMA every payload is copied}
     */
    public static HostPollGroups pollGroups()
    {
        return new HostPollGroups(HostTransports::pollGroup);
    }

    /**
     * {@return poll groups that share reactors, with every transport of this build}
     *
     * @param buffers that targets may access over RDMA; closed after the groups.
     */
    public static HostPollGroups pollGroups(final HostBuffers buffers)
    {
        return new HostPollGroups((reactor) -> pollGroup(reactor, buffers));
    }

    /**
     * Puts the initiator on a reactor, with every transport of this build; over RDMA every payload is copied.
     *
     * @param reactor to live on; started or not.
     * @return its poll group.
     */
    public static HostPollGroup pollGroup(final Reactor reactor)
    {
        return new HostPollGroup(reactor, List.of(new TcpHostTransport(), new RdmaHostTransport()));
    }

    /**
     * Puts the initiator on a reactor, with every transport of this build.
     *
     * @param reactor to live on; started or not.
     * @param buffers that targets may access over RDMA; closed after the group.
     * @return its poll group.
     */
    public static HostPollGroup pollGroup(final Reactor reactor, final HostBuffers buffers)
    {
        return new HostPollGroup(reactor, List.of(new TcpHostTransport(), new RdmaHostTransport(buffers)));
    }
}
