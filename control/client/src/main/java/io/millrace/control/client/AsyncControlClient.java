package io.millrace.control.client;

import io.millrace.control.message.Command;
import io.millrace.control.message.CommandId;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.Resource;
import io.millrace.control.message.SessionInfo;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Controls one data plane or manager from any thread: each command is answered by a future. The client for services;
 * a program with a duty cycle of its own polls a {@link ControlClient}.
 *
 * <p><b>Threads.</b> The client owns one thread, a daemon unless {@link ControlClientContext#threadFactory} says
 * otherwise, which keeps the session alive. All methods may be called by any thread, and only {@link
 * #connect(ControlClientContext)} and {@link #close()} wait. Futures complete on the client's thread, and the listener
 * is called there, unless a {@link ControlClientContext#callbackExecutor callbackExecutor} is set. A callback that
 * throws costs itself. One that blocks the client's thread delays all other answers, events and time-outs, and after
 * the session time-out of the data plane also costs the session; waiting there for a future of the same client is
 * refused with {@link IllegalStateException}.
 *
 * <p><b>Order.</b> Commands of one thread are executed in the order of their submission.
 *
 * <p><b>Bounds.</b> At most {@link ControlClientContext#outstandingMax(int) outstandingMax} commands are outstanding,
 * from submission to the completion of their futures. Those beyond fail at once with {@link
 * ControlOverloadedException}.
 *
 * <p><b>Failures.</b> All are in the future: {@link ControlException} with the code of the answer, {@link
 * ControlTimeoutException} if none came in time, {@link ControlOverloadedException}, {@link IllegalArgumentException}
 * if the command cannot be sent. {@link CompletableFuture#join()} wraps them. A lost session is no failure: the client
 * opens another and sends again what was not answered, with the same command ids, so that nothing is executed twice.
 * To repeat a command whose time was up, give it the same {@link CommandId}.
 *
 * <p><b>Cancellation.</b> A cancelled command may still be executed, and counts until it is answered. It is not sent if
 * it has not been yet.
 *
 * <p><b>Changes</b> of several commands ({@link Command.BeginChange}) belong to the session: the commands of all
 * threads between begin and commit are part of them. Use a client of its own for them.
 */
public final class AsyncControlClient implements AutoCloseable
{
    private static final long CLOSE_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);
    private static final String CLOSED = "the client is closed: what was sent may still be executed";

    private final ControlClientContext ctx;
    private final CallFactory factory;
    private final ReconnectingSession session;
    private final PendingCommands pending;
    private final Thread thread;
    private volatile SessionStatus status;

    private AsyncControlClient(final ControlClientContext ctx)
    {
        final ChangeGuard change = new ChangeGuard();
        this.ctx = ctx;
        factory = new CallFactory(ctx, change);
        final ControlListener listener =
            null == ctx.listener() ? null : new GuardedListener(ctx.listener(), ctx.onError());
        session = new ReconnectingSession(
            ctx, change, factory, new NotificationQueue(listener, this::onCallback, ctx.eventsMax()));
        pending = new PendingCommands(ctx.outstandingMax());
        status = SessionStatus.of(session);
        thread = ctx.threadFactory().newThread(this::run);
    }

    /**
     * Opens a session, and waits for it: errors in the settings show here.
     *
     * @param ctx settings; concluded here.
     * @return the client; to be closed.
     * @throws ControlSettingException when a setting is unavailable.
     * @throws ControlTimeoutException when no session could be opened within {@code connectTimeoutNs}; says why.
     * @throws ControlException        when the data plane refuses the session.
     */
    public static AsyncControlClient connect(final ControlClientContext ctx)
    {
        final AsyncControlClient client = new AsyncControlClient(ctx.concludeAsync());
        try
        {
            client.session.awaitSession();
            client.status = SessionStatus.of(client.session);
            client.thread.start();
            return client;
        }
        catch (final RuntimeException | Error e)
        {
            client.session.close();
            throw e;
        }
    }

    /**
     * Makes a client that opens its session in the background, and tries again when that fails. Commands wait for it
     * until their time is up. Does not wait.
     *
     * @param ctx settings; concluded here.
     * @return the client; to be closed.
     * @throws ControlSettingException when a setting is unavailable.
     */
    public static AsyncControlClient open(final ControlClientContext ctx)
    {
        final AsyncControlClient client = new AsyncControlClient(ctx.concludeAsync());
        client.thread.start();
        return client;
    }

    /**
     * Submits a command, with an id of its own if it changes something, and the time of the context for its answer.
     *
     * @param command to execute.
     * @return the answer, if the command succeeded.
     */
    public CompletableFuture<Answer> submit(final Command command)
    {
        return submit(List.of(command)).getFirst();
    }

    /**
     * Submits a command.
     *
     * @param command   to execute.
     * @param commandId its id. A data plane or manager that remembers it answers as it did then, and executes nothing.
     * @param timeoutNs from now to the answer, reconnects included; 1 ms to 1 day, in nanoseconds.
     * @return the answer, if the command succeeded.
     * @throws ControlSettingException when the time is out of its bounds.
     */
    public CompletableFuture<Answer> submit(final Command command, final CommandId commandId, final long timeoutNs)
    {
        ControlClientContext.checkTimeout("timeoutNs", timeoutNs);
        final PendingCommand submitted = newPending(command, Objects.requireNonNull(commandId, "commandId"), timeoutNs);
        add(List.of(submitted));
        return submitted.future();
    }

    /**
     * Submits commands that are sent one after the other, with none of another thread in between. Each is answered on
     * its own; a failed one does not keep those after it from being executed.
     *
     * @param commands to execute, in order; together within the bound of outstanding commands, or all of them fail.
     * @return the answer to each, in the same order.
     */
    public List<CompletableFuture<Answer>> submit(final List<? extends Command> commands)
    {
        final List<PendingCommand> batch = commands.stream()
            .map((each) -> newPending(Objects.requireNonNull(each, "command"), null, ctx.callTimeoutNs())).toList();
        add(batch);
        return batch.stream().map(PendingCommand::future).toList();
    }

    /**
     * Lists all resources of a type.
     *
     * @param type such as {@code DeviceInfo.class}.
     * @param <T>  of the resources.
     * @return all, in the order of the data plane.
     * @throws IllegalArgumentException when resources of different kinds have this type.
     */
    public <T extends Resource> CompletableFuture<List<T>> list(final Class<T> type)
    {
        return list(type, "");
    }

    /**
     * Lists resources of a type.
     *
     * @param type such as {@code NamespaceInfo.class}.
     * @param name of one resource, or of the subsystem that they belong to; empty: all.
     * @param <T>  of the resources.
     * @return all, in the order of the data plane.
     * @throws IllegalArgumentException when resources of different kinds have this type.
     */
    public <T extends Resource> CompletableFuture<List<T>> list(final Class<T> type, final String name)
    {
        return submit(new Command.List(Resource.kindOf(type), name)).thenApply((answer) -> answer.resources(type));
    }

    private PendingCommand newPending(final Command command, final CommandId commandId, final long timeoutNs)
    {
        return new PendingCommand(
            pending, command, commandId, ctx.clock().nanoTime() + timeoutNs, new ClientFuture<>(thread));
    }

    private void add(final List<PendingCommand> batch)
    {
        if (!batch.isEmpty())
        {
            pending.add(batch);
            // The permit stays if the thread is not idle yet: it looks at the queue once more before it parks.
            LockSupport.unpark(thread);
        }
    }

    /**
     * {@return the session, or the one before when it was lost and no other is open; null before the first}
     */
    public SessionInfo session()
    {
        return status.session();
    }

    /**
     * {@return whether a session is open, as far as is known}
     */
    public boolean isConnected()
    {
        return status.isConnected();
    }

    /**
     * {@return the last connection error, in one sentence; empty: none}
     */
    public String lastError()
    {
        return status.lastError();
    }

    /**
     * {@return number of commands whose futures are not complete}
     */
    public int outstandingCount()
    {
        return pending.count();
    }

    private void run()
    {
        try
        {
            while (pending.isOpen())
            {
                ctx.idleStrategy().idle(doWork());
                // An interrupt that a callback left would keep the thread from parking; close() ends it.
                Thread.interrupted();
            }
        }
        catch (final Throwable e)
        {
            pending.stop("the client's thread failed: " + e + ": connect another client");
            ctx.onError().accept(e);
        }
        finally
        {
            end();
        }
    }

    private void end()
    {
        try
        {
            session.close();
        }
        finally
        {
            status = SessionStatus.of(session);
            pending.abandonAll();
        }
    }

    private int doWork()
    {
        final int work = pending.drain(this::send) + session.poll();
        if (!status.isCurrent(session))
        {
            status = SessionStatus.of(session);
        }
        return work;
    }

    private void send(final List<PendingCommand> batch)
    {
        batch.forEach(this::send);
    }

    private void send(final PendingCommand command)
    {
        if (command.future().isDone())
        {
            pending.remove(command);
            return;
        }
        try
        {
            session.send(command.newCall(factory).onDone((call) -> onDone(command, call)));
        }
        catch (final IllegalArgumentException e)
        {
            command.onFailure(e);
            onCallback(command);
        }
    }

    private void onDone(final PendingCommand command, final Call call)
    {
        try
        {
            command.onAnswer(call.orThrow().answer());
        }
        catch (final ControlException e)
        {
            command.onFailure(e);
        }
        onCallback(command);
    }

    /** Runs what calls the user's code where the user wants it; here if the executor does not take it. */
    private void onCallback(final Runnable callback)
    {
        try
        {
            ctx.callbackExecutor().execute(callback);
        }
        catch (final RejectedExecutionException e)
        {
            ctx.onError().accept(e);
            callback.run();
        }
    }

    /**
     * Ends the session and the thread. Commands that are not answered fail, on the client's thread; what was sent may
     * still be executed. Returns after 5 s at most: while a callback holds the client's thread, the futures are
     * completed by other threads. May be called again, and by any thread; a callback on the client's thread does not
     * wait, the client ends when it returns.
     */
    @Override
    public void close()
    {
        pending.stop(CLOSED);
        LockSupport.unpark(thread);
        if (Thread.currentThread() != thread && !hasEnded())
        {
            pending.abandonAll(Thread::startVirtualThread);
        }
    }

    private boolean hasEnded()
    {
        boolean isInterrupted = false;
        final long deadlineNs = ctx.clock().nanoTime() + CLOSE_TIMEOUT_NS;
        long remainingNs = CLOSE_TIMEOUT_NS;
        while (thread.isAlive() && remainingNs > 0)
        {
            try
            {
                thread.join(Duration.ofNanos(remainingNs));
            }
            catch (final InterruptedException _)
            {
                isInterrupted = true;
            }
            remainingNs = deadlineNs - ctx.clock().nanoTime();
        }
        if (isInterrupted)
        {
            Thread.currentThread().interrupt();
        }
        return !thread.isAlive();
    }
}
