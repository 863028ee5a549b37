package io.millrace.control.client;

import io.aeron.CommonContext;
import io.aeron.exceptions.AeronException;
import io.millrace.control.codec.Code;
import io.millrace.control.message.ControlEvent;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.Resource;
import io.millrace.control.message.SessionInfo;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.IdleStrategy;

/**
 * A session that reconnects: opens a new connection after a loss, sends calls, and subscribes to events if there is a
 * listener. Confined to the thread of the client.
 */
final class ReconnectingSession implements AutoCloseable
{
    /** Below the time for which Aeron tries a driver that is silent: that would be waited for. */
    private static final long DRIVER_SILENCE_MAX_MS = 9_000;
    /** Each attempt is a sender of its own to the other end, which takes few of an address that proves nothing. */
    private static final long REFUSED_DELAY_NS = TimeUnit.SECONDS.toNanos(1);

    private final ControlClientContext ctx;
    private final ChangeGuard change;
    private final DriverDirectory driver;
    private final SecureRandom random = new SecureRandom();
    private final CallFactory factory;
    private final CallQueue calls = new CallQueue();
    private final NotificationQueue notifications;
    private final ConnectionHandler handler = new Sink();
    private long term;
    private Connection connection;
    private Call subscribing;
    private SessionInfo session;
    private long attemptDueNs;
    private String lastError = "";
    private Code lastErrorCode = Code.NULL_VAL;
    private boolean isClosed;

    ReconnectingSession(
        final ControlClientContext ctx,
        final ChangeGuard change,
        final CallFactory factory,
        final NotificationQueue notifications)
    {
        this.ctx = ctx;
        this.change = change;
        this.factory = factory;
        this.term = ctx.term();
        this.notifications = notifications;
        this.driver = new DriverDirectory(ctx.aeronDirectoryName());
        this.attemptDueNs = ctx.clock().nanoTime();
    }

    /**
     * Waits for the first session, and the subscription in it.
     *
     * @throws ControlTimeoutException when no session could be opened in time; says why.
     * @throws ControlException        when the data plane refuses the session or the subscription.
     */
    void awaitSession()
    {
        final IdleStrategy idle = ctx.idleStrategy();
        final long deadlineNs = ctx.clock().nanoTime() + ctx.connectTimeoutNs();
        idle.reset();
        while (null == session || null != subscribing && !subscribing.isDone())
        {
            final int work = doWork();
            if (Code.NULL_VAL != lastErrorCode && Code.OVERLOADED != lastErrorCode)
            {
                throw new ControlException(lastErrorCode, lastError);
            }
            if (ctx.clock().nanoTime() - deadlineNs >= 0 && null == session)
            {
                throw new ControlTimeoutException("no session within " +
                    TimeUnit.NANOSECONDS.toMillis(ctx.connectTimeoutNs()) + " ms: " + reason());
            }
            idle.idle(work);
        }
        if (null != subscribing)
        {
            subscribing.orThrow();
        }
    }

    /** Why there is no session, when the time for it is up. */
    private String reason()
    {
        return lastError.isEmpty() && null != connection ? connection.missing() : lastError;
    }

    /** Works, and tells what came of it. */
    int poll()
    {
        return doWork() + notifications.deliver() + notifyDoneCalls();
    }

    private int notifyDoneCalls()
    {
        int count = 0;
        for (Call call = factory.pollDone(); null != call && !isClosed; call = factory.pollDone())
        {
            call.notifyDone();
            count++;
        }
        return count;
    }

    /** Works, and tells nobody. */
    private int doWork()
    {
        final long nowNs = ctx.clock().nanoTime();
        int work = 0;
        if (null == connection && nowNs - attemptDueNs >= 0)
        {
            attempt(nowNs);
        }
        if (null != connection)
        {
            work += connection.poll(nowNs);
            if (connection.isOpen())
            {
                if (session != connection.session())
                {
                    onOpened();
                }
                work += calls.send(connection, Math.min(ctx.commandsMax(), Math.max(1, session.commandsMax())), term);
            }
            if (null != subscribing && subscribing.isDone() && Code.OK != subscribing.code() && connection.isOpen())
            {
                connection.lose(
                    subscribing.code(), "the data plane did not take the subscription: " + subscribing.text());
            }
            if (connection.isLost())
            {
                onLost(nowNs);
                work++;
            }
        }
        calls.expire(nowNs, lastError);
        return work;
    }

    private void attempt(final long nowNs)
    {
        attemptDueNs = nowNs + ctx.reconnectDelayNs();
        final String trustProblem = ctx.requestChannel().startsWith(CommonContext.IPC_CHANNEL) ?
            ControlDirectories.trustProblem(Path.of(ctx.aeronDirectoryName()), ctx.group()) : null;
        if (null != trustProblem)
        {
            lastError = "directory " + ctx.aeronDirectoryName() + ' ' + trustProblem + ": it is not used";
            lastErrorCode = Code.NOT_PERMITTED;
            return;
        }
        final long silenceMs = TimeUnit.NANOSECONDS.toMillis(ctx.livenessTimeoutNs()) + 1;
        if (!driver.isActive(Math.min(DRIVER_SILENCE_MAX_MS, silenceMs)))
        {
            lastError = "no process accepts commands in " + ctx.aeronDirectoryName() + ": " +
                ControlDirectories.userOf(Path.of(ctx.aeronDirectoryName()));
            return;
        }
        try
        {
            connection = new Connection(ctx, handler, random, driver, factory.nextCorrelationId(), nowNs);
        }
        catch (final AeronException e)
        {
            lastError = "the process that accepts commands in " + ctx.aeronDirectoryName() + " cannot be reached: " +
                e.getMessage();
        }
    }

    private void onOpened()
    {
        final boolean isAgain = null != session;
        session = connection.session();
        lastError = "";
        lastErrorCode = Code.NULL_VAL;
        notifications.onConnected(session, isAgain);
        if (null != ctx.listener())
        {
            if (null != subscribing && !subscribing.isDone())
            {
                // Went back into the line when the session before was lost.
                return;
            }
            subscribing = factory.newSubscription();
            calls.addFirst(subscribing);
        }
    }

    private void onLost(final long nowNs)
    {
        lastError = connection.lossReason();
        lastErrorCode = connection.lossCode();
        if (null != session && session == connection.session())
        {
            notifications.onDisconnected(lastError);
        }
        connection.close();
        connection = null;
        change.onSessionLost();
        calls.onLost(lastError);
        attemptDueNs = nowNs + (Code.NOT_AUTHENTICATED == lastErrorCode || Code.NOT_PERMITTED == lastErrorCode ?
            Math.max(REFUSED_DELAY_NS, ctx.reconnectDelayNs()) : ctx.reconnectDelayNs());
    }

    /** Puts a call in line, and sends it now if that goes; not when it is done already. */
    void send(final Call call)
    {
        if (call.isDone())
        {
            return;
        }
        calls.add(call);
        if (isConnected() && session == connection.session())
        {
            calls.send(connection, Math.min(ctx.commandsMax(), Math.max(1, session.commandsMax())), term);
        }
    }

    void term(final long value)
    {
        term = value;
    }

    SessionInfo session()
    {
        return session;
    }

    String lastError()
    {
        return lastError;
    }

    boolean isConnected()
    {
        return null != connection && connection.isOpen();
    }

    long unmatchedCount()
    {
        return calls.unmatchedCount();
    }

    long refusedCount()
    {
        return null == connection ? 0 : connection.unreadableCount();
    }

    @Override
    public void close()
    {
        isClosed = true;
        calls.close();
        if (null != connection)
        {
            connection.close();
            connection = null;
        }
    }

    /** What comes in the open session. */
    private final class Sink implements ConnectionHandler
    {
        @Override
        public void onAnswer(final long id, final Code code, final long value, final String text)
        {
            calls.onAnswer(id, code, value, text);
        }

        @Override
        public void onResource(final long id, final Resource resource)
        {
            calls.onResource(id, resource);
        }

        @Override
        public void onEvent(final ControlEvent event)
        {
            notifications.onEvent(event);
        }

        @Override
        public void onEventSequence(final long sequence)
        {
            notifications.onEventSequence(sequence);
        }
    }
}
