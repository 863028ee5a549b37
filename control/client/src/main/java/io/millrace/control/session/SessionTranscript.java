package io.millrace.control.session;

import io.millrace.control.codec.Role;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import javax.crypto.Mac;

/**
 * What both ends saw of the opening of a session. Proofs and keys are made over all of it, so that nobody between the
 * two can have changed any. Immutable, but for its arrays, which belong to it.
 *
 * @param sessionId        of Challenge.
 * @param role             that OpenSession asked for.
 * @param keyName          of OpenSession.
 * @param clientName       of OpenSession.
 * @param responseChannel  of OpenSession.
 * @param responseStreamId of OpenSession.
 * @param dataPlaneNonce   of Challenge.
 * @param clientNonce      of ProveIdentity.
 */
public record SessionTranscript(
    long sessionId,
    Role role,
    String keyName,
    String clientName,
    String responseChannel,
    int responseStreamId,
    byte[] dataPlaneNonce,
    byte[] clientNonce)
{
    /**
     * Refuses null.
     */
    public SessionTranscript
    {
        Objects.requireNonNull(role, "role");
        Objects.requireNonNull(keyName, "keyName");
        Objects.requireNonNull(clientName, "clientName");
        Objects.requireNonNull(responseChannel, "responseChannel");
        Objects.requireNonNull(dataPlaneNonce, "dataPlaneNonce");
        Objects.requireNonNull(clientNonce, "clientNonce");
    }

    /** Each part goes with its length, so that no two transcripts are the same bytes. */
    void update(final Mac mac)
    {
        update(mac, sessionId);
        update(mac, role.value());
        update(mac, responseStreamId);
        update(mac, keyName.getBytes(StandardCharsets.UTF_8));
        update(mac, clientName.getBytes(StandardCharsets.UTF_8));
        update(mac, responseChannel.getBytes(StandardCharsets.UTF_8));
        update(mac, dataPlaneNonce);
        update(mac, clientNonce);
    }

    private static void update(final Mac mac, final byte[] bytes)
    {
        update(mac, bytes.length);
        mac.update(bytes);
    }

    static void update(final Mac mac, final long value)
    {
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE)
        {
            mac.update((byte)(value >>> shift));
        }
    }
}
