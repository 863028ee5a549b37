package io.millrace.control.message;

import io.millrace.control.codec.Role;
import java.util.Objects;
import java.util.UUID;

/**
 * A session as the data plane opened it.
 *
 * @param sessionId     of every message in it.
 * @param role          what the session may do; at most what was asked for.
 * @param timeoutMs     after so much silence of the client it is closed.
 * @param term          highest of a manager that the data plane has seen; 0: none.
 * @param dataPlaneId   new at each start of the process.
 * @param commandsMax   commands that may wait for their answers at once.
 * @param dataPlaneName as configured.
 * @param peer          what serves it, and what that knows.
 */
public record SessionInfo(
    long sessionId,
    Role role,
    int timeoutMs,
    long term,
    UUID dataPlaneId,
    int commandsMax,
    String dataPlaneName,
    PeerInfo peer)
{
    /**
     * Rejects null.
     */
    public SessionInfo
    {
        Objects.requireNonNull(role, "role");
        Objects.requireNonNull(dataPlaneId, "dataPlaneId");
        Objects.requireNonNull(dataPlaneName, "dataPlaneName");
        Objects.requireNonNull(peer, "peer");
    }
}
