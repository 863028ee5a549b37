package io.millrace.control.client;

import io.millrace.control.message.ControlEvent;
import io.millrace.control.message.SessionInfo;
import java.util.function.Consumer;

/**
 * Calls a listener, and reports what it throws instead of passing it on: a callback that fails costs itself.
 *
 * @param listener that is called.
 * @param onError  takes what it throws.
 */
record GuardedListener(ControlListener listener, Consumer<Throwable> onError) implements ControlListener
{
    @Override
    public void onEvent(final ControlEvent event)
    {
        guard(() -> listener.onEvent(event));
    }

    @Override
    public void onEventsLost(final long count)
    {
        guard(() -> listener.onEventsLost(count));
    }

    @Override
    public void onConnected(final SessionInfo session)
    {
        guard(() -> listener.onConnected(session));
    }

    @Override
    public void onDisconnected(final String reason)
    {
        guard(() -> listener.onDisconnected(reason));
    }

    private void guard(final Runnable callback)
    {
        try
        {
            callback.run();
        }
        catch (final Throwable e)
        {
            onError.accept(e);
        }
    }
}
