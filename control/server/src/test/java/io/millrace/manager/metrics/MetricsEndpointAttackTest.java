package io.millrace.manager.metrics;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.codec.Health;
import io.millrace.control.message.ManagedInfo;
import io.millrace.control.message.NamespaceInfo;
import io.millrace.control.message.Resource;
import io.millrace.testing.MeasuresTime;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.agrona.CloseHelper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that are slow, silent, greedy or gone: others are answered meanwhile, and the log stays short. */
@Timeout(60)
@MeasuresTime
class MetricsEndpointAttackTest
{
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final byte[] REQUEST = "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(US_ASCII);
    private static final int NAMESPACES = 10_000;
    private static final int SLOW_CLIENTS = 40;
    private static final int ATTEMPTS_MAX = 3;
    private static final int TIMEOUT_MS = 30_000;
    private static final int TICK_MS = 100;
    /** Ten seconds, twice what an endpoint gives; longer where others have the processors. */
    private static final int TICKS_MAX = 100;
    private static final long WAIT_NS = TimeUnit.SECONDS.toNanos(20);

    private final ConcurrentLinkedQueue<String> warnings = new ConcurrentLinkedQueue<>();
    private final AtomicInteger asked = new AtomicInteger();
    private final List<Socket> sockets = new ArrayList<>();
    private final ByteArrayOutputStream errors = new ByteArrayOutputStream();
    private final PrintStream standardError = System.err;
    private MetricsEndpoint endpoint;

    @BeforeEach
    void start() throws IOException
    {
        System.setErr(new PrintStream(errors, true, US_ASCII));
        final List<Resource> resources = new ArrayList<>(IntStream.rangeClosed(1, NAMESPACES).mapToObj((nsid) ->
            new NamespaceInfo("nqn.2026-11.io.millrace:vol0", nsid, new UUID(3, nsid), 8192, 512, 11, 12, 13, 14, 15,
                16, "mem" + nsid, 1)).toList());
        resources.add(new ManagedInfo("a", true, Health.IN_SYNC, 1, 2, 3, 4, 5, "address", "", ""));
        final List<PlaneRecords> records = List.of(new PlaneRecords("a", true, resources));
        endpoint = MetricsEndpoint.start(ANY, () ->
        {
            asked.incrementAndGet();
            return records;
        }, MetricsEndpointTest.PROBES, warnings::add);
    }

    @AfterEach
    void stop()
    {
        CloseHelper.quietCloseAll(sockets);
        endpoint.close();
        System.setErr(standardError);
    }

    private Socket connect() throws IOException
    {
        final Socket socket = new Socket();
        socket.setReceiveBufferSize(4096);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), endpoint.port()), 5_000);
        socket.setSoTimeout(TIMEOUT_MS);
        sockets.add(socket);
        return socket;
    }

    private static String answer(final Socket socket) throws IOException
    {
        socket.getOutputStream().write(REQUEST);
        return new String(socket.getInputStream().readAllBytes(), US_ASCII);
    }

    private void assertScraped() throws IOException
    {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), endpoint.port()))
        {
            socket.setSoTimeout(TIMEOUT_MS);
            socket.getOutputStream().write("GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                .getBytes(US_ASCII));
            final String text = new String(socket.getInputStream().readAllBytes(), US_ASCII);
            assertTrue(text.startsWith("HTTP/1.1 200 "), () -> text.substring(0, Math.min(200, text.length())));
            assertTrue(text.contains("millrace_up{data_plane=\"a\"} 1.0"));
        }
    }

    /**
     * One round a second; slow ones send or take a byte in each. A scrape waits for none of them: some that were there
     * before it are there when it has been answered. Where a machine is so busy that all of them have had their time
     * meanwhile, a round shows nothing; the first has to.
     */
    private void assertScrapedFor(final int rounds, final SocketStep slowStart, final Runnable slowStep)
        throws Exception
    {
        int attempts = 0;
        while (!isScrapedBeside(slowStart))
        {
            attempts++;
            assertTrue(attempts < ATTEMPTS_MAX, "a scrape outlasts all slow clients, " + attempts + " times");
        }
        for (int i = 0; i < rounds; i++)
        {
            slowStep.run();
            assertScraped();
            Thread.sleep(1_000);
        }
    }

    private boolean isScrapedBeside(final SocketStep slowStart) throws IOException
    {
        CloseHelper.quietCloseAll(sockets);
        sockets.clear();
        for (int i = 0; i < SLOW_CLIENTS; i++)
        {
            slowStart.run(connect());
        }
        final long endNs = System.nanoTime() + WAIT_NS;
        while (endpoint.connectionCount() < MetricsEndpoint.CONNECTIONS_PER_ADDRESS_MAX)
        {
            assertTrue(System.nanoTime() - endNs < 0, () -> endpoint.connectionCount() + " connections");
            LockSupport.parkNanos(100_000);
        }
        assertScraped();
        // The scrape's own may be there still.
        return endpoint.connectionCount() > 1;
    }

    private static void quietly(final Socket socket, final SocketStep step)
    {
        try
        {
            step.run(socket);
        }
        catch (final IOException e)
        {
            // The endpoint has ended this one, as it may.
            CloseHelper.quietClose(socket);
        }
    }

    @FunctionalInterface
    private interface SocketStep
    {
        void run(Socket socket) throws IOException;
    }

    @Test
    void shouldAnswerWhileOthersAreSilent() throws Exception
    {
        assertScrapedFor(3, (socket) ->
        {
        }, () ->
        {
        });
    }

    @Test
    void shouldAnswerWhileOthersSendAByteASecond() throws Exception
    {
        final AtomicInteger next = new AtomicInteger(10);
        assertScrapedFor(4, (socket) -> socket.getOutputStream().write(REQUEST, 0, 10), () ->
        {
            final int index = next.getAndIncrement();
            sockets.forEach((each) -> quietly(each, (socket) -> socket.getOutputStream().write(REQUEST, index, 1)));
        });
    }

    @Test
    void shouldAnswerWhileOthersTakeAByteASecond() throws Exception
    {
        assertScrapedFor(4, (socket) -> socket.getOutputStream().write(REQUEST),
            () -> sockets.forEach((each) -> quietly(each, (socket) -> socket.getInputStream().read())));
    }

    @Test
    void shouldEndAConnectionThatTakesItsTime() throws Exception
    {
        final Socket silent = connect();
        final Socket slow = connect();
        slow.getOutputStream().write(REQUEST, 0, 10);
        int ticks = 0;
        for (final Socket each : List.of(silent, slow))
        {
            each.setSoTimeout(TICK_MS);
            final ByteArrayOutputStream text = new ByteArrayOutputStream();
            while (!isEnded(each, text))
            {
                ticks++;
                assertTrue(ticks < TICKS_MAX, "not ended after " + ticks + " tenths of a second");
            }
            assertEquals("", text.toString(US_ASCII).replaceFirst("(?s)HTTP/1.1 408 .*", ""));
        }
    }

    private static boolean isEnded(final Socket socket, final ByteArrayOutputStream text) throws IOException
    {
        try
        {
            for (int next = socket.getInputStream().read(); next >= 0; next = socket.getInputStream().read())
            {
                text.write(next);
            }
            return true;
        }
        catch (final SocketTimeoutException _)
        {
            return false;
        }
    }

    @Test
    void shouldLogFewLinesWhenThousandScrapersReset() throws Exception
    {
        for (int i = 0; i < 1_000; i++)
        {
            try (Socket socket = new Socket())
            {
                socket.setReceiveBufferSize(4096);
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), endpoint.port()), 5_000);
                socket.getOutputStream().write(REQUEST);
                final InputStream in = socket.getInputStream();
                in.read();
                socket.setSoLinger(true, 0);
            }
        }
        assertScraped();
        // Those that wait for a page when they reset are displaced before it shows; a page is made each second.
        double count = 0;
        for (int i = 0; count < 900 && i < 20; i++)
        {
            Thread.sleep(500);
            final String text = answer(connect());
            count = Stream.of("aborted", "displaced").mapToDouble((result) -> scrapes(text, result)).sum();
        }
        assertTrue(count >= 900, "counted " + count);
        final List<String> lines = new ArrayList<>(warnings);
        errors.toString(US_ASCII).lines().forEach(lines::add);
        assertTrue(lines.size() <= 2, () -> lines.size() + " lines: " + lines.subList(0, 3));
    }

    private static double scrapes(final String text, final String result)
    {
        final String sample = "millrace_scrapes_total{result=\"" + result + "\"} ";
        return Double.parseDouble(text.lines().filter((each) -> each.startsWith(sample)).findFirst().orElseThrow()
            .substring(sample.length()));
    }

    @Test
    void shouldAskForRecordsOnceASecondHoweverManyScrape() throws Exception
    {
        final long startNs = System.nanoTime();
        final List<Thread> threads = new ArrayList<>();
        final AtomicInteger answered = new AtomicInteger();
        for (int i = 0; i < 8; i++)
        {
            threads.add(Thread.ofPlatform().start(() ->
            {
                for (int j = 0; j < 20; j++)
                {
                    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), endpoint.port()))
                    {
                        answered.addAndGet(answer(socket).startsWith("HTTP/1.1 200 ") ? 1 : 0);
                    }
                    catch (final IOException e)
                    {
                        warnings.add(e.toString());
                    }
                }
            }));
        }
        for (final Thread each : threads)
        {
            each.join();
        }
        assertEquals(160, answered.get(), warnings::toString);
        final long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNs);
        assertTrue(asked.get() <= seconds + 2, asked.get() + " times in " + seconds + " s");
    }

    @Test
    void shouldRefuseWhatIsNoScrape() throws Exception
    {
        final String[][] cases = {
            {"GET /metrics HTTP/1.1\r\nX: " + "a".repeat(20_000) + "\r\n\r\n", "431"},
            {"POST /metrics HTTP/1.1\r\n\r\n", "405"}, {"GET /secret HTTP/1.1\r\n\r\n", "404"},
            {"nonsense\r\n\r\n", "400"}, {"GET /metrics SPDY/3\r\n\r\n", "400"},
            {"GET /health HTTP/1.0\r\n\r\n", "200"}, {"HEAD /metrics?name HTTP/1.1\r\n\r\n", "200"}};
        for (final String[] each : cases)
        {
            final Socket socket = connect();
            quietly(socket, (open) -> open.getOutputStream().write(each[0].getBytes(US_ASCII)));
            final String text = new String(socket.getInputStream().readNBytes(12), US_ASCII);
            assertEquals("HTTP/1.1 " + each[1], text, each[0].lines().findFirst().orElseThrow());
        }
    }

    @Test
    void shouldSayWhichMethodsThereAreAndSendNoContentForHead() throws Exception
    {
        assertEquals("HTTP/1.1 405 Method Not Allowed\r\nContent-Type: text/plain\r\nAllow: GET, HEAD\r\n" +
            "Content-Length: 59\r\nConnection: close\r\n\r\n" +
            "405 Method Not Allowed: the method is neither GET nor HEAD\n", exchange("POST /metrics HTTP/1.1\r\n\r\n"));
        assertEquals("HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 54\r\n" +
            "Connection: close\r\n\r\n", exchange("HEAD /secret HTTP/1.1\r\n\r\n"));
        assertEquals("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 8\r\nConnection: close\r\n\r\n" +
            "healthy\n", exchange("\r\nGET http://localhost:9464/health HTTP/1.1\r\n\r\n"));
    }

    private String exchange(final String request) throws IOException
    {
        final Socket socket = connect();
        socket.getOutputStream().write(request.getBytes(US_ASCII));
        socket.shutdownOutput();
        return new String(socket.getInputStream().readAllBytes(), US_ASCII);
    }
}
