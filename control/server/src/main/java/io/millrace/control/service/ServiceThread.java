package io.millrace.control.service;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SystemNanoClock;

/**
 * Runs the service's work on a thread of its own, and starts it again when it fails, whatever with: clients lose their
 * sessions, open others and repeat what was not answered. When it fails {@link #FAILURES_MAX} times within {@link
 * #WINDOW_NS}, starting again does not help, and the owner is told. A lack of space is not counted: it is waited for,
 * with a pause each time. Made, started and closed by the owner's thread.
 */
final class ServiceThread implements AutoCloseable
{
    /** Failures within the window that are too many. */
    static final int FAILURES_MAX = 8;
    /** Over which failures are counted. */
    static final long WINDOW_NS = TimeUnit.SECONDS.toNanos(10);
    /** After a lack of space. */
    static final long PAUSE_NS = TimeUnit.SECONDS.toNanos(2);

    private static final long JOIN_MS = 10_000;

    private final IntSupplier work;
    private final Runnable restart;
    private final Runnable end;
    private final IdleStrategy idle;
    private final Consumer<String> onError;
    private final Runnable onLost;
    private final long pauseNs;
    private final Thread thread;
    private volatile boolean isRunning = true;
    private int failures;
    private long windowNs;

    /**
     * @param work    to do over and over; answers how much was done.
     * @param restart gives up what work stands on, so that it begins anew.
     * @param end     called last of all, unless all is lost.
     * @param idle    when there is no work.
     * @param onError told of each failure in one line.
     * @param onLost  told that it does not run any more.
     * @param pauseNs after a lack of space.
     */
    ServiceThread(
        final IntSupplier work,
        final Runnable restart,
        final Runnable end,
        final IdleStrategy idle,
        final Consumer<String> onError,
        final Runnable onLost,
        final long pauseNs)
    {
        this.work = work;
        this.restart = restart;
        this.end = end;
        this.idle = idle;
        this.onError = onError;
        this.onLost = onLost;
        this.pauseNs = pauseNs;
        thread = Thread.ofPlatform().name("millrace-control").unstarted(this::run);
    }

    void start()
    {
        thread.start();
    }

    private void run()
    {
        while (isRunning)
        {
            try
            {
                idle.idle(work.getAsInt());
            }
            // Not only exceptions: a thread that is gone takes no commands, and nobody would see that it is.
            catch (final Throwable failure)
            {
                if (StorageFault.isIn(failure))
                {
                    tell("control: the control directory has no space, all sessions are closed and it starts again: ",
                        failure);
                    pause();
                }
                else if (isTooMany())
                {
                    tell("control: failed " + FAILURES_MAX + " times within " +
                        TimeUnit.NANOSECONDS.toSeconds(WINDOW_NS) + " s, given up: ", failure);
                    onLost.run();
                    return;
                }
                else
                {
                    tell("control: failed, all sessions are closed and it starts again: ", failure);
                }
                restart();
            }
        }
        end.run();
    }

    private void pause()
    {
        final long startNs = SystemNanoClock.INSTANCE.nanoTime();
        long leftNs = pauseNs;
        while (isRunning && leftNs > 0)
        {
            LockSupport.parkNanos(leftNs);
            leftNs = pauseNs - (SystemNanoClock.INSTANCE.nanoTime() - startNs);
        }
    }

    private boolean isTooMany()
    {
        final long nowNs = SystemNanoClock.INSTANCE.nanoTime();
        if (0 == failures || nowNs - windowNs >= WINDOW_NS)
        {
            failures = 0;
            windowNs = nowNs;
        }
        return ++failures >= FAILURES_MAX;
    }

    private void tell(final String what, final Throwable failure)
    {
        try
        {
            onError.accept(what + failure);
        }
        catch (final Throwable _)
        {
            // There may be no memory to say it with; going on is what counts.
        }
    }

    private void restart()
    {
        try
        {
            restart.run();
        }
        catch (final Throwable failure)
        {
            tell("control: ", failure);
        }
    }

    /** Ends the work, and waits for that. */
    @Override
    public void close()
    {
        isRunning = false;
        LockSupport.unpark(thread);
        try
        {
            thread.join(JOIN_MS);
        }
        catch (final InterruptedException _)
        {
            Thread.currentThread().interrupt();
        }
    }
}
