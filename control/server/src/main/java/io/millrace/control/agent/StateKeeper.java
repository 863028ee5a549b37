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
 * Keeps what a managed data plane serves on stable storage, so that it begins with that when it is started again. A
 * command that takes something away from hosts, or goes past the manager, is answered when the state with it is kept;
 * those that come while a state is written go together into the next. What the manager adds is answered at once and
 * kept a moment later, since it has it already: written in a fifth of the time at most. Commands count in the order in
 * which they were taken: one that ends late does not undo what came behind it. What cannot be written is answered
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

    /** Commands behind one that does not end, from which on the data plane is asked what it serves instead. */
    private static final int ORDER_MAX = 4096;

    /** A command that was taken, and what came of it. */
    private static final class Taken
    {
        private final Command command;
        private final boolean isDirect;
        private final CompletableFuture<Reply> answer = new CompletableFuture<>();
        /** What came of it; written before it is in {@link StateKeeper#done}. */
        private Reply reply;
        /** Nobody knows how far it came; written before it is in {@link StateKeeper#done}. */
        private boolean isBroken;
        /** Whether it has ended; of the service's thread. */
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
    private final ManagerInCharge manager;
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
    /** Commands from the first one on that has not ended, as they were taken: the state has those before it. */
    private final ArrayDeque<Taken> order = new ArrayDeque<>();
    /** Null: the data plane is asked what it serves. */
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
     * Answers with what came of a command when the state with it is kept. Commands count in the order of these calls,
     * in whichever they end. Any thread that carries out commands, one at a time.
     *
     * @param isDirect whether it went past the manager, which does not have it therefore.
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

    /** Writes what is to be kept, unless it is writing; answers how much was done. */
    int poll()
    {
        int count = 0;
        for (Runnable next = written.poll(); null != next; next = written.poll())
        {
            next.run();
            count++;
        }
        count += takeEnded();
        if (!isWriting && (!waiting.isEmpty() || isWanted && clock.nanoTime() - dueNs >= 0))
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
        // Behind the others: what has ended was taken before.
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
            // What it serves has all of them, those too that have not ended.
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
            // Such as a port that the data plane chose.
            editor = null;
        }
    }

    private void onEnded(final Taken each)
    {
        isWanted = isWanted || Code.OK == each.reply.code() || each.isBroken;
        if (Code.OK == each.reply.code() && (each.isDirect || mustBeKept(each.command)))
        {
            waiting.add(new Waiting(each.reply, each.answer));
        }
        else
        {
            each.answer.complete(each.reply);
        }
    }

    /** With the commands that have ended before one that was taken before them. */
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
            // They are in it already, or one does not go without one that has not ended.
            editor = null;
            return actual.get();
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
