package io.millrace.control.agent;

import io.millrace.control.codec.Code;
import io.millrace.control.message.Command;
import io.millrace.control.message.ControlException;
import io.millrace.control.service.Reply;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.StateEditor;
import io.millrace.manager.store.AppliedState;
import io.millrace.manager.store.AppliedStateFile;
import io.millrace.nvmf.config.ControllerIds;
import java.util.ArrayDeque;
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
 * Persists the state of a managed data plane, which is restored at the next start. Direct changes and commands that
 * revoke something from hosts, or may free devices, are answered after the state was written; commands that arrive
 * during a write are batched into the next. Additions by the manager are answered at once and written later, as the
 * manager has persisted them already; writing takes at most a fifth of the time. Commands apply in the order of their
 * acceptance, whenever they complete. If writing fails, commands are answered with a warning, as they were executed,
 * and writing is retried each second. The service's thread, except {@link #follow}; a separate thread writes.
 */
final class StatePersister implements AutoCloseable
{
    private static final long RETRY_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long PAUSE_MIN_NS = TimeUnit.MILLISECONDS.toNanos(20);
    /** Pause between two writes that no command waits for, in multiples of the last write's duration. */
    private static final int PAUSE_FACTOR = 4;
    private static final long CLOSE_WAIT_S = 5;

    /** Commands behind an incomplete one above which the actual state is read from the data plane instead. */
    private static final int ORDER_MAX = 4096;

    /** An accepted command and its outcome. */
    private static final class Taken
    {
        private final Command command;
        private final boolean isDirect;
        private final CompletableFuture<Reply> answer = new CompletableFuture<>();
        /** Its reply; written before it is in {@link StatePersister#done}. */
        private Reply reply;
        /** Its outcome is unknown; written before it is in {@link StatePersister#done}. */
        private boolean isBroken;
        /** Whether it has completed; the service's thread. */
        private boolean isEnded;

        private Taken(final Command command, final boolean isDirect)
        {
            this.command = command;
            this.isDirect = isDirect;
        }
    }

    private record Waiting(Reply reply, CompletableFuture<Reply> answer)
    {
    }

    private final AppliedStateFile file;
    private final ActiveManager manager;
    private final Supplier<DesiredState> actual;
    private final Supplier<ControllerIds> ids;
    private final NanoClock clock;
    private final Consumer<String> onError;
    private final ManyToOneConcurrentLinkedQueue<Taken> taken = new ManyToOneConcurrentLinkedQueue<>();
    private final ManyToOneConcurrentLinkedQueue<Taken> done = new ManyToOneConcurrentLinkedQueue<>();
    private final ManyToOneConcurrentLinkedQueue<Runnable> written = new ManyToOneConcurrentLinkedQueue<>();
    private final ExecutorService executor = Executors.newSingleThreadExecutor(
        Thread.ofPlatform().daemon().name("millrace-applied-state").factory());
    private List<Waiting> waiting = new ArrayList<>();
    /** Commands from the first incomplete one on, in order of acceptance; the state contains those before. */
    private final ArrayDeque<Taken> order = new ArrayDeque<>();
    /** Null: the actual state is read from the data plane. */
    private StateEditor editor;
    private boolean isWriting;
    private boolean isRequested;
    private String failure = "";
    private long dueNs;

    /**
     * @param file    that the state is kept in; null: nowhere.
     * @param manager that is in charge.
     * @param kept    as read at the start; null: what is there is asked for when it is needed.
     * @param actual  tells what is there.
     * @param ids     tells which ids new controllers get.
     * @param onError notified once when persisting fails, and when it succeeds again.
     */
    StatePersister(
        final AppliedStateFile file,
        final ActiveManager manager,
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

    /** Requests a write of the current state, which no command waits for. */
    void requestWrite()
    {
        isRequested = true;
    }

    /** Completes with the reply when the current leadership is persisted. */
    CompletableFuture<Reply> keep(final Reply reply)
    {
        final CompletableFuture<Reply> answer = new CompletableFuture<>();
        waiting.add(new Waiting(reply, answer));
        return answer;
    }

    /**
     * Completes with the reply to a command when the state with it is persisted. Commands apply in the order of these
     * calls, whenever they complete. Any thread that executes commands, one at a time.
     *
     * @param isDirect whether it bypassed the manager, which therefore does not have it.
     */
    CompletableFuture<Reply> follow(
        final Command command, final boolean isDirect, final CompletableFuture<Reply> carriedOut)
    {
        final Taken each = new Taken(command, isDirect);
        taken.offer(each);
        carriedOut.whenComplete((reply, failure) ->
        {
            each.isBroken = null != failure;
            each.reply = each.isBroken ? Commands.refusal(failure) : reply;
            done.offer(each);
        });
        return each.answer;
    }

    /** Starts a write if one is requested and none is in progress; returns the work count. */
    int poll()
    {
        int count = 0;
        for (Runnable next = written.poll(); null != next; next = written.poll())
        {
            next.run();
            count++;
        }
        count += takeEnded();
        if (!isWriting && (!waiting.isEmpty() || isRequested && clock.nanoTime() - dueNs >= 0))
        {
            write();
            count++;
        }
        return count;
    }

    private int takeEnded()
    {
        final List<Taken> ended = new ArrayList<>();
        for (Taken next = done.poll(); null != next; next = done.poll())
        {
            next.isEnded = true;
            ended.add(next);
        }
        // After the others: completed commands were accepted before.
        for (Taken next = taken.poll(); null != next; next = taken.poll())
        {
            order.addLast(next);
        }
        while (!order.isEmpty() && order.peekFirst().isEnded)
        {
            apply(order.removeFirst());
        }
        if (order.size() > ORDER_MAX)
        {
            // The actual state contains all of them, incomplete ones included.
            order.clear();
            editor = null;
        }
        ended.forEach(this::onEnded);
        return ended.size();
    }

    private void apply(final Taken each)
    {
        if (each.isBroken)
        {
            editor = null;
        }
        if (null == editor || Code.OK != each.reply.code())
        {
            return;
        }
        try
        {
            editor.apply(each.command);
        }
        catch (final ControlException _)
        {
            // Such as a port chosen by the data plane.
            editor = null;
        }
    }

    private void onEnded(final Taken each)
    {
        isRequested = isRequested || Code.OK == each.reply.code() || each.isBroken;
        if (Code.OK == each.reply.code() && (each.isDirect || mustBeKept(each.command)))
        {
            waiting.add(new Waiting(each.reply, each.answer));
        }
        else
        {
            each.answer.complete(each.reply);
        }
    }

    /** Includes completed commands that follow an incomplete one. */
    private DesiredState state()
    {
        if (null == editor)
        {
            editor = actual.get().edit();
        }
        final DesiredState state = editor.state();
        if (order.isEmpty())
        {
            return state;
        }
        final StateEditor copy = state.edit();
        try
        {
            for (final Taken each : order)
            {
                if (each.isEnded && Code.OK == each.reply.code())
                {
                    copy.apply(each.command);
                }
            }
            return copy.state();
        }
        catch (final ControlException _)
        {
            // Already in the state, or dependent on an incomplete command.
            editor = null;
            return actual.get();
        }
    }

    /**
     * Whether losing it would give hosts access that was revoked, or devices back to an array that has let go of them,
     * and that would write over what they have got since, or an array a name that it had.
     */
    private static boolean mustBeKept(final Command command)
    {
        return switch (command)
        {
            case Command.DeleteDevice _, Command.DeleteSubsystem _, Command.RemoveNamespace _, Command.DenyHost _,
                Command.RemoveListener _, Command.SetAnaState _, Command.ModifyDevice _,
                Command.RenameDevice _ -> true;
            case final Command.SetAllowAnyHost any -> !any.allowAnyHost();
            default -> false;
        };
    }

    private void write()
    {
        final List<Waiting> answered = waiting;
        waiting = new ArrayList<>();
        isRequested = false;
        if (null == file)
        {
            answered.forEach((each) -> each.answer().complete(each.reply()));
            return;
        }
        final AppliedState state;
        try
        {
            state = new AppliedState(manager.info(), state(),
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
            onError.accept(reason.isEmpty() ? "state is persisted again in " + file.where() :
                "state cannot be persisted in " + file.where() + ", a restart would restore an earlier one: " + reason);
        }
        failure = reason;
        if (null != problem)
        {
            isRequested = true;
            dueNs = nowNs + RETRY_NS;
        }
        answered.forEach((each) -> each.answer().complete(null == problem ? each.reply() :
            new Reply(each.reply().code(), each.reply().value(), "done, but the data plane cannot persist it in " +
                file.where() + ", and would restore an earlier state after a restart: " + reason)));
    }

    /** Writes the last state and ends; replies to commands in progress are lost. */
    @Override
    public void close()
    {
        poll();
        if (isRequested || !waiting.isEmpty())
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
