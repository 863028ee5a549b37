package io.millrace.control.service;

import io.aeron.Aeron;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Role;
import io.millrace.control.codec.SessionOpenedDecoder;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.SessionInfo;
import io.millrace.control.message.SessionRequest;
import io.millrace.control.session.KeyAgreementPair;
import io.millrace.control.session.MessageSeal;
import io.millrace.control.session.SessionProof;
import io.millrace.control.session.SessionTranscript;
import io.millrace.control.session.Side;
import java.security.SecureRandom;

/**
 * Opens sessions: authenticates clients, bounds the number of unauthenticated sessions, and describes this peer.
 * Confined to the service's thread.
 */
final class SessionOpener
{
    /** Idle time after which a session is closed. */
    static final int TIMEOUT_MS = 10_000;

    /** Session requests over UDP per second; each costs a publication before authentication. */
    private static final int REMOTE_PER_SECOND = 64;

    private final ControlSettings settings;
    private final SessionTable sessions;
    private final KeyFile keys;
    private final ControlBackend backend;
    private final ControlDriver driver;
    private final SecureRandom random = new SecureRandom();
    private final TokenBucket remoteRate;

    SessionOpener(
        final ControlSettings settings,
        final SessionTable sessions,
        final KeyFile keys,
        final ControlBackend backend,
        final ControlDriver driver,
        final long nowNs)
    {
        this.settings = settings;
        this.sessions = sessions;
        this.keys = keys;
        this.backend = backend;
        this.driver = driver;
        remoteRate = new TokenBucket(REMOTE_PER_SECOND, REMOTE_PER_SECOND, nowNs);
    }

    /** Handles OpenSession; returns whether a session was created. */
    boolean onOpenSession(
        final Aeron aeron,
        final Origin origin,
        final long correlationId,
        final SessionRequest request,
        final long nowNs)
    {
        final String channel = ResponseChannel.of(request.responseChannel(), origin.isRemote());
        final Role role = request.role();
        if (null == channel || Role.NULL_VAL == role || Role.SBE_UNKNOWN == role ||
            origin.isRemote() && !remoteRate.take(nowNs))
        {
            return false;
        }
        if (!sessions.hasRoom(origin.isRemote()))
        {
            return reject(aeron, origin, correlationId, request, channel, nowNs, Code.OVERLOADED,
                (origin.isRemote() ? SessionTable.REMOTE_MAX + " sessions over UDP" :
                    SessionTable.SESSIONS_MAX + " sessions") + " are open, which is the limit; close some");
        }
        if (origin.isRemote() && !request.isEncrypted() &&
            ControlSettings.Encryption.REQUIRED == settings.encryption())
        {
            return reject(aeron, origin, correlationId, request, channel, nowNs, Code.NOT_PERMITTED,
                "sessions over UDP are encrypted here, and this client does not encrypt: upgrade it, or set " +
                "control.encryption: optional");
        }
        final boolean mustProve = origin.isRemote() || !request.keyName().isEmpty();
        if (mustProve)
        {
            dropProver(origin.address());
        }
        final long sessionId = sessions.newId();
        final KeyRing.Key key = mustProve ? keys.keys().get(request.keyName()) : null;
        final byte[] nonce = SessionProof.newNonce(random);
        final KeyAgreementPair pair = mustProve && request.isEncrypted() ? KeyAgreementPair.generate() : null;
        final byte[] publicKey = null == pair ? SessionRequest.NO_KEY : pair.publicKey();
        final SessionTranscript transcript = mustProve ?
            new SessionTranscript(sessionId, request, nonce, SessionRequest.NO_KEY, publicKey) : null;
        final Session session = new Session(aeron, sessionId, origin,
            null == key || role.value() <= key.role().value() ? role : key.role(), key, transcript, pair,
            aeron.asyncAddExclusivePublication(channel, request.responseStreamId()), nowNs);
        sessions.add(session);
        if (mustProve)
        {
            session.send((to) -> to.challenge(correlationId, sessionId, nonce, publicKey));
        }
        else
        {
            completeOpening(session, correlationId, request, new byte[0]);
        }
        return true;
    }

    /** Tells a client of an earlier version why there is no session; returns whether it was told. */
    boolean rejectVersion(
        final Aeron aeron,
        final Origin origin,
        final long correlationId,
        final SessionRequest request,
        final int schemaVersion,
        final long nowNs)
    {
        final String channel = ResponseChannel.of(request.responseChannel(), origin.isRemote());
        return null != channel && (!origin.isRemote() || remoteRate.take(nowNs)) &&
            reject(aeron, origin, correlationId, request, channel, nowNs, Code.UNSUPPORTED,
            "the client has schema version " + schemaVersion + ", and this peer " +
            SessionOpenedDecoder.SCHEMA_VERSION + ": update the client");
    }

    /** Clients that never authenticate must not block others. */
    private void dropProver(final String address)
    {
        final Session dropped = sessions.proverToDrop(address);
        if (null != dropped)
        {
            dropped.close();
            sessions.remove(dropped);
        }
    }

    /** Reports why there is no session, as long as there is capacity for it. */
    private boolean reject(
        final Aeron aeron,
        final Origin origin,
        final long correlationId,
        final SessionRequest request,
        final String channel,
        final long nowNs,
        final Code code,
        final String text)
    {
        if (!sessions.hasRoomToRefuse())
        {
            return false;
        }
        final Session session = new Session(aeron, sessions.newId(), origin, Role.READ, null, null, null,
            aeron.asyncAddExclusivePublication(channel, request.responseStreamId()), nowNs);
        sessions.add(session);
        session.send((to) -> to.answer(0, correlationId, code, 0, text));
        session.closeAfterSending();
        return true;
    }

    /** Handles ProveIdentity; returns whether the session was waiting for it. */
    boolean onProveIdentity(
        final Origin origin,
        final long correlationId,
        final long sessionId,
        final byte[] nonce,
        final byte[] proof,
        final long nowNs)
    {
        final Session session = sessions.get(sessionId);
        if (null == session || Session.State.PROVING != session.state() || !session.origin().equals(origin) ||
            session.hasOutgoing())
        {
            return false;
        }
        final SessionRequest request = session.transcript().request();
        final SessionTranscript whole = session.transcript().with(nonce);
        final MessageSeal seal = SessionProof.verify(session.key().secret(), whole, Side.CLIENT, proof) ?
            SessionProof.seal(session.key().secret(), whole, Side.DATA_PLANE, session.keys()) : null;
        if (null != seal)
        {
            session.touch(nowNs);
            session.open(seal);
            completeOpening(session, correlationId, request,
                SessionProof.prove(session.key().secret(), whole, Side.DATA_PLANE));
        }
        else
        {
            session.send((to) -> to.answer(0, correlationId, Code.NOT_AUTHENTICATED, 0,
                "authentication failed: wrong secret or unknown key name"));
            session.closeAfterSending();
        }
        return true;
    }

    /** The client is authenticated: resolves its data plane and opens the session. */
    private void completeOpening(
        final Session session, final long correlationId, final SessionRequest request, final byte[] proof)
    {
        try
        {
            final String dataPlane = backend.dataPlane(request.dataPlane());
            if (null != session.key() && !session.key().dataPlane().isEmpty() &&
                !session.key().dataPlane().equals(dataPlane))
            {
                throw new ControlException(Code.NOT_PERMITTED, "key " + request.keyName() + " is for data plane " +
                    session.key().dataPlane() + " only: name it, or use another key");
            }
            session.admit(new Caller(
                session.id(), session.role(), request.clientName(), request.keyName(), dataPlane));
        }
        catch (final ControlException e)
        {
            session.send((to) -> to.answer(0, correlationId, e.code(), 0, e.getMessage()));
            session.closeAfterSending();
            return;
        }
        if (session.origin().isRemote())
        {
            driver.prove(session.origin().imageId());
        }
        final SessionInfo info = new SessionInfo(session.id(), session.role(), TIMEOUT_MS, backend.term(),
            backend.id(), Session.COMMANDS_MAX, backend.name(), backend.peer());
        session.send((to) -> to.sessionOpened(correlationId, info, proof));
    }
}
