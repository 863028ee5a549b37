package io.millrace.manager.metrics;

import io.prometheus.metrics.exporter.httpserver.HTTPServer;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Supplier;

/**
 * Answers Prometheus over HTTP at {@code /metrics}, on threads of its own. Anybody who reaches the address may read; it
 * takes no commands. Made and closed by the owner's thread.
 */
public final class MetricsEndpoint implements AutoCloseable
{
    private final HTTPServer server;

    private MetricsEndpoint(final HTTPServer server)
    {
        this.server = server;
    }

    /**
     * Begins to answer.
     *
     * @param address to listen on, resolved; port 0 for any free one.
     * @param records of all data planes, asked at each scrape on a thread of the endpoint; must not ask data planes
     *                more than once a second.
     * @return an endpoint that answers.
     * @throws IOException with a sentence, when the address cannot be listened on.
     */
    public static MetricsEndpoint start(final InetSocketAddress address, final Supplier<List<PlaneRecords>> records)
        throws IOException
    {
        final PrometheusRegistry registry = new PrometheusRegistry();
        registry.register(new MetricsCollector(records));
        try
        {
            return new MetricsEndpoint(HTTPServer.builder()
                .inetAddress(address.getAddress())
                .port(address.getPort())
                .registry(registry)
                .buildAndStart());
        }
        catch (final IOException e)
        {
            throw new IOException("metrics cannot be served at " + address.getAddress().getHostAddress() + ':' +
                address.getPort() + ": " + e.getMessage() + ": stop what listens there, or choose another port", e);
        }
    }

    /**
     * {@return the port that it got}
     */
    public int port()
    {
        return server.getPort();
    }

    @Override
    public void close()
    {
        server.close();
    }
}
