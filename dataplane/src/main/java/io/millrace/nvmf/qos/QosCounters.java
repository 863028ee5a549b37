package io.millrace.nvmf.qos;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counters of throttled commands, on all reactors. Reactors add in batches; any thread reads.
 */
public final class QosCounters
{
    private final AtomicLong reads = new AtomicLong();
    private final AtomicLong writes = new AtomicLong();
    private final AtomicLong left = new AtomicLong();
    private final AtomicLong waitNs = new AtomicLong();

    /**
     * Creates counters that are 0.
     */
    public QosCounters()
    {
    }

    /**
     * {@return throttled reads, waiting ones included}
     */
    long reads()
    {
        return reads.get();
    }

    /**
     * {@return throttled writes, waiting ones included}
     */
    long writes()
    {
        return writes.get();
    }

    /**
     * {@return commands that wait now}
     */
    long waiting()
    {
        // Read first, so that no command has left that was not counted.
        final long gone = left.get();
        return reads.get() + writes.get() - gone;
    }

    /**
     * {@return total waiting time of the commands that no longer wait, in nanoseconds}
     */
    long waitNs()
    {
        return waitNs.get();
    }

    /**
     * Commands began to wait.
     *
     * @param isRead whether they are reads.
     * @param count  of them.
     */
    public void onThrottled(final boolean isRead, final long count)
    {
        (isRead ? reads : writes).addAndGet(count);
    }

    /**
     * Commands no longer wait.
     *
     * @param count    of them.
     * @param waitedNs how long they have waited together, in nanoseconds.
     */
    public void onLeft(final long count, final long waitedNs)
    {
        waitNs.addAndGet(waitedNs);
        left.addAndGet(count);
    }
}
