package io.millrace.nvmf;

import io.millrace.block.BlockDeviceException;
import io.millrace.memory.BufferPool;
import io.millrace.nvme.NvmeStatus;
import io.millrace.reactor.Poller;
import io.millrace.reactor.Reactor;
import io.millrace.status.StatusPart;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * One reactor's share of a target: its queue pairs, its channels to the devices and its slots for commands.
 * Made, used and closed on its reactor's thread; other threads may read its numbers.
 */
public final class PollGroup implements Poller, AutoCloseable
{
    /** A namespace that was taken away and whose last commands are still under way. */
    private record Retired(Subsystem subsystem, NamespaceChannel channel)
    {
    }

    /** Somebody who waits until a channel that was retired, or when that is null all of its subsystem, are left. */
    private record Drain(Subsystem subsystem, NamespaceChannel channel, CompletableFuture<Void> done)
    {
    }

    /** Somebody who waits until no command of a queue pair uses what such commands are refused to now. */
    private record Refused(QueuePair queuePair, CompletableFuture<Void> done)
    {
    }

    private final Reactor reactor;
    private final Target target;
    private final BufferPool buffers;
    private final int maxTransferBytes;
    private final RequestPool requests;
    private final PayloadBuffers payloads;
    private final QosAdmission qos;
    private final IoCommands io;
    private final AdminCommands admin;
    private final FabricsCommands fabrics;
    private final Map<Subsystem, SubsystemChannels> subsystems = new IdentityHashMap<>();
    private final List<Retired> retired = new ArrayList<>();
    private final List<Drain> drains = new ArrayList<>();
    private final List<Refused> refused = new ArrayList<>();
    private final DeviceChannels devices;
    private final StatusPart status;
    private final HostTable hosts;
    private boolean isPaused;
    private int queuePairs;

    /**
     * Adds itself to the reactor's pollers; what it counts no other process sees. Called on the reactor's thread.
     *
     * @param reactor that polls it.
     * @param target  what is served.
     * @param buffers of the reactor, of at least the target's largest transfer; polled by whoever made it.
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
     * @param buffers of the reactor, of at least the target's largest transfer; polled by whoever made it.
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
        hosts = new HostTable(status);
        maxTransferBytes = target.config().maxTransferBytes();
        io = new IoCommands();
        admin = new AdminCommands(this);
        fabrics = new FabricsCommands(this);
        requests = new RequestPool(io);
        payloads = new PayloadBuffers(buffers);
        qos = new QosAdmission(this);
        devices = new DeviceChannels(reactor);
        reactor.addPoller(this);
        target.addPollGroup(this);
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
        return queuePairs;
    }

    /**
     * {@return commands under way, those included that wait; other threads read it as it was a moment ago}
     */
    public int requestsInUse()
    {
        return requests.used();
    }

    /**
     * {@return how often a command had to wait for room at a device, of those devices that are open}
     */
    public long channelWaitCount()
    {
        return devices.waitCount();
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
        queuePairs++;
        return new QueuePair(this, transport, local);
    }

    /**
     * {@return what polls its devices; its reactor has it while one is open, and turns it after the connections}
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
        return isPaused;
    }

    @Override
    public int poll()
    {
        if (!retired.isEmpty() || !drains.isEmpty())
        {
            settle();
        }
        if (!refused.isEmpty())
        {
            settleRefused();
        }
        return 0;
    }

    /**
     * Closes the channels to the devices and leaves the reactor. Every connection must have been closed before.
     *
     * @throws IllegalStateException when connections are left: their requests would answer into nothing.
     */
    @Override
    public void close()
    {
        if (0 != queuePairs)
        {
            throw new IllegalStateException(queuePairs + " connections are open: close them before their poll group");
        }
        target.removePollGroup(this);
        reactor.removePoller(this);
        for (final SubsystemChannels channels : subsystems.values())
        {
            retireAll(channels);
        }
        subsystems.clear();
        for (final Retired each : retired)
        {
            release(each);
        }
        retired.clear();
        settle();
        settleRefused();
        requests.close();
    }

    int maxTransferBytes()
    {
        return maxTransferBytes;
    }

    RequestPool requests()
    {
        return requests;
    }

    PayloadBuffers payloads()
    {
        return payloads;
    }

    QosAdmission qos()
    {
        return qos;
    }

    IoCommands io()
    {
        return io;
    }

    AdminCommands admin()
    {
        return admin;
    }

    FabricsCommands fabrics()
    {
        return fabrics;
    }

    StatusPart status()
    {
        return status;
    }

    HostTable hosts()
    {
        return hosts;
    }

    /** A queue pair is gone, or goes to another reactor. */
    void onLeft()
    {
        queuePairs--;
    }

    /** A queue pair came from another reactor. */
    void onArrived()
    {
        queuePairs++;
    }

    /**
     * Opens what a subsystem has, unless it is open; what could not be opened is tried again.
     *
     * @param subsystem of a queue pair that connects.
     * @return its channels on this reactor.
     */
    SubsystemChannels open(final Subsystem subsystem)
    {
        SubsystemChannels channels = subsystems.get(subsystem);
        if (null == channels)
        {
            channels = new SubsystemChannels(subsystem, qos);
            subsystems.put(subsystem, channels);
            refresh(channels);
        }
        else if (channels.hasUnopened())
        {
            refresh(channels);
        }
        return channels;
    }

    void pause(final boolean isHolding)
    {
        isPaused = isHolding;
        if (!isHolding)
        {
            subsystems.values().forEach(SubsystemChannels::runGates);
        }
    }

    /**
     * The limits of a namespace have changed.
     *
     * @param subsystem of it.
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
     * A namespace came, went or grew.
     *
     * @param subsystem of it.
     * @param nsid      its id.
     * @param done      completed when a namespace that was taken away is in use here no more.
     */
    void onNamespaceChanged(final Subsystem subsystem, final int nsid, final CompletableFuture<Void> done)
    {
        final SubsystemChannels channels = subsystems.get(subsystem);
        final NamespaceChannel former = null == channels ? null : refresh(channels, nsid);
        if (null == former)
        {
            done.complete(null);
            return;
        }
        drains.add(new Drain(subsystem, former, done));
        settle();
    }

    /**
     * ANA states have changed.
     *
     * @param queuePair of this reactor whose controller has them.
     * @param done      completed when no command of it uses a namespace any more to which they refuse commands.
     */
    void awaitRefused(final QueuePair queuePair, final CompletableFuture<Void> done)
    {
        refused.add(new Refused(queuePair, done));
        settleRefused();
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
            retireAll(channels);
        }
        drains.add(new Drain(subsystem, null, done));
        settle();
    }

    private void refresh(final SubsystemChannels channels)
    {
        final int limit = Math.max(channels.subsystem().served().limit(), channels.limit());
        for (int nsid = 1; nsid < limit; nsid++)
        {
            refresh(channels, nsid);
        }
    }

    /**
     * Opens or closes the channel to a namespace as the subsystem has it now.
     *
     * @return a channel that was retired, or null.
     */
    private NamespaceChannel refresh(final SubsystemChannels channels, final int nsid)
    {
        final Subsystem subsystem = channels.subsystem();
        final ServedNamespace served = subsystem.served().get(nsid);
        final Namespace wanted = null == served ? null : served.namespace();
        final NamespaceChannel open = channels.get(nsid);
        if (null != open && open.namespace() == wanted && open.isOpen())
        {
            open.onDeviceChanged();
            return null;
        }
        retire(channels, nsid);
        if (null != wanted)
        {
            final NamespaceChannel channel = new NamespaceChannel(wanted, device(wanted),
                new NamespaceCounters(wanted, subsystem.nqn(), status));
            subsystem.addCounters(channel.counters());
            channels.set(nsid, channel);
            channels.limitNamespace(nsid);
        }
        return open;
    }

    private DeviceChannel device(final Namespace namespace)
    {
        try
        {
            return devices.acquire(namespace.device());
        }
        catch (final BlockDeviceException e)
        {
            target.listener().onError("namespace " + namespace.nsid() + " on reactor " + reactor.config().name() +
                ": " + e.getMessage());
            return null;
        }
    }

    private void retireAll(final SubsystemChannels channels)
    {
        for (int nsid = 1; nsid < channels.limit(); nsid++)
        {
            retire(channels, nsid);
        }
    }

    private void retire(final SubsystemChannels channels, final int nsid)
    {
        final NamespaceChannel channel = channels.get(nsid);
        if (null != channel)
        {
            channels.set(nsid, null);
            channels.failWaiting(channel, NvmeStatus.INVALID_NAMESPACE | NvmeStatus.DO_NOT_RETRY);
            retired.add(new Retired(channels.subsystem(), channel));
        }
    }

    /**
     * Looks after what was taken away; runs in every poll until all of it is settled, so it makes no objects.
     */
    private void settle()
    {
        for (int i = retired.size() - 1; i >= 0; i--)
        {
            final Retired each = retired.get(i);
            if (0 == each.channel().active())
            {
                retired.remove(i);
                release(each);
            }
        }
        for (int i = drains.size() - 1; i >= 0; i--)
        {
            final Drain drain = drains.get(i);
            if (!isRetired(drain))
            {
                drains.remove(i);
                drain.done().complete(null);
            }
        }
    }

    /**
     * Looks after those who wait until what is refused is in use no more.
     */
    void settleRefused()
    {
        for (int i = refused.size() - 1; i >= 0; i--)
        {
            final Refused each = refused.get(i);
            if (!each.queuePair().openCommands().isUsingRefused())
            {
                refused.remove(i);
                each.done().complete(null);
            }
        }
    }

    private boolean isRetired(final Drain drain)
    {
        for (int i = 0; i < retired.size(); i++)
        {
            final Retired each = retired.get(i);
            if (null == drain.channel() ? each.subsystem() == drain.subsystem() : each.channel() == drain.channel())
            {
                return true;
            }
        }
        return false;
    }

    private void release(final Retired each)
    {
        each.subsystem().retireCounters(each.channel().counters());
        each.channel().counters().release();
        if (each.channel().isOpen())
        {
            devices.release(each.channel().device());
        }
    }
}
