package io.millrace.control.client;

import io.millrace.control.message.ControlEvent;
import io.millrace.control.message.SessionInfo;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Records notifications, in order. */
class RecordingListener implements ControlListener
{
    final List<String> lines = new CopyOnWriteArrayList<>();

    @Override
    public void onEvent(final ControlEvent event)
    {
        lines.add("event " + event.name());
    }

    @Override
    public void onEventsLost(final long count)
    {
        lines.add("lost " + count);
    }

    @Override
    public void onConnected(final SessionInfo session)
    {
        lines.add("connected");
    }

    @Override
    public void onDisconnected(final String reason)
    {
        lines.add("disconnected");
    }
}
