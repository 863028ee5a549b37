package io.millrace.rdma.model;

import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * Has things happen on a thread of its own, in real time. Any thread.
 */
public final class ThreadClock implements ModelClock, AutoCloseable
{
    private record Event(long dueNs, long order, Runnable action)
    {
    }

    private final PriorityQueue<Event> events =
        new PriorityQueue<>(Comparator.comparingLong(Event::dueNs).thenComparingLong(Event::order));
    private final Thread thread;
    private long order;
    private boolean isClosed;

    /** Starts the thread. */
    public ThreadClock()
    {
        thread = Thread.ofPlatform().daemon().name("model-network").start(this::run);
    }

    @Override
    public long nowNs()
    {
        return System.nanoTime();
    }

    @Override
    public synchronized void at(final long dueNs, final Runnable action)
    {
        events.add(new Event(dueNs, order++, action));
        notifyAll();
    }

    private void run()
    {
        for (Event next = next(); null != next; next = next())
        {
            next.action.run();
        }
    }

    private synchronized Event next()
    {
        try
        {
            while (!isClosed)
            {
                final Event first = events.peek();
                final long waitNs = null == first ? 0 : first.dueNs - nowNs();
                if (null != first && waitNs <= 0)
                {
                    return events.poll();
                }
                if (null == first)
                {
                    wait();
                }
                else
                {
                    wait(waitNs / 1_000_000, (int)(waitNs % 1_000_000));
                }
            }
        }
        catch (final InterruptedException e)
        {
            return null;
        }
        return null;
    }

    @Override
    public void close()
    {
        synchronized (this)
        {
            isClosed = true;
            notifyAll();
        }
        try
        {
            thread.join();
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
    }
}
