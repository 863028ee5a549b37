package io.millrace.control.client;

import io.millrace.control.message.ControlEvent;
import io.millrace.control.message.SessionInfo;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Queue of notifications for the listener, delivered in order and one at a time, outside of the transport's callbacks,
 * by an executor. The thread of the client fills it.
 */
final class NotificationQueue
{
    private sealed interface Notification
    {
    }

    private record EventReceived(ControlEvent event) implements Notification
    {
    }

    private record EventsLost(long count) implements Notification
    {
    }

    private record Connected(SessionInfo session) implements Notification
    {
    }

    private record Disconnected(String reason) implements Notification
    {
    }

    private final ControlListener listener;
    private final Executor executor;
    private final int eventsMax;
    private final Queue<Notification> notifications = new LinkedBlockingQueue<>();
    private final AtomicBoolean isDelivering = new AtomicBoolean();
    private long lastSequence;
    private long droppedCount;

    /**
     * @param listener  null: none.
     * @param eventsMax events kept for a listener that does not return; those beyond are lost, and counted so.
     */
    NotificationQueue(final ControlListener listener, final Executor executor, final int eventsMax)
    {
        this.listener = listener;
        this.executor = executor;
        this.eventsMax = eventsMax;
    }

    void onConnected(final SessionInfo session, final boolean isAgain)
    {
        lastSequence = 0;
        add(new Connected(session));
        if (isAgain)
        {
            add(new EventsLost(ControlListener.COUNT_UNKNOWN));
        }
    }

    void onDisconnected(final String reason)
    {
        add(new Disconnected(reason));
    }

    void onEvent(final ControlEvent event)
    {
        if (event.sequence() <= lastSequence)
        {
            return;
        }
        onEventSequence(event.sequence() - 1);
        lastSequence = event.sequence();
        if (notifications.size() >= eventsMax)
        {
            droppedCount++;
            return;
        }
        addDropped();
        add(new EventReceived(event));
    }

    private void addDropped()
    {
        if (0 != droppedCount)
        {
            add(new EventsLost(droppedCount));
            droppedCount = 0;
        }
    }

    /** All up to this one were sent. */
    void onEventSequence(final long sequence)
    {
        if (sequence > lastSequence)
        {
            final long lost = sequence - lastSequence;
            lastSequence = sequence;
            add(new EventsLost(lost));
        }
    }

    private void add(final Notification notification)
    {
        if (null != listener)
        {
            notifications.add(notification);
        }
    }

    /** Has what waits delivered, unless the listener has not returned from what was before. */
    int deliver()
    {
        if (!isDelivering.compareAndSet(false, true))
        {
            return 0;
        }
        addDropped();
        final int count = notifications.size();
        if (0 == count)
        {
            isDelivering.set(false);
            return 0;
        }
        executor.execute(this::dispatchAll);
        return count;
    }

    private void dispatchAll()
    {
        try
        {
            Notification notification = notifications.poll();
            while (null != notification)
            {
                dispatch(notification);
                notification = notifications.poll();
            }
        }
        finally
        {
            isDelivering.set(false);
        }
    }

    private void dispatch(final Notification notification)
    {
        switch (notification)
        {
            case EventReceived happened -> listener.onEvent(happened.event());
            case EventsLost lost -> listener.onEventsLost(lost.count());
            case Connected connected -> listener.onConnected(connected.session());
            case Disconnected disconnected -> listener.onDisconnected(disconnected.reason());
        }
    }
}
