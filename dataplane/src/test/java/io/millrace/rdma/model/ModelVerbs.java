package io.millrace.rdma.model;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.verbs.ibv_device_attr;
import io.millrace.bindings.generated.verbs.ibv_odp_caps;
import io.millrace.bindings.generated.verbs.verbs_h;
import io.millrace.bindings.verbs.AsyncEvent;
import io.millrace.bindings.verbs.DeviceAttributes;
import io.millrace.bindings.verbs.Verbs;
import io.millrace.bindings.verbs.VerbsSharedReceiveQueues;
import io.millrace.rdma.core.RdmaCore;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * libibverbs of a process whose devices are models: protection domains, regions, completion queues, requests, events.
 * Any thread.
 */
abstract class ModelVerbs implements RdmaCore
{
    static final int COMPLETIONS_MAX = 65_536;
    static final int REQUESTS_MAX = 16_384;
    static final int SEGMENTS_MAX = 32;
    static final int SHARED_REQUESTS_MAX = 4_096;
    private static final int READS_MAX = 16;
    private static final int SHARED_MAX = 64;
    private static final int WINDOWS_MAX = 256;
    private static final int SHARED_SEGMENTS_MAX = 16;

    /** A protection domain. */
    static final class Domain
    {
        final ModelDevice device;

        Domain(final ModelDevice device)
        {
            this.device = device;
        }
    }

    /**
     * Requests that queue pairs were posted, and by how many calls.
     *
     * @param sendLists    calls with send requests.
     * @param sends        send requests.
     * @param receiveLists calls with receive requests.
     * @param receives     receive requests.
     */
    public record Posted(int sendLists, int sends, int receiveLists, int receives)
    {
        /**
         * {@return what came since}
         *
         * @param before as it was.
         */
        public Posted since(final Posted before)
        {
            return new Posted(sendLists - before.sendLists, sends - before.sends, receiveLists - before.receiveLists,
                receives - before.receives);
        }
    }

    private static final Posted NOTHING_POSTED = new Posted(0, 0, 0, 0);

    private record RegionOfDomain(Domain domain, ModelDevice.Region region)
    {
    }

    final ModelNetwork network;
    final ModelDescriptors descriptors;
    /** Of contexts, domains, regions, channels, queues and identifiers, by handles that are never used again. */
    final Map<Long, Object> objects = new LinkedHashMap<>();
    final Map<Object, Long> handles = new HashMap<>();
    long lockedBytesMax = Long.MAX_VALUE;
    int readsMax = READS_MAX;
    /** Addresses of dma-bufs by their descriptors; a device registers none when it is empty. */
    final Map<Integer, Long> dmaBufs = new HashMap<>();
    int onDemandOperations;
    /** That were registered with on-demand paging. */
    long onDemandBytes;
    boolean hidesDestroyErrors;
    int unacknowledgedEvents;
    long lastHandle = 0x5EED_0000_0000L;
    long lockedBytes;
    private Posted posted = NOTHING_POSTED;
    private int sendsUntilRefused = Integer.MAX_VALUE;
    private int receivesUntilRefused = Integer.MAX_VALUE;

    ModelVerbs(final ModelNetwork network, final ModelDescriptors descriptors)
    {
        this.network = network;
        this.descriptors = descriptors;
    }

    long newHandle()
    {
        lastHandle += 0x40;
        return lastHandle;
    }

    long add(final Object object)
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

    void remove(final long handle)
    {
        handles.remove(objects.remove(handle));
    }

    <T> T get(final Class<T> type, final long handle)
    {
        final Object object = objects.get(handle);
        if (!type.isInstance(object))
        {
            throw network.violation("0x" + Long.toHexString(handle) + " is no " + type.getSimpleName() + ": " + object);
        }
        return type.cast(object);
    }

    /** {@return whether rdma-core keeps what it was to destroy, and answers {@code EIO}} */
    final boolean isKept(final ModelDevice device)
    {
        return device.isDisassociated() && !hidesDestroyErrors;
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
            count(isSend ? 1 : 0, 0, isSend ? 0 : 1, 0);
            for (long next = requestAddress; 0 != next; next = ModelRequest.next(next, isSend))
            {
                count(0, isSend ? 1 : 0, 0, isSend ? 0 : 1);
                final int status = pair.device.isRemoved() ? -Errno.EIO : isRefused(isSend) ? -Errno.ENOMEM :
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

    private void count(final int sendLists, final int sends, final int receiveLists, final int receives)
    {
        posted = new Posted(posted.sendLists + sendLists, posted.sends + sends, posted.receiveLists + receiveLists,
            posted.receives + receives);
    }

    private boolean isRefused(final boolean isSend)
    {
        return 0 == (isSend ? sendsUntilRefused-- : receivesUntilRefused--);
    }

    /**
     * {@return what queue pairs were posted until now}
     */
    public final Posted posted()
    {
        synchronized (network)
        {
            return posted;
        }
    }

    /**
     * Has the provider refuse one send request, and with it the rest of its list.
     *
     * @param before how many it takes before.
     */
    public final void refuseSendAfter(final int before)
    {
        synchronized (network)
        {
            sendsUntilRefused = before;
        }
    }

    /**
     * Has the provider refuse one receive request, and with it the rest of its list.
     *
     * @param before how many it takes before.
     */
    public final void refuseReceiveAfter(final int before)
    {
        synchronized (network)
        {
            receivesUntilRefused = before;
        }
    }

    @Override
    public int queryDevice(final long contextAddress, final long attributesAddress)
    {
        synchronized (network)
        {
            final ModelDevice device = get(ModelDevice.class, contextAddress);
            if (!device.takesCommands() || device.hasFailed())
            {
                return -Errno.EIO;
            }
            NativeMemory.fill(attributesAddress, DeviceAttributes.SIZE_BYTES, (byte)0);
            NativeMemory.putInt(attributesAddress + ibv_device_attr.max_cqe$offset(), COMPLETIONS_MAX);
            NativeMemory.putInt(attributesAddress + ibv_device_attr.max_qp_wr$offset(), REQUESTS_MAX);
            NativeMemory.putInt(attributesAddress + ibv_device_attr.max_sge$offset(), SEGMENTS_MAX);
            NativeMemory.putInt(attributesAddress + ibv_device_attr.max_qp_rd_atom$offset(), readsMax);
            NativeMemory.putInt(attributesAddress + ibv_device_attr.max_qp_init_rd_atom$offset(), readsMax);
            NativeMemory.putInt(attributesAddress + ibv_device_attr.max_mw$offset(), WINDOWS_MAX);
            NativeMemory.putInt(attributesAddress + ibv_device_attr.device_cap_flags$offset(),
                Verbs.IBV_DEVICE_MEM_WINDOW_TYPE_2B);
            if (0 != onDemandOperations)
            {
                NativeMemory.putLong(attributesAddress + verbs_h.IBV_DEVICE_ATTR_EX_ODP_CAPS() +
                    ibv_odp_caps.general_caps$offset(), Verbs.IBV_ODP_SUPPORT);
                NativeMemory.putInt(attributesAddress + verbs_h.IBV_DEVICE_ATTR_EX_ODP_CAPS() +
                    ibv_odp_caps.per_transport_caps$offset(), onDemandOperations);
            }
            NativeMemory.putInt(attributesAddress + ibv_device_attr.max_srq$offset(), SHARED_MAX);
            NativeMemory.putInt(attributesAddress + ibv_device_attr.max_srq_wr$offset(), SHARED_REQUESTS_MAX);
            NativeMemory.putInt(attributesAddress + ibv_device_attr.max_srq_sge$offset(), SHARED_SEGMENTS_MAX);
            return 0;
        }
    }

    @Override
    public int postSharedReceive(final long srqAddress, final long requestAddress, final long badAddress)
    {
        synchronized (network)
        {
            final ModelSharedReceiveQueue queue = get(ModelSharedReceiveQueue.class, srqAddress);
            for (long next = requestAddress; 0 != next; next = ModelRequest.next(next, false))
            {
                final int status = queue.device.isRemoved() ? -Errno.EIO : queue.post(next);
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
    public long createSharedReceiveQueue(final long pdAddress, final long attributesAddress)
    {
        synchronized (network)
        {
            final ModelDevice device = get(Domain.class, pdAddress).device;
            final int requests = VerbsSharedReceiveQueues.requests(attributesAddress);
            final int segments = VerbsSharedReceiveQueues.segments(attributesAddress);
            return !device.takesCommands() ? -Errno.EIO :
                requests <= 0 || requests > SHARED_REQUESTS_MAX || segments > SHARED_SEGMENTS_MAX ? -Errno.EINVAL :
                add(new ModelSharedReceiveQueue(device, pdAddress, requests, segments));
        }
    }

    @Override
    public int limitSharedReceiveQueue(final long srqAddress, final long attributesAddress)
    {
        synchronized (network)
        {
            return get(ModelSharedReceiveQueue.class, srqAddress)
                .limit(VerbsSharedReceiveQueues.limit(attributesAddress));
        }
    }

    @Override
    public int destroySharedReceiveQueue(final long srqAddress)
    {
        synchronized (network)
        {
            if (0 != unacknowledgedEvents)
            {
                throw network.violation("ibv_destroy_srq waits for events that are not acknowledged");
            }
            final ModelSharedReceiveQueue queue = get(ModelSharedReceiveQueue.class, srqAddress);
            if (isKept(queue.device))
            {
                return -Errno.EIO;
            }
            if (!queue.device.isDisassociated() && !queue.pairs.isEmpty())
            {
                return -Errno.EBUSY;
            }
            remove(srqAddress);
            return 0;
        }
    }

    @Override
    public String deviceName(final long contextAddress)
    {
        synchronized (network)
        {
            return get(ModelDevice.class, contextAddress).name();
        }
    }

    /** The GIDs of a device: a link-local address, then that of its port. */
    @Override
    public int gidIndex(final long contextAddress, final int port, final InetAddress address)
    {
        synchronized (network)
        {
            return address.equals(get(ModelDevice.class, contextAddress).address()) ? 1 : -1;
        }
    }

    @Override
    public int transportType(final long contextAddress)
    {
        synchronized (network)
        {
            return get(ModelDevice.class, contextAddress).transportType();
        }
    }

    @Override
    public int asyncDescriptor(final long contextAddress)
    {
        synchronized (network)
        {
            return get(ModelDevice.class, contextAddress).asyncFd();
        }
    }

    @Override
    public int asyncEvent(final long contextAddress, final long eventAddress)
    {
        synchronized (network)
        {
            final ModelDevice device = get(ModelDevice.class, contextAddress);
            final ModelDevice.AsyncEvent event = device.takeEvent();
            // One about what is destroyed is discarded with that, as long as the kernel carries that out.
            if (null == event || !device.isDisassociated() && isOfNothing(event.element()))
            {
                return -Errno.EAGAIN;
            }
            AsyncEvent.set(eventAddress, event.type(), event.element());
            unacknowledgedEvents += isOfNothing(event.element()) ? 0 : 1;
            return 0;
        }
    }

    @Override
    public void acknowledgeAsyncEvent(final long eventAddress)
    {
        synchronized (network)
        {
            if (isOfNothing(AsyncEvent.element(eventAddress)))
            {
                throw network.violation("ibv_ack_async_event of a queue that was destroyed");
            }
            unacknowledgedEvents--;
        }
    }

    /** {@return whether an event is about a queue that was destroyed; those of ports and devices have small numbers} */
    private boolean isOfNothing(final long element)
    {
        return element > 1 && !objects.containsKey(element);
    }

    @Override
    public int modifyQp(final long qpAddress, final long attributesAddress, final int mask)
    {
        synchronized (network)
        {
            final ModelQueuePair pair = get(ModelQueuePair.class, qpAddress);
            if (pair.device.isDisassociated())
            {
                return -Errno.EIO;
            }
            if (Verbs.IBV_QP_MIN_RNR_TIMER != mask || ModelQueuePair.State.READY != pair.state())
            {
                return -Errno.EINVAL;
            }
            pair.notReadyTimer(NativeMemory.getByte(attributesAddress + verbs_h.IBV_QP_ATTR_MIN_RNR_TIMER()));
            return 0;
        }
    }

    @Override
    public int queuePairNumber(final long qpAddress)
    {
        synchronized (network)
        {
            return get(ModelQueuePair.class, qpAddress).number();
        }
    }

    ModelCompletionQueue oldestCompletionQueue(final ModelDevice device)
    {
        return objects.values().stream().filter(ModelCompletionQueue.class::isInstance)
            .map(ModelCompletionQueue.class::cast).filter((queue) -> device == queue.device).findFirst().orElseThrow();
    }

    List<ModelQueuePair> pairs(final ModelDevice device)
    {
        return objects.values().stream().filter(ModelQueuePair.class::isInstance).map(ModelQueuePair.class::cast)
            .filter((pair) -> device == pair.device).toList();
    }

    @Override
    public long allocatePd(final long contextAddress)
    {
        synchronized (network)
        {
            final ModelDevice device = get(ModelDevice.class, contextAddress);
            return !device.takesCommands() ? -Errno.EIO : add(new Domain(device));
        }
    }

    @Override
    public int deallocatePd(final long pdAddress)
    {
        synchronized (network)
        {
            final Domain domain = get(Domain.class, pdAddress);
            if (isKept(domain.device))
            {
                return -Errno.EIO;
            }
            final boolean isUsed = objects.values().stream().anyMatch((each) ->
                each instanceof final RegionOfDomain region && region.domain == domain ||
                each instanceof final ModelSharedReceiveQueue queue && queue.pd == pdAddress ||
                each instanceof final ModelWindow window && window.pd == pdAddress ||
                each instanceof final ModelDatagramPair.Handle handle && handle.pd() == pdAddress ||
                each instanceof final ModelQueuePair pair && pair.pd == pdAddress);
            if (isUsed)
            {
                return -Errno.EBUSY;
            }
            remove(pdAddress);
            return 0;
        }
    }

    @Override
    public long registerMr(final long pdAddress, final long address, final long lengthBytes, final int access)
    {
        synchronized (network)
        {
            final Domain domain = get(Domain.class, pdAddress);
            if (!domain.device.takesCommands())
            {
                return -Errno.EIO;
            }
            if (0 != (access & Verbs.IBV_ACCESS_ON_DEMAND))
            {
                onDemandBytes += lengthBytes;
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
            if (isKept(region.domain.device))
            {
                return -Errno.EIO;
            }
            region.domain.device.deregister(region.region);
            lockedBytes -= region.region.lengthBytes;
            objects.remove(mrAddress);
            return 0;
        }
    }

    /** {@return objects of a device but for identifiers} */
    final List<Map.Entry<Long, Object>> objectsOf(final ModelDevice device)
    {
        return objects.entrySet().stream().filter((each) -> switch (each.getValue())
        {
            case final Domain domain -> device == domain.device;
            case final RegionOfDomain region -> device == region.domain.device;
            case final ModelCompletionQueue queue -> device == queue.device;
            case final ModelCompletionChannel channel -> device == channel.device;
            case final ModelSharedReceiveQueue queue -> device == queue.device;
            case final ModelWindow window -> device == window.device;
            case final ModelDatagramPair.Handle handle -> device == handle.device();
            default -> false;
        }).toList();
    }

    /** Its context was closed: what rdma-core kept of it leaks. */
    final void leak(final Map.Entry<Long, Object> object)
    {
        if (object.getValue() instanceof final RegionOfDomain region)
        {
            lockedBytes -= region.region.lengthBytes;
        }
        if (object.getValue() instanceof final ModelCompletionChannel channel)
        {
            channel.close();
        }
        remove(object.getKey());
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
            return !device.takesCommands() ? -Errno.EIO : add(new ModelCompletionChannel(device, descriptors));
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
            if (!device.takesCommands())
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
            if (isKept(queue.device))
            {
                return -Errno.EIO;
            }
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

    /** Binds a window or invalidates a key. {@return {@code IBV_WC_*}} */
    int executeLocal(final ModelRequest request, final ModelQueuePair pair)
    {
        if (Verbs.IBV_WR_BIND_MW == request.opcode)
        {
            return get(ModelWindow.class, request.window)
                .bind(request, pair, get(RegionOfDomain.class, request.region).region);
        }
        final ModelDevice.Region window = pair.device.region(request.immediate);
        if (null == window || !window.isInvalidatable || null != window.pair && pair != window.pair)
        {
            return Verbs.IBV_WC_LOC_QP_OP_ERR;
        }
        window.isInvalid = true;
        return Verbs.IBV_WC_SUCCESS;
    }

    @Override
    public long allocateWindow(final long pdAddress)
    {
        synchronized (network)
        {
            final ModelDevice device = get(Domain.class, pdAddress).device;
            return !device.takesCommands() ? -Errno.EIO : add(new ModelWindow(device, pdAddress));
        }
    }

    @Override
    public int deallocateWindow(final long windowAddress)
    {
        synchronized (network)
        {
            if (isKept(get(ModelWindow.class, windowAddress).device))
            {
                return -Errno.EIO;
            }
            get(ModelWindow.class, windowAddress).unbind();
            remove(windowAddress);
            return 0;
        }
    }

    @Override
    public int windowKey(final long windowAddress)
    {
        synchronized (network)
        {
            return get(ModelWindow.class, windowAddress).handleKey;
        }
    }

    @Override
    public void windowKey(final long windowAddress, final int value)
    {
        synchronized (network)
        {
            get(ModelWindow.class, windowAddress).handleKey = value;
        }
    }

    @Override
    public long registerDmaBuf(
        final long pdAddress,
        final long offset,
        final long lengthBytes,
        final long address,
        final int fd,
        final int access)
    {
        synchronized (network)
        {
            final Long mapped = dmaBufs.get(fd);
            if (null == mapped)
            {
                return dmaBufs.isEmpty() ? -Errno.EOPNOTSUPP : -Errno.EBADF;
            }
            // It moves data by addresses of this process.
            return mapped + offset == address ?
                registerMr(pdAddress, address, lengthBytes, access) : -Errno.EINVAL;
        }
    }
}
