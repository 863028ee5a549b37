package io.millrace.perf.rdma;

import io.millrace.rdma.endpoint.CompletionStatus;

/**
 * As many operations outstanding as the depth; a first round of them warms up. One in a few is reported, so that the
 * others cost no completion.
 */
final class BandwidthTest extends RdmaTest<Long>
{
    private final int interval;
    private final long total;
    private long posted;
    private long done;
    private long startNs;

    BandwidthTest(final RdmaTestConfig config)
    {
        super(config, config.depth());
        interval = Math.max(1, config.depth() / 4);
        total = config.depth() + config.count();
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
        while (posted < total && posted - done < config.depth())
        {
            final long id = posted++;
            post(id, (int)(id % config.depth()), isNotice(id));
        }
    }

    /** The last of the warm-up and of all are reported as well. */
    private boolean isNotice(final long id)
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
        throw new IllegalStateException("nothing was to be received");
    }
}
