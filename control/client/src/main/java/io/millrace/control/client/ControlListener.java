package io.millrace.control.client;

import io.millrace.control.message.ControlEvent;
import io.millrace.control.message.SessionInfo;

/**
 * Callbacks for events of a data plane and of the session, one at a time and in order. It may use the client; further
 * callbacks are delayed until it returns.
 *
 * <p>An {@link AsyncControlClient} calls it on its thread, or by its callback executor, and reports exceptions to
 * {@link ControlClientContext#onError}. A {@link ControlClient} calls it on the thread that uses the client, by {@link
 * ControlClient#poll()} or a call that waits; exceptions propagate to the caller.
 */
@FunctionalInterface
public interface ControlListener
{
    /** Given to {@link #onEventsLost(long)} when the number is not known. */
    long COUNT_UNKNOWN = -1;

    /**
     * Something happened to a resource.
     *
     * @param event that is told.
     */
    void onEvent(ControlEvent event);

    /**
     * Events were lost, so that what the listener knows may be old: list again. Events that happen from now on are
     * told.
     *
     * @param count how many, or {@link #COUNT_UNKNOWN} after a new session was opened.
     */
    default void onEventsLost(final long count)
    {
    }

    /**
     * A session was opened, the first or one after a loss.
     *
     * @param session as opened. Another {@code dataPlaneId} than before says that the process was started again.
     */
    default void onConnected(final SessionInfo session)
    {
    }

    /**
     * The session was lost; the client tries to open another.
     *
     * @param reason one sentence.
     */
    default void onDisconnected(final String reason)
    {
    }
}
