package io.millrace.rdma.model;

import io.millrace.bindings.Capability;
import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.verbs.ibv_device_attr;
import io.millrace.bindings.generated.verbs.ibv_qp_cap;
import io.millrace.bindings.generated.verbs.ibv_qp_init_attr;
import io.millrace.bindings.linux.SocketAddress;
import io.millrace.bindings.verbs.DeviceAttributes;
import io.millrace.bindings.verbs.QueuePairAttributes;
import io.millrace.rdma.core.RdmaCore;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * rdma-core of a process whose devices are models. What hangs, crashes or corrupts with rdma-core throws and is kept in
 * {@link ModelNetwork#violations}. Any thread.
 */
public final class ModelRdmaCore implements RdmaCore
{
    private static final int INLINE_BYTES_MAX = 256;
    private static final int COMPLETIONS_MAX = 65_536;
    private static final int REQUESTS_MAX = 16_384;
    private static final int SEGMENTS_MAX = 32;
    private static final int READS_MAX = 16;
    private static final int PORT_MIN = 40_000;

    private record Domain(ModelDevice device)
    {
    }

    private record RegionOfDomain(Domain domain, ModelDevice.Region region)
    {
    }

    private final ModelNetwork network;
    private final ModelDescriptors descriptors;
    private final List<ModelDevice> devices = new ArrayList<>();
    /** Of contexts, domains, regions, channels, queues and identifiers, which are never used again. */
    private final Map<Long, Object> objects = new LinkedHashMap<>();
    private final Map<Object, Long> handles = new HashMap<>();
    private final List<ModelIdentifier> listeners = new ArrayList<>();
    private long lastHandle = 0x5EED_0000_0000L;
    private int lastPort = PORT_MIN;
    private int lastNumber;
    private long lockedBytesMax = Long.MAX_VALUE;
    private long lockedBytes;

    /**
     * A process without devices.
     *
     * @param network     that its devices are on.
     * @param descriptors by which events are announced.
     */
    public ModelRdmaCore(final ModelNetwork network, final ModelDescriptors descriptors)
    {
        this.network = network;
        this.descriptors = descriptors;
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
            final ModelDevice device = new ModelDevice(network, this, address, context);
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

    private long newHandle()
    {
        lastHandle += 0x40;
        return lastHandle;
    }

    private long add(final Object object)
    {
        final long handle = newHandle();
        objects.put(handle, object);
        handles.put(object, handle);
        return handle;
    }

    long handle(final Object object)
    {
        return handles.get(object);
    }

    private void remove(final long handle)
    {
        handles.remove(objects.remove(handle));
    }

    private <T> T get(final Class<T> type, final long handle)
    {
        final Object object = objects.get(handle);
        if (!type.isInstance(object))
        {
            throw network.violation("0x" + Long.toHexString(handle) + " is no " + type.getSimpleName() + ": " + object);
        }
        return type.cast(object);
    }

    @Override
    public Capability capability()
    {
        return Capability.on("RDMA connection manager library", "a model");
    }

    @Override
    public int poll(final long cqAddress, final int max, final long completionsAddress)
    {
        synchronized (network)
        {
            return get(ModelCompletionQueue.class, cqAddress).poll(max, completionsAddress);
        }
    }

    @Override
    public int requestNotification(final long cqAddress)
    {
        synchronized (network)
        {
            get(ModelCompletionQueue.class, cqAddress).arm();
            return 0;
        }
    }

    @Override
    public int postSend(final long qpAddress, final long requestAddress, final long badAddress)
    {
        return post(qpAddress, requestAddress, badAddress, true);
    }

    @Override
    public int postReceive(final long qpAddress, final long requestAddress, final long badAddress)
    {
        return post(qpAddress, requestAddress, badAddress, false);
    }

    private int post(final long qpAddress, final long requestAddress, final long badAddress, final boolean isSend)
    {
        synchronized (network)
        {
            final ModelQueuePair pair = get(ModelQueuePair.class, qpAddress);
            for (long next = requestAddress; 0 != next; next = ModelRequest.next(next, isSend))
            {
                final int status = pair.device.isRemoved() ? -Errno.EIO :
                    isSend ? pair.postSend(next) : pair.postReceive(next);
                if (status < 0)
                {
                    NativeMemory.putLong(badAddress, next);
                    return status;
                }
            }
            return 0;
        }
    }

    @Override
    public int queryDevice(final long contextAddress, final long attributesAddress)
    {
        synchronized (network)
        {
            final ModelDevice device = get(ModelDevice.class, contextAddress);
            if (device.isRemoved())
            {
                return -Errno.EIO;
            }
            NativeMemory.fill(attributesAddress, DeviceAttributes.SIZE_BYTES, (byte)0);
            NativeMemory.putInt(attributesAddress + ibv_device_attr.max_cqe$offset(), COMPLETIONS_MAX);
            NativeMemory.putInt(attributesAddress + ibv_device_attr.max_qp_wr$offset(), REQUESTS_MAX);
            NativeMemory.putInt(attributesAddress + ibv_device_attr.max_sge$offset(), SEGMENTS_MAX);
            NativeMemory.putInt(attributesAddress + ibv_device_attr.max_qp_rd_atom$offset(), READS_MAX);
            NativeMemory.putInt(attributesAddress + ibv_device_attr.max_qp_init_rd_atom$offset(), READS_MAX);
            return 0;
        }
    }

    @Override
    public long allocatePd(final long contextAddress)
    {
        synchronized (network)
        {
            final ModelDevice device = get(ModelDevice.class, contextAddress);
            // Records of the same device would be equal.
            return device.isRemoved() ? -Errno.EIO : addDomain(device);
        }
    }

    private long addDomain(final ModelDevice device)
    {
        final long handle = newHandle();
        objects.put(handle, new Domain(device));
        return handle;
    }

    @Override
    public int deallocatePd(final long pdAddress)
    {
        synchronized (network)
        {
            final Domain domain = get(Domain.class, pdAddress);
            final boolean isUsed = objects.values().stream().anyMatch((each) ->
                each instanceof final RegionOfDomain region && region.domain == domain ||
                each instanceof final ModelQueuePair pair && pair.pd == pdAddress);
            if (isUsed)
            {
                return -Errno.EBUSY;
            }
            objects.remove(pdAddress);
            return 0;
        }
    }

    @Override
    public long registerMr(final long pdAddress, final long address, final long lengthBytes, final int access)
    {
        synchronized (network)
        {
            final Domain domain = get(Domain.class, pdAddress);
            if (domain.device.isRemoved())
            {
                return -Errno.EIO;
            }
            if (lengthBytes > lockedBytesMax - lockedBytes)
            {
                return -Errno.ENOMEM;
            }
            lockedBytes += lengthBytes;
            final long handle = newHandle();
            objects.put(handle, new RegionOfDomain(
                domain, domain.device.register(pdAddress, address, lengthBytes, access)));
            return handle;
        }
    }

    @Override
    public int deregisterMr(final long mrAddress)
    {
        synchronized (network)
        {
            final RegionOfDomain region = get(RegionOfDomain.class, mrAddress);
            region.domain.device.deregister(region.region);
            lockedBytes -= region.region.lengthBytes;
            objects.remove(mrAddress);
            return 0;
        }
    }

    @Override
    public int localKey(final long mrAddress)
    {
        synchronized (network)
        {
            return get(RegionOfDomain.class, mrAddress).region.key;
        }
    }

    @Override
    public int remoteKey(final long mrAddress)
    {
        return localKey(mrAddress);
    }

    @Override
    public long createChannel(final long contextAddress)
    {
        synchronized (network)
        {
            final ModelDevice device = get(ModelDevice.class, contextAddress);
            return device.isRemoved() ? -Errno.EIO : add(new ModelCompletionChannel(device, descriptors));
        }
    }

    @Override
    public int destroyChannel(final long channelAddress)
    {
        synchronized (network)
        {
            final ModelCompletionChannel channel = get(ModelCompletionChannel.class, channelAddress);
            if (0 != channel.queues)
            {
                return -Errno.EBUSY;
            }
            channel.close();
            remove(channelAddress);
            return 0;
        }
    }

    @Override
    public int channelDescriptor(final long channelAddress)
    {
        synchronized (network)
        {
            return get(ModelCompletionChannel.class, channelAddress).fd;
        }
    }

    @Override
    public long createCq(final long contextAddress, final int entries, final long channelAddress)
    {
        synchronized (network)
        {
            final ModelDevice device = get(ModelDevice.class, contextAddress);
            if (device.isRemoved())
            {
                return -Errno.EIO;
            }
            if (entries <= 0 || entries > COMPLETIONS_MAX)
            {
                return -Errno.EINVAL;
            }
            final ModelCompletionChannel channel =
                0 == channelAddress ? null : get(ModelCompletionChannel.class, channelAddress);
            if (null != channel)
            {
                channel.queues++;
            }
            return add(new ModelCompletionQueue(device, channel, entries, lastHandle));
        }
    }

    @Override
    public int destroyCq(final long cqAddress)
    {
        synchronized (network)
        {
            final ModelCompletionQueue queue = get(ModelCompletionQueue.class, cqAddress);
            if (!queue.pairs.isEmpty())
            {
                return -Errno.EBUSY;
            }
            if (0 != queue.unacknowledged)
            {
                throw network.violation("ibv_destroy_cq waits for events that are not acknowledged");
            }
            if (null != queue.channel)
            {
                queue.channel.remove(queue);
            }
            remove(cqAddress);
            return 0;
        }
    }

    @Override
    public int entries(final long cqAddress)
    {
        synchronized (network)
        {
            return get(ModelCompletionQueue.class, cqAddress).capacity;
        }
    }

    @Override
    public int cqEvent(final long channelAddress, final long cqOutAddress, final long userOutAddress)
    {
        synchronized (network)
        {
            final ModelCompletionQueue queue = get(ModelCompletionChannel.class, channelAddress).take();
            if (null == queue)
            {
                throw network.violation("ibv_get_cq_event blocks: there is no event");
            }
            queue.unacknowledged++;
            NativeMemory.putLong(cqOutAddress, handle(queue));
            NativeMemory.putLong(userOutAddress, 0);
            return 0;
        }
    }

    @Override
    public void acknowledgeCqEvents(final long cqAddress, final int count)
    {
        synchronized (network)
        {
            get(ModelCompletionQueue.class, cqAddress).unacknowledged -= count;
        }
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
                idOutAddress, newIdentifier(get(ModelEventChannel.class, channelAddress)).address);
            return 0;
        }
    }

    ModelIdentifier newIdentifier(final ModelEventChannel channel)
    {
        final ModelIdentifier identifier = new ModelIdentifier(this, channel);
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
    private void closeContext(final ModelDevice device)
    {
        final boolean isUsed = objects.values().stream().anyMatch((each) ->
            each instanceof final ModelIdentifier other && device == other.device());
        if (!device.isRemoved() || isUsed)
        {
            return;
        }
        final List<Object> left = objects.values().stream().filter((each) ->
            each instanceof final Domain domain && device == domain.device ||
            each instanceof final ModelCompletionQueue queue && device == queue.device ||
            each instanceof final ModelCompletionChannel channel && device == channel.device).toList();
        objects.remove(device.context());
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

    int freePort()
    {
        lastPort++;
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
            if (other.local().getPort() == identifier.local().getPort() && isSameAddress)
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
            if (listener.local().getPort() == wanted.getPort() && (listener.local().getAddress().isAnyLocalAddress() ||
                listener.local().getAddress().equals(at.address())))
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
            return identifier(idAddress).resolveAddress(SocketAddress.read(destinationAddress));
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
            if (null == identifier.device() || domain.device != identifier.device() || null != identifier.pair())
            {
                return -Errno.EINVAL;
            }
            if (identifier.device().isRemoved())
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
            final ModelQueuePair pair = new ModelQueuePair(network, domain.device, pdAddress,
                get(ModelCompletionQueue.class,
                    NativeMemory.getLong(attributesAddress + ibv_qp_init_attr.send_cq$offset())),
                get(ModelCompletionQueue.class,
                    NativeMemory.getLong(attributesAddress + ibv_qp_init_attr.recv_cq$offset())),
                sizes, lastNumber);
            add(pair);
            identifier.pair(pair);
            QueuePairAttributes.maxInlineBytes(attributesAddress, sizes.inlineBytes());
            return 0;
        }
    }

    @Override
    public void destroyQueuePair(final long idAddress)
    {
        synchronized (network)
        {
            final ModelIdentifier identifier = identifier(idAddress);
            if (null != identifier.pair())
            {
                identifier.pair().destroy();
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
            return identifier(idAddress).accept(ModelParameters.read(parametersAddress));
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
