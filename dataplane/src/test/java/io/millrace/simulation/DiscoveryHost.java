package io.millrace.simulation;

import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.ControllerListener;
import io.millrace.nvmf.initiator.ControllerState;
import io.millrace.nvmf.initiator.Discovery;
import io.millrace.nvmf.initiator.HostConfig;
import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.SimulatedHostGroup;
import io.millrace.nvmf.initiator.tcp.TcpHostTransport;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/**
 * A host that stays connected to a discovery controller and reads its log whenever it is notified of a change.
 */
final class DiscoveryHost implements ControllerListener
{
    private static final long CONNECT_AGAIN_NS = 20_000_000;
    private static final long CLOSE_NS = 20_000_000_000L;

    private final Simulator simulator;
    private final HostConfig identity;
    private final ConnectionConfig config;
    private final Simulator.Node node;
    private final HostPollGroup group;
    private Set<String> known = Set.of();
    private RemoteController controller;
    private boolean isConnecting;
    private boolean isClosing;

    DiscoveryHost(final Simulator simulator, final HostConfig identity, final ConnectionConfig config)
    {
        this.simulator = simulator;
        this.identity = identity;
        this.config = config;
        node = simulator.add("discovery", simulator.newProcess());
        group = new HostPollGroup(node.reactor().reactor(), List.of(new TcpHostTransport()));
        connect();
    }

    private void connect()
    {
        if (isClosing)
        {
            return;
        }
        isConnecting = true;
        simulator.kernel().enter(node.process());
        RemoteController.connect(group, identity, config, this).whenComplete((connected, failure) ->
        {
            isConnecting = false;
            controller = connected;
            if (null != failure)
            {
                simulator.after(CONNECT_AGAIN_NS, this::connect);
            }
        });
    }

    @Override
    public void onState(final RemoteController of, final ControllerState state, final String reason)
    {
        simulator.trace().note(simulator.nowNs(), "discovery host is " + state + ' ' + reason);
        if (ControllerState.LIVE == state)
        {
            read(of);
        }
    }

    @Override
    public void onAsyncEvent(final RemoteController of, final int event)
    {
        simulator.trace().note(simulator.nowNs(), "discovery host has event " + event);
        read(of);
    }

    private void read(final RemoteController of)
    {
        Discovery.read(of).whenComplete((entries, failure) ->
        {
            if (null == failure)
            {
                final Set<String> found = new TreeSet<>();
                entries.forEach((entry) -> found.add(entry.address() + ":" + entry.service()));
                known = found;
            }
            else
            {
                simulator.after(CONNECT_AGAIN_NS, () -> simulator.execute(node, () -> readAgain(of)));
            }
        });
    }

    private void readAgain(final RemoteController of)
    {
        if (ControllerState.LIVE == of.state())
        {
            read(of);
        }
    }

    /** {@return addresses that it knows of} */
    Set<String> known()
    {
        return known;
    }

    void close()
    {
        isClosing = true;
        simulator.run("the answer to the discovery host", CLOSE_NS, () -> !isConnecting);
        if (null != controller)
        {
            simulator.kernel().enter(node.process());
            final CompletableFuture<Void> closed = controller.closeAsync();
            simulator.run("the end of the discovery host", CLOSE_NS, closed::isDone);
        }
        simulator.on(node, () -> SimulatedHostGroup.leave(group));
        simulator.remove(node);
        if (0 != simulator.kernel().count(node.process()))
        {
            throw new AssertionError("the discovery host has ended with descriptors open");
        }
    }
}
