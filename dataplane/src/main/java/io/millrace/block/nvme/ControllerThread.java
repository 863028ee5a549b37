package io.millrace.block.nvme;

import io.millrace.reactor.Reactor;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;

/**
 * The thread of a controller: runs tasks one after the other and, in between, checks the controller periodically. Any
 * thread submits tasks; a reactor never waits for them.
 */
final class ControllerThread
{
    /** A task with its result. */
    private static final class Task<T> extends CompletableFuture<T> implements Runnable
    {
        private final Callable<T> callable;

        Task(final Callable<T> callable)
        {
            this.callable = callable;
        }

        @Override
        public void run()
        {
            try
            {
                complete(callable.call());
            }
            catch (final Throwable t)
            {
                completeExceptionally(t);
                if (t instanceof final VirtualMachineError fatal)
                {
                    // Uncaught it ends the process.
                    throw fatal;
                }
            }
        }
    }

    private static final Duration JOIN = Duration.ofMillis(10);

    private final ConcurrentLinkedQueue<Task<?>> tasks = new ConcurrentLinkedQueue<>();
    private final Thread thread;
    private final Runnable watch;
    private final long watchNs;
    private volatile boolean isEnding;
    private volatile boolean hasEnded;

    /**
     * Made, not started.
     *
     * @param name    of the thread.
     * @param watch   periodic check; it must not throw.
     * @param watchNs interval of the checks.
     */
    ControllerThread(final String name, final Runnable watch, final long watchNs)
    {
        this.watch = watch;
        this.watchNs = watchNs;
        thread = Thread.ofPlatform().daemon(true).name(name).unstarted(this::run);
    }

    void start()
    {
        thread.start();
    }

    /**
     * Ends the thread after its queued tasks, and waits for that. Not on the thread itself.
     *
     * @param timeoutNs that it waits at most.
     * @return false when the thread has not ended by then; it still ends after its tasks.
     */
    boolean end(final long timeoutNs)
    {
        Reactor.checkMayBlock("the end of a controller's thread");
        isEnding = true;
        LockSupport.unpark(thread);
        final Deadline deadline = Deadline.in(timeoutNs);
        boolean isInterrupted = false;
        while (thread.isAlive() && !deadline.isPast())
        {
            try
            {
                thread.join(JOIN);
            }
            catch (final InterruptedException e)
            {
                isInterrupted = true;
            }
        }
        if (isInterrupted)
        {
            Thread.currentThread().interrupt();
        }
        return !thread.isAlive();
    }

    /**
     * Has a task run.
     *
     * @param task to run; what it throws is in the result.
     * @param <T>  of its result.
     * @return done when it has run; {@link RejectedExecutionException} when the thread has ended.
     */
    <T> CompletableFuture<T> call(final Callable<T> task)
    {
        final Task<T> added = new Task<>(task);
        tasks.add(added);
        LockSupport.unpark(thread);
        if (hasEnded)
        {
            rejectAll();
        }
        return added;
    }

    private void run()
    {
        Reactor.checkMayBlock("a controller's thread");
        Deadline look = Deadline.in(watchNs);
        while (!isEnding)
        {
            runTasks();
            if (look.isPast())
            {
                watch.run();
                look = Deadline.in(watchNs);
            }
            if (tasks.isEmpty() && !isEnding)
            {
                LockSupport.parkNanos(watchNs);
            }
        }
        runTasks();
        hasEnded = true;
        rejectAll();
    }

    private void runTasks()
    {
        for (Task<?> task = tasks.poll(); null != task; task = tasks.poll())
        {
            task.run();
        }
    }

    private void rejectAll()
    {
        for (Task<?> task = tasks.poll(); null != task; task = tasks.poll())
        {
            task.completeExceptionally(new RejectedExecutionException(thread.getName() + " has ended"));
        }
    }
}
