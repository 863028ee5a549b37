package io.millrace.perf.rdma;

import io.millrace.rdma.endpoint.CompletionStatus;
import io.millrace.rdma.endpoint.RdmaConnection;

/**
 * As many operations outstanding as the depth; a first round of them warms up. One in a few is reported, so that the
 * others cost no completion. Messages are sent while the server has receive requests for them, which it says every few
 * messages by one of its own: a device whose peer has none waits for long.
 */
final class BandwidthTest extends RdmaTest<Long>
{
    private static final int CREDITS_MAX = 8;

    private final int interval;
    private final long total;
    private long posted;
    private long done;
    /** Messages whose receive requests the server has posted again. */
    private long credited;
    private long startNs;

    BandwidthTest(final RdmaTestConfig config)
    {
        super(config, config.depth());
        interval = interval(config.depth());
        total = config.depth() + config.count();
    }

    /** {@return after how many messages the server says so} */
    static int interval(final int depth)
    {
        return Math.max(1, depth / 4);
    }

    @Override
    public void onQueuePair(final RdmaConnection made)
    {
        super.onQueuePair(made);
        for (int i = 0; i < CREDITS_MAX; i++)
        {
            queuePair().postReceive(i);
        }
    }

    @Override
    RdmaHello.Client hello()
    {
        return new RdmaHello.Client(false, config.sizeBytes(), config.depth());
    }

    @Override
    void begin()
    {
        fill();
    }

    private void fill()
    {
        final boolean isSend = RdmaOperation.SEND == config.operation();
        // The device is notified once of those that this posts.
        queuePair().hold();
        while (posted < total && posted - done < config.depth() && (!isSend || posted - credited < config.depth()))
        {
            final long id = posted++;
            post(id, (int)(id % config.depth()), isSignalled(id));
        }
        queuePair().release();
    }

    /** The last of the warm-up and of all are reported as well. */
    private boolean isSignalled(final long id)
    {
        return 0 == (id + 1) % interval || id + 1 == config.depth() || id + 1 == total;
    }

    @Override
    void onDone(final long id)
    {
        done = id + 1;
        if (done == config.depth())
        {
            startNs = System.nanoTime();
        }
        if (done == total)
        {
            end(System.nanoTime() - startNs);
            return;
        }
        fill();
    }

    @Override
    public void onReceived(final long id, final CompletionStatus status, final int bytes, final int immediate)
    {
        if (CompletionStatus.SUCCESS == status)
        {
            queuePair().postReceive(id);
            credited += interval;
            fill();
        }
    }
}
