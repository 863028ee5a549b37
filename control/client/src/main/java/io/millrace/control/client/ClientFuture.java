package io.millrace.control.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A future that the thread of a client completes. That thread cannot wait for it: nobody would be left to complete it.
 * So waiting there is an error at once, for the futures that depend on this one too.
 *
 * @param <T> of the result.
 */
final class ClientFuture<T> extends CompletableFuture<T>
{
    private final Thread thread;

    ClientFuture(final Thread thread)
    {
        this.thread = thread;
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture()
    {
        return new ClientFuture<>(thread);
    }

    @Override
    public T get() throws InterruptedException, ExecutionException
    {
        ensureNotAwaitedByClient();
        return super.get();
    }

    @Override
    public T get(final long timeout, final TimeUnit unit)
        throws InterruptedException, ExecutionException, TimeoutException
    {
        ensureNotAwaitedByClient();
        return super.get(timeout, unit);
    }

    @Override
    public T join()
    {
        ensureNotAwaitedByClient();
        return super.join();
    }

    private void ensureNotAwaitedByClient()
    {
        if (Thread.currentThread() == thread && !isDone())
        {
            throw new IllegalStateException("a callback on the thread of the client waits for that thread: use " +
                "thenCompose, or set callbackExecutor");
        }
    }
}
