package io.millrace.control.agent;

import io.millrace.dataplane.DataPlaneEvent;
import io.millrace.dataplane.DataPlaneListener;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;

/**
 * Queue of events from reactors and other threads to the agent. Bounded: lost events are counted, and clients see a gap
 * in the sequence. Many producers, consumed by the agent's thread.
 */
public final class ControlEvents implements DataPlaneListener
{
    private static final int CAPACITY = 32 * 1024;

    private final ManyToOneConcurrentArrayQueue<DataPlaneEvent> queue = new ManyToOneConcurrentArrayQueue<>(CAPACITY);
    private final AtomicLong lost = new AtomicLong();

    /**
     * Creates an empty queue, which the data plane gets at its start.
     */
    public ControlEvents()
    {
    }

    @Override
    public void onEvent(final DataPlaneEvent event)
    {
        if (!queue.offer(event))
        {
            lost.incrementAndGet();
        }
    }

    /** The next event, or null. */
    DataPlaneEvent poll()
    {
        return queue.poll();
    }

    /** Number of events lost since the last call. */
    long takeLost()
    {
        return 0 == lost.get() ? 0 : lost.getAndSet(0);
    }
}
