package io.millrace.block.file;

import io.millrace.reactor.Reactor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Creates rings for reactors on a thread of its own, shared by the file devices of the process and running while there
 * is one. A device starts it, never a reactor: the thread would inherit the reactor's CPU.
 */
final class RingFactory
{
    private static final long END_S = 30;

    private static RingFactory shared;

    private final ExecutorService thread = Executors.newSingleThreadExecutor(this::worker);
    private volatile Thread worker;
    private int users;

    private RingFactory()
    {
    }

    /**
     * {@return the thread, which runs; released by {@link #release} later}
     */
    static RingFactory acquire()
    {
        synchronized (RingFactory.class)
        {
            if (null == shared)
            {
                shared = new RingFactory();
                shared.thread.execute(RingFactory::nothing);
            }
            shared.users++;
            return shared;
        }
    }

    private Thread worker(final Runnable task)
    {
        worker = Thread.ofPlatform().daemon(true).name("millrace-rings").unstarted(task);
        return worker;
    }

    /** A device has been closed. With the last the thread ends, which is waited for. */
    void release()
    {
        Reactor.checkMayBlock("the end of a thread");
        synchronized (RingFactory.class)
        {
            users--;
            if (0 != users)
            {
                return;
            }
            shared = null;
        }
        thread.shutdown();
        try
        {
            // An executor says that it has terminated a moment before its thread ends.
            worker.join(TimeUnit.SECONDS.toMillis(END_S));
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Queues a task. Any thread; does not wait.
     *
     * @param task to run; it does not throw.
     */
    void execute(final Runnable task)
    {
        thread.execute(task);
    }

    private static void nothing()
    {
        // The thread is there from now on.
    }
}
