package io.millrace.nvmf;

import io.millrace.memory.BufferPool;
import io.millrace.memory.DmaMemory;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.nvmf.namespace.NamespaceCounters;
import io.millrace.nvmf.namespace.ServedNamespace;
import io.millrace.nvmf.queue.BufferHolder;
import io.millrace.nvmf.queue.QueuePair;
import io.millrace.nvmf.queue.ReactorResources;
import io.millrace.nvmf.queue.SubsystemChannels;
import io.millrace.nvmf.request.AdminTimeBudget;
import io.millrace.nvmf.request.DeviceChannels;
import io.millrace.nvmf.request.NamespaceChannel;
import io.millrace.nvmf.request.QueuePairTransport;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.Poller;
import io.millrace.reactor.Reactor;
import io.millrace.status.StatusPart;
import java.util.ArrayDeque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The part of a target on one reactor: its queue pairs, its channels to devices and its command slots. Created, used
 * and closed on its reactor's thread; other threads may read its numbers.
 */
public final class PollGroup implements Poller
{
    /** Time of a cycle for added namespaces; at least one is processed. */
    private static final long NAMESPACES_BUDGET_NS = 100_000;
    private static final int NAMESPACES_PER_CLOCK = 8;

    private final Reactor reactor;
    private final Target target;
    private final BufferPool buffers;
    private final ReactorResources resources;
    private final Map<Subsystem, SubsystemChannels> subsystems = new IdentityHashMap<>();
    private final RetiredNamespaces retired;
    private final ArrayDeque<SubsystemChannels> filling = new ArrayDeque<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final DeviceChannels devices;
    private final StatusPart status;
    private final BufferMonitor bufferMonitor;
    private boolean isClosing;

    /**
     * Adds itself to the reactor's pollers; its counters are not published to other processes. Called on the reactor's
     * thread.
     *
     * @param reactor that polls it.
     * @param target  what is served.
     * @param buffers of the reactor, of at least the target's largest transfer; polled by its creator.
     */
    public PollGroup(final Reactor reactor, final Target target, final BufferPool buffers)
    {
        this(reactor, target, buffers, StatusPart.unpublished());
    }

    /**
     * Adds itself to the reactor's pollers. Called on the reactor's thread.
     *
     * @param reactor that polls it.
     * @param target  what is served.
     * @param buffers of the reactor, of at least the target's largest transfer; polled by its creator.
     * @param status  of the reactor: where it counts.
     */
    public PollGroup(
        final Reactor reactor, final Target target, final BufferPool buffers, final StatusPart status)
    {
        if (buffers.bufferBytesMax() < target.config().maxTransferBytes())
        {
            throw new IllegalArgumentException("largest buffer of " + buffers.bufferBytesMax() +
                " bytes is below the largest transfer of " + target.config().maxTransferBytes() +
                " bytes: raise it or lower the transfer");
        }
        this.reactor = reactor;
        this.target = target;
        this.buffers = buffers;
        this.status = status;
        final IoCommands io = new IoCommands();
        resources = new ReactorResources(reactor, target.config(), target.listener(), buffers, status, io, io,
            new AdminCommands(target, io), new FabricsCommands(this));
        devices = new DeviceChannels(reactor, buffers, status, target.listener());
        retired = new RetiredNamespaces(resources, devices);
        bufferMonitor = new BufferMonitor(resources, devices);
        reactor.addPoller(this);
        target.addPollGroup(this);
    }

    /**
     * {@return where this reactor's counters are}
     */
    public StatusPart status()
    {
        return status;
    }

    /**
     * {@return the reactor that polls it}
     */
    public Reactor reactor()
    {
        return reactor;
    }

    /**
     * {@return what is served}
     */
    public Target target()
    {
        return target;
    }

    /**
     * {@return buffers of its reactor}
     */
    public BufferPool buffers()
    {
        return buffers;
    }

    /**
     * {@return queue pairs there are, connected or not; other threads read it as it was a moment ago}
     */
    public int queuePairs()
    {
        return resources.queuePairs();
    }

    /**
     * {@return commands under way, those included that wait; other threads read it as it was a moment ago}
     */
    public int requestsInUse()
    {
        return resources.requests().used();
    }

    /**
     * {@return how often a capsule had to wait for a slot; other threads read it as it was a moment ago}
     */
    public long requestWaitCount()
    {
        return resources.requests().waitCount();
    }

    /**
     * {@return how often a command had to wait for room at a device, of those devices that are open}
     */
    public long channelWaitCount()
    {
        return devices.waitCount();
    }

    /**
     * {@return the largest holders of its I/O buffers, no older than a second; empty when no command waits for one. On
     * the reactor, a few times a second}
     */
    public List<BufferHolder> bufferHolders()
    {
        return bufferMonitor.holders();
    }

    /**
     * {@return memory of its own that payload may lie in, besides its buffers: for transports that register memory.
     *     Mapped until it has closed; any thread}
     */
    public DmaMemory reserveMemory()
    {
        return resources.payloads().memory();
    }

    /**
     * Makes the queue pair of a new connection.
     *
     * @param transport of the connection.
     * @param local     address that the host came in on.
     * @return a queue pair that waits for its Connect command.
     */
    public QueuePair newQueuePair(final QueuePairTransport transport, final TransportAddress local)
    {
        return resources.newQueuePair(transport, local);
    }

    /**
     * {@return poller of its devices; the reactor runs it after the connections while a device is open}
     */
    public Poller devices()
    {
        return devices;
    }

    /**
     * {@return whether I/O commands are held; admin commands never are}
     */
    public boolean isPaused()
    {
        return resources.qos().isPaused();
    }

    /**
     * {@return bytes of its buffers that devices may still use though the commands have ended; other threads read it as
     *     it was a moment ago}
     */
    public long quarantinedBytes()
    {
        return devices.quarantinedBytes();
    }

    /**
     * {@return whether every namespace has been processed, and every device asked for its channel; on its reactor}
     */
    boolean isFilled()
    {
        return filling.isEmpty() && 0 == devices.waiting();
    }

    /**
     * {@return names of the devices that keep it from closing; on its reactor}
     */
    public List<String> closingDevices()
    {
        return devices.leaving();
    }

    @Override
    public int poll()
    {
        int work = 0;
        resources.adminTimeBudget().next();
        if (!filling.isEmpty())
        {
            work += fill();
        }
        if (!retired.isEmpty())
        {
            retired.settle();
        }
        if (!resources.refused().isEmpty())
        {
            resources.refused().settle();
        }
        if (isClosing && devices.isEmpty())
        {
            end();
        }
        return work + resources.payloads().reserve().poll();
    }

    @Override
    public boolean canSleep()
    {
        // An admin command that waits for the budget runs in the next cycle, if this one executed any.
        final AdminTimeBudget budget = resources.adminTimeBudget();
        return filling.isEmpty() && !retired.hasMoreToRelease() && !budget.isBegun() && !budget.isAnyWaiting() &&
            resources.payloads().reserve().canSleep();
    }

    /**
     * Closes the channels to the devices and leaves the reactor when all have closed. Every connection must have been
     * closed before.
     *
     * @return done when it has left; before this returns where every device closes at once.
     * @throws IllegalStateException when connections are left: their requests would answer into nothing.
     */
    public CompletableFuture<Void> close()
    {
        if (0 != queuePairs())
        {
            throw new IllegalStateException(queuePairs() + " connections are open: close them before their poll group");
        }
        if (isClosing || closed.isDone())
        {
            return closed;
        }
        isClosing = true;
        target.removePollGroup(this);
        filling.clear();
        subsystems.forEach(this::retireAll);
        subsystems.clear();
        retired.releaseAll();
        if (devices.isEmpty())
        {
            end();
        }
        return closed;
    }

    private void end()
    {
        isClosing = false;
        retired.end();
        resources.refused().settle();
        devices.emulationBuffers().close();
        reactor.removePoller(this);
        resources.close();
        closed.complete(null);
    }

    /**
     * {@return what its queue pairs share}
     */
    ReactorResources resources()
    {
        return resources;
    }

    /**
     * Begins to open what a subsystem has, unless that has begun. Nothing is waited for: commands to what is not open
     * yet wait for it.
     *
     * @param subsystem of a queue pair that connects.
     * @return its channels on this reactor.
     */
    SubsystemChannels open(final Subsystem subsystem)
    {
        SubsystemChannels channels = subsystems.get(subsystem);
        if (null == channels)
        {
            channels = new SubsystemChannels(subsystem.served(), subsystem.qos()::hostPolicy, resources.qos(),
                (each, nsid) -> refresh(subsystem, each, nsid));
            subsystems.put(subsystem, channels);
            filling.add(channels);
            fill();
        }
        return channels;
    }

    /** Opens some of the namespaces that no command has used since their subsystem has queues here. */
    private int fill()
    {
        final long endNs = reactor.clockNs() + NAMESPACES_BUDGET_NS;
        int looked = 0;
        while (!filling.isEmpty())
        {
            final SubsystemChannels channels = filling.peek();
            if (!channels.fillNext())
            {
                filling.remove();
            }
            looked++;
            if (0 == looked % NAMESPACES_PER_CLOCK && reactor.clockNs() - endNs >= 0)
            {
                break;
            }
        }
        return looked;
    }

    void pause(final boolean isHolding)
    {
        resources.qos().pause(isHolding);
        if (!isHolding)
        {
            subsystems.values().forEach(SubsystemChannels::runRateLimiters);
        }
    }

    /**
     * The limits of a namespace have changed.
     *
     * @param subsystem its subsystem.
     * @param nsid      its id.
     */
    void onNamespaceLimited(final Subsystem subsystem, final int nsid)
    {
        final SubsystemChannels channels = subsystems.get(subsystem);
        if (null != channels)
        {
            channels.limitNamespace(nsid);
        }
    }

    /**
     * The limits of a host have changed.
     *
     * @param subsystem that it is on.
     * @param hostNqn   of the host.
     */
    void onHostLimited(final Subsystem subsystem, final String hostNqn)
    {
        final SubsystemChannels channels = subsystems.get(subsystem);
        if (null != channels)
        {
            channels.limitHost(hostNqn);
        }
    }

    /**
     * A namespace was added, removed or enlarged.
     *
     * @param subsystem its subsystem.
     * @param nsid      its id.
     * @param done      completed when a removed namespace is no longer in use here.
     */
    void onNamespaceChanged(final Subsystem subsystem, final int nsid, final CompletableFuture<Void> done)
    {
        final SubsystemChannels channels = subsystems.get(subsystem);
        final NamespaceChannel former = null == channels ? null : refresh(subsystem, channels, nsid);
        if (null == former)
        {
            done.complete(null);
            return;
        }
        retired.await(subsystem, former, done);
    }

    /**
     * A subsystem is no longer served.
     *
     * @param subsystem that was removed.
     * @param done      completed when nothing of it is in use here any more.
     */
    void onSubsystemRemoved(final Subsystem subsystem, final CompletableFuture<Void> done)
    {
        final SubsystemChannels channels = subsystems.remove(subsystem);
        if (null != channels)
        {
            filling.remove(channels);
            retireAll(subsystem, channels);
        }
        retired.await(subsystem, null, done);
    }

    /**
     * Opens or closes the channel to a namespace as the subsystem has it now.
     *
     * @return a channel that was retired, or null.
     */
    private NamespaceChannel refresh(final Subsystem subsystem, final SubsystemChannels channels, final int nsid)
    {
        final ServedNamespace served = subsystem.served().get(nsid);
        final Namespace wanted = null == served ? null : served.namespace();
        final NamespaceChannel open = channels.get(nsid);
        if (null != open && open.namespace() == wanted)
        {
            open.onDeviceChanged();
            return null;
        }
        retire(subsystem, channels, nsid);
        retired.endWaiting();
        if (null != wanted)
        {
            final NamespaceChannel channel = new NamespaceChannel(wanted, devices.acquire(wanted.device()),
                new NamespaceCounters(wanted, subsystem.nqn(), status));
            subsystem.addCounters(channel.counters());
            channels.set(nsid, channel);
            channels.limitNamespace(nsid);
        }
        return open;
    }

    private void retireAll(final Subsystem subsystem, final SubsystemChannels channels)
    {
        for (int nsid = 1; nsid < channels.limit(); nsid++)
        {
            retire(subsystem, channels, nsid);
        }
        retired.endWaiting();
    }

    private void retire(final Subsystem subsystem, final SubsystemChannels channels, final int nsid)
    {
        final NamespaceChannel channel = channels.get(nsid);
        if (null != channel)
        {
            channels.set(nsid, null);
            channels.failWaiting(channel, NvmeStatus.INVALID_NAMESPACE | NvmeStatus.DO_NOT_RETRY);
            retired.add(subsystem, channel);
        }
    }
}
