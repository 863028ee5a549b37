package io.millrace.rdma.endpoint;

import io.millrace.bindings.NativeException;
import io.millrace.bindings.linux.Epoll;
import io.millrace.bindings.verbs.AsyncEvent;
import io.millrace.bindings.verbs.Verbs;
import io.millrace.rdma.core.RdmaCore;
import io.millrace.reactor.Reactor;
import java.lang.foreign.Arena;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * Asynchronous events of a device for all reactors that use it: the process has one context of a device, so any of them
 * may get an event that is about another one's queue pair. Control path; any reactor's thread.
 * <p>
 * Events name queues by the addresses of their structures in rdma-core, and are acknowledged there. As a rule the call
 * that destroys a queue waits for that, and the kernel discards what it has not given out. When a device disassociates
 * the call does neither ({@code RDMAV_ALLOW_DISASSOC_DESTROY}, ibv_open_device(3)): no event is taken while a queue is
 * made or destroyed, and one about a queue that is gone is passed over, since it names freed memory.
 */
final class DeviceEvents
{
    /** What happened; the number is that of a queue pair or of a port. */
    record Event(int type, long element, int number)
    {
    }

    private record Device(RdmaCore core, long contextAddress)
    {
    }

    private record Member(Reactor reactor, Consumer<Event> listener)
    {
    }

    private static final Map<Device, DeviceEvents> DEVICES = new HashMap<>();

    private final Device device;
    private final List<Member> members = new CopyOnWriteArrayList<>();
    private final Arena arena = Arena.ofShared();
    private final long eventAddress = arena.allocate(AsyncEvent.SIZE_BYTES, Long.BYTES).address();
    private final int fd;
    /** Whoever makes or destroys a queue has the read lock: several may. */
    private final ReadWriteLock queues = new ReentrantReadWriteLock();
    /** Those that exist, by address. */
    private final Set<Long> elements = ConcurrentHashMap.newKeySet();

    private DeviceEvents(final Device device)
    {
        this.device = device;
        fd = NativeException.check(
            "fcntl of a device's events", device.core.asyncDescriptor(device.contextAddress));
    }

    /**
     * Has a reactor notified of a device's events.
     *
     * @param core           rdma-core.
     * @param contextAddress open device, until {@link #leave}.
     * @param reactor        that calls this.
     * @param listener       called on it.
     * @return the events, to leave them.
     * @throws NativeException when the kernel refuses.
     */
    static DeviceEvents join(
        final RdmaCore core, final long contextAddress, final Reactor reactor, final Consumer<Event> listener)
    {
        synchronized (DEVICES)
        {
            final DeviceEvents events =
                DEVICES.computeIfAbsent(new Device(core, contextAddress), DeviceEvents::new);
            if (!events.isWatchedBy(reactor))
            {
                reactor.register(events.fd, Epoll.EPOLLIN, (_) -> events.onReady(reactor));
            }
            events.members.add(new Member(reactor, listener));
            return events;
        }
    }

    private boolean isWatchedBy(final Reactor reactor)
    {
        return members.stream().anyMatch((member) -> reactor == member.reactor);
    }

    /** The reactor that joined is notified no more. */
    void leave(final Reactor reactor, final Consumer<Event> listener)
    {
        synchronized (DEVICES)
        {
            members.removeIf((member) -> listener == member.listener);
            if (!isWatchedBy(reactor))
            {
                reactor.deregister(fd);
            }
            if (members.isEmpty())
            {
                DEVICES.remove(device);
                // No reactor watches the descriptor any more.
                arena.close();
            }
        }
    }

    /**
     * Makes a queue pair, a completion queue or a shared receive queue; no event is taken meanwhile.
     *
     * @param call answers the address of the queue, or negated errno.
     * @return the same.
     */
    long create(final LongSupplier call)
    {
        queues.readLock().lock();
        try
        {
            final long address = call.getAsLong();
            if (address > 0)
            {
                elements.add(address);
            }
            return address;
        }
        finally
        {
            queues.readLock().unlock();
        }
    }

    /**
     * Destroys a queue of {@link #create}; no event is taken meanwhile.
     *
     * @param address of the queue.
     * @param call    answers 0 or negated errno.
     * @return the same.
     */
    int destroy(final long address, final IntSupplier call)
    {
        queues.readLock().lock();
        try
        {
            final int status = call.getAsInt();
            if (0 == status)
            {
                elements.remove(address);
            }
            return status;
        }
        finally
        {
            queues.readLock().unlock();
        }
    }

    private void onReady(final Reactor reactor)
    {
        final Event event = take();
        if (null == event)
        {
            return;
        }
        for (final Member member : members)
        {
            if (reactor == member.reactor)
            {
                member.listener.accept(event);
            }
            else
            {
                execute(member, event);
            }
        }
    }

    private static void execute(final Member member, final Event event)
    {
        try
        {
            member.reactor.execute(() -> member.listener.accept(event));
        }
        catch (final RejectedExecutionException e)
        {
            // Its connections have ended with the reactor.
            return;
        }
    }

    /** {@return null when another reactor was first, or is making or destroying a queue: the descriptor stays ready} */
    private Event take()
    {
        if (!queues.writeLock().tryLock())
        {
            return null;
        }
        try
        {
            return device.core.asyncEvent(device.contextAddress, eventAddress) < 0 ? null : read();
        }
        finally
        {
            queues.writeLock().unlock();
        }
    }

    private Event read()
    {
        final int type = AsyncEvent.type(eventAddress);
        final boolean isOfPair = Verbs.IBV_EVENT_QP_FATAL == type || Verbs.IBV_EVENT_QP_REQ_ERR == type ||
            Verbs.IBV_EVENT_QP_ACCESS_ERR == type || Verbs.IBV_EVENT_QP_LAST_WQE_REACHED == type ||
            Verbs.IBV_EVENT_PATH_MIG == type;
        final long element = AsyncEvent.element(eventAddress);
        if (isOfQueue(type) && !elements.contains(element))
        {
            // Destroyed on a device that disassociates, which makes no queues that could have its address again.
            return null;
        }
        // By its address alone a later queue pair could be taken for the one that has failed.
        final Event event = new Event(type, element,
            isOfPair ? device.core.queuePairNumber(element) : AsyncEvent.port(eventAddress));
        device.core.acknowledgeAsyncEvent(eventAddress);
        return event;
    }

    /** The first of them are about queue pairs and completion queues. */
    private static boolean isOfQueue(final int type)
    {
        return type >= Verbs.IBV_EVENT_CQ_ERR && type <= Verbs.IBV_EVENT_PATH_MIG_ERR ||
            Verbs.IBV_EVENT_SRQ_ERR == type || Verbs.IBV_EVENT_SRQ_LIMIT_REACHED == type ||
            Verbs.IBV_EVENT_QP_LAST_WQE_REACHED == type;
    }
}
