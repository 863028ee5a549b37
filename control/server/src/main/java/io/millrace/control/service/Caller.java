package io.millrace.control.service;

import io.millrace.control.codec.Role;
import java.util.Objects;

/**
 * The client of a session. Immutable.
 *
 * @param sessionId  of the session.
 * @param role       that the session has.
 * @param clientName as the client calls itself.
 * @param keyName    which it proved; empty: none, it came over IPC.
 * @param dataPlane  that the session is about, as {@link ControlBackend#dataPlane(String)} answered.
 */
public record Caller(long sessionId, Role role, String clientName, String keyName, String dataPlane)
{
    /**
     * Rejects null.
     */
    public Caller
    {
        Objects.requireNonNull(role, "role");
        Objects.requireNonNull(clientName, "clientName");
        Objects.requireNonNull(keyName, "keyName");
        Objects.requireNonNull(dataPlane, "dataPlane");
    }
}
