package io.millrace.control.session;

import io.millrace.control.message.SessionRequest;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import javax.crypto.Mac;

/**
 * What both ends saw of the opening of a session. Proofs and keys are made over all of it, so that nobody between the
 * two can have changed any. Immutable, but for its arrays, which belong to it.
 *
 * @param sessionId      of Challenge.
 * @param request        what OpenSession asked for.
 * @param dataPlaneNonce of Challenge.
 * @param clientNonce    of ProveIdentity.
 * @param dataPlaneKey   public key of Challenge; empty: the session is not encrypted.
 */
public record SessionTranscript(
    long sessionId, SessionRequest request, byte[] dataPlaneNonce, byte[] clientNonce, byte[] dataPlaneKey)
{
    /**
     * Rejects null.
     */
    public SessionTranscript
    {
        Objects.requireNonNull(request, "request");
        Objects.requireNonNull(dataPlaneNonce, "dataPlaneNonce");
        Objects.requireNonNull(clientNonce, "clientNonce");
        Objects.requireNonNull(dataPlaneKey, "dataPlaneKey");
    }

    /**
     * Of a session that is not encrypted.
     *
     * @param sessionId      of Challenge.
     * @param request        what OpenSession asked for.
     * @param dataPlaneNonce of Challenge.
     * @param clientNonce    of ProveIdentity.
     */
    public SessionTranscript(
        final long sessionId, final SessionRequest request, final byte[] dataPlaneNonce, final byte[] clientNonce)
    {
        this(sessionId, request, dataPlaneNonce, clientNonce, SessionRequest.NO_KEY);
    }

    /**
     * {@return the same with the nonce of the client}
     *
     * @param nonce of ProveIdentity.
     */
    public SessionTranscript with(final byte[] nonce)
    {
        return new SessionTranscript(sessionId, request, dataPlaneNonce, nonce, dataPlaneKey);
    }

    /**
     * {@return whether both sides want messages encrypted}
     */
    public boolean isEncrypted()
    {
        return request.isEncrypted() && 0 != dataPlaneKey.length;
    }

    /** Each part goes with its length, so that no two transcripts are the same bytes. */
    void update(final Mac mac)
    {
        update(mac, sessionId);
        update(mac, request.role().value());
        update(mac, request.responseStreamId());
        update(mac, request.keyName());
        update(mac, request.clientName());
        update(mac, request.responseChannel());
        update(mac, dataPlaneNonce);
        update(mac, clientNonce);
        if (!request.dataPlane().isEmpty())
        {
            // Clients of schema version 0 cannot name one, and prove what they sent.
            update(mac, request.dataPlane());
        }
        if (request.isEncrypted() || 0 != dataPlaneKey.length)
        {
            // One without the other too: a key that somebody took away on the path does not go unnoticed.
            update(mac, request.publicKey());
            update(mac, dataPlaneKey);
        }
    }

    private static void update(final Mac mac, final String text)
    {
        update(mac, text.getBytes(StandardCharsets.UTF_8));
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
