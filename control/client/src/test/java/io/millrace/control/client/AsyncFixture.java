package io.millrace.control.client;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** A media driver, a peer with a thread of its own, and clients with theirs. */
final class AsyncFixture implements AutoCloseable
{
    static final long WAIT_S = 30;

    private final ControlFixture fixture;
    private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final List<AsyncControlClient> clients = new ArrayList<>();
    private final Thread thread = Thread.ofPlatform().name("peer").unstarted(this::run);
    private volatile boolean isClosed;

    private AsyncFixture(final ControlFixture fixture)
    {
        this.fixture = fixture;
        thread.start();
    }

    static AsyncFixture ipc()
    {
        return new AsyncFixture(ControlFixture.ipc());
    }

    static AsyncFixture udp()
    {
        return new AsyncFixture(ControlFixture.udp());
    }

    private void run()
    {
        while (!isClosed)
        {
            final Runnable task = tasks.poll();
            if (null != task)
            {
                task.run();
            }
            else if (0 == fixture.pollPeer())
            {
                LockSupport.parkNanos(20_000);
            }
        }
    }

    /** On the thread of the peer, and waits for it. */
    <T> T onPeer(final Supplier<T> task)
    {
        final CompletableFuture<T> result = new CompletableFuture<>();
        tasks.add(() ->
        {
            try
            {
                result.complete(task.get());
            }
            catch (final RuntimeException e)
            {
                result.completeExceptionally(e);
            }
        });
        return result.orTimeout(WAIT_S, TimeUnit.SECONDS).join();
    }

    void peer(final Runnable task)
    {
        onPeer(() ->
        {
            task.run();
            return null;
        });
    }

    /** Does something while the peer answers nothing, so that a callback is there before the answer. */
    <T> T withoutAnswers(final Supplier<T> task)
    {
        final CountDownLatch paused = new CountDownLatch(1);
        tasks.add(() ->
        {
            try
            {
                assertTrue(paused.await(WAIT_S, TimeUnit.SECONDS));
            }
            catch (final InterruptedException e)
            {
                throw new IllegalStateException(e);
            }
        });
        try
        {
            return task.get();
        }
        finally
        {
            paused.countDown();
        }
    }

    ControlFixture control()
    {
        return fixture;
    }

    /** Idles as by default: the peer is polled by its own thread. */
    ControlClientContext context()
    {
        return fixture.context().idleStrategy(null);
    }

    AsyncControlClient connect(final ControlClientContext context)
    {
        return add(AsyncControlClient.connect(context));
    }

    AsyncControlClient add(final AsyncControlClient client)
    {
        clients.add(client);
        return client;
    }

    static void await(final BooleanSupplier condition)
    {
        final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_S);
        while (!condition.getAsBoolean())
        {
            assertTrue(System.nanoTime() - deadlineNs < 0, "waited for " + WAIT_S + " s");
            LockSupport.parkNanos(100_000);
        }
    }

    @Override
    public void close()
    {
        clients.forEach(AsyncControlClient::close);
        isClosed = true;
        try
        {
            thread.join();
        }
        catch (final InterruptedException e)
        {
            throw new IllegalStateException(e);
        }
        fixture.close();
    }
}
