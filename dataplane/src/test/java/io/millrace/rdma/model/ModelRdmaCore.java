package io.millrace.rdma.model;

import io.millrace.bindings.Capability;
import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.verbs.ibv_qp_cap;
import io.millrace.bindings.generated.verbs.ibv_qp_init_attr;
import io.millrace.bindings.linux.SocketAddress;
import io.millrace.bindings.rdmacm.ConnectionParameters;
import io.millrace.bindings.verbs.QueuePairAttributes;
import io.millrace.bindings.verbs.Verbs;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * rdma-core of a process whose devices are models. What hangs, crashes or corrupts with rdma-core throws and is kept in
 * {@link ModelNetwork#violations}. Any thread.
 */
public class ModelRdmaCore extends ModelVerbs
{
    private static final int INLINE_BYTES_MAX = 256;
    private static final int PORT_MIN = 40_000;
    private static final int PORT_MAX = 65_535;

    private final List<ModelDevice> devices = new ArrayList<>();
    private final List<ModelIdentifier> listeners = new ArrayList<>();
    /** Whether it compares its devices with the kernel's by itself, as often as can be. */
    private boolean refreshesDevices = true;
    private int lastPort = PORT_MIN;
    private int lastNumber;

    /**
     * A process without devices.
     *
     * @param network     that its devices are on.
     * @param descriptors by which events are announced.
     */
    public ModelRdmaCore(final ModelNetwork network, final ModelDescriptors descriptors)
    {
        super(network, descriptors);
    }

    /**
     * Plugs a device in.
     *
     * @param address of its port, of no other device.
     * @return the device.
     */
    public ModelDevice addDevice(final InetAddress address)
    {
        synchronized (network)
        {
            final long context = newHandle();
            final ModelDevice device = new ModelDevice(network, this, address, context, descriptors);
            objects.put(context, device);
            devices.add(device);
            return device;
        }
    }

    /**
     * Sets how much memory the process may lock.
     *
     * @param bytes of all regions together.
     */
    public void lockedBytesMax(final long bytes)
    {
        synchronized (network)
        {
            lockedBytesMax = bytes;
        }
    }

    /**
     * {@return how much memory the process has locked}
     */
    public long lockedBytes()
    {
        synchronized (network)
        {
            return lockedBytes;
        }
    }

    /**
     * Gives the devices a dma-buf that they register; before it they register none.
     *
     * @param fd      its descriptor.
     * @param address of its first byte.
     */
    public void dmaBuf(final int fd, final long address)
    {
        synchronized (network)
        {
            dmaBufs.put(fd, address);
        }
    }

    /**
     * Sets what the devices do with memory that is not pinned, as they are opened from now on.
     *
     * @param operations {@code IBV_ODP_SUPPORT_*}; 0: nothing.
     */
    public void onDemandOperations(final int operations)
    {
        synchronized (network)
        {
            onDemandOperations = operations;
        }
    }

    /**
     * {@return bytes that were registered with on-demand paging}
     */
    public long onDemandBytes()
    {
        synchronized (network)
        {
            return onDemandBytes;
        }
    }

    /**
     * Sets how many RDMA READs and atomics of a queue pair the devices serve and have under way.
     *
     * @param count 0 to 16.
     */
    public void readsMax(final int count)
    {
        synchronized (network)
        {
            readsMax = count;
        }
    }

    /**
     * Has calls that destroy answer that they did when the device is disassociated, as rdma-core does with
     * {@code RDMAV_ALLOW_DISASSOC_DESTROY}.
     */
    public void allowDisassociatedDestroy()
    {
        synchronized (network)
        {
            hidesDestroyErrors = true;
        }
    }

    /**
     * Has the contexts of removed devices stay open until {@link #refreshDevices}, as librdmacm does. As a rule they
     * are closed as early as librdmacm may do that.
     */
    public void keepRemovedDevices()
    {
        synchronized (network)
        {
            refreshesDevices = false;
        }
    }

    /**
     * Has peers allowed to invalidate a region's key, as of memory that is registered by a request.
     *
     * @param device    of the region.
     * @param remoteKey of the region.
     */
    public void allowInvalidation(final ModelDevice device, final int remoteKey)
    {
        synchronized (network)
        {
            device.region(remoteKey).isInvalidatable = true;
        }
    }

    /**
     * {@return how many resources exist: 0 when all has been closed}
     */
    public int resources()
    {
        synchronized (network)
        {
            return objects.size() - (int)objects.values().stream().filter(ModelDevice.class::isInstance).count();
        }
    }

    ModelNetwork network()
    {
        return network;
    }

    @Override
    public Capability capability()
    {
        return Capability.on("RDMA connection manager library", "a model");
    }

    @Override
    public long createEventChannel()
    {
        synchronized (network)
        {
            return add(new ModelEventChannel(descriptors));
        }
    }

    @Override
    public void destroyEventChannel(final long channelAddress)
    {
        synchronized (network)
        {
            final ModelEventChannel channel = get(ModelEventChannel.class, channelAddress);
            if (0 != channel.identifiers)
            {
                throw network.violation("an event channel is destroyed with " + channel.identifiers + " identifiers");
            }
            channel.close();
            remove(channelAddress);
        }
    }

    @Override
    public boolean refreshDevices()
    {
        synchronized (network)
        {
            if (null == anyDevice())
            {
                return false;
            }
            new ArrayList<>(devices).stream().filter(ModelDevice::isRemoved).forEach((device) ->
            {
                device.isForgotten = true;
                closeContext(device);
            });
            return true;
        }
    }

    @Override
    public int eventChannelDescriptor(final long channelAddress)
    {
        synchronized (network)
        {
            return get(ModelEventChannel.class, channelAddress).fd;
        }
    }

    @Override
    public int event(final long channelAddress, final long eventOutAddress)
    {
        synchronized (network)
        {
            final long event = get(ModelEventChannel.class, channelAddress).take();
            NativeMemory.putLong(eventOutAddress, event);
            return 0 == event ? -Errno.EAGAIN : 0;
        }
    }

    @Override
    public int acknowledge(final long eventAddress)
    {
        synchronized (network)
        {
            for (final Object each : objects.values())
            {
                if (each instanceof final ModelEventChannel channel && channel.acknowledge(eventAddress))
                {
                    return 0;
                }
            }
            throw network.violation("an event is acknowledged twice");
        }
    }

    @Override
    public int createId(final long channelAddress, final long idOutAddress)
    {
        synchronized (network)
        {
            NativeMemory.putLong(
                idOutAddress, newIdentifier(get(ModelEventChannel.class, channelAddress), false).address);
            return 0;
        }
    }

    @Override
    public int createDatagramId(final long channelAddress, final long idOutAddress)
    {
        synchronized (network)
        {
            NativeMemory.putLong(
                idOutAddress, newIdentifier(get(ModelEventChannel.class, channelAddress), true).address);
            return 0;
        }
    }

    @Override
    public long createAddressHandle(final long pdAddress, final long attributesAddress)
    {
        synchronized (network)
        {
            final ModelDevice device = get(Domain.class, pdAddress).device;
            final ModelDevice peer = network.device(NativeMemory.getInt(attributesAddress));
            return !device.takesCommands() ? -Errno.EIO : null == peer ? -Errno.EINVAL :
                add(new ModelDatagramPair.Handle(pdAddress, device, peer));
        }
    }

    @Override
    public int destroyAddressHandle(final long handleAddress)
    {
        synchronized (network)
        {
            if (isKept(get(ModelDatagramPair.Handle.class, handleAddress).device()))
            {
                return -Errno.EIO;
            }
            remove(handleAddress);
            return 0;
        }
    }

    @Override
    public int mtuBytes(final long contextAddress, final int port)
    {
        return ModelDatagramPair.MTU_BYTES;
    }

    Optional<ModelDatagramPair> datagramPair(final ModelDevice device, final int number)
    {
        return pairs(device).stream().filter((pair) -> number == pair.number())
            .filter(ModelDatagramPair.class::isInstance).map(ModelDatagramPair.class::cast).findAny();
    }

    ModelIdentifier newIdentifier(final ModelEventChannel channel, final boolean isDatagram)
    {
        final ModelIdentifier identifier = new ModelIdentifier(this, channel, isDatagram);
        objects.put(identifier.address, identifier);
        return identifier;
    }

    private ModelIdentifier identifier(final long idAddress)
    {
        return get(ModelIdentifier.class, idAddress);
    }

    @Override
    public int destroyId(final long idAddress)
    {
        synchronized (network)
        {
            final ModelIdentifier identifier = identifier(idAddress);
            if (null != identifier.pair())
            {
                throw network.violation("rdma_destroy_id leaves the queue pair behind");
            }
            if (0 != identifier.unacknowledged)
            {
                throw network.violation("rdma_destroy_id waits for events that are not acknowledged");
            }
            identifier.destroy();
            listeners.remove(identifier);
            objects.remove(idAddress);
            if (null != identifier.device())
            {
                closeContext(identifier.device());
            }
            return 0;
        }
    }

    /** librdmacm closes the context of a device that is gone with the last identifier on it. */
    void closeContext(final ModelDevice device)
    {
        final boolean isUsed = objects.values().stream().anyMatch((each) ->
            each instanceof final ModelIdentifier other && device == other.device());
        if (!device.isRemoved() || isUsed || !refreshesDevices && !device.isForgotten)
        {
            return;
        }
        if (isKept(device))
        {
            objectsOf(device).forEach(this::leak);
        }
        final List<Object> left = objects.values().stream().filter((each) ->
            each instanceof final Domain domain && device == domain.device ||
            each instanceof final ModelCompletionQueue queue && device == queue.device ||
            each instanceof final ModelCompletionChannel channel && device == channel.device).toList();
        objects.remove(device.context());
        device.close();
        devices.remove(device);
        if (!left.isEmpty())
        {
            throw network.violation("librdmacm closes the context of a device that still has " + left);
        }
    }

    void onRemoved(final ModelDevice device)
    {
        objects.values().stream().filter(ModelIdentifier.class::isInstance).map(ModelIdentifier.class::cast)
            .filter((identifier) -> device == identifier.device()).toList().forEach(ModelIdentifier::onRemoved);
    }

    @Override
    public int bind(final long idAddress, final long socketAddress)
    {
        synchronized (network)
        {
            return identifier(idAddress).bind(SocketAddress.read(socketAddress));
        }
    }

    /** {@return a port that nobody listens at; connections of long ago had it as well} */
    int freePort()
    {
        do
        {
            lastPort = PORT_MAX == lastPort ? PORT_MIN : lastPort + 1;
        }
        while (listeners.stream().anyMatch((listener) -> lastPort == listener.local().getPort()));
        return lastPort;
    }

    /** {@return the first device that is plugged in, or null} */
    ModelDevice anyDevice()
    {
        return devices.stream().filter((device) -> !device.isRemoved()).findFirst().orElse(null);
    }

    /** {@return false when its address is taken} */
    boolean listen(final ModelIdentifier identifier)
    {
        for (final ModelIdentifier other : listeners)
        {
            final boolean isSameAddress = other.local().getAddress().equals(identifier.local().getAddress()) ||
                other.local().getAddress().isAnyLocalAddress() || identifier.local().getAddress().isAnyLocalAddress();
            if (other.isDatagram == identifier.isDatagram &&
                other.local().getPort() == identifier.local().getPort() && isSameAddress)
            {
                return false;
            }
        }
        listeners.add(identifier);
        return true;
    }

    /** A request to connect comes to a device of this process. */
    void request(final ModelIdentifier from, final ModelDevice at)
    {
        final InetSocketAddress wanted = from.remote();
        for (final ModelIdentifier listener : listeners)
        {
            final InetAddress local = listener.local().getAddress();
            if (listener.isDatagram == from.isDatagram && listener.local().getPort() == wanted.getPort() &&
                (local.isAnyLocalAddress() || local.equals(at.address())))
            {
                listener.onRequest(from, at);
                return;
            }
        }
        from.refuse();
    }

    @Override
    public int listen(final long idAddress, final int backlog)
    {
        synchronized (network)
        {
            return identifier(idAddress).listen(backlog);
        }
    }

    @Override
    public int resolveAddress(
        final long idAddress, final long sourceAddress, final long destinationAddress, final int timeoutMs)
    {
        synchronized (network)
        {
            return identifier(idAddress).resolveAddress(
                0L == sourceAddress ? null : SocketAddress.read(sourceAddress), SocketAddress.read(destinationAddress));
        }
    }

    @Override
    public int resolveRoute(final long idAddress, final int timeoutMs)
    {
        synchronized (network)
        {
            return identifier(idAddress).resolveRoute();
        }
    }

    @Override
    public int createQueuePair(final long idAddress, final long pdAddress, final long attributesAddress)
    {
        synchronized (network)
        {
            final ModelIdentifier identifier = identifier(idAddress);
            final Domain domain = get(Domain.class, pdAddress);
            if (null == identifier.device() || domain.device != identifier.device() || null != identifier.pair() ||
                identifier.isAbandoned())
            {
                return -Errno.EINVAL;
            }
            if (!identifier.device().takesCommands())
            {
                return -Errno.EIO;
            }
            final long cap = attributesAddress + ibv_qp_init_attr.cap$offset();
            final ModelQueuePair.Sizes sizes = new ModelQueuePair.Sizes(
                NativeMemory.getInt(cap + ibv_qp_cap.max_send_wr$offset()),
                NativeMemory.getInt(cap + ibv_qp_cap.max_recv_wr$offset()),
                NativeMemory.getInt(cap + ibv_qp_cap.max_send_sge$offset()),
                NativeMemory.getInt(cap + ibv_qp_cap.max_recv_sge$offset()),
                NativeMemory.getInt(cap + ibv_qp_cap.max_inline_data$offset()));
            if (sizes.sends() > REQUESTS_MAX || sizes.receives() > REQUESTS_MAX ||
                sizes.sendSegments() > SEGMENTS_MAX || sizes.receiveSegments() > SEGMENTS_MAX ||
                sizes.inlineBytes() > 2 * INLINE_BYTES_MAX)
            {
                return -Errno.EINVAL;
            }
            lastNumber++;
            final ModelCompletionQueue sendQueue = get(ModelCompletionQueue.class,
                NativeMemory.getLong(attributesAddress + ibv_qp_init_attr.send_cq$offset()));
            final ModelCompletionQueue receiveQueue = get(ModelCompletionQueue.class,
                NativeMemory.getLong(attributesAddress + ibv_qp_init_attr.recv_cq$offset()));
            final boolean isDatagram =
                Verbs.IBV_QPT_UD == NativeMemory.getInt(attributesAddress + ibv_qp_init_attr.qp_type$offset());
            if (isDatagram != identifier.isDatagram)
            {
                return -Errno.EINVAL;
            }
            final ModelQueuePair pair = isDatagram ? new ModelDatagramPair(
                network, domain.device, pdAddress, sendQueue, receiveQueue, sizes, lastNumber) :
                new ModelQueuePair(network, domain.device, pdAddress, sendQueue, receiveQueue,
                shared(pdAddress, NativeMemory.getLong(attributesAddress + ibv_qp_init_attr.srq$offset())), sizes,
                lastNumber);
            add(pair);
            identifier.pair(pair);
            QueuePairAttributes.maxInlineBytes(attributesAddress, sizes.inlineBytes());
            return 0;
        }
    }

    private ModelSharedReceiveQueue shared(final long pdAddress, final long srqAddress)
    {
        final ModelSharedReceiveQueue shared = 0L == srqAddress ? null : get(ModelSharedReceiveQueue.class, srqAddress);
        if (null != shared && shared.pd != pdAddress)
        {
            throw network.violation("a queue pair and its shared receive queue are in different protection domains");
        }
        return shared;
    }

    @Override
    public void destroyQueuePair(final long idAddress)
    {
        synchronized (network)
        {
            final ModelIdentifier identifier = identifier(idAddress);
            if (0 != unacknowledgedEvents)
            {
                throw network.violation("ibv_destroy_qp waits for events that are not acknowledged");
            }
            if (objects.values().stream().anyMatch((each) ->
                each instanceof final ModelWindow window && window.isHeldBy(identifier.pair())))
            {
                throw network.violation("ibv_destroy_qp waits for memory windows that are bound");
            }
            if (null != identifier.pair())
            {
                if (identifier.device().isDisassociated() && !identifier.device().isRemoved())
                {
                    identifier.pair().orphan();
                }
                else
                {
                    identifier.pair().destroy();
                }
                remove(handle(identifier.pair()));
                identifier.pair(null);
            }
        }
    }

    @Override
    public int connect(final long idAddress, final long parametersAddress)
    {
        synchronized (network)
        {
            return identifier(idAddress).connect(ModelParameters.read(parametersAddress));
        }
    }

    @Override
    public int accept(final long idAddress, final long parametersAddress)
    {
        synchronized (network)
        {
            return identifier(idAddress)
                .accept(ModelParameters.read(parametersAddress), ConnectionParameters.queuePair(parametersAddress));
        }
    }

    @Override
    public int reject(final long idAddress, final long privateAddress, final int privateBytes)
    {
        synchronized (network)
        {
            return identifier(idAddress).reject(ModelParameters.data(privateAddress, privateBytes));
        }
    }

    @Override
    public int disconnect(final long idAddress)
    {
        synchronized (network)
        {
            return identifier(idAddress).disconnect();
        }
    }

    @Override
    public int migrateId(final long idAddress, final long channelAddress)
    {
        synchronized (network)
        {
            final ModelIdentifier identifier = identifier(idAddress);
            if (0 != identifier.unacknowledged)
            {
                throw network.violation("rdma_migrate_id waits for events that are not acknowledged");
            }
            identifier.migrate(get(ModelEventChannel.class, channelAddress));
            return 0;
        }
    }

    @Override
    public String toString()
    {
        return Arrays.toString(devices.toArray());
    }
}
