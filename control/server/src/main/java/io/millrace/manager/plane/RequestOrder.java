package io.millrace.manager.plane;

import io.millrace.control.state.DesiredState;
import io.millrace.manager.change.Ledger;
import io.millrace.manager.change.WorkThread;
import io.millrace.manager.store.StateStore;
import io.millrace.manager.store.Version;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * Keeps requests of a data plane in order when some have to wait: for a version that is read from disk, or for unsent
 * changes. Bounded by the outstanding commands of the manager's sessions. The manager's thread.
 */
public final class RequestOrder
{
    /** A task to run when the given number of changes was sent. */
    private record Waiting(long accepted, Runnable task)
    {
    }

    private final StateStore store;
    private final WorkThread work;
    private final Ledger ledger;
    private final ArrayDeque<Runnable> behindReading = new ArrayDeque<>();
    private final ArrayDeque<Waiting> behindChanges = new ArrayDeque<>();
    private boolean isReading;
    /** Confined to the file thread. */
    private Version lastRead;

    RequestOrder(final StateStore store, final WorkThread work, final Ledger ledger)
    {
        this.store = store;
        this.work = work;
        this.ledger = ledger;
    }

    /**
     * Reads the desired state of a version; what is to be {@link #inOrder} waits for it.
     *
     * @param version number.
     * @param then    gets the state or the failure.
     */
    public void read(final long version, final BiConsumer<DesiredState, Throwable> then)
    {
        run(() -> stateOf(version), then);
    }

    /** The desired state of a version. On the thread for files; keeps the last one. */
    DesiredState stateOf(final long version) throws IOException
    {
        if (null == lastRead || version != lastRead.number())
        {
            lastRead = store.read(version);
        }
        return lastRead.state();
    }

    /**
     * Reads the desired state of a version; nothing waits for it.
     *
     * @param version number.
     * @param then    gets the state or the failure.
     */
    public void readBeside(final long version, final BiConsumer<DesiredState, Throwable> then)
    {
        work.run(() -> stateOf(version), then);
    }

    /** Does something on the thread for files; what is to be {@link #inOrder} waits for it. */
    private <T> void run(final Callable<T> task, final BiConsumer<T, Throwable> then)
    {
        run(work, task, then);
    }

    /**
     * Runs a task on a thread beside the manager's; what is to be {@link #inOrder} waits for it.
     *
     * @param thread that runs it.
     * @param task   to run.
     * @param then   gets the result or the failure.
     * @param <T>    type of the result.
     */
    public <T> void run(final WorkThread thread, final Callable<T> task, final BiConsumer<T, Throwable> then)
    {
        isReading = true;
        thread.run(task, (result, failure) -> goOn(result, failure, then));
    }

    /**
     * Goes on when an answer is there, on the manager's thread; what is to be {@link #inOrder} waits for it.
     *
     * @param answer completed on the manager's thread.
     * @param then   gets the answer or the failure.
     * @param <T>    type of the answer.
     */
    public <T> void await(final CompletableFuture<T> answer, final BiConsumer<T, Throwable> then)
    {
        isReading = true;
        answer.whenComplete((result, failure) -> goOn(result, failure, then));
    }

    private <T> void goOn(final T result, final Throwable failure, final BiConsumer<T, Throwable> then)
    {
        isReading = false;
        then.accept(result, failure);
        while (!isReading && !behindReading.isEmpty())
        {
            behindReading.removeFirst().run();
        }
    }

    /**
     * Runs a task after all earlier requests.
     *
     * @param task to run.
     * @param <T>  type of the result.
     * @return the result.
     */
    public <T> CompletableFuture<T> inOrder(final Supplier<CompletableFuture<T>> task)
    {
        if (!isReading)
        {
            return task.get();
        }
        final CompletableFuture<T> future = new CompletableFuture<>();
        behindReading.addLast(() -> complete(future, task.get()));
        return future;
    }

    /** Queries the data plane after all accepted changes. */
    <T> CompletableFuture<T> behindChanges(final Supplier<CompletableFuture<T>> ask)
    {
        if (ledger.accepted() == ledger.forwarded() && behindChanges.isEmpty())
        {
            return ask.get();
        }
        final CompletableFuture<T> future = new CompletableFuture<>();
        behindChanges.addLast(new Waiting(ledger.accepted(), () -> complete(future, ask.get())));
        return future;
    }

    private static <T> void complete(final CompletableFuture<T> future, final CompletableFuture<T> from)
    {
        from.whenComplete((value, failure) ->
        {
            if (null == failure)
            {
                future.complete(value);
            }
            else
            {
                future.completeExceptionally(failure);
            }
        });
    }

    /** Runs tasks that no longer wait for changes; returns the work count. */
    int poll()
    {
        int count = 0;
        while (!behindChanges.isEmpty() && behindChanges.peekFirst().accepted() <= ledger.forwarded())
        {
            behindChanges.removeFirst().task().run();
            count++;
        }
        return count;
    }
}
