package io.millrace.control.service;

import io.millrace.control.codec.Code;
import io.millrace.control.codec.Role;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandHeader;
import io.millrace.control.wire.ResponseWriter;
import io.millrace.control.setting.SettingType;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;

/**
 * Executes the commands of open sessions in order: checks permissions, answers repeated commands from the reply cache,
 * and replies on completion. Commands that may take long run on a separate thread; later commands wait, as they may
 * depend on them, and so do lists of the sessions that wait for one. Lists of others are answered at once. The
 * service's thread, except {@link #completions}.
 */
final class CommandExecutor implements AutoCloseable
{
    /** As for a broken invariant of a reactor. */
    private static final int EXIT_CODE_FATAL = 70;

    private final ControlBackend backend;
    private final ReplyCache memory = new ReplyCache();
    private final ManyToOneConcurrentLinkedQueue<Runnable> completions = new ManyToOneConcurrentLinkedQueue<>();
    private final ArrayDeque<Turn> waiting = new ArrayDeque<>();
    private final ExecutorService worker = Executors.newSingleThreadExecutor(
        Thread.ofPlatform().daemon().name("millrace-control-files").factory());
    private final Consumer<String> onError;
    private final Consumer<Error> onFatalError;
    /** What the worker carries out; null: nothing. */
    private PendingCommand working;

    /**
     * Something that waits for the worker.
     *
     * @param change that it is; null: a list.
     * @param task   that begins it.
     */
    private record Turn(PendingCommand change, Runnable task)
    {
        boolean isAwaitedBy(final Session session)
        {
            return null != change && change.isAwaitedBy(session);
        }
    }

    CommandExecutor(final ControlBackend backend, final Consumer<String> onError)
    {
        this(backend, onError, CommandExecutor::halt);
    }

    /**
     * @param onError      gets one line about a command that failed unexpectedly.
     * @param onFatalError gets an error that the process cannot survive, and ends it.
     */
    CommandExecutor(final ControlBackend backend, final Consumer<String> onError, final Consumer<Error> onFatalError)
    {
        this.backend = backend;
        this.onError = onError;
        this.onFatalError = onFatalError;
    }

    private static void halt(final Error error)
    {
        try
        {
            System.err.println("control: fatal error, the process stops: " + error);
            System.err.flush();
        }
        finally
        {
            // Without shutdown hooks, which would need the missing memory.
            Runtime.getRuntime().halt(EXIT_CODE_FATAL);
        }
    }

    void onCommand(final Session session, final CommandHeader header, final Command command)
    {
        if (!session.begin())
        {
            refuse(session, header.correlationId(), Code.OVERLOADED,
                Session.COMMANDS_MAX + " commands of this session are outstanding; read their answers first");
            return;
        }
        if (command.role().value() > session.role().value())
        {
            final Reply reply = Reply.refused(Code.NOT_PERMITTED, lacking(session, command.role()));
            backend.onRefused(session.caller(), command, reply);
            session.answer(header.correlationId(), reply);
            return;
        }
        if (!session.mayManage() && backend.isManagerOnly(header.term(), command))
        {
            final Reply reply = Reply.refused(Code.NOT_PERMITTED, "key " + session.caller().keyName() +
                " lacks the role manager; grant it in the key file of " + backend.name());
            backend.onRefused(session.caller(), command, reply);
            session.answer(header.correlationId(), reply);
            return;
        }
        switch (command)
        {
            case final Command.Subscribe _ ->
            {
                session.subscribe();
                session.answer(header.correlationId(), Reply.OK);
            }
            case final Command.List list -> listInTurn(session, header.correlationId(), list);
            default -> change(session, header, command);
        }
    }

    private String lacking(final Session session, final Role role)
    {
        final String key = session.caller().keyName();
        final String has = SettingType.word(session.role());
        return "this command needs role " + SettingType.word(role) + ", and " + (key.isEmpty() ?
            "the session was opened with role " + has + ": open one with that role" :
            "key " + key + " has role " + has + ": name another with --key-name and --key-file, or give it that " +
            "role in the key file of " + backend.name());
    }

    /** Answers a command that was not accepted. */
    static void refuse(final Session session, final long correlationId, final Code code, final String text)
    {
        session.send((final ResponseWriter writer) -> writer.answer(session.id(), correlationId, code, 0, text));
    }

    private void listInTurn(final Session session, final long correlationId, final Command.List list)
    {
        final Runnable task = () -> list(session, correlationId, list);
        if (null != working && !list.atOnce() &&
            (working.isAwaitedBy(session) || waiting.stream().anyMatch((turn) -> turn.isAwaitedBy(session))))
        {
            waiting.addLast(new Turn(null, task));
        }
        else
        {
            task.run();
        }
    }

    private void list(final Session session, final long correlationId, final Command.List list)
    {
        if (!session.beginList())
        {
            session.answer(correlationId, new Reply(Code.OVERLOADED, 0,
                Session.LISTS_MAX + " lists of this session are incomplete; read them first"));
            return;
        }
        final CompletableFuture<Listing<?>> future =
            backend.list(session.caller(), session.awaitsChanges() ? list : list.now());
        if (future.isDone())
        {
            endList(session, correlationId, future);
        }
        else
        {
            future.whenComplete((listing, failure) ->
                completions.offer(() -> endList(session, correlationId, future)));
        }
    }

    private static void endList(
        final Session session, final long correlationId, final CompletableFuture<Listing<?>> future)
    {
        if (future.isCompletedExceptionally())
        {
            session.endList();
            session.answer(correlationId, Reply.of(future.exceptionNow()));
        }
        else
        {
            session.send(new ListReply(session, correlationId, future.join()));
        }
    }

    private void change(final Session session, final CommandHeader header, final Command command)
    {
        final Reply known = memory.finished(header.commandId());
        if (null != known)
        {
            session.answer(header.correlationId(), known);
            return;
        }
        final PendingCommand same = memory.pending(header.commandId());
        if (null != same)
        {
            same.await(session, header.correlationId());
            return;
        }
        final PendingCommand work = new PendingCommand(session.caller(), header, command);
        work.await(session, header.correlationId());
        memory.begin(work);
        if (null == working)
        {
            begin(work);
        }
        else
        {
            waiting.addLast(new Turn(work, () -> begin(work)));
        }
    }

    private void begin(final PendingCommand work)
    {
        if (backend.mayTakeLong(work.command()))
        {
            working = work;
            worker.execute(() ->
            {
                try
                {
                    carryOut(work).thenAccept((reply) -> completions.offer(() -> end(work, reply)));
                }
                finally
                {
                    completions.offer(() -> working = null);
                }
            });
            return;
        }
        final CompletableFuture<Reply> future = carryOut(work);
        if (future.isDone())
        {
            end(work, future.join());
        }
        else
        {
            future.thenAccept((reply) -> completions.offer(() -> end(work, reply)));
        }
    }

    /** A backend should not throw; if it does, the command is answered nevertheless, as others wait for it. */
    private CompletableFuture<Reply> carryOut(final PendingCommand work)
    {
        try
        {
            return backend.carryOut(work.caller(), work.id(), work.term(), work.command());
        }
        catch (final OutOfMemoryError | InternalError e)
        {
            onFatalError.accept(e);
            return failed(work, e);
        }
        catch (final RuntimeException | Error e)
        {
            return failed(work, e);
        }
    }

    private CompletableFuture<Reply> failed(final PendingCommand work, final Throwable error)
    {
        final String name = work.command().getClass().getSimpleName();
        backend.onFailed(work.command(), error);
        onError.accept("control: " + name + " failed: " + error);
        return CompletableFuture.completedFuture(Reply.refused(Code.FAILED, "internal error: " + error));
    }

    private void end(final PendingCommand work, final Reply reply)
    {
        memory.end(work, reply);
        work.answer(reply);
    }

    /** Sends replies of completed commands and starts waiting ones; returns the work count. */
    int poll()
    {
        int work = 0;
        for (Runnable next = completions.poll(); null != next; next = completions.poll())
        {
            next.run();
            work++;
        }
        while (null == working && !waiting.isEmpty())
        {
            waiting.removeFirst().task().run();
            work++;
        }
        return work;
    }

    /** A command in progress on the worker thread completes without an answer. */
    @Override
    public void close()
    {
        worker.shutdown();
    }
}
