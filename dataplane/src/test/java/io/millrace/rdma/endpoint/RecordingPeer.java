package io.millrace.rdma.endpoint;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * One end of a connection that records what is reported to it. Called on the reactor's thread; a test waits for the
 * records.
 */
public final class RecordingPeer implements ConnectionHandler
{
    private static final int WAIT_S = 60;

    private final LinkedBlockingQueue<String> events = new LinkedBlockingQueue<>();
    private final Consumer<RecordingPeer> onQueuePair;
    private final Function<RdmaDomain, SharedReceiveQueue> shared;
    private volatile RdmaConnection connection;

    /**
     * Made by a test.
     *
     * @param onQueuePair what it does with its new queue pair.
     */
    public RecordingPeer(final Consumer<RecordingPeer> onQueuePair)
    {
        this(onQueuePair, null);
    }

    /**
     * Made by a test.
     *
     * @param onQueuePair what it does with its new queue pair.
     * @param shared      from which its queue pair takes receive requests; null: its own.
     */
    public RecordingPeer(
        final Consumer<RecordingPeer> onQueuePair, final Function<RdmaDomain, SharedReceiveQueue> shared)
    {
        this.onQueuePair = onQueuePair;
        this.shared = shared;
    }

    @Override
    public SharedReceiveQueue sharedReceiveQueue(final RdmaDomain domain)
    {
        return null == shared ? null : shared.apply(domain);
    }

    /**
     * {@return the connection, once it has a queue pair}
     */
    public RdmaConnection connection()
    {
        return connection;
    }

    /**
     * {@return the queues of the connection}
     */
    public RdmaQueuePair queuePair()
    {
        return connection.queuePair();
    }

    /**
     * Gives the next request a piece of registered memory.
     *
     * @param address     of the memory.
     * @param lengthBytes of the memory.
     * @return the queue pair.
     */
    public RdmaQueuePair at(final long address, final int lengthBytes)
    {
        final long key = connection.keys().localKey(address, lengthBytes);
        if (RegionKeys.NO_KEY == key)
        {
            throw new AssertionError("no key for " + lengthBytes + " bytes at " + address);
        }
        return queuePair().segment(address, lengthBytes, (int)key);
    }

    /**
     * Waits for the next record.
     *
     * @return what was reported.
     * @throws InterruptedException when the test is stopped.
     */
    public String next() throws InterruptedException
    {
        final String event = events.poll(WAIT_S, TimeUnit.SECONDS);
        return null == event ? "nothing in " + WAIT_S + " s" : event;
    }

    /**
     * Waits for a record.
     *
     * @param event that is expected next.
     * @throws InterruptedException when the test is stopped.
     */
    public void expect(final String event) throws InterruptedException
    {
        final String next = next();
        if (!next.equals(event))
        {
            throw new AssertionError("expected <" + event + "> but was <" + next + "> before " + events);
        }
    }

    /**
     * Waits for the end of the connection; what is flushed before is passed over.
     *
     * @return the reason.
     * @throws InterruptedException when the test is stopped.
     */
    public String closed() throws InterruptedException
    {
        while (true)
        {
            final String next = next();
            if (next.startsWith("closed: "))
            {
                return next.substring("closed: ".length());
            }
            if (!next.contains(CompletionStatus.FLUSHED.name()))
            {
                throw new AssertionError("not the end: " + next);
            }
        }
    }

    @Override
    public void onQueuePair(final RdmaConnection made)
    {
        connection = made;
        onQueuePair.accept(this);
    }

    @Override
    public void onEstablished(final RdmaConnection established)
    {
        events.add("established");
    }

    @Override
    public void onClosed(final RdmaConnection closed, final String reason)
    {
        events.add("closed: " + reason);
    }

    @Override
    public void onSent(final long id, final CompletionStatus status)
    {
        events.add("sent " + id + " " + status);
    }

    @Override
    public void onReceived(final long id, final CompletionStatus status, final int bytes, final int immediate)
    {
        events.add("received " + id + " " + status + " " + bytes + " " + immediate);
    }
}
