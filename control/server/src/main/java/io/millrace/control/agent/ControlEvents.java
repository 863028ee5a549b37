package io.millrace.control.agent;

import io.millrace.dataplane.DataPlaneEvent;
import io.millrace.dataplane.DataPlaneListener;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;

/**
 * Carries events from where they happen, reactors too, to the agent. Bounded: what does not fit is counted, and clients
 * see a gap in the numbers. Any thread tells, the agent's takes.
 */
public final class ControlEvents implements DataPlaneListener
{
    private static final int CAPACITY = 32 * 1024;

    private final ManyToOneConcurrentArrayQueue<DataPlaneEvent> queue = new ManyToOneConcurrentArrayQueue<>(CAPACITY);
    private final AtomicLong lost = new AtomicLong();

    /**
     * Makes an empty queue, to be given to the data plane at its start.
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

    /** How many did not fit since it was asked last. */
    long takeLost()
    {
        return 0 == lost.get() ? 0 : lost.getAndSet(0);
    }
}
