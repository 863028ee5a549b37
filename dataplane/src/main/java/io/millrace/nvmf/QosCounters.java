package io.millrace.nvmf;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What limits did to commands, on all reactors. Reactors add in batches; any thread reads.
 */
final class QosCounters
{
    private final AtomicLong reads = new AtomicLong();
    private final AtomicLong writes = new AtomicLong();
    private final AtomicLong left = new AtomicLong();
    private final AtomicLong waitNs = new AtomicLong();

    /**
     * {@return reads that had to wait, those included that wait now}
     */
    long reads()
    {
        return reads.get();
    }

    /**
     * {@return writes that had to wait, those included that wait now}
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
        // First what left: nobody leaves who was not counted.
        final long gone = left.get();
        return reads.get() + writes.get() - gone;
    }

    /**
     * {@return how long those waited that wait no more, together}
     */
    long waitNs()
    {
        return waitNs.get();
    }

    void onThrottled(final boolean isRead, final long count)
    {
        (isRead ? reads : writes).addAndGet(count);
    }

    void onLeft(final long count, final long waitedNs)
    {
        waitNs.addAndGet(waitedNs);
        left.addAndGet(count);
    }
}
