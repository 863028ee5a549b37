package io.millrace.control.service;

import io.aeron.Aeron;
import io.aeron.Image;
import io.aeron.Subscription;
import io.aeron.exceptions.AeronException;
import io.aeron.exceptions.TimeoutException;
import io.aeron.logbuffer.Header;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Role;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandHeader;
import io.millrace.control.message.SessionRequest;
import io.millrace.control.session.MessageSeal;
import io.millrace.control.wire.MessageAssembler;
import io.millrace.control.wire.RequestAdapter;
import io.millrace.control.wire.RequestHandler;
import io.millrace.control.wire.ResponseWriter;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.agrona.CloseHelper;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.AgentTerminationException;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;

/**
 * Work of the service's thread: reads requests, opens and closes sessions, publishes events, sends queued messages.
 * Malformed and forged messages are dropped and counted.
 */
final class ServiceLoop implements RequestHandler
{
    private static final int FRAGMENT_LIMIT = 256;
    private static final int EVENT_LIMIT = 1024;
    private static final long TIMEOUT_NS = TimeUnit.MILLISECONDS.toNanos(SessionOpener.TIMEOUT_MS);
    private static final long PROVING_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);
    private static final long RECONNECT_DELAY_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long CLOSE_WAIT_NS = TimeUnit.MILLISECONDS.toNanos(200);

    private final ControlSettings settings;
    private final ControlDriver driver;
    private final KeyFile keys;
    private final ControlBackend backend;
    private final Consumer<String> onError;
    private final CommandExecutor executor;
    private final NanoClock clock = SystemNanoClock.INSTANCE;
    private final RequestAdapter adapter = new RequestAdapter(this);
    private final ResponseWriter writer = new ResponseWriter();
    private final SessionTable sessions = new SessionTable();
    private final SessionOpener opener;
    private final MessageAssembler localAssembler = new MessageAssembler(
        (buffer, offset, length, header) -> onFragment(buffer, offset, length, header, false));
    private final MessageAssembler remoteAssembler = new MessageAssembler(
        (buffer, offset, length, header) -> onFragment(buffer, offset, length, header, true));
    private Aeron aeron;
    private Subscription local;
    private Subscription remote;
    private Session sealedSession;
    private Origin origin;
    private long reconnectNs;
    private long nowNs;
    private volatile long droppedCount;
    private volatile int sessionCount;
    private volatile long heldBytes;

    /** Connects to the media driver; throws AeronException if channel or stream is unavailable. */
    ServiceLoop(
        final ControlSettings settings,
        final ControlDriver driver,
        final KeyFile keys,
        final ControlBackend backend,
        final Consumer<String> onError,
        final CommandExecutor executor)
    {
        this.settings = settings;
        this.driver = driver;
        this.keys = keys;
        this.backend = backend;
        this.onError = onError;
        this.executor = executor;
        opener = new SessionOpener(settings, sessions, keys, backend, driver, clock.nanoTime());
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

    private Subscription subscribe(final String channel, final MessageAssembler assembler)
    {
        return aeron.addSubscription(channel, settings.streamId(), null,
            (image) -> assembler.free(image.sessionId()));
    }

    private void onAeronError(final Throwable error)
    {
        // The driver is in this process: whichever of the two misses the other, neither ran.
        if (error instanceof final TimeoutException timeout)
        {
            onError.accept("control: stood still for too long, as when the process is stopped, suspended or gets no " +
                "CPU; sessions end, and clients connect again: " + timeout.getMessage());
        }
        // The end of an Aeron client, whose reason was reported before.
        else if (!(error instanceof AgentTerminationException))
        {
            onError.accept("control: " + error);
        }
    }

    /** Number of messages neither executed nor answered. Any thread. */
    long droppedCount()
    {
        return droppedCount + driver.droppedCount() + remoteAssembler.droppedCount();
    }

    /** Number of sessions, including unauthenticated ones. Any thread. */
    int sessionCount()
    {
        return sessionCount;
    }

    /** Bytes of incomplete messages. Any thread. */
    long heldBytes()
    {
        return heldBytes;
    }

    /** Runs one duty cycle; returns the work count. */
    int doWork()
    {
        nowNs = clock.nanoTime();
        if (aeron.isClosed() || !driver.isAlive())
        {
            return reconnect();
        }
        int work = aeron.conductorAgentInvoker().invoke();
        work += local.poll(localAssembler, FRAGMENT_LIMIT);
        work += pollRemote();
        work += backend.poll();
        work += executor.poll();
        work += publishEvents();
        if (keys.poll(nowNs))
        {
            sessions.forEach(this::checkKey);
        }
        work += pollSessions();
        return work;
    }

    /** Closes sessions whose key was removed or changed; the client may reconnect with the new key. */
    private void checkKey(final Session session)
    {
        if (null != session.key() && !keys.keys().holds(session.transcript().request().keyName(), session.key()))
        {
            session.close();
        }
    }

    private int pollRemote()
    {
        final int fragments = null == remote ? 0 : remote.poll(remoteAssembler, FRAGMENT_LIMIT);
        if (fragments > 0)
        {
            heldBytes = remoteAssembler.heldBytes();
        }
        return fragments;
    }

    /** The driver timed out, for example after a suspend of the machine, has died, or this thread failed. */
    private int reconnect()
    {
        restart();
        if (nowNs - reconnectNs >= 0)
        {
            reconnectNs = nowNs + RECONNECT_DELAY_NS;
            if (!driver.isAlive())
            {
                onError.accept("control: the media driver has ended and is restarted");
                driver.restart();
            }
            connect();
            return 1;
        }
        return 0;
    }

    /** Drops all sessions and the connection to the driver; the next {@link #doWork()} reconnects. */
    void restart()
    {
        sessions.forEach(this::end);
        sessions.clear();
        StorageFault.close(aeron);
    }

    private void end(final Session session)
    {
        session.close();
        final Origin from = session.origin();
        if (from.isRemote() && !sessions.any((each) -> each != session && each.origin().equals(from) &&
            Session.State.OPEN == each.state()))
        {
            driver.forget(from.imageId());
        }
        if (null != session.caller())
        {
            backend.onSessionClosed(session.caller());
        }
    }

    private int publishEvents()
    {
        int told = 0;
        for (; told < EVENT_LIMIT; told++)
        {
            final ServiceEvent event = backend.pollEvent();
            if (null == event)
            {
                break;
            }
            sessions.forEach((session) -> session.publish(event));
        }
        final long lost = backend.takeLostEvents();
        if (lost > 0)
        {
            sessions.forEach((session) -> session.skipEvents(lost));
        }
        return told;
    }

    private int pollSessions()
    {
        int work = 0;
        final Iterator<Session> each = sessions.iterator();
        while (each.hasNext())
        {
            final Session session = each.next();
            work += session.poll(writer, nowNs);
            final boolean isSilent = Session.State.OPEN == session.state() ?
                nowNs - session.lastReceivedNs() >= TIMEOUT_NS : nowNs - session.lastReceivedNs() >= PROVING_TIMEOUT_NS;
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

    private void onFragment(
        final DirectBuffer buffer,
        final int offset,
        final int length,
        final Header header,
        final boolean isRemote)
    {
        sealedSession = null;
        origin = isRemote ? Origin.of((Image)header.context()) : Origin.LOCAL;
        boolean isRead = false;
        if (MessageSeal.isSealed(buffer, offset, length))
        {
            final Session session = sessions.get(MessageSeal.sessionId(buffer, offset));
            if (null != session && null != session.seal() && session.origin().isRemote() == isRemote &&
                session.seal().open(buffer, offset, length))
            {
                sealedSession = session;
                isRead = adapter.onMessage(session.seal().messageBuffer(), session.seal().messageOffset(),
                    session.seal().messageLength());
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

    /** The session of a message; null is counted as dropped. */
    private Session open(final long sessionId)
    {
        final Session session = sessions.get(sessionId);
        if (null == session || Session.State.OPEN != session.state() ||
            session.origin().isRemote() != origin.isRemote() ||
            null != session.seal() && session != sealedSession)
        {
            drop();
            return null;
        }
        session.touch(nowNs);
        return session;
    }

    @Override
    public void onOpenSession(final long correlationId, final SessionRequest request)
    {
        if (null != sealedSession || !opener.onOpenSession(aeron, origin, correlationId, request, nowNs))
        {
            drop();
        }
    }

    @Override
    public void onOtherVersion(
        final long correlationId, final String responseChannel, final int responseStreamId, final int schemaVersion)
    {
        final SessionRequest request = new SessionRequest(Role.READ, responseChannel, responseStreamId, "", "", "");
        if (null != sealedSession ||
            !opener.rejectVersion(aeron, origin, correlationId, request, schemaVersion, nowNs))
        {
            drop();
        }
    }

    @Override
    public void onProveIdentity(
        final long correlationId, final long sessionId, final byte[] nonce, final byte[] proof)
    {
        if (!opener.onProveIdentity(origin, correlationId, sessionId, nonce, proof, nowNs))
        {
            drop();
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
            executor.onCommand(session, header, command);
        }
    }

    @Override
    public void onRefused(final long sessionId, final long correlationId, final Code code)
    {
        final Session session = open(sessionId);
        if (null != session)
        {
            CommandExecutor.refuse(session, correlationId, code, Code.UNKNOWN_COMMAND == code ?
                "this data plane does not know the command; use a client of its version" :
                "the message cannot be read");
        }
    }

    /** Sends queued messages for a short time, then closes. */
    void onClose()
    {
        final long deadlineNs = clock.nanoTime() + CLOSE_WAIT_NS;
        try
        {
            do
            {
                nowNs = clock.nanoTime();
                aeron.conductorAgentInvoker().invoke();
                backend.poll();
                executor.poll();
                publishEvents();
                pollSessions();
                Thread.onSpinWait();
            }
            while (!aeron.isClosed() && nowNs - deadlineNs < 0 &&
                sessions.any(Session::hasOutgoing));
        }
        catch (final AeronException e)
        {
            onError.accept("control: " + e);
        }
        sessions.forEach(this::end);
        executor.close();
        CloseHelper.quietClose(aeron);
        backend.close();
    }
}
