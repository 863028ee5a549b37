package io.millrace.perf.rdma;

import io.millrace.rdma.RdmaException;
import io.millrace.rdma.endpoint.ConnectionManager;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.HdrHistogram.Histogram;

/**
 * Tests of a server, each on a reactor and a connection of its own. The caller waits.
 */
public final class RdmaTests
{
    /** RDMA READs at a time, as far as both devices allow. */
    static final int READS = 16;
    /** Entries of a completion queue; a server has 16 clients. */
    static final int COMPLETIONS_MAX = 32_768;
    private static final long CONNECT_NS = TimeUnit.SECONDS.toNanos(10);

    private RdmaTests()
    {
    }

    /**
     * Measures single operations: of messages half the time until the peer's comes back, of reads the time until the
     * data is here.
     *
     * @param config  of the test; its depth is not looked at.
     * @param limitMs after which it is given up, in milliseconds.
     * @return latencies in nanoseconds.
     * @throws RdmaException when there is no connection, or it ends.
     */
    public static Histogram latency(final RdmaTestConfig config, final long limitMs)
    {
        return run(new LatencyTest(config), config, limitMs);
    }

    /**
     * Measures operations of which as many as the depth are outstanding.
     *
     * @param config  of the test.
     * @param limitMs after which it is given up, in milliseconds.
     * @return nanoseconds that all of them took.
     * @throws RdmaException when there is no connection, or it ends.
     */
    public static long bandwidth(final RdmaTestConfig config, final long limitMs)
    {
        return run(new BandwidthTest(config), config, limitMs);
    }

    private static <T> T run(final RdmaTest<T> test, final RdmaTestConfig config, final long limitMs)
    {
        final Reactor reactor = new Reactor(ReactorConfig.of("rdma-test", -1));
        reactor.start();
        try
        {
            final ConnectionManager manager = get(reactor.call(() -> new ConnectionManager(reactor)), limitMs);
            try
            {
                get(reactor.call(() -> manager.connect(
                    config.server(), test.queuePairConfig(), test, test.hello().encode(), CONNECT_NS)), limitMs);
                return get(test.result(), limitMs);
            }
            finally
            {
                get(reactor.call(() ->
                {
                    manager.close();
                    return null;
                }), limitMs);
            }
        }
        finally
        {
            reactor.close();
        }
    }

    private static <T> T get(final CompletableFuture<T> future, final long limitMs)
    {
        try
        {
            return future.get(limitMs, TimeUnit.MILLISECONDS);
        }
        catch (final ExecutionException e)
        {
            throw new RdmaException(e.getCause().getMessage());
        }
        catch (final TimeoutException e)
        {
            throw new RdmaException("the test did not end within " + limitMs + " ms");
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
            throw new RdmaException("interrupted");
        }
    }
}
