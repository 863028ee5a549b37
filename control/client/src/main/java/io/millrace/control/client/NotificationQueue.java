package io.millrace.control.client;

import io.millrace.control.message.ControlEvent;
import io.millrace.control.message.SessionInfo;
import java.util.ArrayDeque;

/**
 * Queue of notifications for the listener, delivered in order outside of the transport's callbacks. Confined to the
 * thread of the client.
 */
final class NotificationQueue
{
    /** Events kept for a listener that does not return; those beyond are lost, and counted so. */
    static final int EVENTS_MAX = 65_536;

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
    private final ArrayDeque<Notification> notifications = new ArrayDeque<>();
    private long lastSequence;
    private long droppedCount;
    private boolean isDelivering;

    NotificationQueue(final ControlListener listener)
    {
        this.listener = listener;
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
        if (notifications.size() >= EVENTS_MAX)
        {
            droppedCount++;
            return;
        }
        if (0 != droppedCount)
        {
            add(new EventsLost(droppedCount));
            droppedCount = 0;
        }
        add(new EventReceived(event));
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
            notifications.addLast(notification);
        }
    }

    int deliver()
    {
        if (isDelivering || notifications.isEmpty())
        {
            return 0;
        }
        isDelivering = true;
        int count = 0;
        try
        {
            Notification notification = notifications.pollFirst();
            while (null != notification)
            {
                count++;
                dispatch(notification);
                notification = notifications.pollFirst();
            }
            if (0 != droppedCount)
            {
                final long dropped = droppedCount;
                droppedCount = 0;
                listener.onEventsLost(dropped);
            }
        }
        finally
        {
            isDelivering = false;
        }
        return count;
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
