package io.millrace.control.client;

import io.millrace.control.message.ControlEvent;
import io.millrace.control.message.SessionInfo;
import java.util.ArrayDeque;

/**
 * What the listener is to be told, in order; told outside of the transport's callbacks, and one at a time. Belongs to
 * the thread of the client.
 */
final class NoticeQueue
{
    /** Events kept for a listener that does not return; those beyond are lost, and counted so. */
    static final int EVENTS_MAX = 65_536;

    private sealed interface Notice
    {
    }

    private record Happened(ControlEvent event) implements Notice
    {
    }

    private record Lost(long count) implements Notice
    {
    }

    private record Connected(SessionInfo session) implements Notice
    {
    }

    private record Disconnected(String reason) implements Notice
    {
    }

    private final ControlListener listener;
    private final ArrayDeque<Notice> notices = new ArrayDeque<>();
    private long lastSequence;
    private long droppedCount;
    private boolean isDelivering;

    NoticeQueue(final ControlListener listener)
    {
        this.listener = listener;
    }

    void onConnected(final SessionInfo session, final boolean isAgain)
    {
        lastSequence = 0;
        add(new Connected(session));
        if (isAgain)
        {
            add(new Lost(ControlListener.COUNT_UNKNOWN));
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
        if (notices.size() >= EVENTS_MAX)
        {
            droppedCount++;
            return;
        }
        if (0 != droppedCount)
        {
            add(new Lost(droppedCount));
            droppedCount = 0;
        }
        add(new Happened(event));
    }

    /** All up to this one were sent. */
    void onEventSequence(final long sequence)
    {
        if (sequence > lastSequence)
        {
            final long lost = sequence - lastSequence;
            lastSequence = sequence;
            add(new Lost(lost));
        }
    }

    private void add(final Notice notice)
    {
        if (null != listener)
        {
            notices.addLast(notice);
        }
    }

    int deliver()
    {
        if (isDelivering || notices.isEmpty())
        {
            return 0;
        }
        isDelivering = true;
        int count = 0;
        try
        {
            Notice notice = notices.pollFirst();
            while (null != notice)
            {
                count++;
                tell(notice);
                notice = notices.pollFirst();
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

    private void tell(final Notice notice)
    {
        switch (notice)
        {
            case Happened happened -> listener.onEvent(happened.event());
            case Lost lost -> listener.onEventsLost(lost.count());
            case Connected connected -> listener.onConnected(connected.session());
            case Disconnected disconnected -> listener.onDisconnected(disconnected.reason());
        }
    }
}
