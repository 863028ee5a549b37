package io.millrace.block.file;

import io.millrace.reactor.Reactor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * A thread that makes rings for reactors, shared by the file devices of the process and there as long as one is. A
 * device has it started, never a reactor: the thread would inherit the reactor's CPU.
 */
final class RingMaker
{
    private static final long END_S = 30;

    private static RingMaker shared;

    private final ExecutorService thread = Executors.newSingleThreadExecutor((task) ->
        Thread.ofPlatform().daemon(true).name("millrace-rings").unstarted(task));
    private int users;

    private RingMaker()
    {
    }

    /**
     * {@return the thread, which runs; released by {@link #release} later}
     */
    static RingMaker acquire()
    {
        synchronized (RingMaker.class)
        {
            if (null == shared)
            {
                shared = new RingMaker();
                shared.thread.execute(RingMaker::nothing);
            }
            shared.users++;
            return shared;
        }
    }

    /** A device has been closed. With the last the thread ends, which is waited for. */
    void release()
    {
        Reactor.checkMayBlock("the end of a thread");
        synchronized (RingMaker.class)
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
            thread.awaitTermination(END_S, TimeUnit.SECONDS);
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Has a task run after those before it. Any thread; does not wait.
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
