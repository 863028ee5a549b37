package io.millrace.rdma.core;

import io.millrace.bindings.Capability;
import io.millrace.bindings.linux.Files;
import io.millrace.bindings.rdmacm.RdmaCmCalls;
import io.millrace.bindings.verbs.GidEntry;
import io.millrace.bindings.verbs.PortAttributes;
import io.millrace.bindings.verbs.Verbs;
import io.millrace.bindings.verbs.VerbsAccess;
import io.millrace.bindings.verbs.VerbsAddressHandles;
import io.millrace.bindings.verbs.VerbsCalls;
import io.millrace.bindings.verbs.VerbsDevice;
import io.millrace.bindings.verbs.VerbsQueues;
import io.millrace.bindings.verbs.VerbsResources;
import io.millrace.bindings.verbs.VerbsSharedReceiveQueues;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.nio.ByteBuffer;

/**
 * rdma-core of this machine. Stateless; threads as {@link RdmaCore} has it.
 */
public final class LinuxRdmaCore implements RdmaCore
{
    /** The only one. */
    public static final LinuxRdmaCore INSTANCE = new LinuxRdmaCore();

    private static final int MTU_MIN_BYTES = 256;
    private static final long MAPPED_IPV4 = 0xFFFF_0000_0000L;

    private LinuxRdmaCore()
    {
    }

    @Override
    public Capability capability()
    {
        return RdmaCmCalls.capability();
    }

    @Override
    public int poll(final long cqAddress, final int max, final long completionsAddress)
    {
        return VerbsQueues.poll(cqAddress, max, completionsAddress);
    }

    @Override
    public int requestNotification(final long cqAddress)
    {
        return VerbsQueues.requestNotification(cqAddress);
    }

    @Override
    public int postSend(final long qpAddress, final long requestAddress, final long badAddress)
    {
        return VerbsQueues.postSend(qpAddress, requestAddress, badAddress);
    }

    @Override
    public int postReceive(final long qpAddress, final long requestAddress, final long badAddress)
    {
        return VerbsQueues.postReceive(qpAddress, requestAddress, badAddress);
    }

    @Override
    public int queryDevice(final long contextAddress, final long attributesAddress)
    {
        return VerbsCalls.queryDevice(contextAddress, attributesAddress);
    }

    @Override
    public String deviceName(final long contextAddress)
    {
        return VerbsDevice.name(VerbsResources.device(contextAddress));
    }

    @Override
    public int gidIndex(final long contextAddress, final int port, final InetAddress address)
    {
        final byte[] bytes = address.getAddress();
        final boolean isIpv4 = Integer.BYTES == bytes.length;
        final ByteBuffer number = ByteBuffer.wrap(bytes);
        final long high = isIpv4 ? 0L : number.getLong();
        final long low = isIpv4 ? MAPPED_IPV4 | Integer.toUnsignedLong(number.getInt()) : number.getLong();
        int index = -1;
        try (Arena arena = Arena.ofConfined())
        {
            final long entries = arena.allocate((long)VerbsCalls.GIDS_MAX * GidEntry.SIZE_BYTES, Long.BYTES).address();
            final int count = VerbsCalls.queryGidTable(contextAddress, entries, VerbsCalls.GIDS_MAX);
            for (int i = 0; i < count; i++)
            {
                final long entry = entries + (long)i * GidEntry.SIZE_BYTES;
                if (port == GidEntry.port(entry) && high == GidEntry.gidHigh(entry) && low == GidEntry.gidLow(entry) &&
                    (index < 0 || Verbs.IBV_GID_TYPE_ROCE_V2 == GidEntry.type(entry)))
                {
                    index = GidEntry.index(entry);
                }
            }
        }
        return index;
    }

    @Override
    public int transportType(final long contextAddress)
    {
        return VerbsDevice.transportType(VerbsResources.device(contextAddress));
    }

    @Override
    public int asyncDescriptor(final long contextAddress)
    {
        final int fd = VerbsResources.asyncDescriptor(contextAddress);
        // Each reactor with connections by the device waits for its events, and one of them gets each.
        final int status = Files.setNonBlocking(fd);
        return status < 0 ? status : fd;
    }

    @Override
    public int asyncEvent(final long contextAddress, final long eventAddress)
    {
        return VerbsResources.asyncEvent(contextAddress, eventAddress);
    }

    @Override
    public void acknowledgeAsyncEvent(final long eventAddress)
    {
        VerbsResources.acknowledgeAsyncEvent(eventAddress);
    }

    @Override
    public int modifyQp(final long qpAddress, final long attributesAddress, final int mask)
    {
        return VerbsResources.modifyQp(qpAddress, attributesAddress, mask);
    }

    @Override
    public int queuePairNumber(final long qpAddress)
    {
        return VerbsResources.queuePairNumber(qpAddress);
    }

    @Override
    public long allocatePd(final long contextAddress)
    {
        return VerbsResources.allocatePd(contextAddress);
    }

    @Override
    public int deallocatePd(final long pdAddress)
    {
        return VerbsResources.deallocatePd(pdAddress);
    }

    @Override
    public long registerMr(final long pdAddress, final long address, final long lengthBytes, final int access)
    {
        return VerbsResources.registerMr(pdAddress, address, lengthBytes, access);
    }

    @Override
    public int deregisterMr(final long mrAddress)
    {
        return VerbsResources.deregisterMr(mrAddress);
    }

    @Override
    public int localKey(final long mrAddress)
    {
        return VerbsResources.localKey(mrAddress);
    }

    @Override
    public int remoteKey(final long mrAddress)
    {
        return VerbsResources.remoteKey(mrAddress);
    }

    @Override
    public long createChannel(final long contextAddress)
    {
        return VerbsResources.createChannel(contextAddress);
    }

    @Override
    public int destroyChannel(final long channelAddress)
    {
        return VerbsResources.destroyChannel(channelAddress);
    }

    @Override
    public int channelDescriptor(final long channelAddress)
    {
        return VerbsResources.channelDescriptor(channelAddress);
    }

    @Override
    public long createCq(final long contextAddress, final int entries, final long channelAddress)
    {
        return VerbsResources.createCq(contextAddress, entries, 0L, channelAddress);
    }

    @Override
    public int destroyCq(final long cqAddress)
    {
        return VerbsResources.destroyCq(cqAddress);
    }

    @Override
    public int entries(final long cqAddress)
    {
        return VerbsResources.entries(cqAddress);
    }

    @Override
    public int cqEvent(final long channelAddress, final long cqOutAddress, final long userOutAddress)
    {
        return VerbsResources.cqEvent(channelAddress, cqOutAddress, userOutAddress);
    }

    @Override
    public void acknowledgeCqEvents(final long cqAddress, final int count)
    {
        VerbsResources.acknowledgeCqEvents(cqAddress, count);
    }

    @Override
    public long createEventChannel()
    {
        final long channelAddress = RdmaCmCalls.createEventChannel();
        if (channelAddress > 0)
        {
            // An announced event may be gone when it is asked for: with its identifier, or discarded by the library.
            final int status = Files.setNonBlocking(RdmaCmCalls.descriptor(channelAddress));
            if (status < 0)
            {
                RdmaCmCalls.destroyEventChannel(channelAddress);
                return status;
            }
        }
        return channelAddress;
    }

    @Override
    public void destroyEventChannel(final long channelAddress)
    {
        RdmaCmCalls.destroyEventChannel(channelAddress);
    }

    @Override
    public boolean refreshDevices()
    {
        return RdmaCmCalls.refreshDevices();
    }

    @Override
    public int eventChannelDescriptor(final long channelAddress)
    {
        return RdmaCmCalls.descriptor(channelAddress);
    }

    @Override
    public int event(final long channelAddress, final long eventOutAddress)
    {
        return RdmaCmCalls.event(channelAddress, eventOutAddress);
    }

    @Override
    public int acknowledge(final long eventAddress)
    {
        return RdmaCmCalls.acknowledge(eventAddress);
    }

    @Override
    public int createId(final long channelAddress, final long idOutAddress)
    {
        return RdmaCmCalls.createId(channelAddress, idOutAddress, 0L);
    }

    @Override
    public int destroyId(final long idAddress)
    {
        return RdmaCmCalls.destroyId(idAddress);
    }

    @Override
    public int bind(final long idAddress, final long socketAddress)
    {
        return RdmaCmCalls.bind(idAddress, socketAddress);
    }

    @Override
    public int listen(final long idAddress, final int backlog)
    {
        return RdmaCmCalls.listen(idAddress, backlog);
    }

    @Override
    public int resolveAddress(
        final long idAddress, final long sourceAddress, final long destinationAddress, final int timeoutMs)
    {
        return RdmaCmCalls.resolveAddress(idAddress, sourceAddress, destinationAddress, timeoutMs);
    }

    @Override
    public int resolveRoute(final long idAddress, final int timeoutMs)
    {
        return RdmaCmCalls.resolveRoute(idAddress, timeoutMs);
    }

    @Override
    public int createQueuePair(final long idAddress, final long pdAddress, final long attributesAddress)
    {
        return RdmaCmCalls.createQueuePair(idAddress, pdAddress, attributesAddress);
    }

    @Override
    public void destroyQueuePair(final long idAddress)
    {
        RdmaCmCalls.destroyQueuePair(idAddress);
    }

    @Override
    public int connect(final long idAddress, final long parametersAddress)
    {
        return RdmaCmCalls.connect(idAddress, parametersAddress);
    }

    @Override
    public int accept(final long idAddress, final long parametersAddress)
    {
        return RdmaCmCalls.accept(idAddress, parametersAddress);
    }

    @Override
    public int reject(final long idAddress, final long privateAddress, final int privateBytes)
    {
        return RdmaCmCalls.reject(idAddress, privateAddress, privateBytes);
    }

    @Override
    public int disconnect(final long idAddress)
    {
        return RdmaCmCalls.disconnect(idAddress);
    }

    @Override
    public int migrateId(final long idAddress, final long channelAddress)
    {
        return RdmaCmCalls.migrateId(idAddress, channelAddress);
    }

    @Override
    public int postSharedReceive(final long srqAddress, final long requestAddress, final long badAddress)
    {
        return VerbsQueues.postSharedReceive(srqAddress, requestAddress, badAddress);
    }

    @Override
    public long createSharedReceiveQueue(final long pdAddress, final long attributesAddress)
    {
        return VerbsSharedReceiveQueues.create(pdAddress, attributesAddress);
    }

    @Override
    public int limitSharedReceiveQueue(final long srqAddress, final long attributesAddress)
    {
        return VerbsSharedReceiveQueues.modifyLimit(srqAddress, attributesAddress);
    }

    @Override
    public int destroySharedReceiveQueue(final long srqAddress)
    {
        return VerbsSharedReceiveQueues.destroy(srqAddress);
    }

    @Override
    public int createDatagramId(final long channelAddress, final long idOutAddress)
    {
        return RdmaCmCalls.createDatagramId(channelAddress, idOutAddress, 0L);
    }

    @Override
    public long createAddressHandle(final long pdAddress, final long attributesAddress)
    {
        return VerbsAddressHandles.create(pdAddress, attributesAddress);
    }

    @Override
    public int destroyAddressHandle(final long handleAddress)
    {
        return VerbsAddressHandles.destroy(handleAddress);
    }

    @Override
    public long allocateWindow(final long pdAddress)
    {
        return VerbsAccess.allocateWindow(pdAddress);
    }

    @Override
    public int deallocateWindow(final long windowAddress)
    {
        return VerbsAccess.deallocateWindow(windowAddress);
    }

    @Override
    public int windowKey(final long windowAddress)
    {
        return VerbsAccess.windowKey(windowAddress);
    }

    @Override
    public void windowKey(final long windowAddress, final int value)
    {
        VerbsAccess.windowKey(windowAddress, value);
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
        return VerbsAccess.registerDmaBuf(pdAddress, offset, lengthBytes, address, fd, access);
    }

    @Override
    public int mtuBytes(final long contextAddress, final int port)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final long attributes = arena.allocate(PortAttributes.SIZE_BYTES, Long.BYTES).address();
            return 0 == VerbsCalls.queryPort(contextAddress, port, attributes) ?
                MTU_MIN_BYTES << PortAttributes.activeMtu(attributes) - Verbs.IBV_MTU_256 : 0;
        }
    }
}
