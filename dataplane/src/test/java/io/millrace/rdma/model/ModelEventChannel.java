package io.millrace.rdma.model;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.rdmacm.rdmacm_h;
import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * Events of identifiers, each a {@code struct rdma_cm_event} in native memory from when it is taken until it is
 * acknowledged. Under the monitor of its network.
 */
final class ModelEventChannel
{
    /** An event that was not taken yet. */
    record Event(
        ModelIdentifier identifier,
        ModelIdentifier listener,
        int type,
        int status,
        ModelParameters parameters,
        int dataBytes,
        ModelDevice peer,
        int peerNumber)
    {
        Event(
            final ModelIdentifier identifier,
            final ModelIdentifier listener,
            final int type,
            final int status,
            final ModelParameters parameters,
            final int dataBytes)
        {
            this(identifier, listener, type, status, parameters, dataBytes, null, 0);
        }
    }

    private record Taken(ModelIdentifier identifier, Arena arena)
    {
    }

    private static final int STRUCTURE_BYTES = 256;

    final int fd;
    int identifiers;
    private final ModelDescriptors descriptors;
    private final ArrayDeque<Event> events = new ArrayDeque<>();
    private final Map<Long, Taken> taken = new HashMap<>();

    ModelEventChannel(final ModelDescriptors descriptors)
    {
        this.descriptors = descriptors;
        fd = descriptors.open();
    }

    void add(final Event event)
    {
        events.add(event);
        descriptors.raise(fd);
    }

    /** {@return address of the oldest event; 0 when there is none} */
    long take()
    {
        final Event event = events.poll();
        if (events.isEmpty())
        {
            descriptors.lower(fd);
        }
        if (null == event)
        {
            return 0;
        }
        final Arena arena = Arena.ofShared();
        final long address = arena.allocate(STRUCTURE_BYTES, Long.BYTES).address();
        NativeMemory.putLong(address + rdmacm_h.RDMA_CM_EVENT_ID(), event.identifier.address);
        NativeMemory.putLong(
            address + rdmacm_h.RDMA_CM_EVENT_LISTEN_ID(), null == event.listener ? 0 : event.listener.address);
        NativeMemory.putInt(address + rdmacm_h.RDMA_CM_EVENT_TYPE(), event.type);
        NativeMemory.putInt(address + rdmacm_h.RDMA_CM_EVENT_STATUS(), event.status);
        if (null != event.parameters)
        {
            event.parameters.write(address + rdmacm_h.RDMA_CM_EVENT_PARAM_CONN(),
                arena.allocate(Math.max(1, event.dataBytes)).address(), event.dataBytes);
        }
        if (null != event.peer)
        {
            NativeMemory.putInt(address + rdmacm_h.RDMA_CM_EVENT_PARAM_UD_AH_ATTR(), event.peer.number());
            NativeMemory.putInt(address + rdmacm_h.RDMA_CM_EVENT_PARAM_UD_QP_NUM(), event.peerNumber);
            NativeMemory.putInt(address + rdmacm_h.RDMA_CM_EVENT_PARAM_UD_QKEY(), ModelDatagramPair.QUEUE_KEY);
        }
        event.identifier.unacknowledged++;
        taken.put(address, new Taken(event.identifier, arena));
        return address;
    }

    /** {@return whether there was such an event} */
    boolean acknowledge(final long address)
    {
        final Taken event = taken.remove(address);
        if (null == event)
        {
            return false;
        }
        event.identifier.unacknowledged--;
        event.arena.close();
        return true;
    }

    void remove(final ModelIdentifier identifier)
    {
        identifiers--;
        events.removeIf((event) -> event.identifier == identifier);
        if (events.isEmpty())
        {
            descriptors.lower(fd);
        }
    }

    void moveTo(final ModelEventChannel other, final ModelIdentifier identifier)
    {
        other.identifiers++;
        events.stream().filter((event) -> event.identifier == identifier).forEach(other::add);
        remove(identifier);
    }

    void close()
    {
        descriptors.close(fd);
    }
}
