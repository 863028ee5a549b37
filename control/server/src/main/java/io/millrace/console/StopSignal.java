package io.millrace.console;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C and SIGTERM: the first asks for a clean stop, the second ends the process at once. The JVM's own answer,
 * shutdown hooks and exit code 130 or 143, would make every clean stop look like a failure.
 * <p>
 * Any thread may wait; signals arrive on a thread of the JVM.
 */
public final class StopSignal
{
    private static final int SIGNAL_EXIT_BASE = 128;
    private static final int SIGINT = 2;
    private static final int SIGTERM = 15;

    private final CountDownLatch asked = new CountDownLatch(1);
    /** Number of the signal that came; 0: none. */
    private volatile int number;

    private StopSignal()
    {
    }

    /**
     * Handles both signals for the rest of the process.
     *
     * @return the stop signal.
     */
    public static StopSignal install()
    {
        final StopSignal stop = new StopSignal();
        Signals.handle("INT", () -> stop.onSignal(SIGINT));
        Signals.handle("TERM", () -> stop.onSignal(SIGTERM));
        return stop;
    }

    private void onSignal(final int signal)
    {
        if (isRequested())
        {
            Runtime.getRuntime().halt(SIGNAL_EXIT_BASE + signal);
        }
        number = signal;
        asked.countDown();
    }

    /**
     * Waits for the first signal.
     *
     * @param timeoutMs bound.
     * @return whether a signal was received.
     * @throws InterruptedException when the waiting thread is interrupted.
     */
    public boolean await(final long timeoutMs) throws InterruptedException
    {
        return asked.await(timeoutMs, TimeUnit.MILLISECONDS);
    }

    /**
     * Waits for the first signal without a time limit.
     *
     * @throws InterruptedException when the waiting thread is interrupted.
     */
    public void await() throws InterruptedException
    {
        asked.await();
    }

    /**
     * Requests the stop as a signal does. Any thread.
     */
    public void request()
    {
        asked.countDown();
    }

    /**
     * {@return the exit code of a command that a signal ended before its time, as shells have it: 130 after Ctrl-C, 143
     * after SIGTERM}
     *
     * @param exitCode of the command without a signal.
     */
    public int exitCode(final int exitCode)
    {
        return 0 == number ? exitCode : SIGNAL_EXIT_BASE + number;
    }

    /**
     * {@return whether the stop was requested}
     */
    public boolean isRequested()
    {
        return 0 == asked.getCount();
    }
}
