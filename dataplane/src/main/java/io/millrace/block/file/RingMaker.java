package io.millrace.block.file;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The thread of the process that makes rings for reactors. It begins with the first device and stays: a thread that a
 * reactor started would inherit the reactor's CPU.
 */
final class RingMaker
{
    private static final ExecutorService THREAD = Executors.newSingleThreadExecutor((task) ->
        Thread.ofPlatform().daemon(true).name("millrace-rings").unstarted(task));

    private RingMaker()
    {
    }

    /** Has the thread run. Off the reactors. */
    static void start()
    {
        THREAD.execute(RingMaker::nothing);
    }

    /**
     * Has a task run after those before it. Any thread; does not wait.
     *
     * @param task to run; it does not throw.
     */
    static void execute(final Runnable task)
    {
        THREAD.execute(task);
    }

    private static void nothing()
    {
        // It is there from now on.
    }
}
