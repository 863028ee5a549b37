package io.millrace.nvmf;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.memory.BufferPool;
import io.millrace.reactor.Poller;
import io.millrace.reactor.Reactor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * One reactor's share of a target: its queue pairs, its channels to the devices, its slots for commands, and the
 * commands that wait for room at a device. Made, used and closed on its reactor's thread.
 */
public final class PollGroup implements Poller, AutoCloseable
{
    /** A namespace that was taken away and whose last commands are still under way. */
    private record Retired(Subsystem subsystem, NamespaceChannel channel)
    {
    }

    /** Somebody who waits until nothing retired of a subsystem is left. */
    private record Drain(Subsystem subsystem, CompletableFuture<Void> done)
    {
    }

    private final Reactor reactor;
    private final Target target;
    private final BufferPool buffers;
    private final int maxTransferBytes;
    private final RequestPool requests;
    private final IoCommands io;
    private final AdminCommands admin;
    private final FabricsCommands fabrics;
    private final Map<Subsystem, SubsystemChannels> subsystems = new IdentityHashMap<>();
    private final List<Retired> retired = new ArrayList<>();
    private final List<Drain> drains = new ArrayList<>();
    private DeviceChannel[] devices = {};
    private int queuePairs;

    /**
     * Adds itself to the reactor's pollers. Called on the reactor's thread.
     *
     * @param reactor that polls it.
     * @param target  what is served.
     * @param buffers of the reactor, of at least the target's largest transfer; polled by whoever made it.
     */
    public PollGroup(final Reactor reactor, final Target target, final BufferPool buffers)
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
        maxTransferBytes = target.config().maxTransferBytes();
        io = new IoCommands();
        admin = new AdminCommands(this);
        fabrics = new FabricsCommands(this);
        requests = new RequestPool(io);
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
     * {@return queue pairs there are, connected or not}
     */
    public int queuePairs()
    {
        return queuePairs;
    }

    /**
     * {@return commands under way, those included that wait}
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
        long count = 0;
        for (final DeviceChannel device : devices)
        {
            count += device.waitCount();
        }
        return count;
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

    @Override
    public int poll()
    {
        int work = 0;
        for (final DeviceChannel device : devices)
        {
            if (device.waiting() > 0)
            {
                work += device.poll();
            }
        }
        if (!retired.isEmpty() || !drains.isEmpty())
        {
            settle();
        }
        return work;
    }

    @Override
    public boolean canSleep()
    {
        for (final DeviceChannel device : devices)
        {
            if (device.waiting() > 0)
            {
                return false;
            }
        }
        return true;
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
            for (int nsid = 1; nsid < channels.limit(); nsid++)
            {
                retire(channels, nsid);
            }
        }
        subsystems.clear();
        for (final Retired each : retired)
        {
            release(each);
        }
        retired.clear();
        settle();
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

    void onDisconnected()
    {
        queuePairs--;
    }

    /**
     * Opens what a subsystem has, unless it is open.
     *
     * @param subsystem of a queue pair that connects.
     * @return its channels on this reactor.
     */
    SubsystemChannels open(final Subsystem subsystem)
    {
        final SubsystemChannels channels = subsystems.computeIfAbsent(subsystem, SubsystemChannels::new);
        refresh(channels);
        return channels;
    }

    /**
     * Namespaces of a subsystem came or went.
     *
     * @param subsystem whose namespaces.
     * @param done      completed when nothing taken away is in use here any more.
     */
    void onNamespacesChanged(final Subsystem subsystem, final CompletableFuture<Void> done)
    {
        final SubsystemChannels channels = subsystems.get(subsystem);
        if (null != channels)
        {
            refresh(channels);
            if (!subsystem.isServed())
            {
                subsystems.remove(subsystem);
            }
        }
        drains.add(new Drain(subsystem, done));
        settle();
    }

    private void refresh(final SubsystemChannels channels)
    {
        final Subsystem subsystem = channels.subsystem();
        final Namespace[] current = subsystem.served();
        final int limit = Math.max(current.length, channels.limit());
        for (int nsid = 1; nsid < limit; nsid++)
        {
            final Namespace wanted = nsid < current.length ? current[nsid] : null;
            final NamespaceChannel open = channels.get(nsid);
            if (null != open && (open.namespace() != wanted || !open.isOpen()))
            {
                retire(channels, nsid);
            }
            if (null != wanted && null == channels.get(nsid))
            {
                final NamespaceChannel channel = new NamespaceChannel(wanted, device(wanted));
                subsystem.addCounters(channel.counters());
                channels.set(nsid, channel);
            }
        }
    }

    private DeviceChannel device(final Namespace namespace)
    {
        final BlockDevice device = namespace.device();
        for (final DeviceChannel open : devices)
        {
            if (open.device() == device)
            {
                open.retain();
                return open;
            }
        }
        try
        {
            final DeviceChannel opened = new DeviceChannel(device, reactor);
            opened.retain();
            devices = Arrays.copyOf(devices, devices.length + 1);
            devices[devices.length - 1] = opened;
            return opened;
        }
        catch (final BlockDeviceException e)
        {
            target.listener().onError("namespace " + namespace.nsid() + " on reactor " + reactor.config().name() +
                ": " + e.getMessage());
            return null;
        }
    }

    private void retire(final SubsystemChannels channels, final int nsid)
    {
        final NamespaceChannel channel = channels.get(nsid);
        if (null != channel)
        {
            channels.set(nsid, null);
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
            if (!hasRetired(drain.subsystem()))
            {
                drains.remove(i);
                drain.done().complete(null);
            }
        }
    }

    private boolean hasRetired(final Subsystem subsystem)
    {
        for (int i = 0; i < retired.size(); i++)
        {
            if (retired.get(i).subsystem() == subsystem)
            {
                return true;
            }
        }
        return false;
    }

    private void release(final Retired each)
    {
        each.subsystem().retireCounters(each.channel().counters());
        final DeviceChannel device = each.channel().device();
        if (null != device && device.release())
        {
            devices = Arrays.stream(devices).filter((d) -> d != device).toArray(DeviceChannel[]::new);
        }
    }
}
