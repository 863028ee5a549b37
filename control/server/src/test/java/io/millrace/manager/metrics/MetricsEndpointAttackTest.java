package io.millrace.manager.metrics;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.codec.Health;
import io.millrace.control.message.ManagedInfo;
import io.millrace.control.message.NamespaceInfo;
import io.millrace.control.message.Resource;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.agrona.CloseHelper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that are slow, silent, greedy or gone: others are answered meanwhile, and the log stays short. */
@Timeout(60)
class MetricsEndpointAttackTest
{
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final byte[] REQUEST = "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(US_ASCII);
    private static final int NAMESPACES = 10_000;
    private static final int SLOW_CLIENTS = 40;
    private static final long SCRAPE_MAX_MS = 1_000;

    private final ConcurrentLinkedQueue<String> warnings = new ConcurrentLinkedQueue<>();
    private final AtomicInteger asked = new AtomicInteger();
    private final List<Socket> sockets = new ArrayList<>();
    private final ByteArrayOutputStream errors = new ByteArrayOutputStream();
    private final PrintStream standardError = System.err;
    private MetricsEndpoint endpoint;
    private long calmMs;

    @BeforeEach
    void start() throws IOException
    {
        System.setErr(new PrintStream(errors, true, US_ASCII));
        final List<Resource> resources = new ArrayList<>(IntStream.rangeClosed(1, NAMESPACES).mapToObj((nsid) ->
            new NamespaceInfo("nqn.2026-11.io.millrace:vol0", nsid, new UUID(3, nsid), 8192, 512, 11, 12, 13, 14, 15,
                16, "mem" + nsid, 1)).toList());
        resources.add(new ManagedInfo("a", true, Health.WELL, 1, 2, 3, 4, 5, "address", "", ""));
        final List<PlaneRecords> records = List.of(new PlaneRecords("a", true, resources));
        endpoint = MetricsEndpoint.start(ANY, () ->
        {
            asked.incrementAndGet();
            return records;
        }, warnings::add);
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
        socket.setSoTimeout(10_000);
        sockets.add(socket);
        return socket;
    }

    private static String answer(final Socket socket) throws IOException
    {
        socket.getOutputStream().write(REQUEST);
        return new String(socket.getInputStream().readAllBytes(), US_ASCII);
    }

    /** How long a scrape takes with nobody else, on this machine and now. */
    private void measureCalm() throws IOException
    {
        calmMs = scrapeMs();
    }

    private void assertScraped() throws IOException
    {
        final long elapsedMs = scrapeMs();
        assertTrue(elapsedMs < SCRAPE_MAX_MS + 3 * calmMs, "a scrape took " + elapsedMs + " ms, " + calmMs + " alone");
    }

    private long scrapeMs() throws IOException
    {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), endpoint.port()))
        {
            final long startNs = System.nanoTime();
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write("GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                .getBytes(US_ASCII));
            final String text = new String(socket.getInputStream().readAllBytes(), US_ASCII);
            final long elapsedMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
            assertTrue(text.startsWith("HTTP/1.1 200 "), () -> text.substring(0, Math.min(200, text.length())));
            assertTrue(text.contains("millrace_up{data_plane=\"a\"} 1.0"));
            return elapsedMs;
        }
    }

    /** One round a second; slow ones send or take a byte in each. */
    private void assertScrapedFor(final int rounds, final Runnable slowStep) throws Exception
    {
        for (int i = 0; i < rounds; i++)
        {
            slowStep.run();
            assertScraped();
            Thread.sleep(1_000);
        }
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
        measureCalm();
        for (int i = 0; i < SLOW_CLIENTS; i++)
        {
            connect();
        }
        assertScrapedFor(3, () ->
        {
        });
    }

    @Test
    void shouldAnswerWhileOthersSendAByteASecond() throws Exception
    {
        measureCalm();
        for (int i = 0; i < SLOW_CLIENTS; i++)
        {
            connect().getOutputStream().write(REQUEST, 0, 10);
        }
        final AtomicInteger next = new AtomicInteger(10);
        assertScrapedFor(4, () ->
        {
            final int index = next.getAndIncrement();
            sockets.forEach((each) -> quietly(each, (socket) -> socket.getOutputStream().write(REQUEST, index, 1)));
        });
    }

    @Test
    void shouldAnswerWhileOthersTakeAByteASecond() throws Exception
    {
        measureCalm();
        for (int i = 0; i < SLOW_CLIENTS; i++)
        {
            connect().getOutputStream().write(REQUEST);
        }
        assertScrapedFor(4, () -> sockets.forEach((each) -> quietly(each, (socket) -> socket.getInputStream().read())));
    }

    @Test
    void shouldEndAConnectionThatTakesItsTime() throws Exception
    {
        final Socket silent = connect();
        final Socket slow = connect();
        slow.getOutputStream().write(REQUEST, 0, 10);
        final long startNs = System.nanoTime();
        for (final Socket each : List.of(silent, slow))
        {
            assertEquals("", new String(each.getInputStream().readAllBytes(), US_ASCII).replaceFirst(
                "(?s)HTTP/1.1 408 .*", ""));
        }
        assertTrue(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNs) < 10);
    }

    @Test
    void shouldLogFewLinesWhenThousandScrapersReset() throws Exception
    {
        measureCalm();
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
        // The page of this second was made before the last of them.
        Thread.sleep(1_500);
        final List<String> lines = new ArrayList<>(warnings);
        errors.toString(US_ASCII).lines().forEach(lines::add);
        assertTrue(lines.size() <= 2, () -> lines.size() + " lines: " + lines.subList(0, 3));
        final String text = answer(connect());
        // Those that wait for a page when they reset are displaced before it shows.
        final double count = Stream.of("aborted", "displaced").mapToDouble((result) -> scrapes(text, result)).sum();
        assertTrue(count >= 900, "counted " + count);
    }

    private static double scrapes(final String text, final String result)
    {
        final String sample = "millrace_manager_scrapes_total{result=\"" + result + "\"} ";
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
            {"GET /-/healthy HTTP/1.0\r\n\r\n", "200"}, {"HEAD /metrics?name HTTP/1.1\r\n\r\n", "200"}};
        for (final String[] each : cases)
        {
            final Socket socket = connect();
            quietly(socket, (open) -> open.getOutputStream().write(each[0].getBytes(US_ASCII)));
            final String text = new String(socket.getInputStream().readNBytes(12), US_ASCII);
            assertEquals("HTTP/1.1 " + each[1], text, each[0].lines().findFirst().orElseThrow());
        }
    }
}
