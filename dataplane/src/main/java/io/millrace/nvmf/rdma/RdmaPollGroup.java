package io.millrace.nvmf.rdma;

import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.nvmf.PollGroup;
import io.millrace.nvmf.connection.ConnectionAdmission;
import io.millrace.nvmf.connection.ConnectionCounters;
import io.millrace.nvmf.connection.ConnectionPermit;
import io.millrace.nvmf.rdma.cm.ConnectAccept;
import io.millrace.nvmf.rdma.cm.ConnectReject;
import io.millrace.nvmf.rdma.cm.ConnectRequest;
import io.millrace.nvmf.rdma.cm.RejectStatus;
import io.millrace.nvmf.transport.DataPointer;
import io.millrace.nvmf.transport.DataPointerFormat;
import io.millrace.rdma.RdmaException;
import io.millrace.rdma.endpoint.ConnectionManager;
import io.millrace.rdma.endpoint.QueuePairConfig;
import io.millrace.rdma.endpoint.RdmaConnection;
import io.millrace.rdma.endpoint.RdmaMemory;
import io.millrace.rdma.endpoint.RegionKeys;
import io.millrace.reactor.DeferredRemovalList;
import io.millrace.reactor.Poller;
import io.millrace.reactor.Reactor;
import java.util.EnumSet;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The queues of one reactor and what they share: a connection manager, receive buffers. Made, polled and closed on the
 * reactor's thread. Capsules and completions come by the connection manager's completion queues; it polls only for
 * capsules that wait.
 */
final class RdmaPollGroup implements Poller
{
    /** Of a send queue: an answer of several pieces takes some. */
    private static final int SENDS_OF_ENTRY = 2;
    private static final int SENDS_MIN = 2 * (16 / ResponseSender.SEGMENTS_MAX + 1);
    private static final int INLINE_BYTES = 16;
    private static final int COMPLETIONS_OF_CAPSULE = 4;

    private final PollGroup pollGroup;
    private final RdmaTransportConfig config;
    private final ConnectionCounters counters;
    private final ConnectionAdmission admission;
    private final CapsuleBuffers capsules;
    private final DataPointerFormat dataPointers;
    private final ConnectionManager manager;
    /** Queues here or on their way here; written by the listening reactor and by this one. */
    private final AtomicInteger ioQueues = new AtomicInteger();
    private final AtomicInteger adminQueues = new AtomicInteger();
    /** Executing a capsule may close any queue, so the list keeps its places meanwhile. */
    private final DeferredRemovalList<RdmaQueue> waiting = new DeferredRemovalList<>();
    private Runnable onRoom = () -> {};

    /**
     * Begins to be polled and to take connections.
     *
     * @param pollGroup of the reactor.
     * @param config    of the transport.
     * @param counters  of the transport.
     * @param admission of the transport.
     * @param memory    registered memory.
     * @param capsules  receive buffers of this reactor, in that memory.
     * @throws RdmaException when RDMA cannot be used here, with what to do.
     */
    RdmaPollGroup(
        final PollGroup pollGroup,
        final RdmaTransportConfig config,
        final ConnectionCounters counters,
        final ConnectionAdmission admission,
        final RdmaMemory memory,
        final CapsuleBuffers capsules)
    {
        this.pollGroup = pollGroup;
        this.config = config;
        this.counters = counters;
        this.admission = admission;
        this.capsules = capsules;
        dataPointers = new DataPointerFormat(
            EnumSet.of(DataPointer.Kind.IN_CAPSULE, DataPointer.Kind.KEYED), config.inCapsuleDataBytes());
        manager = new ConnectionManager(reactor(), memory, COMPLETIONS_OF_CAPSULE * config.capsulesMax());
        manager.countDevices(pollGroup.status()::rdmaDevice);
        reactor().addPoller(this);
    }

    PollGroup pollGroup()
    {
        return pollGroup;
    }

    Reactor reactor()
    {
        return pollGroup.reactor();
    }

    RdmaTransportConfig config()
    {
        return config;
    }

    ConnectionCounters counters()
    {
        return counters;
    }

    ConnectionAdmission admission()
    {
        return admission;
    }

    ConnectionManager manager()
    {
        return manager;
    }

    CapsuleBuffers capsules()
    {
        return capsules;
    }

    /** {@return key of the receive buffers} */
    int capsuleKey(final RegionKeys keys)
    {
        final long key = keys.localKey(capsules.capsuleAddress(0), SubmissionQueueEntry.SIZE_BYTES);
        if (RegionKeys.NO_KEY == key)
        {
            throw new RdmaException("receive buffers are not registered with the device");
        }
        return (int)key;
    }

    /** {@return data in the capsule, or in keyed memory of the host} */
    DataPointerFormat dataPointers()
    {
        return dataPointers;
    }

    /** {@return I/O queues here or on their way here; any thread} */
    AtomicInteger ioQueues()
    {
        return ioQueues;
    }

    /** {@return admin queues here or on their way here; any thread} */
    AtomicInteger adminQueues()
    {
        return adminQueues;
    }

    /**
     * Accepts or rejects a host's request, which has been counted here and has reserved its receive buffers. On this
     * reactor.
     *
     * @param request whose private data is valid.
     */
    void adopt(final RdmaConnection request)
    {
        final ConnectRequest asked = ConnectRequest.read(request.peerData());
        final boolean isAdmin = 0 == asked.queueId();
        final ConnectionPermit permit =
            admission.begin(request.peerAddress().getAddress().getHostAddress(), reactor().nowNs());
        if (null == permit)
        {
            capsules.cancel(asked.sendQueueSize());
            count(isAdmin).decrementAndGet();
            request.reject(new ConnectReject(RejectStatus.NO_RESOURCES).toBytes());
            onRoom.run();
            return;
        }
        final int[] buffers = capsules.take(asked.sendQueueSize());
        counters.onAccepted();
        final RdmaQueue queue = new RdmaQueue(this, request, permit, isAdmin, buffers);
        final int sends = Math.max(SENDS_MIN, SENDS_OF_ENTRY * buffers.length);
        request.accept(new QueuePairConfig(sends, buffers.length, ResponseSender.SEGMENTS_MAX, INLINE_BYTES,
            config.readsMax()), queue, new ConnectAccept(buffers.length).toBytes());
    }

    /**
     * Sets who is notified of receive buffers that came back. Before the first queue.
     *
     * @param task of any thread.
     */
    void onRoom(final Runnable task)
    {
        onRoom = task;
    }

    /** {@return the counter of admin or I/O queues} */
    AtomicInteger count(final boolean isAdmin)
    {
        return isAdmin ? adminQueues : ioQueues;
    }

    /**
     * A queue is gone.
     *
     * @param queue of this group, whose queue pair has been destroyed.
     */
    void remove(final RdmaQueue queue)
    {
        capsules.give(queue.buffers());
        count(queue.isAdmin()).decrementAndGet();
        onRoom.run();
    }

    /**
     * A capsule of a queue waits.
     *
     * @param queue {@link RdmaQueue#isWaiting}.
     */
    void addWaiting(final RdmaQueue queue)
    {
        if (!queue.isListedAsWaiting())
        {
            queue.isListedAsWaiting(true);
            waiting.add(queue);
        }
    }

    @Override
    public int poll()
    {
        int work = 0;
        // A queue whose next capsule waits moves to the end and is tried again in the next cycle.
        final int count = waiting.limit();
        for (int i = 0; i < count; i++)
        {
            final RdmaQueue queue = waiting.get(i);
            if (null == queue)
            {
                continue;
            }
            final int resumed = queue.isResumable() ? queue.resume() : 0;
            work += resumed;
            if (0 != resumed || !queue.isWaiting())
            {
                waiting.removeAt(i);
                queue.isListedAsWaiting(false);
                if (queue.isWaiting())
                {
                    addWaiting(queue);
                }
            }
        }
        waiting.compact();
        return work;
    }

    /** Capsules are resumed by a timer, a command or the buffer pool, which run before this check. */
    @Override
    public boolean canSleep()
    {
        for (int i = 0; i < waiting.limit(); i++)
        {
            final RdmaQueue queue = waiting.get(i);
            if (null != queue && queue.isResumable())
            {
                return false;
            }
        }
        return true;
    }

    /** Ends every connection at once. No request comes any more. */
    void close()
    {
        manager.close();
        reactor().removePoller(this);
    }
}
