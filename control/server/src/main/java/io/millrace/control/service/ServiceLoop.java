package io.millrace.control.service;

import io.aeron.Aeron;
import io.aeron.FragmentAssembler;
import io.aeron.Subscription;
import io.aeron.exceptions.AeronException;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Role;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandHeader;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.SessionInfo;
import io.millrace.control.message.SessionRequest;
import io.millrace.control.session.MessageSeal;
import io.millrace.control.session.SessionProof;
import io.millrace.control.session.SessionTranscript;
import io.millrace.control.session.Side;
import io.millrace.control.wire.RequestAdapter;
import io.millrace.control.wire.RequestHandler;
import io.millrace.control.wire.ResponseWriter;
import java.security.SecureRandom;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.agrona.CloseHelper;
import org.agrona.DirectBuffer;
import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;

/**
 * What the service's thread does: reads requests, opens and closes sessions, tells events, sends what waits. A message
 * that cannot be believed or read is dropped and counted.
 */
final class ServiceLoop implements Agent, RequestHandler
{
    private static final int FRAGMENT_LIMIT = 256;
    private static final int EVENT_LIMIT = 1024;
    private static final int SESSIONS_MAX = 256;
    /** Beyond those: who is only told that there is no room. */
    private static final int TURNED_AWAY_MAX = 32;
    private static final int PROVING_MAX = 32;
    private static final int TIMEOUT_MS = 10_000;
    private static final long TIMEOUT_NS = TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MS);
    private static final long PROVING_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);
    private static final long RECONNECT_DELAY_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long CLOSE_WAIT_NS = TimeUnit.MILLISECONDS.toNanos(200);

    private final ControlSettings settings;
    private final KeyRing keys;
    private final ControlBackend backend;
    private final Consumer<String> onError;
    private final CommandDesk desk;
    private final NanoClock clock = SystemNanoClock.INSTANCE;
    private final SecureRandom random = new SecureRandom();
    private final RequestAdapter adapter = new RequestAdapter(this);
    private final ResponseWriter writer = new ResponseWriter();
    private final Long2ObjectHashMap<Session> sessions = new Long2ObjectHashMap<>();
    private final FragmentAssembler localAssembler = new FragmentAssembler(
        (buffer, offset, length, header) -> onFragment(buffer, offset, length, false));
    private final FragmentAssembler remoteAssembler = new FragmentAssembler(
        (buffer, offset, length, header) -> onFragment(buffer, offset, length, true));
    private Aeron aeron;
    private Subscription local;
    private Subscription remote;
    private Session sealedSession;
    private boolean isFromRemote;
    private long reconnectNs;
    private long nowNs;
    private volatile long droppedCount;
    private volatile int sessionCount;

    /** Connects to the media driver; throws AeronException when channel or stream cannot be had. */
    ServiceLoop(
        final ControlSettings settings,
        final KeyRing keys,
        final ControlBackend backend,
        final Consumer<String> onError,
        final CommandDesk desk)
    {
        this.settings = settings;
        this.keys = keys;
        this.backend = backend;
        this.onError = onError;
        this.desk = desk;
        connect();
    }

    private void connect()
    {
        aeron = Aeron.connect(new Aeron.Context()
            .aeronDirectoryName(settings.directory().toString())
            .clientName("millrace control")
            .useConductorAgentInvoker(true)
            .errorHandler(this::onAeronError)
            .subscriberErrorHandler(this::onAeronError));
        try
        {
            local = subscribe(ControlSettings.IPC_CHANNEL, localAssembler);
            remote = settings.isUdp() ? subscribe(settings.channel(), remoteAssembler) : null;
        }
        catch (final RuntimeException e)
        {
            CloseHelper.quietClose(aeron);
            throw e;
        }
    }

    private Subscription subscribe(final String channel, final FragmentAssembler assembler)
    {
        return aeron.addSubscription(channel, settings.streamId(), null,
            (image) -> assembler.freeSessionBuffer(image.sessionId()));
    }

    private void onAeronError(final Throwable error)
    {
        onError.accept("control: " + error);
    }

    @Override
    public String roleName()
    {
        return "millrace-control";
    }

    /** Messages that were neither carried out nor answered. Any thread. */
    long droppedCount()
    {
        return droppedCount;
    }

    /** Clients that are talked to, those included that have not proven themselves. Any thread. */
    int sessionCount()
    {
        return sessionCount;
    }

    @Override
    public int doWork()
    {
        nowNs = clock.nanoTime();
        if (aeron.isClosed())
        {
            return reconnect();
        }
        int work = aeron.conductorAgentInvoker().invoke();
        work += local.poll(localAssembler, FRAGMENT_LIMIT);
        work += null == remote ? 0 : remote.poll(remoteAssembler, FRAGMENT_LIMIT);
        work += backend.poll();
        work += desk.poll();
        work += tellEvents();
        work += pollSessions();
        return work;
    }

    /** The driver was not seen for too long, such as after the machine was suspended. */
    private int reconnect()
    {
        sessions.values().forEach(this::end);
        sessions.clear();
        if (nowNs - reconnectNs >= 0)
        {
            reconnectNs = nowNs + RECONNECT_DELAY_NS;
            connect();
            return 1;
        }
        return 0;
    }

    private void end(final Session session)
    {
        session.close();
        if (null != session.caller())
        {
            backend.onSessionClosed(session.caller());
        }
    }

    private int tellEvents()
    {
        int told = 0;
        for (; told < EVENT_LIMIT; told++)
        {
            final ServiceEvent event = backend.pollEvent();
            if (null == event)
            {
                break;
            }
            sessions.values().forEach((session) -> session.tell(event));
        }
        final long lost = backend.takeLostEvents();
        if (lost > 0)
        {
            sessions.values().forEach((session) -> session.skipEvents(lost));
        }
        return told;
    }

    private int pollSessions()
    {
        int work = 0;
        final Iterator<Session> each = sessions.values().iterator();
        while (each.hasNext())
        {
            final Session session = each.next();
            work += session.poll(writer, nowNs);
            final boolean isSilent = Session.State.OPEN == session.state() ?
                nowNs - session.heardNs() >= TIMEOUT_NS : nowNs - session.heardNs() >= PROVING_TIMEOUT_NS;
            if (isSilent || Session.State.CLOSED == session.state())
            {
                end(session);
                each.remove();
            }
        }
        if (sessionCount != sessions.size())
        {
            sessionCount = sessions.size();
        }
        return work;
    }

    private void onFragment(final DirectBuffer buffer, final int offset, final int length, final boolean isRemote)
    {
        sealedSession = null;
        isFromRemote = isRemote;
        boolean isRead = false;
        if (MessageSeal.isSealed(buffer, offset, length))
        {
            final Session session = sessions.get(MessageSeal.sessionId(buffer, offset));
            if (null != session && null != session.seal() && session.isRemote() == isRemote &&
                session.seal().open(buffer, offset, length))
            {
                sealedSession = session;
                isRead = adapter.onMessage(buffer, session.seal().messageOffset(), session.seal().messageLength());
            }
        }
        else
        {
            isRead = adapter.onMessage(buffer, offset, length);
        }
        if (!isRead)
        {
            drop();
        }
    }

    // One thread writes it.
    @SuppressWarnings("NonAtomicOperationOnVolatileField")
    private void drop()
    {
        droppedCount++;
    }

    /** The session that may use this message, or null, which is counted. */
    private Session open(final long sessionId)
    {
        final Session session = sessions.get(sessionId);
        if (null == session || Session.State.OPEN != session.state() || session.isRemote() != isFromRemote ||
            null != session.seal() && session != sealedSession)
        {
            drop();
            return null;
        }
        session.heard(nowNs);
        return session;
    }

    @Override
    public void onOpenSession(final long correlationId, final SessionRequest request)
    {
        final String channel = ResponseChannel.of(request.responseChannel(), isFromRemote);
        final Role role = request.role();
        if (null != sealedSession || null == channel || Role.NULL_VAL == role || Role.SBE_UNKNOWN == role)
        {
            drop();
            return;
        }
        if (sessions.size() >= SESSIONS_MAX)
        {
            turnAway(correlationId, request, channel);
            return;
        }
        final boolean mustProve = isFromRemote || !request.keyName().isEmpty();
        if (mustProve)
        {
            dropOldestUnproven();
        }
        final long sessionId = newSessionId();
        final KeyRing.Key key = mustProve ? keys.get(request.keyName()) : null;
        final byte[] nonce = SessionProof.newNonce(random);
        final SessionTranscript transcript =
            mustProve ? new SessionTranscript(sessionId, request, nonce, new byte[0]) : null;
        final Session session = new Session(aeron, sessionId, isFromRemote,
            null == key || role.value() <= key.role().value() ? role : key.role(), key, transcript,
            aeron.asyncAddExclusivePublication(channel, request.responseStreamId()), nowNs);
        sessions.put(sessionId, session);
        if (mustProve)
        {
            session.send((to) -> to.challenge(correlationId, sessionId, nonce));
        }
        else
        {
            letIn(session, correlationId, request, new byte[0]);
        }
    }

    /** Says that there is no room, as long as there is room to say so. */
    private void turnAway(final long correlationId, final SessionRequest request, final String channel)
    {
        if (sessions.size() >= SESSIONS_MAX + TURNED_AWAY_MAX)
        {
            drop();
            return;
        }
        final long sessionId = newSessionId();
        final Session session = new Session(aeron, sessionId, isFromRemote, Role.READ, null, null,
            aeron.asyncAddExclusivePublication(channel, request.responseStreamId()), nowNs);
        sessions.put(sessionId, session);
        session.send((to) -> to.answer(0, correlationId, Code.OVERLOADED, 0,
            SESSIONS_MAX + " sessions are open, more are not served; close some"));
        session.leave();
    }

    private long newSessionId()
    {
        while (true)
        {
            final long id = random.nextLong();
            if (0 != id && !sessions.containsKey(id))
            {
                return id;
            }
        }
    }

    /** Somebody who opens sessions and never proves anything must not keep others out. */
    private void dropOldestUnproven()
    {
        int count = 0;
        Session oldest = null;
        for (final Session each : sessions.values())
        {
            if (Session.State.PROVING == each.state())
            {
                count++;
                oldest = null == oldest || each.openedNs() - oldest.openedNs() < 0 ? each : oldest;
            }
        }
        if (count >= PROVING_MAX)
        {
            oldest.close();
            sessions.remove(oldest.id());
        }
    }

    /** The client is who it says: is there what it wants? */
    private void letIn(
        final Session session, final long correlationId, final SessionRequest request, final byte[] proof)
    {
        try
        {
            session.admit(new Caller(session.id(), session.role(), request.clientName(), request.keyName(),
                backend.dataPlane(request.dataPlane())));
        }
        catch (final ControlException e)
        {
            session.send((to) -> to.answer(0, correlationId, e.code(), 0, e.getMessage()));
            session.leave();
            return;
        }
        final SessionInfo info = new SessionInfo(session.id(), session.role(), TIMEOUT_MS, desk.highestTerm(),
            backend.id(), Session.COMMANDS_MAX, backend.name());
        session.send((to) -> to.sessionOpened(correlationId, info, proof));
    }

    @Override
    public void onProveIdentity(
        final long correlationId, final long sessionId, final byte[] nonce, final byte[] proof)
    {
        final Session session = sessions.get(sessionId);
        if (null == session || Session.State.PROVING != session.state() || session.isRemote() != isFromRemote ||
            session.hasOutgoing())
        {
            drop();
            return;
        }
        final SessionRequest request = session.transcript().request();
        final SessionTranscript whole =
            new SessionTranscript(sessionId, request, session.transcript().dataPlaneNonce(), nonce);
        if (SessionProof.verify(session.key().secret(), whole, Side.CLIENT, proof))
        {
            session.heard(nowNs);
            session.open(SessionProof.seal(session.key().secret(), whole, Side.DATA_PLANE));
            letIn(session, correlationId, request,
                SessionProof.prove(session.key().secret(), whole, Side.DATA_PLANE));
        }
        else
        {
            session.send((to) -> to.answer(0, correlationId, Code.NOT_AUTHENTICATED, 0,
                "the proof is wrong, or there is no key of this name"));
            session.leave();
        }
    }

    @Override
    public void onCloseSession(final long sessionId)
    {
        final Session session = open(sessionId);
        if (null != session)
        {
            session.close();
        }
    }

    @Override
    public void onKeepAlive(final long sessionId)
    {
        final Session session = open(sessionId);
        if (null != session)
        {
            final long eventSequence = session.eventSequence();
            session.send((to) -> to.alive(sessionId, eventSequence));
        }
    }

    @Override
    public void onCommand(final CommandHeader header, final Command command)
    {
        final Session session = open(header.sessionId());
        if (null != session)
        {
            desk.onCommand(session, header, command);
        }
    }

    @Override
    public void onRefused(final long sessionId, final long correlationId, final Code code)
    {
        final Session session = open(sessionId);
        if (null != session)
        {
            CommandDesk.refuse(session, correlationId, code, Code.UNKNOWN_COMMAND == code ?
                "this data plane does not know the command; use a client of its version" :
                "the message cannot be read");
        }
    }

    /** Sends what waits, for a moment, and leaves. */
    @Override
    public void onClose()
    {
        final long deadlineNs = clock.nanoTime() + CLOSE_WAIT_NS;
        try
        {
            do
            {
                nowNs = clock.nanoTime();
                aeron.conductorAgentInvoker().invoke();
                backend.poll();
                desk.poll();
                tellEvents();
                pollSessions();
                Thread.onSpinWait();
            }
            while (!aeron.isClosed() && nowNs - deadlineNs < 0 &&
                sessions.values().stream().anyMatch(Session::hasOutgoing));
        }
        catch (final AeronException e)
        {
            onError.accept("control: " + e);
        }
        sessions.values().forEach(this::end);
        desk.close();
        CloseHelper.quietClose(aeron);
        backend.close();
    }
}
