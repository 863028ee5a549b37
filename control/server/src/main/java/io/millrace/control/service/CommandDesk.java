package io.millrace.control.service;

import io.millrace.control.codec.Code;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandHeader;
import io.millrace.control.wire.ResponseWriter;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;

/**
 * Takes the commands of open sessions: refuses those that may not be, answers repeated ones, has the others carried out
 * in the order in which they came, and answers when they are done. What may take long goes to a thread of its own; what
 * comes behind it waits, since it may build on it. The service's thread, but for {@link #completions}.
 */
final class CommandDesk implements AutoCloseable
{
    /** As for a broken invariant of a reactor. */
    private static final int EXIT_CODE_FATAL = 70;

    private final ControlBackend backend;
    private final CommandMemory memory = new CommandMemory();
    private final ManyToOneConcurrentLinkedQueue<Runnable> completions = new ManyToOneConcurrentLinkedQueue<>();
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private final ExecutorService worker = Executors.newSingleThreadExecutor(
        Thread.ofPlatform().daemon().name("millrace-control-files").factory());
    private final Consumer<String> onError;
    private final Consumer<Error> onFatalError;
    private boolean isWorkerBusy;

    CommandDesk(final ControlBackend backend, final Consumer<String> onError)
    {
        this(backend, onError, CommandDesk::halt);
    }

    /**
     * @param onError      told in one line of a command that failed with what nobody expected.
     * @param onFatalError told of an error that the process cannot survive; ends it.
     */
    CommandDesk(final ControlBackend backend, final Consumer<String> onError, final Consumer<Error> onFatalError)
    {
        this.backend = backend;
        this.onError = onError;
        this.onFatalError = onFatalError;
    }

    private static void halt(final Error error)
    {
        try
        {
            System.err.println("control: the process cannot go on and stops: " + error);
            System.err.flush();
        }
        finally
        {
            // No shutdown hooks: they would need what is missing.
            Runtime.getRuntime().halt(EXIT_CODE_FATAL);
        }
    }

    void onCommand(final Session session, final CommandHeader header, final Command command)
    {
        if (!session.begin())
        {
            refuse(session, header.correlationId(), Code.OVERLOADED,
                Session.COMMANDS_MAX + " commands of this session wait for their answers; read those first");
            return;
        }
        if (command.role().value() > session.role().value())
        {
            final Reply reply = Reply.refused(Code.NOT_PERMITTED,
                "role " + session.role() + " may not do this; open a session with role " + command.role());
            backend.onRefused(session.caller(), command, reply);
            session.answer(header.correlationId(), reply);
            return;
        }
        if (!session.mayManage() && backend.isOfManagers(header.term(), command))
        {
            final Reply reply = Reply.refused(Code.NOT_PERMITTED, "key " + session.caller().keyName() +
                " is not for managers; give it the role manager in the file of keys of " + backend.name());
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
            case final Command.List list -> inTurn(() -> list(session, header.correlationId(), list));
            default -> change(session, header, command);
        }
    }

    /** Answers what was not taken in. */
    static void refuse(final Session session, final long correlationId, final Code code, final String text)
    {
        session.send((final ResponseWriter writer) -> writer.answer(session.id(), correlationId, code, 0, text));
    }

    private void inTurn(final Runnable task)
    {
        if (isWorkerBusy)
        {
            waiting.addLast(task);
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
                Session.LISTS_MAX + " lists of this session were not read to their ends; read those first"));
            return;
        }
        final CompletableFuture<Listing<?>> future = backend.list(session.caller(), list);
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
        final Work same = memory.pending(header.commandId());
        if (null != same)
        {
            same.await(session, header.correlationId());
            return;
        }
        final Work work = new Work(session.caller(), header, command);
        work.await(session, header.correlationId());
        memory.begin(work);
        inTurn(() -> begin(work));
    }

    private void begin(final Work work)
    {
        if (backend.mayTakeLong(work.command()))
        {
            isWorkerBusy = true;
            worker.execute(() ->
            {
                try
                {
                    carryOut(work).thenAccept((reply) -> completions.offer(() -> end(work, reply)));
                }
                finally
                {
                    completions.offer(() -> isWorkerBusy = false);
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

    /** What a backend never should throw is the answer all the same: others wait behind this command. */
    private CompletableFuture<Reply> carryOut(final Work work)
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

    private CompletableFuture<Reply> failed(final Work work, final Throwable error)
    {
        final String name = work.command().getClass().getSimpleName();
        backend.onFailed(work.command(), error);
        onError.accept("control: " + name + " failed: " + error);
        return CompletableFuture.completedFuture(Reply.refused(Code.FAILED, "it failed here: " + error));
    }

    private void end(final Work work, final Reply reply)
    {
        memory.end(work, reply);
        work.answer(reply);
    }

    /** Answers what has been done meanwhile, and goes on with what waited; answers how much that was. */
    int poll()
    {
        int work = 0;
        for (Runnable next = completions.poll(); null != next; next = completions.poll())
        {
            next.run();
            work++;
        }
        while (!isWorkerBusy && !waiting.isEmpty())
        {
            waiting.removeFirst().run();
            work++;
        }
        return work;
    }

    /** What is under way on the thread of its own is carried to its end, unanswered. */
    @Override
    public void close()
    {
        worker.shutdown();
    }
}
