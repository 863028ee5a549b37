package io.millrace.bench;

import io.millrace.bindings.Capability;
import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeException;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.rdmacm.rdma_conn_param;
import io.millrace.bindings.generated.rdmacm.rdmacm_h;
import io.millrace.bindings.generated.verbs.ibv_device_attr;
import io.millrace.bindings.linux.Files;
import io.millrace.bindings.linux.SocketAddress;
import io.millrace.bindings.rdmacm.RdmaCm;
import io.millrace.bindings.verbs.DeviceAttributes;
import io.millrace.bindings.verbs.Verbs;
import io.millrace.nvmf.rdma.cm.ConnectRequest;
import io.millrace.rdma.core.RdmaCore;
import io.millrace.reactor.LinuxKernel;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The device of a target and the hosts on its network, without either: capsules lie in their receive buffers when the
 * queue is polled, requests have ended when they are posted, and no payload moves. What is left is the target's own
 * cost. Set up by any thread, polled and posted to by one reactor; nothing is allocated for a command.
 */
final class LocalRdmaHost implements RdmaCore, AutoCloseable
{
    private static final long CONTEXT = 0x1000;
    private static final long DOMAIN = 0x2000;
    private static final long REGION = 0x3000;
    private static final long COMPLETION_QUEUE = 0x4000;
    private static final long COMPLETION_CHANNEL = 0x5000;
    private static final long EVENT_CHANNEL = 0x6000;
    private static final int STRUCTURE_BYTES = 512;
    private static final int COMPLETIONS_MAX = 65_536;
    private static final int REQUESTS_MAX = 16_384;
    private static final int SEGMENTS_MAX = 32;
    private static final int READS_MAX = 16;
    private static final int PORT = 4420;
    private static final int MTU_BYTES = 4096;

    private final Arena arena = Arena.ofShared();
    private final long scratchAddress = arena.allocate(Long.BYTES, Long.BYTES).address();
    private final int connectionFd = NativeException.check("eventfd", LinuxKernel.INSTANCE.eventDescriptor());
    private final int completionFd = NativeException.check("eventfd", LinuxKernel.INSTANCE.eventDescriptor());
    private final int deviceFd = NativeException.check("eventfd", LinuxKernel.INSTANCE.eventDescriptor());
    private final ArrayDeque<Long> events = new ArrayDeque<>();
    private final List<Long> requests = new ArrayList<>();
    private final InetAddress peer;
    private volatile LocalRdmaQueue[] queues = {};
    private long listenerAddress;

    /**
     * A device, and a host that has not connected.
     *
     * @param peer address of the host.
     */
    LocalRdmaHost(final InetAddress peer)
    {
        this.peer = peer;
    }

    /**
     * Asks the listener for a connection.
     *
     * @param queueId 0 for an admin queue.
     * @param entries of the queue.
     * @return the queue, whose number is that of the call.
     */
    synchronized LocalRdmaQueue connect(final int queueId, final int entries)
    {
        final LocalRdmaQueue queue = new LocalRdmaQueue(entries);
        final LocalRdmaQueue[] grown = new LocalRdmaQueue[queues.length + 1];
        System.arraycopy(queues, 0, grown, 0, queues.length);
        grown[queues.length] = queue;
        final long id = structure();
        NativeMemory.putLong(id + rdmacm_h.RDMA_CM_ID_VERBS(), CONTEXT);
        SocketAddress.write(id + rdmacm_h.RDMA_CM_ID_SRC_ADDR(),
            SocketAddress.read(listenerAddress + rdmacm_h.RDMA_CM_ID_SRC_ADDR()));
        SocketAddress.write(id + rdmacm_h.RDMA_CM_ID_DST_ADDR(), new InetSocketAddress(peer, PORT + grown.length));
        requests.add(id);
        queues = grown;
        event(id, listenerAddress, RdmaCm.RDMA_CM_EVENT_CONNECT_REQUEST,
            new ConnectRequest(queueId, entries, entries, 0).toBytes());
        return queue;
    }

    private long structure()
    {
        return arena.allocate(STRUCTURE_BYTES, Long.BYTES).address();
    }

    private void event(final long id, final long listener, final int type, final byte[] data)
    {
        final long event = structure();
        final long parameters = event + rdmacm_h.RDMA_CM_EVENT_PARAM_CONN();
        final long dataAddress = structure();
        for (int i = 0; i < data.length; i++)
        {
            NativeMemory.putByte(dataAddress + i, data[i]);
        }
        NativeMemory.putLong(event + rdmacm_h.RDMA_CM_EVENT_ID(), id);
        NativeMemory.putLong(event + rdmacm_h.RDMA_CM_EVENT_LISTEN_ID(), listener);
        NativeMemory.putInt(event + rdmacm_h.RDMA_CM_EVENT_TYPE(), type);
        NativeMemory.putLong(parameters + rdma_conn_param.private_data$offset(), dataAddress);
        NativeMemory.putByte(parameters + rdma_conn_param.private_data_len$offset(), (byte)data.length);
        NativeMemory.putByte(parameters + rdma_conn_param.responder_resources$offset(), (byte)READS_MAX);
        NativeMemory.putByte(parameters + rdma_conn_param.initiator_depth$offset(), (byte)READS_MAX);
        events.add(event);
        LinuxKernel.INSTANCE.signal(connectionFd);
    }

    @Override
    public int poll(final long cqAddress, final int max, final long completionsAddress)
    {
        int count = 0;
        final LocalRdmaQueue[] polled = queues;
        for (int i = 0; i < polled.length && count < max; i++)
        {
            count = polled[i].poll(count, max, completionsAddress);
        }
        return count;
    }

    @Override
    public int requestNotification(final long cqAddress)
    {
        return 0;
    }

    @Override
    public int postSend(final long qpAddress, final long requestAddress, final long badAddress)
    {
        queues[(int)qpAddress - 1].postSend(requestAddress);
        return 0;
    }

    @Override
    public int postReceive(final long qpAddress, final long requestAddress, final long badAddress)
    {
        queues[(int)qpAddress - 1].postReceive(requestAddress);
        return 0;
    }

    @Override
    public Capability capability()
    {
        return Capability.on("RDMA connection manager library", "a host of this process");
    }

    @Override
    public int queryDevice(final long contextAddress, final long attributesAddress)
    {
        NativeMemory.fill(attributesAddress, DeviceAttributes.SIZE_BYTES, (byte)0);
        NativeMemory.putInt(attributesAddress + ibv_device_attr.max_cqe$offset(), COMPLETIONS_MAX);
        NativeMemory.putInt(attributesAddress + ibv_device_attr.max_qp_wr$offset(), REQUESTS_MAX);
        NativeMemory.putInt(attributesAddress + ibv_device_attr.max_sge$offset(), SEGMENTS_MAX);
        NativeMemory.putInt(attributesAddress + ibv_device_attr.max_qp_rd_atom$offset(), READS_MAX);
        NativeMemory.putInt(attributesAddress + ibv_device_attr.max_qp_init_rd_atom$offset(), READS_MAX);
        return 0;
    }

    @Override
    public String deviceName(final long contextAddress)
    {
        return "local0";
    }

    @Override
    public int gidIndex(final long contextAddress, final int port, final InetAddress address)
    {
        return -1;
    }

    @Override
    public int transportType(final long contextAddress)
    {
        return Verbs.IBV_TRANSPORT_IB;
    }

    @Override
    public int asyncDescriptor(final long contextAddress)
    {
        return deviceFd;
    }

    @Override
    public int asyncEvent(final long contextAddress, final long eventAddress)
    {
        return -Errno.EAGAIN;
    }

    @Override
    public void acknowledgeAsyncEvent(final long eventAddress)
    {
        throw new IllegalStateException("there are no events");
    }

    @Override
    public int modifyQp(final long qpAddress, final long attributesAddress, final int mask)
    {
        return 0;
    }

    @Override
    public int queuePairNumber(final long qpAddress)
    {
        return (int)qpAddress;
    }

    @Override
    public long allocatePd(final long contextAddress)
    {
        return DOMAIN;
    }

    @Override
    public int deallocatePd(final long pdAddress)
    {
        return 0;
    }

    @Override
    public long registerMr(final long pdAddress, final long address, final long lengthBytes, final int access)
    {
        return REGION;
    }

    @Override
    public int deregisterMr(final long mrAddress)
    {
        return 0;
    }

    @Override
    public int localKey(final long mrAddress)
    {
        return 1;
    }

    @Override
    public int remoteKey(final long mrAddress)
    {
        return 1;
    }

    @Override
    public long createChannel(final long contextAddress)
    {
        return COMPLETION_CHANNEL;
    }

    @Override
    public int destroyChannel(final long channelAddress)
    {
        return 0;
    }

    @Override
    public int channelDescriptor(final long channelAddress)
    {
        return completionFd;
    }

    @Override
    public long createCq(final long contextAddress, final int entries, final long channelAddress)
    {
        return COMPLETION_QUEUE;
    }

    @Override
    public int destroyCq(final long cqAddress)
    {
        return 0;
    }

    @Override
    public int entries(final long cqAddress)
    {
        return COMPLETIONS_MAX;
    }

    @Override
    public int cqEvent(final long channelAddress, final long cqOutAddress, final long userOutAddress)
    {
        return -Errno.EAGAIN;
    }

    @Override
    public void acknowledgeCqEvents(final long cqAddress, final int count)
    {
        throw new IllegalStateException("there are no events");
    }

    @Override
    public long createEventChannel()
    {
        return EVENT_CHANNEL;
    }

    @Override
    public void destroyEventChannel(final long channelAddress)
    {
        // Its descriptor is closed with this.
    }

    @Override
    public boolean refreshDevices()
    {
        return true;
    }

    @Override
    public int eventChannelDescriptor(final long channelAddress)
    {
        return connectionFd;
    }

    @Override
    public synchronized int event(final long channelAddress, final long eventOutAddress)
    {
        final Long event = events.poll();
        if (events.isEmpty())
        {
            Files.read(connectionFd, scratchAddress, Long.BYTES);
        }
        NativeMemory.putLong(eventOutAddress, null == event ? 0 : event);
        return null == event ? -Errno.EAGAIN : 0;
    }

    @Override
    public int acknowledge(final long eventAddress)
    {
        return 0;
    }

    @Override
    public synchronized int createId(final long channelAddress, final long idOutAddress)
    {
        NativeMemory.putLong(idOutAddress, structure());
        return 0;
    }

    @Override
    public int destroyId(final long idAddress)
    {
        return 0;
    }

    @Override
    public int bind(final long idAddress, final long socketAddress)
    {
        final InetSocketAddress asked = SocketAddress.read(socketAddress);
        SocketAddress.write(idAddress + rdmacm_h.RDMA_CM_ID_SRC_ADDR(),
            new InetSocketAddress(asked.getAddress(), 0 == asked.getPort() ? PORT : asked.getPort()));
        NativeMemory.putLong(idAddress + rdmacm_h.RDMA_CM_ID_VERBS(), CONTEXT);
        return 0;
    }

    @Override
    public synchronized int listen(final long idAddress, final int backlog)
    {
        listenerAddress = idAddress;
        return 0;
    }

    @Override
    public int resolveAddress(
        final long idAddress, final long sourceAddress, final long destinationAddress, final int timeoutMs)
    {
        return -Errno.ENOSYS;
    }

    @Override
    public int resolveRoute(final long idAddress, final int timeoutMs)
    {
        return -Errno.ENOSYS;
    }

    @Override
    public synchronized int createQueuePair(
        final long idAddress, final long pdAddress, final long attributesAddress)
    {
        NativeMemory.putLong(idAddress + rdmacm_h.RDMA_CM_ID_QP(), 1L + requests.indexOf(idAddress));
        return 0;
    }

    @Override
    public void destroyQueuePair(final long idAddress)
    {
        NativeMemory.putLong(idAddress + rdmacm_h.RDMA_CM_ID_QP(), 0);
    }

    @Override
    public int connect(final long idAddress, final long parametersAddress)
    {
        return -Errno.ENOSYS;
    }

    @Override
    public synchronized int accept(final long idAddress, final long parametersAddress)
    {
        event(idAddress, 0, RdmaCm.RDMA_CM_EVENT_ESTABLISHED, new byte[0]);
        return 0;
    }

    @Override
    public int reject(final long idAddress, final long privateAddress, final int privateBytes)
    {
        throw new IllegalStateException("the target rejects the connection");
    }

    @Override
    public int disconnect(final long idAddress)
    {
        return 0;
    }

    @Override
    public int migrateId(final long idAddress, final long channelAddress)
    {
        return -Errno.ENOSYS;
    }

    @Override
    public void close()
    {
        LinuxKernel.INSTANCE.close(connectionFd);
        LinuxKernel.INSTANCE.close(completionFd);
        LinuxKernel.INSTANCE.close(deviceFd);
        arena.close();
        for (final LocalRdmaQueue queue : queues)
        {
            queue.close();
        }
    }

    @Override
    public int postSharedReceive(final long srqAddress, final long requestAddress, final long badAddress)
    {
        return -Errno.EOPNOTSUPP;
    }

    @Override
    public long createSharedReceiveQueue(final long pdAddress, final long attributesAddress)
    {
        return -Errno.EOPNOTSUPP;
    }

    @Override
    public int limitSharedReceiveQueue(final long srqAddress, final long attributesAddress)
    {
        return -Errno.EOPNOTSUPP;
    }

    @Override
    public int destroySharedReceiveQueue(final long srqAddress)
    {
        return -Errno.EOPNOTSUPP;
    }

    @Override
    public int createDatagramId(final long channelAddress, final long idOutAddress)
    {
        return -Errno.EOPNOTSUPP;
    }

    @Override
    public long createAddressHandle(final long pdAddress, final long attributesAddress)
    {
        return -Errno.EOPNOTSUPP;
    }

    @Override
    public int destroyAddressHandle(final long handleAddress)
    {
        return -Errno.EOPNOTSUPP;
    }

    @Override
    public long allocateWindow(final long pdAddress)
    {
        return -Errno.EOPNOTSUPP;
    }

    @Override
    public int deallocateWindow(final long windowAddress)
    {
        return -Errno.EOPNOTSUPP;
    }

    @Override
    public int windowKey(final long windowAddress)
    {
        throw none();
    }

    @Override
    public void windowKey(final long windowAddress, final int value)
    {
        throw none();
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
        return -Errno.EOPNOTSUPP;
    }

    @Override
    public int mtuBytes(final long contextAddress, final int port)
    {
        return MTU_BYTES;
    }

    /** A target uses none of them. */
    private static IllegalStateException none()
    {
        return new IllegalStateException("this device has no memory windows");
    }
}
