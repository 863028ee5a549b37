package io.millrace.dataplane;

import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.HostPollGroups;
import io.millrace.nvmf.initiator.tcp.TcpHostTransport;
import io.millrace.reactor.Reactor;
import java.util.List;

/**
 * The transports that hosts of this build have. The one place that knows their classes. Any thread.
 */
public final class HostTransports
{
    private HostTransports()
    {
    }

    /**
     * {@return poll groups that share reactors, with every transport of this build}
     */
    public static HostPollGroups pollGroups()
    {
        return new HostPollGroups(HostTransports::pollGroup);
    }

    /**
     * Puts the initiator on a reactor, with every transport of this build.
     *
     * @param reactor to live on; started or not.
     * @return its poll group.
     */
    public static HostPollGroup pollGroup(final Reactor reactor)
    {
        return new HostPollGroup(reactor, List.of(new TcpHostTransport()));
    }
}
