package io.millrace.control.client;

import io.millrace.control.message.SessionInfo;

/**
 * What the thread of a client tells the others of its session.
 *
 * @param session     the session, or the one before when it was lost and no other is open; null before the first.
 * @param isConnected whether a session is open, as far as is known.
 * @param lastError   the last connection error, in one sentence; empty: none.
 */
record SessionStatus(SessionInfo session, boolean isConnected, String lastError)
{
    static SessionStatus of(final ReconnectingSession session)
    {
        return new SessionStatus(session.session(), session.isConnected(), session.lastError());
    }

    /** Whether it still tells the truth; allocates nothing. */
    boolean isCurrent(final ReconnectingSession actual)
    {
        return session == actual.session() && isConnected == actual.isConnected() &&
            lastError.equals(actual.lastError());
    }
}
