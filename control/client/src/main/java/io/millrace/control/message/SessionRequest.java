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
 * @param publicKey        to agree on keys with; empty: it does not encrypt. Not copied.
 */
public record SessionRequest(
    Role role,
    String responseChannel,
    int responseStreamId,
    String clientName,
    String keyName,
    String dataPlane,
    byte[] publicKey)
{
    /** Of a client that does not encrypt. */
    public static final byte[] NO_KEY = new byte[0];

    /**
     * Rejects null.
     */
    public SessionRequest
    {
        Objects.requireNonNull(role, "role");
        Objects.requireNonNull(responseChannel, "responseChannel");
        Objects.requireNonNull(clientName, "clientName");
        Objects.requireNonNull(keyName, "keyName");
        Objects.requireNonNull(dataPlane, "dataPlane");
        Objects.requireNonNull(publicKey, "publicKey");
    }

    /**
     * Of a client that does not encrypt.
     *
     * @param role             highest that it wants.
     * @param responseChannel  Aeron channel of the answers.
     * @param responseStreamId of the answers.
     * @param clientName       for logs and audit: program and user.
     * @param keyName          which secret it will prove; empty: none.
     * @param dataPlane        name of the data plane that it is about; empty: the only one.
     */
    public SessionRequest(
        final Role role,
        final String responseChannel,
        final int responseStreamId,
        final String clientName,
        final String keyName,
        final String dataPlane)
    {
        this(role, responseChannel, responseStreamId, clientName, keyName, dataPlane, NO_KEY);
    }

    /**
     * {@return whether it wants its messages encrypted}
     */
    public boolean isEncrypted()
    {
        return 0 != publicKey.length;
    }
}
