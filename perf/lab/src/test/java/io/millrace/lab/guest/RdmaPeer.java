package io.millrace.lab.guest;

import io.millrace.memory.DmaMemory;
import io.millrace.rdma.endpoint.CompletionStatus;
import io.millrace.rdma.endpoint.ConnectionHandler;
import io.millrace.rdma.endpoint.RdmaConnection;
import io.millrace.rdma.endpoint.RdmaQueuePair;
import io.millrace.rdma.endpoint.RdmaRegion;
import io.millrace.rdma.endpoint.RegionAccess;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One end of an RDMA connection that writes down what happens to it, with a region of memory.
 */
class RdmaPeer implements ConnectionHandler
{
    static final int BYTES = 1 << 20;
    private static final int WAIT_S = 60;

    final DmaMemory memory = DmaMemory.map(BYTES);
    final LinkedBlockingQueue<String> events = new LinkedBlockingQueue<>();
    private final Consumer<RdmaPeer> onQueuePair;
    volatile RdmaConnection connection;
    volatile RdmaRegion region;
    volatile int receivedCount;
    /** Reports of received messages are counted, not written down. */
    volatile boolean isCounting;

    RdmaPeer(final Consumer<RdmaPeer> onQueuePair)
    {
        this.onQueuePair = onQueuePair;
    }

    RdmaQueuePair queuePair()
    {
        return connection.queuePair();
    }

    /** The next request has this piece of the region. */
    RdmaQueuePair at(final int offset, final int length)
    {
        return queuePair().segment(memory.address() + offset, length, region.localKey());
    }

    /** Waits for the next event. */
    String next() throws InterruptedException
    {
        final String event = events.poll(WAIT_S, TimeUnit.SECONDS);
        return null == event ? "nothing in " + WAIT_S + " s" : event;
    }

    void expect(final String event) throws InterruptedException
    {
        final String next = next();
        if (!next.equals(event))
        {
            throw new AssertionError("expected <" + event + "> but was <" + next + "> before " + events);
        }
    }

    /** Waits for the connection to end; what is flushed before is passed over. */
    String closed() throws InterruptedException
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
        region = made.domain().register(memory.address(), BYTES, RegionAccess.REMOTE_ALL);
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
        if (null != region)
        {
            region.close();
        }
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
        if (isCounting && CompletionStatus.SUCCESS == status)
        {
            receivedCount++;
            at((int)id * 64, 64).postReceive(id);
            return;
        }
        events.add("received " + id + " " + status + " " + bytes + " " + immediate);
    }
}
