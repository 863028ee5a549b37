package io.millrace.manager;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;

/**
 * A thread that waits for disks or works on large states, one task after the other, so that the manager's own never
 * does. What comes of a task is told on the manager's thread, by {@link #poll()}.
 */
final class WorkThread implements AutoCloseable
{
    private static final long CLOSE_WAIT_S = 5;

    private final ExecutorService executor;
    private final ManyToOneConcurrentLinkedQueue<Runnable> done = new ManyToOneConcurrentLinkedQueue<>();

    WorkThread(final String name)
    {
        executor = Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name(name).factory());
    }

    /** Runs a task; then is given its result, or what it threw. */
    <T> void run(final Callable<T> task, final BiConsumer<T, Throwable> then)
    {
        executor.execute(() ->
        {
            T result = null;
            Throwable failure = null;
            try
            {
                result = task.call();
            }
            catch (final VirtualMachineError e)
            {
                // Uncaught it ends the process.
                throw e;
            }
            catch (final Throwable e)
            {
                failure = e;
            }
            final T value = result;
            final Throwable thrown = failure;
            done.offer(() -> then.accept(value, thrown));
        });
    }

    /** Tells of tasks that ended; answers how many. */
    int poll()
    {
        int work = 0;
        for (Runnable next = done.poll(); null != next; next = done.poll())
        {
            next.run();
            work++;
        }
        return work;
    }

    /** Ends what was begun. */
    @Override
    public void close()
    {
        executor.shutdown();
        try
        {
            executor.awaitTermination(CLOSE_WAIT_S, TimeUnit.SECONDS);
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
    }
}
