package io.millrace.control.agent;

import io.millrace.control.codec.Code;
import io.millrace.control.message.Command;
import io.millrace.control.message.ControlException;
import io.millrace.control.service.Reply;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.StateEditor;
import io.millrace.manager.store.AppliedState;
import io.millrace.manager.store.AppliedStateFile;
import io.millrace.nvmf.ControllerIds;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;
import org.agrona.concurrent.NanoClock;

/**
 * Keeps what a managed data plane serves on stable storage, so that it begins with that when it is started again. A
 * command that takes something away from hosts is answered when the state with it is kept; those that come while a
 * state is written go together into the next. What adds something is answered at once and kept a moment later, since
 * its manager has it already: written in a fifth of the time at most. What cannot be written is answered
 * nevertheless, since it was done, with a sentence that says so, and is tried again each second. The service's
 * thread, but for {@link #follow}; a thread of its own writes.
 */
final class StateKeeper implements AutoCloseable
{
    private static final long RETRY_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long PAUSE_MIN_NS = TimeUnit.MILLISECONDS.toNanos(20);
    /** Times that a state took to be written until the next is, when nobody waits for it. */
    private static final int PAUSE_FACTOR = 4;
    private static final long CLOSE_WAIT_S = 5;

    /** A command that was carried out, or not. */
    private record Done(Command command, boolean isDirect, Reply reply, CompletableFuture<Reply> answer)
    {
    }

    private record Waiting(Reply reply, CompletableFuture<Reply> answer)
    {
    }

    private final AppliedStateFile file;
    private final ManagerInCharge manager;
    private final Supplier<DesiredState> actual;
    private final Supplier<ControllerIds> ids;
    private final NanoClock clock;
    private final Consumer<String> onError;
    private final ManyToOneConcurrentLinkedQueue<Done> done = new ManyToOneConcurrentLinkedQueue<>();
    private final ManyToOneConcurrentLinkedQueue<Runnable> written = new ManyToOneConcurrentLinkedQueue<>();
    private final ExecutorService executor = Executors.newSingleThreadExecutor(
        Thread.ofPlatform().daemon().name("millrace-applied-state").factory());
    private List<Waiting> waiting = new ArrayList<>();
    private StateEditor editor;
    private boolean isWriting;
    private boolean isWanted;
    private String failure = "";
    private long dueNs;

    /**
     * @param file    that the state is kept in; null: nowhere.
     * @param manager that is in charge.
     * @param kept    as read at the start; null: what is there is asked for when it is needed.
     * @param actual  tells what is there.
     * @param ids     tells which ids new controllers get.
     * @param onError told once when the state cannot be kept, and when it can again.
     */
    StateKeeper(
        final AppliedStateFile file,
        final ManagerInCharge manager,
        final DesiredState kept,
        final Supplier<DesiredState> actual,
        final Supplier<ControllerIds> ids,
        final NanoClock clock,
        final Consumer<String> onError)
    {
        this.file = file;
        this.manager = manager;
        this.actual = actual;
        this.ids = ids;
        this.clock = clock;
        this.onError = onError;
        editor = null == kept ? null : kept.edit();
        dueNs = clock.nanoTime();
    }

    /** The state is to be kept as it is now, though nobody waits for it. */
    void want()
    {
        isWanted = true;
    }

    /** Answers with a reply when what is in charge now is kept. */
    CompletableFuture<Reply> keep(final Reply reply)
    {
        final CompletableFuture<Reply> answer = new CompletableFuture<>();
        waiting.add(new Waiting(reply, answer));
        return answer;
    }

    /**
     * Answers with what came of a command when the state with it is kept. Any thread that carries out commands.
     *
     * @param isDirect whether it went past the manager.
     */
    CompletableFuture<Reply> follow(
        final Command command, final boolean isDirect, final CompletableFuture<Reply> carriedOut)
    {
        final CompletableFuture<Reply> answer = new CompletableFuture<>();
        carriedOut.thenAccept((reply) -> done.offer(new Done(command, isDirect, reply, answer)));
        return answer;
    }

    /** Writes what is to be kept, unless it is writing; answers how much was done. */
    int poll()
    {
        int count = 0;
        for (Runnable next = written.poll(); null != next; next = written.poll())
        {
            next.run();
            count++;
        }
        for (Done next = done.poll(); null != next; next = done.poll())
        {
            onDone(next);
            count++;
        }
        if (!isWriting && (!waiting.isEmpty() || isWanted && clock.nanoTime() - dueNs >= 0))
        {
            write();
            count++;
        }
        return count;
    }

    private void onDone(final Done each)
    {
        if (Code.OK != each.reply().code())
        {
            each.answer().complete(each.reply());
            return;
        }
        if (each.isDirect())
        {
            manager.onDirectChange();
        }
        if (null != editor)
        {
            try
            {
                editor.apply(each.command());
            }
            catch (final ControlException _)
            {
                // Such as a port that the data plane chose, or answers that came in another order.
                editor = null;
            }
        }
        if (mustBeKept(each.command()))
        {
            waiting.add(new Waiting(each.reply(), each.answer()));
        }
        else
        {
            isWanted = true;
            each.answer().complete(each.reply());
        }
    }

    /** Whether hosts could reach what they must not when it were forgotten. */
    private static boolean mustBeKept(final Command command)
    {
        return switch (command)
        {
            case Command.DeleteDevice _, Command.DeleteSubsystem _, Command.RemoveNamespace _, Command.DenyHost _,
                Command.RemoveListener _, Command.SetAnaState _ -> true;
            case final Command.SetAllowAnyHost any -> !any.allowAnyHost();
            default -> false;
        };
    }

    private void write()
    {
        final List<Waiting> answered = waiting;
        waiting = new ArrayList<>();
        isWanted = false;
        if (null == file)
        {
            answered.forEach((each) -> each.answer().complete(each.reply()));
            return;
        }
        final AppliedState state;
        try
        {
            editor = null == editor ? actual.get().edit() : editor;
            state = new AppliedState(manager.info(), editor.state(),
                new Command.AssignControllerIds(ids.get().first(), ids.get().last()));
        }
        catch (final RuntimeException e)
        {
            onWritten(answered, e, clock.nanoTime());
            return;
        }
        isWriting = true;
        final long beganNs = clock.nanoTime();
        executor.execute(() ->
        {
            Throwable thrown = null;
            try
            {
                file.write(state);
            }
            catch (final Throwable e)
            {
                thrown = e;
            }
            final Throwable problem = thrown;
            written.offer(() -> onWritten(answered, problem, beganNs));
        });
    }

    private void onWritten(final List<Waiting> answered, final Throwable problem, final long beganNs)
    {
        isWriting = false;
        final long nowNs = clock.nanoTime();
        dueNs = nowNs + Math.max(PAUSE_MIN_NS, PAUSE_FACTOR * (nowNs - beganNs));
        final String reason = null == problem ? "" :
            null == problem.getMessage() ? problem.toString() : problem.getMessage();
        if (!reason.equals(failure))
        {
            onError.accept(reason.isEmpty() ? "state is kept again in " + file.where() :
                "state cannot be kept in " + file.where() + ", a restart would begin with an earlier one: " + reason);
        }
        failure = reason;
        if (null != problem)
        {
            isWanted = true;
            dueNs = nowNs + RETRY_NS;
        }
        answered.forEach((each) -> each.answer().complete(null == problem ? each.reply() :
            new Reply(each.reply().code(), each.reply().value(), "done, but the data plane cannot keep it in " +
                file.where() + ", and begins with an earlier state when it is started again: " + reason)));
    }

    /** Keeps what was not yet, and ends; answers of commands that are still carried out are lost. */
    @Override
    public void close()
    {
        poll();
        if (isWanted || !waiting.isEmpty())
        {
            write();
        }
        executor.shutdown();
        try
        {
            executor.awaitTermination(CLOSE_WAIT_S, TimeUnit.SECONDS);
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
        if (null != file)
        {
            file.close();
        }
    }
}
