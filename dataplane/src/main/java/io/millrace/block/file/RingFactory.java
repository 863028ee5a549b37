package io.millrace.block.file;

import io.millrace.reactor.Reactor;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Creates rings for reactors: the kernel's on a thread of its own, shared by the file devices of the process and
 * running while there is one. A device starts it, never a reactor: the thread would inherit the reactor's CPU.
 */
final class RingFactory
{
    private static final long END_S = 30;

    private static RingFactory shared;
    private static RingThread sharedThread;

    private final RingOpener opener;
    private final Executor executor;
    private int users;

    /**
     * A factory of whoever makes it.
     *
     * @param opener   of rings.
     * @param executor for what may take long; ended by its owner.
     */
    RingFactory(final RingOpener opener, final Executor executor)
    {
        this.opener = opener;
        this.executor = executor;
    }

    /**
     * {@return the factory of the kernel's rings, whose thread runs; released by {@link #release} later}
     */
    static RingFactory acquire()
    {
        synchronized (RingFactory.class)
        {
            if (null == shared)
            {
                sharedThread = new RingThread();
                shared = new RingFactory(UringRing::open, sharedThread);
            }
            shared.users++;
            return shared;
        }
    }

    /** A device has been closed. With the last the shared thread ends, which is waited for. */
    void release()
    {
        Reactor.checkMayBlock("the close of a file device");
        final RingThread thread;
        synchronized (RingFactory.class)
        {
            if (this != shared || 0 != --users)
            {
                return;
            }
            shared = null;
            thread = sharedThread;
            sharedThread = null;
        }
        thread.end();
    }

    /**
     * {@return what makes the rings}
     */
    RingOpener opener()
    {
        return opener;
    }

    /**
     * Queues a task. Any thread; does not wait.
     *
     * @param task to run; it does not throw.
     */
    void execute(final Runnable task)
    {
        executor.execute(task);
    }

    /** The thread of the kernel's rings. */
    private static final class RingThread implements Executor
    {
        private final ExecutorService executor = Executors.newSingleThreadExecutor(this::worker);
        private volatile Thread worker;

        RingThread()
        {
            executor.execute(RingThread::nothing);
        }

        private Thread worker(final Runnable task)
        {
            worker = Thread.ofPlatform().daemon(true).name("millrace-rings").unstarted(task);
            return worker;
        }

        @Override
        public void execute(final Runnable task)
        {
            executor.execute(task);
        }

        void end()
        {
            Reactor.checkMayBlock("the end of a thread");
            executor.shutdown();
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

        private static void nothing()
        {
            // The thread is there from now on.
        }
    }
}
