package io.millrace.control.message;

import io.millrace.control.codec.Role;
import java.util.Objects;

/**
 * What a client says of itself when it asks for a session.
 *
 * @param role             highest that it wants.
 * @param responseChannel  Aeron channel of the answers.
 * @param responseStreamId of the answers.
 * @param clientName       for logs and audit: program and user.
 * @param keyName          which secret it will prove; empty: none.
 * @param dataPlane        name of the data plane that it is about; empty: the only one.
 */
public record SessionRequest(
    Role role,
    String responseChannel,
    int responseStreamId,
    String clientName,
    String keyName,
    String dataPlane)
{
    /**
     * Refuses null.
     */
    public SessionRequest
    {
        Objects.requireNonNull(role, "role");
        Objects.requireNonNull(responseChannel, "responseChannel");
        Objects.requireNonNull(clientName, "clientName");
        Objects.requireNonNull(keyName, "keyName");
        Objects.requireNonNull(dataPlane, "dataPlane");
    }
}
