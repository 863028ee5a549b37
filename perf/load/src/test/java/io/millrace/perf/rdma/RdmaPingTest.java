package io.millrace.perf.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.rdma.model.RdmaModel;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Pings on the model of rdma-core. */
class RdmaPingTest implements PingListener
{
    private static final long MS = 1_000_000L;
    private static final long MINUTE = 60_000 * MS;

    private final RdmaModel model = new RdmaModel();
    private final Reactor host = new Reactor(ReactorConfig.of("host", -1));
    private final Reactor target = new Reactor(ReactorConfig.of("target", -1));
    private final LinkedBlockingQueue<String> events = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<String> log = new LinkedBlockingQueue<>();
    private InetSocketAddress address = new InetSocketAddress(model.targetDevice().address(), 0);
    private RdmaTestServer server;
    private RdmaPing ping;

    @BeforeEach
    void start()
    {
        host.start();
        target.start();
        serve();
    }

    private void serve()
    {
        server = call(target, () -> new RdmaTestServer(target, model.targetCore(), address, log::add));
        address = server.address();
    }

    private void stopServing()
    {
        call(target, () ->
        {
            server.close();
            return null;
        });
    }

    private static <T> T call(final Reactor reactor, final Callable<T> task)
    {
        return reactor.call(task).orTimeout(60, TimeUnit.SECONDS).join();
    }

    private void ping(final int sizeBytes, final long count, final long timeoutNs)
    {
        ping = call(host, () -> new RdmaPing(
            host, model.hostCore(), new RdmaPingConfig(address, sizeBytes, count, MS, timeoutNs), this));
    }

    private String next() throws InterruptedException
    {
        final String event = events.poll(60, TimeUnit.SECONDS);
        assertNotNull(event, "nothing in a minute");
        return event;
    }

    @Override
    public void onReply(final long sequence, final long ns)
    {
        events.add(ns > 0 ? "reply " + sequence : "reply " + sequence + " in " + ns);
    }

    @Override
    public void onLost(final long sequence, final String reason)
    {
        events.add("lost " + sequence + ": " + reason);
    }

    @Override
    public void onEnd()
    {
        events.add("end");
    }

    @Test
    void shouldReportEachReplyAndTheEnd() throws Exception
    {
        ping(64, 5, MINUTE);
        for (int i = 1; i <= 5; i++)
        {
            assertEquals("reply " + i, next());
        }
        assertEquals("end", next());
    }

    /** More than a request holds itself, so that memory of both sides is used. */
    @Test
    void shouldCompareLongMessages() throws Exception
    {
        ping(100_000, 3, MINUTE);
        assertEquals(List.of("reply 1", "reply 2", "reply 3", "end"), List.of(next(), next(), next(), next()));
    }

    @Test
    void shouldLoseAPingWithoutReplyAndConnectAgain() throws Exception
    {
        ping(64, 0, 50 * MS);
        assertEquals("reply 1", next());
        model.network().cut(model.hostDevice(), model.targetDevice(), true);
        String event = next();
        while (event.startsWith("reply"))
        {
            event = next();
        }
        assertTrue(event.matches("lost \\d+: no reply within 50 ms: check .*"), event);
        model.network().cut(model.hostDevice(), model.targetDevice(), false);
        while (!event.startsWith("reply"))
        {
            event = next();
        }
    }

    @Test
    void shouldLosePingsWithoutAServerAndFindItAgain() throws Exception
    {
        stopServing();
        ping(64, 0, MINUTE);
        final String first = next();
        assertTrue(first.startsWith("lost 1: the server at 10.0.0.2:"), first);
        assertTrue(first.contains("connection refused: no RDMA listener at the peer's address and port"), first);
        assertTrue(next().startsWith("lost 2: "));
        serve();
        String event = next();
        while (event.startsWith("lost"))
        {
            event = next();
        }
        assertTrue(event.startsWith("reply "), event);
        stopServing();
        while (event.startsWith("reply"))
        {
            event = next();
        }
        assertTrue(event.startsWith("lost "), event);
        serve();
    }

    @Test
    void shouldEndQuietlyWhenClosed() throws Exception
    {
        ping(64, 0, MINUTE);
        assertEquals("reply 1", next());
        call(host, () ->
        {
            ping.close();
            ping.close();
            return null;
        });
        events.clear();
        // What the reactor had to do before has been done.
        call(host, () -> null);
        assertEquals(List.of(), List.copyOf(events));
    }

    @Test
    void shouldRefuseBoundsThatAreNone()
    {
        for (final String bad : List.of("0,0,1,1", "1,-1,1,1", "1,0,0,1", "1,0,1,0", "8388609,0,1,1"))
        {
            final String[] parts = bad.split(",");
            assertThrows(IllegalArgumentException.class, () -> new RdmaPingConfig(address, Integer.parseInt(parts[0]),
                Long.parseLong(parts[1]), MS * Long.parseLong(parts[2]), MS * Long.parseLong(parts[3])), bad);
        }
        assertEquals("interval 0ms: must be 1ms to 24h", assertThrows(IllegalArgumentException.class,
            () -> new RdmaPingConfig(address, 1, 0, 0, MS)).getMessage());
    }

    @AfterEach
    void stop()
    {
        if (null != ping)
        {
            call(host, () ->
            {
                ping.close();
                return null;
            });
        }
        stopServing();
        host.close();
        target.close();
        assertEquals(List.of(), model.network().violations());
        assertEquals(0, model.hostCore().resources() + model.targetCore().resources());
        model.close();
    }
}
