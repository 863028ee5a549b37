package io.millrace.messaging;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counters of one instance; written by its reactor, read by any thread.
 */
final class MessagingCounters
{
    private final AtomicLongArray counts = new AtomicLongArray(MessagingCounter.values().length);

    void add(final MessagingCounter counter, final long count)
    {
        final int index = counter.ordinal();
        counts.setRelease(index, counts.getPlain(index) + count);
    }

    long get(final MessagingCounter counter)
    {
        return counts.getAcquire(counter.ordinal());
    }
}
