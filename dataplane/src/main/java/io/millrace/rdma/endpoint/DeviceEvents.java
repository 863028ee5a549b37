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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * Asynchronous events of a device for all reactors that use it: the process has one context of a device, so any of them
 * may get an event that is about another one's queue pair. Control path; any reactor's thread.
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

    /** Another reactor may have been first. */
    private synchronized Event take()
    {
        if (device.core.asyncEvent(device.contextAddress, eventAddress) < 0)
        {
            return null;
        }
        final int type = AsyncEvent.type(eventAddress);
        final boolean isOfPair = Verbs.IBV_EVENT_QP_FATAL == type || Verbs.IBV_EVENT_QP_REQ_ERR == type ||
            Verbs.IBV_EVENT_QP_ACCESS_ERR == type || Verbs.IBV_EVENT_QP_LAST_WQE_REACHED == type ||
            Verbs.IBV_EVENT_PATH_MIG == type;
        final long element = AsyncEvent.element(eventAddress);
        // By its address alone a later queue pair could be taken for the one that has failed.
        final Event event = new Event(type, element,
            isOfPair ? device.core.queuePairNumber(element) : AsyncEvent.port(eventAddress));
        device.core.acknowledgeAsyncEvent(eventAddress);
        return event;
    }
}
