package io.millrace.perf.rdma;

import io.millrace.rdma.endpoint.CompletionStatus;
import io.millrace.rdma.endpoint.RdmaConnection;
import org.HdrHistogram.Histogram;

/**
 * One operation at a time; those before the measurement warm up.
 */
final class LatencyTest extends RdmaTest<Histogram>
{
    private static final int WARM_UP = 100;
    private static final int DIGITS = 3;
    private static final long MAX_NS = 60_000_000_000L;

    private final Histogram latencies = new Histogram(MAX_NS, DIGITS);
    private final boolean isSend;
    private long count;
    private long startNs;

    LatencyTest(final RdmaTestConfig config)
    {
        // A message comes back into the second slot.
        super(config, 2);
        isSend = RdmaOperation.SEND == config.operation();
    }

    @Override
    RdmaHello.Client hello()
    {
        return new RdmaHello.Client(isSend, config.sizeBytes(), 2);
    }

    @Override
    public void onQueuePair(final RdmaConnection made)
    {
        super.onQueuePair(made);
        if (isSend)
        {
            receive();
        }
    }

    private void receive()
    {
        segment(1);
        queuePair().postReceive(0);
    }

    @Override
    void begin()
    {
        startNs = System.nanoTime();
        post(0, 0, !isSend);
    }

    @Override
    public void onReceived(final long id, final CompletionStatus status, final int bytes, final int immediate)
    {
        if (CompletionStatus.SUCCESS == status)
        {
            receive();
            next((System.nanoTime() - startNs) / 2);
        }
    }

    @Override
    void onDone(final long id)
    {
        if (!isSend)
        {
            next(System.nanoTime() - startNs);
        }
    }

    private void next(final long ns)
    {
        if (++count > WARM_UP)
        {
            latencies.recordValue(Math.min(ns, MAX_NS));
        }
        if (count == WARM_UP + config.count())
        {
            end(latencies);
            return;
        }
        startNs = System.nanoTime();
        post(0, 0, !isSend);
    }
}
