package io.millrace.manager.metrics;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.agrona.CloseHelper;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;

/**
 * Answers Prometheus over HTTP at {@code /metrics}, and an orchestrator at {@code /health} and {@code /ready}, on
 * threads of its own. Anybody who reaches the address may read; it takes no commands. Made and closed by the owner's
 * thread.
 * <p>
 * A client costs others nothing: each has a thread, 5 s for its request and 10 s to take the answer, and all of a
 * second get the same bytes. {@link #CONNECTIONS_MAX} are served at once, {@link #CONNECTIONS_PER_ADDRESS_MAX} of an
 * address; a later one displaces the oldest of its address, or of the address that has most. A scrape takes
 * milliseconds, so
 * that those displaced are those that do not send or do not read.
 */
public final class MetricsEndpoint implements AutoCloseable
{
    /** Most connections at once. */
    public static final int CONNECTIONS_MAX = 64;
    /** Most connections of an address at once. */
    public static final int CONNECTIONS_PER_ADDRESS_MAX = 16;

    /** Pages of so many seconds are kept for those that still take them. */
    private static final long GENERATIONS_MAX = 3;
    private static final int BACKLOG = 128;
    private static final int SWEEP_INTERVAL_MS = 250;
    private static final long ACCEPT_RETRY_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long CLOSE_WAIT_MS = 1_000;

    private final ServerSocket server;
    private final MetricsPages pages;
    private final Probes probes;
    private final ScrapeCounts counts;
    private final NanoClock clock = SystemNanoClock.INSTANCE;
    /** The oldest first; guarded by itself. */
    private final Set<ScrapeConnection> connections = new LinkedHashSet<>();
    private final Thread thread;

    private MetricsEndpoint(
        final ServerSocket server,
        final Supplier<List<PlaneRecords>> records,
        final Probes probes,
        final Consumer<String> onWarning)
    {
        this.server = server;
        this.probes = probes;
        counts = new ScrapeCounts(clock, onWarning);
        pages = new MetricsPages(new MetricsCollector(records, counts), clock);
        thread = Thread.ofPlatform().daemon().name("millrace-metrics").unstarted(this::run);
    }

    /**
     * Begins to answer.
     *
     * @param address   to listen on, resolved; port 0 for any free one.
     * @param records   of all data planes, asked at most once a second, on a thread of the endpoint.
     * @param probes    answered at /health and /ready, on threads of the endpoint.
     * @param onWarning takes a line about scrapes that were not answered, at most one a minute; on any thread, must not
     *                  block.
     * @return an endpoint that answers.
     * @throws IOException with a sentence, when the address cannot be listened on.
     */
    public static MetricsEndpoint start(
        final InetSocketAddress address,
        final Supplier<List<PlaneRecords>> records,
        final Probes probes,
        final Consumer<String> onWarning) throws IOException
    {
        final ServerSocket server = new ServerSocket();
        try
        {
            server.bind(address, BACKLOG);
            final MetricsEndpoint endpoint = new MetricsEndpoint(server, records, probes, onWarning);
            endpoint.thread.start();
            return endpoint;
        }
        catch (final IOException e)
        {
            CloseHelper.quietClose(server);
            throw new IOException("metrics cannot be served at " + address.getAddress().getHostAddress() + ':' +
                address.getPort() + ": " + e.getMessage() + ": stop what listens there, or choose another port", e);
        }
    }

    /**
     * {@return the port that it got}
     */
    public int port()
    {
        return server.getLocalPort();
    }

    /** How many connections there are now; any thread. */
    int connectionCount()
    {
        synchronized (connections)
        {
            return connections.size();
        }
    }

    private void run()
    {
        long sweepNs = clock.nanoTime();
        while (!server.isClosed())
        {
            try
            {
                server.setSoTimeout(isIdle() ? 0 : SWEEP_INTERVAL_MS);
                serve(server.accept());
            }
            catch (final SocketTimeoutException _)
            {
                // Time to sweep.
            }
            catch (final IOException e)
            {
                if (!server.isClosed())
                {
                    counts.add(ScrapeResult.FAILED, server.getInetAddress(),
                        "connection not accepted: " + e.getMessage());
                    LockSupport.parkNanos(ACCEPT_RETRY_NS);
                }
            }
            if (clock.nanoTime() - sweepNs >= TimeUnit.MILLISECONDS.toNanos(SWEEP_INTERVAL_MS))
            {
                sweep();
                sweepNs = clock.nanoTime();
            }
        }
    }

    private boolean isIdle()
    {
        synchronized (connections)
        {
            return connections.isEmpty() && !pages.isHeld();
        }
    }

    private void serve(final Socket socket)
    {
        final ScrapeConnection connection =
            new ScrapeConnection(socket, pages, probes, counts, clock, this::onClosed);
        synchronized (connections)
        {
            final ScrapeConnection displaced = displacedBy(connection.client());
            if (null != displaced)
            {
                connections.remove(displaced);
                displaced.end(ScrapeResult.DISPLACED);
            }
            connections.add(connection);
        }
        Thread.ofVirtual().name("millrace-scrape").start(connection);
    }

    /** Whom a connection of a client displaces, or null. */
    private ScrapeConnection displacedBy(final InetAddress client)
    {
        final Map<InetAddress, Integer> clients = new HashMap<>();
        connections.forEach((each) -> clients.merge(each.client(), 1, Integer::sum));
        final InetAddress from = clients.getOrDefault(client, 0) >= CONNECTIONS_PER_ADDRESS_MAX ? client :
            connections.size() < CONNECTIONS_MAX ? null :
            clients.entrySet().stream().max(Map.Entry.comparingByValue()).orElseThrow().getKey();
        for (final ScrapeConnection each : connections)
        {
            if (each.client().equals(from))
            {
                return each;
            }
        }
        return null;
    }

    private void onClosed(final ScrapeConnection connection)
    {
        synchronized (connections)
        {
            connections.remove(connection);
        }
    }

    private void sweep()
    {
        final long nowNs = clock.nanoTime();
        final long oldestKept = pages.generation() - GENERATIONS_MAX + 1;
        synchronized (connections)
        {
            for (final ScrapeConnection each : connections)
            {
                if (each.isOverdue(nowNs) || 0 != each.generation() && each.generation() < oldestKept)
                {
                    each.end(ScrapeResult.TIMED_OUT);
                }
            }
        }
        pages.expire();
    }

    /**
     * Closes all connections. Again does nothing.
     */
    @Override
    public void close()
    {
        CloseHelper.quietClose(server);
        synchronized (connections)
        {
            connections.forEach((each) -> each.end(ScrapeResult.ABORTED));
        }
        try
        {
            thread.join(CLOSE_WAIT_MS);
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
    }
}
