package io.millrace.control.service;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;

/**
 * Runs the service on a separate thread and restarts it after any failure: clients lose their sessions, reconnect and
 * retry unanswered commands. After {@link #FAILURES_MAX} failures within {@link #WINDOW_NS} it gives up and notifies
 * the owner; time in which it only failed does not count, such as that of waiting for a media driver that does not
 * answer. Lack of space does not count either: it is retried after a pause. Created, started and closed by the owner's
 * thread.
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
    private final NanoClock clock;
    private final Thread thread;
    private final AtomicLong cycles = new AtomicLong();
    private volatile boolean isRunning = true;
    private int failures;
    private long windowNs;

    /**
     * @param work    duty cycle; returns the work count.
     * @param restart resets the state of the service.
     * @param end     called at the end, unless the service was given up.
     * @param idle    when there is no work.
     * @param onError gets one line about each failure.
     * @param onLost  called when the service was given up.
     * @param pauseNs after a lack of space.
     * @param clock   by which failures are counted.
     */
    ServiceThread(
        final IntSupplier work,
        final Runnable restart,
        final Runnable end,
        final IdleStrategy idle,
        final Consumer<String> onError,
        final Runnable onLost,
        final long pauseNs,
        final NanoClock clock)
    {
        this.work = work;
        this.restart = restart;
        this.end = end;
        this.idle = idle;
        this.onError = onError;
        this.onLost = onLost;
        this.pauseNs = pauseNs;
        this.clock = clock;
        thread = Thread.ofPlatform().name("millrace-control").unstarted(this::run);
    }

    void start()
    {
        thread.start();
    }

    /** Completed cycles; any thread. */
    long cycles()
    {
        return cycles.get();
    }

    private void run()
    {
        while (isRunning)
        {
            final long beganNs = clock.nanoTime();
            try
            {
                idle.idle(work.getAsInt());
                // This thread alone writes it; a store without a fence is enough for probes.
                cycles.lazySet(cycles.get() + 1);
            }
            // Errors included: if the thread ended, commands would go unanswered unnoticed.
            catch (final Throwable failure)
            {
                if (StorageFault.isIn(failure))
                {
                    report("control: the control directory has no space; all sessions are closed and the service " +
                        "restarts: ",
                        failure);
                    pause();
                }
                else if (isTooMany(beganNs))
                {
                    report("control: failed " + FAILURES_MAX + " times within " +
                        TimeUnit.NANOSECONDS.toSeconds(WINDOW_NS) + " s, giving up: ", failure);
                    onLost.run();
                    return;
                }
                else
                {
                    report("control: failed; all sessions are closed and the service restarts: ", failure);
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

    private boolean isTooMany(final long beganNs)
    {
        if (0 == failures || beganNs - windowNs >= WINDOW_NS)
        {
            failures = 0;
            windowNs = beganNs;
        }
        windowNs += clock.nanoTime() - beganNs;
        return ++failures >= FAILURES_MAX;
    }

    private void report(final String what, final Throwable failure)
    {
        try
        {
            onError.accept(what + failure);
        }
        catch (final Throwable _)
        {
            // There may be no memory for the message; continue nevertheless.
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
            report("control: ", failure);
        }
    }

    /** Stops the thread and waits for it. */
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
