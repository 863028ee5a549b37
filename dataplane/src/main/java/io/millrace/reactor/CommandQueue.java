package io.millrace.reactor;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jctools.queues.atomic.MpscUnboundedAtomicArrayQueue;

/**
 * Commands of other threads to a reactor. Any thread adds, one takes. Adding and stopping hold a lock, so that no
 * command is added after the last check of the queue; taking does not.
 */
final class CommandQueue
{
    /** Commands are rare; one chunk holds a burst at start. */
    private static final int CHUNK = 64;

    private final Reactor reactor;
    private final ReactorErrorHandler errorHandler;
    // The atomic variant: the other one uses sun.misc.Unsafe, about which the JVM warns at every start.
    private final MpscUnboundedAtomicArrayQueue<Runnable> queue = new MpscUnboundedAtomicArrayQueue<>(CHUNK);
    private boolean stopped;

    CommandQueue(final Reactor reactor, final ReactorErrorHandler errorHandler)
    {
        this.reactor = reactor;
        this.errorHandler = errorHandler;
    }

    /**
     * Adds a command. Any thread.
     *
     * @param command to run.
     * @return false when the queue is stopped.
     */
    synchronized boolean add(final Runnable command)
    {
        return !stopped && queue.offer(command);
    }

    /** Rejects further commands. Any thread. */
    synchronized void stop()
    {
        stopped = true;
    }

    boolean isEmpty()
    {
        return queue.isEmpty();
    }

    /**
     * Runs commands in order.
     *
     * @param limit at most so many.
     * @return how many ran.
     */
    int run(final int limit)
    {
        int count = 0;
        while (count < limit)
        {
            final Runnable command = queue.poll();
            if (null == command)
            {
                break;
            }
            count++;
            run(command);
        }
        return count;
    }

    /**
     * Fails the remaining commands instead of running them.
     *
     * @param reason in words.
     */
    void failAll(final String reason)
    {
        for (Runnable command = queue.poll(); null != command; command = queue.poll())
        {
            final RejectedExecutionException error = new RejectedExecutionException(reason);
            if (command instanceof final Call<?> call)
            {
                call.result.completeExceptionally(error);
            }
            else
            {
                errorHandler.onCommandError(reactor, command, error);
            }
        }
    }

    private void run(final Runnable command)
    {
        try
        {
            command.run();
        }
        catch (final VirtualMachineError e)
        {
            throw e;
        }
        catch (final Throwable t)
        {
            errorHandler.onCommandError(reactor, command, t);
        }
    }

    /**
     * A command with a result.
     *
     * @param <T> of the result.
     */
    static final class Call<T> implements Runnable
    {
        private final Callable<T> task;
        private final CompletableFuture<T> result = new CompletableFuture<>();

        Call(final Callable<T> task)
        {
            this.task = task;
        }

        CompletableFuture<T> result()
        {
            return result;
        }

        @Override
        public void run()
        {
            final T value;
            try
            {
                value = task.call();
            }
            catch (final Throwable t)
            {
                result.completeExceptionally(t);
                if (t instanceof final VirtualMachineError fatal)
                {
                    throw fatal;
                }
                return;
            }
            result.complete(value);
        }
    }
}
