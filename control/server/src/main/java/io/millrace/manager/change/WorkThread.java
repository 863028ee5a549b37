package io.millrace.manager.change;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;

/**
 * A thread for blocking or long tasks, executed in order, so that the manager's thread never blocks. Results are
 * delivered on the manager's thread by {@link #poll()}.
 */
public final class WorkThread implements AutoCloseable
{
    private static final long CLOSE_WAIT_S = 5;

    private final ExecutorService executor;
    private final ManyToOneConcurrentLinkedQueue<Runnable> done = new ManyToOneConcurrentLinkedQueue<>();

    /**
     * Starts the thread.
     *
     * @param name of the thread.
     */
    public WorkThread(final String name)
    {
        executor = Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name(name).factory());
    }

    /**
     * Runs a task.
     *
     * @param task on the thread.
     * @param then gets its result or its exception, within {@link #poll()}.
     * @param <T>  type of the result.
     */
    public <T> void run(final Callable<T> task, final BiConsumer<T, Throwable> then)
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
                // Uncaught, it ends the process.
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

    /**
     * Delivers results of completed tasks.
     *
     * @return their number.
     */
    public int poll()
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
