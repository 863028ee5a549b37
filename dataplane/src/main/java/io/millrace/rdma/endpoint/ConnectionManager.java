package io.millrace.rdma.endpoint;

import io.millrace.bindings.Capability;
import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.linux.Epoll;
import io.millrace.bindings.linux.SocketAddress;
import io.millrace.bindings.rdmacm.ConnectionEvent;
import io.millrace.bindings.rdmacm.ConnectionId;
import io.millrace.bindings.rdmacm.ConnectionParameters;
import io.millrace.bindings.rdmacm.RdmaCm;
import io.millrace.bindings.verbs.QueuePairAttributes;
import io.millrace.bindings.verbs.QueuePairState;
import io.millrace.bindings.verbs.Verbs;
import io.millrace.rdma.RdmaException;
import io.millrace.rdma.RdmaSettings;
import io.millrace.rdma.core.LinuxRdmaCore;
import io.millrace.rdma.core.RdmaCore;
import io.millrace.reactor.Reactor;
import io.millrace.validation.AddressText;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.agrona.collections.Long2ObjectHashMap;

/**
 * Makes RDMA connections by IP addresses, as sockets are made, for one reactor; no call waits for the network.
 * Reactor's thread.
 */
public final class ConnectionManager implements AutoCloseable
{
    /** What a request to connect may tell the peer, in bytes, with IP addresses. */
    public static final int CONNECT_DATA_BYTES_MAX = 56;
    /** What an acceptance may tell the peer, in bytes. */
    public static final int ACCEPT_DATA_BYTES_MAX = 196;
    /** What a refusal may tell the peer, in bytes. */
    public static final int REJECT_DATA_BYTES_MAX = 148;
    /** Of each step that finds device and way; the whole is bounded by the caller's timeout. */
    static final int RESOLVE_MS = 2_000;

    /**
     * Of a request without answer, and of an answer without confirmation. The kernel does not report that its peer has
     * given up or is gone.
     */
    static final long REQUEST_NS = 10_000_000_000L;
    /**
     * Of hardware whose device is gone: the kernel reports its end to each identifier when it has freed what was on it,
     * in milliseconds, but never for a device that has failed and stays.
     */
    static final long HARDWARE_NS = 10_000_000_000L;
    private static final int RETRIES = 7;
    /** With 164 ms each; 7 means without limit. */
    private static final int RECEIVER_NOT_READY_RETRIES = 6;
    /** 163.84 ms, a second in all, which outlasts stalls of a virtual machine; without it 655 ms each. */
    private static final byte RECEIVER_NOT_READY_TIMER = 28;
    private static final int COMPLETIONS_DEFAULT = 32_768;
    private static final long NO_ID = 0;

    private static final DeviceListener NOBODY = new DeviceListener()
    {
        @Override
        public void onPort(final String device, final int port, final boolean isActive)
        {
            // Connections end by their own limits.
        }

        @Override
        public void onRemoved(final String device)
        {
            // Its connections have ended.
        }
    };

    private final RdmaCore core;
    private final Reactor reactor;
    private final long channelAddress;
    private final DeviceTable devices;
    private final DatagramTable datagrams = new DatagramTable(this);
    private final RemovedDevices removedDevices;
    private final Arena arena = Arena.ofShared();
    private final long outAddress = arena.allocate(Long.BYTES, Long.BYTES).address();
    private final long socketAddress = arena.allocate(SocketAddress.SIZE_BYTES_MAX, Long.BYTES).address();
    private final long sourceAddress = arena.allocate(SocketAddress.SIZE_BYTES_MAX, Long.BYTES).address();
    private final long parametersAddress = arena.allocate(ConnectionParameters.SIZE_BYTES, Long.BYTES).address();
    private final long attributesAddress = arena.allocate(QueuePairAttributes.SIZE_BYTES, Long.BYTES).address();
    private final long stateAddress = arena.allocate(QueuePairState.SIZE_BYTES, Long.BYTES).address();
    private final long dataAddress = arena.allocate(ACCEPT_DATA_BYTES_MAX, Long.BYTES).address();
    private final Long2ObjectHashMap<RdmaConnection> connections = new Long2ObjectHashMap<>();
    private final Long2ObjectHashMap<Acceptor> acceptors = new Long2ObjectHashMap<>();
    /** That went to other connection managers: those that have not left are on the event channel of this one. */
    private final List<DepartingRequest> departing = new ArrayList<>();
    private DeviceListener deviceListener = NOBODY;
    private RdmaSettings settings = RdmaSettings.DEFAULT;
    private boolean isClosed;

    /**
     * Makes one whose connections have a protection domain of their own on each device.
     *
     * @param reactor that calls this, and whose connections these are.
     * @throws RdmaException when librdmacm or the kernel's part of it is missing, with what to do.
     */
    public ConnectionManager(final Reactor reactor)
    {
        this(reactor, LinuxRdmaCore.INSTANCE, COMPLETIONS_DEFAULT);
    }

    /**
     * Makes one whose connections have a protection domain of their own on each device.
     *
     * @param reactor        that calls this, and whose connections these are.
     * @param core           rdma-core.
     * @param completionsMax entries of a completion queue: requests of several connections; more are made as needed.
     * @throws RdmaException when librdmacm or the kernel's part of it is missing, with what to do.
     */
    public ConnectionManager(final Reactor reactor, final RdmaCore core, final int completionsMax)
    {
        this(reactor, core, null, completionsMax);
    }

    /**
     * Makes one whose connections are in the protection domains of a data plane's memory.
     *
     * @param reactor        that calls this, and whose connections these are.
     * @param memory         registered with each device before its first connection; closed later than this.
     * @param completionsMax entries of a completion queue: requests of several connections; more are made as needed.
     * @throws RdmaException when librdmacm or the kernel's part of it is missing, with what to do.
     */
    public ConnectionManager(final Reactor reactor, final RdmaMemory memory, final int completionsMax)
    {
        this(reactor, memory.core(), memory, completionsMax);
    }

    private ConnectionManager(
        final Reactor reactor, final RdmaCore core, final RdmaMemory memory, final int completionsMax)
    {
        this.reactor = reactor;
        this.core = core;
        final Capability library = core.capability();
        if (!library.isAvailable())
        {
            throw new RdmaException(library.toString());
        }
        channelAddress = core.createEventChannel();
        if (channelAddress < 0)
        {
            throw SetupFailures.eventChannel((int)-channelAddress);
        }
        removedDevices = RemovedDevices.of(core);
        devices = new DeviceTable(core, reactor, memory, completionsMax, channelAddress,
            (_) -> new DeviceCounters(arena.allocate(DeviceCounters.SIZE_BYTES, Long.BYTES).address()),
            this::onDeviceEvent);
        reactor.register(core.eventChannelDescriptor(channelAddress), Epoll.EPOLLIN, (_) -> onReady());
    }

    /**
     * Sets who is notified of ports and devices in use.
     *
     * @param listener notified from now on.
     */
    public void deviceListener(final DeviceListener listener)
    {
        deviceListener = listener;
    }

    /**
     * Sets by which device, port and GID connections may go: any other one, in either direction, is refused before it
     * has a queue pair, and so is a listener at an address of another device.
     *
     * @param chosen for connections and listeners that are made from now on; {@link RdmaSettings#DEFAULT} until then.
     */
    public void settings(final RdmaSettings chosen)
    {
        settings = chosen;
    }

    /** Throws when an identifier has a device that settings do not allow. */
    void checkDevice(final long id, final InetSocketAddress local)
    {
        final long contextAddress = ConnectionId.context(id);
        if (0L == contextAddress || !settings.isChosen())
        {
            return;
        }
        final String name = core.deviceName(contextAddress);
        final int port = ConnectionId.devicePort(id);
        final int gidIndex = core.gidIndex(contextAddress, port, local.getAddress());
        if (!settings.allows(name, port, gidIndex))
        {
            throw new RdmaException(AddressText.of(local.getAddress()) + " is an address of " + name + " port " + port +
                (gidIndex < 0 ? "" : " GID " + gidIndex) + ", but RDMA is to go by " + settings +
                ": use an address that is reached by that device, or change the settings");
        }
    }

    /**
     * Sets where devices are counted; without it nobody sees their counters.
     *
     * @param counting called with the name of a device when its first connection is made, also when it comes back after
     *                 it was removed; the counters outlast this.
     */
    public void countDevices(final Function<String, DeviceCounters> counting)
    {
        devices.counting(counting);
    }

    RdmaCore core()
    {
        return core;
    }

    Reactor reactor()
    {
        return reactor;
    }

    /**
     * Connects to a peer. What becomes of it is reported to the handler, also when it cannot begin.
     *
     * @param peer      address and port.
     * @param config    sizes.
     * @param handler   owner.
     * @param data      private data for the peer, up to {@value #CONNECT_DATA_BYTES_MAX} bytes.
     * @param timeoutNs until it is established, in nanoseconds.
     * @return the connection.
     * @throws RdmaException when it cannot begin; the handler is not called then.
     */
    public RdmaConnection connect(
        final InetSocketAddress peer,
        final QueuePairConfig config,
        final ConnectionHandler handler,
        final byte[] data,
        final long timeoutNs)
    {
        return connect(peer, null, config, handler, data, timeoutNs);
    }

    /**
     * Connects to a peer, as above, from an address of this machine, and so by the device that has it.
     *
     * @param peer      address and port.
     * @param source    of this side, of the same family; null for what the route to the peer gives.
     * @param config    sizes.
     * @param handler   owner.
     * @param data      private data for the peer, up to {@value #CONNECT_DATA_BYTES_MAX} bytes.
     * @param timeoutNs until it is established, in nanoseconds.
     * @return the connection.
     * @throws RdmaException when it cannot begin; the handler is not called then.
     */
    public RdmaConnection connect(
        final InetSocketAddress peer,
        final InetAddress source,
        final QueuePairConfig config,
        final ConnectionHandler handler,
        final byte[] data,
        final long timeoutNs)
    {
        checkData(data, CONNECT_DATA_BYTES_MAX);
        final long id = newId();
        final RdmaConnection connection = new RdmaConnection(this, id, config, handler, data.clone());
        SocketAddress.write(socketAddress, peer);
        if (null != source)
        {
            SocketAddress.write(sourceAddress, new InetSocketAddress(source, 0));
        }
        final int status = core.resolveAddress(id, null == source ? 0L : sourceAddress, socketAddress, RESOLVE_MS);
        if (status < 0)
        {
            core.destroyId(id);
            throw new RdmaException("cannot connect to " + AddressText.of(peer) + ": " +
                ConnectionFailures.text(RdmaCm.RDMA_CM_EVENT_ADDR_ERROR, status));
        }
        connections.put(id, connection);
        connection.start(
            timeoutNs, AddressText.of(peer) +
                " does not answer: check its address, the link, and that it listens there for RDMA");
        return connection;
    }

    /**
     * Takes requests to connect.
     *
     * @param local    address and port; port 0 for any free one. An unspecified address for all devices.
     * @param backlog  requests that wait to be taken.
     * @param acceptor owner.
     * @return the address with its port.
     * @throws RdmaException when the address is in use, or of no RDMA device.
     */
    public InetSocketAddress listen(final InetSocketAddress local, final int backlog, final Acceptor acceptor)
    {
        final long id = newId();
        SocketAddress.write(socketAddress, local);
        int status = core.bind(id, socketAddress);
        if (0 == status)
        {
            status = core.listen(id, backlog);
        }
        if (status < 0)
        {
            core.destroyId(id);
            throw SetupFailures.listening(local, -status);
        }
        try
        {
            checkDevice(id, local);
        }
        catch (final RdmaException e)
        {
            core.destroyId(id);
            throw e;
        }
        acceptors.put(id, acceptor);
        return SocketAddress.read(ConnectionId.localAddress(id));
    }

    /**
     * Takes no more requests at an address; those that wait are refused.
     *
     * @param local as {@link #listen} answered it.
     * @return false when it does not listen there.
     */
    public boolean stopListening(final InetSocketAddress local)
    {
        final long id = listenerAt(local);
        if (NO_ID == id)
        {
            return false;
        }
        acceptors.remove(id);
        core.destroyId(id);
        return true;
    }

    /**
     * {@return whether requests to connect are taken at an address; not when its device was removed}
     *
     * @param local as {@link #listen} answered it.
     */
    public boolean isListening(final InetSocketAddress local)
    {
        return NO_ID != listenerAt(local);
    }

    private long listenerAt(final InetSocketAddress local)
    {
        for (final long id : acceptors.keySet())
        {
            if (local.equals(SocketAddress.read(ConnectionId.localAddress(id))))
            {
                return id;
            }
        }
        return NO_ID;
    }

    /**
     * Makes a queue pair for datagrams. What becomes of it is reported to the handler, after this has returned.
     *
     * @param local   address of a device and port; port 0 for any free one.
     * @param config  sizes.
     * @param handler owner.
     * @return the queue pair.
     * @throws RdmaException when the address is in use, or of no RDMA device; the handler is not called then.
     */
    public DatagramQueuePair openDatagrams(
        final InetSocketAddress local, final QueuePairConfig config, final DatagramHandler handler)
    {
        checkOpen();
        return datagrams.open(local, config, handler);
    }

    long channelAddress()
    {
        return channelAddress;
    }

    private void checkOpen()
    {
        if (isClosed)
        {
            throw new IllegalStateException("the connection manager is closed");
        }
    }

    private long newId()
    {
        checkOpen();
        removedDevices.release(core);
        final int status = core.createId(channelAddress, outAddress);
        if (status < 0)
        {
            throw new RdmaException("no more RDMA connections: " + Errno.describe(-status));
        }
        return NativeMemory.getLong(outAddress);
    }

    /** Takes one event; the descriptor stays ready while there are more. */
    private void onReady()
    {
        if (0 != core.event(channelAddress, outAddress))
        {
            return;
        }
        final long event = NativeMemory.getLong(outAddress);
        if (datagrams.onEvent(event))
        {
            return;
        }
        final long id = ConnectionEvent.id(event);
        final long listener = ConnectionEvent.listener(event);
        final int type = ConnectionEvent.type(event);
        final int status = ConnectionEvent.status(event);
        final PeerParameters peer = peer(ConnectionEvent.parameters(event));
        // An identifier cannot be destroyed before its events are acknowledged.
        core.acknowledge(event);
        if (RdmaCm.RDMA_CM_EVENT_CONNECT_REQUEST == type)
        {
            if (acceptors.containsKey(listener))
            {
                onRequest(id, peer, acceptors.get(listener));
            }
            else
            {
                refuse(id);
            }
            return;
        }
        final RdmaConnection connection = connections.get(id);
        final RdmaDomain domain = RdmaCm.RDMA_CM_EVENT_DEVICE_REMOVAL == type ? domainOf(id, connection) : null;
        if (null != domain)
        {
            removeDevice(domain, true);
        }
        else if (RdmaCm.RDMA_CM_EVENT_DEVICE_REMOVAL == type && acceptors.containsKey(id))
        {
            removeListener(id);
        }
        else if (null != connection)
        {
            connection.onEvent(type, status, peer);
        }
    }

    /** {@return the device of an identifier; null when it is not in use, or the identifier is gone} */
    private RdmaDomain domainOf(final long id, final RdmaConnection connection)
    {
        return null != connection || acceptors.containsKey(id) ?
            devices.get(ConnectionId.context(id)) : devices.pinnedBy(id);
    }

    private void onRequest(final long id, final PeerParameters peer, final Acceptor acceptor)
    {
        final RdmaConnection request = new RdmaConnection(this, id, peer);
        connections.put(id, request);
        request.start(REQUEST_NS, "the request was not answered in time");
        acceptor.onRequest(request);
    }

    /** {@return what keeps a request that goes to another connection manager from outliving the event channel} */
    DepartingRequest depart(final long id)
    {
        departing.removeIf(DepartingRequest::hasLeft);
        final DepartingRequest request = new DepartingRequest(core, id);
        departing.add(request);
        return request;
    }

    /** Takes a request that came to another reactor. */
    void adopt(
        final long id,
        final DepartingRequest request,
        final PeerParameters peer,
        final Acceptor acceptor,
        final Runnable onFailed)
    {
        if (isClosed)
        {
            request.refuse();
            onFailed.run();
        }
        else if (request.take(channelAddress))
        {
            onRequest(id, peer, acceptor);
        }
        else
        {
            onFailed.run();
        }
    }

    private void refuse(final long id)
    {
        core.reject(id, 0L, 0);
        core.destroyId(id);
    }

    static PeerParameters peer(final long parameters)
    {
        final long from = ConnectionParameters.privateData(parameters);
        final byte[] data = NativeMemory.bytes(from, 0L == from ? 0 : ConnectionParameters.privateBytes(parameters));
        return new PeerParameters(data, ConnectionParameters.initiatorDepth(parameters),
            ConnectionParameters.responderResources(parameters));
    }

    DeviceTable devices()
    {
        return devices;
    }

    private void onDeviceEvent(final RdmaDomain domain, final DeviceEvents.Event event)
    {
        if (Verbs.IBV_EVENT_DEVICE_FATAL == event.type())
        {
            // While the kernel takes commands, those that destroy end what the hardware does.
            removeDevice(domain, domain.isAnswering());
        }
        else if (Verbs.IBV_EVENT_CQ_ERR == event.type())
        {
            domain.onOverrun(event.element());
        }
        else if (Verbs.IBV_EVENT_SRQ_LIMIT_REACHED == event.type())
        {
            domain.onLimit(event.element());
        }
        else if (Verbs.IBV_EVENT_SRQ_ERR == event.type())
        {
            domain.onSharedBroken(event.element());
        }
        else if (Verbs.IBV_EVENT_PORT_ACTIVE == event.type() || Verbs.IBV_EVENT_PORT_ERR == event.type())
        {
            deviceListener.onPort(
                domain.deviceName(), event.number(), Verbs.IBV_EVENT_PORT_ACTIVE == event.type());
        }
        else
        {
            new ArrayList<>(connections.values()).stream()
                .filter((connection) -> connection.isOf(event.element(), event.number()))
                .forEach((connection) -> connection.onQueuePairEvent(event.type()));
        }
    }

    /**
     * Its connections, listeners and queues end, in this order, before librdmacm closes its context. As long as the
     * hardware may use their memory, connections only begin to end: destroying a queue pair would not stop it.
     */
    private void removeDevice(final RdmaDomain domain, final boolean isHardwareEnded)
    {
        final long contextAddress = domain.memory().contextAddress();
        for (final RdmaConnection connection : new ArrayList<>(connections.values()))
        {
            if (connection.isBy(contextAddress))
            {
                connection.close(ConnectionFailures.DEVICE_REMOVED);
                if (isHardwareEnded)
                {
                    connection.finish();
                }
            }
        }
        acceptors.keySet().removeIfLong((id) ->
            contextAddress == ConnectionId.context(id) && 0 == core.destroyId(id));
        if (!isHardwareEnded)
        {
            reactor.schedule(reactor.nowNs() + HARDWARE_NS, (_) -> onHardwareTimeout(contextAddress, domain));
            return;
        }
        datagrams.removeDevice(contextAddress);
        if (domain == devices.get(contextAddress))
        {
            devices.remove(domain);
            removedDevices.add(core);
            deviceListener.onRemoved(domain.deviceName());
        }
    }

    private void onHardwareTimeout(final long contextAddress, final RdmaDomain domain)
    {
        if (domain == devices.get(contextAddress))
        {
            removeDevice(domain, true);
        }
    }

    /** Its device has no connection here. */
    private void removeListener(final long id)
    {
        final String device = core.deviceName(ConnectionId.context(id));
        acceptors.remove(id);
        core.destroyId(id);
        removedDevices.add(core);
        deviceListener.onRemoved(device);
    }

    /** {@return 0 or negated errno} */
    int createQueuePair(
        final long id,
        final RdmaDomain domain,
        final CompletionQueue completions,
        final SharedReceiveQueue shared,
        final QueuePairConfig config,
        final int type)
    {
        NativeMemory.fill(attributesAddress, QueuePairAttributes.SIZE_BYTES, (byte)0);
        QueuePairAttributes.sendCompletionQueue(attributesAddress, completions.cqAddress());
        QueuePairAttributes.receiveCompletionQueue(
            attributesAddress, null == shared ? completions.cqAddress() : shared.completions().cqAddress());
        QueuePairAttributes.sharedReceiveQueue(attributesAddress, null == shared ? 0L : shared.srqAddress());
        QueuePairAttributes.type(attributesAddress, type);
        QueuePairAttributes.maxSendRequests(attributesAddress, config.sendDepth());
        QueuePairAttributes.maxReceiveRequests(attributesAddress, null == shared ? config.receiveDepth() : 0);
        QueuePairAttributes.maxSendSegments(attributesAddress, config.segments());
        QueuePairAttributes.maxReceiveSegments(attributesAddress, null == shared ? config.segments() : 0);
        QueuePairAttributes.maxInlineBytes(attributesAddress, config.inlineBytes());
        final long made = domain.events().create(() ->
        {
            final int status = core.createQueuePair(id, domain.memory().pdAddress(), attributesAddress);
            return status < 0 ? status : ConnectionId.queuePair(id);
        });
        return made < 0 ? (int)made : 0;
    }

    void destroyQueuePair(final long id, final RdmaDomain domain)
    {
        domain.events().destroy(ConnectionId.queuePair(id), () ->
        {
            core.destroyQueuePair(id);
            return 0;
        });
    }

    /** How long a peer waits that found no receive request; iWARP has no such wait, and refuses. */
    void boundReceiverWait(final long qpAddress)
    {
        NativeMemory.fill(stateAddress, QueuePairState.SIZE_BYTES, (byte)0);
        QueuePairState.receiverNotReadyTimer(stateAddress, RECEIVER_NOT_READY_TIMER);
        core.modifyQp(qpAddress, stateAddress, Verbs.IBV_QP_MIN_RNR_TIMER);
    }

    /** {@return what the last queue pair was granted} */
    int grantedInlineBytes()
    {
        return QueuePairAttributes.grantedInlineBytes(attributesAddress);
    }

    long parameters(final byte[] data, final int readsServed, final int readsInitiated)
    {
        NativeMemory.fill(parametersAddress, ConnectionParameters.SIZE_BYTES, (byte)0);
        ConnectionParameters.privateData(parametersAddress, privateData(data), data.length);
        ConnectionParameters.reads(parametersAddress, readsServed, readsInitiated);
        ConnectionParameters.retryCount(parametersAddress, (byte)RETRIES);
        ConnectionParameters.receiverNotReadyRetries(parametersAddress, (byte)RECEIVER_NOT_READY_RETRIES);
        return parametersAddress;
    }

    /** {@return address of a copy, until the next call; 0 for none} */
    long privateData(final byte[] data)
    {
        for (int i = 0; i < data.length; i++)
        {
            NativeMemory.putByte(dataAddress + i, data[i]);
        }
        return 0 == data.length ? 0L : dataAddress;
    }

    static void checkData(final byte[] data, final int max)
    {
        if (data.length > max)
        {
            throw new IllegalArgumentException("private data of " + data.length + " bytes: at most " + max);
        }
    }

    void remove(final RdmaConnection connection, final long id)
    {
        connections.remove(id, connection);
    }

    /**
     * Ends all connections and listeners at once, and frees what the devices have, regions that are left included. A
     * request that was given to another reactor and has not arrived there is refused. A second call does nothing.
     */
    @Override
    public void close()
    {
        if (isClosed)
        {
            return;
        }
        isClosed = true;
        final List<RdmaConnection> left = new ArrayList<>(connections.values());
        for (final RdmaConnection connection : left)
        {
            connection.close("the connection manager was closed");
            connection.finish();
        }
        departing.forEach(DepartingRequest::refuse);
        departing.clear();
        datagrams.close();
        acceptors.forEachLong((id, _) -> core.destroyId(id));
        acceptors.clear();
        devices.close();
        reactor.deregister(core.eventChannelDescriptor(channelAddress));
        core.destroyEventChannel(channelAddress);
        arena.close();
    }
}
