package io.millrace.lab.attack;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.lab.TargetProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients of a manager's metrics that do not send, do not read, or reset: a scraper beside them gets all of its data
 * planes' numbers in the time that it takes alone, and the log stays short.
 */
final class MetricsAttackTest
{
    private static final boolean IS_LONG = "long".equals(System.getProperty("millrace.attack"));
    private static final int ROUNDS = IS_LONG ? 300 : 4;
    private static final int NAMESPACES = 2_000;
    private static final int SLOW_CLIENTS = 60;
    private static final int RESETS = IS_LONG ? 100_000 : 1_000;
    private static final int SPARE_DESCRIPTORS = 16;
    private static final byte[] REQUEST = "GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        .getBytes(US_ASCII);
    private static final long WAIT_NS = TimeUnit.SECONDS.toNanos(60);

    @TempDir
    private Path directory;

    private final List<Process> processes = new ArrayList<>();
    private final List<Socket> sockets = new ArrayList<>();
    private Process manager;
    private int port;
    private long calmMs;

    /** Sends or takes a byte. */
    @FunctionalInterface
    private interface SlowStep
    {
        void run(Socket socket, int round) throws IOException;
    }

    @BeforeEach
    void start() throws Exception
    {
        try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()))
        {
            port = any.getLocalPort();
        }
        final StringBuilder plane = new StringBuilder("control: {directory: '" + directory.resolve("plane") +
            "'}\nstatus: {file: none}\nwarm-up: false\nmemory: {size: 16MiB}\ndevices:\n");
        for (int i = 1; i <= NAMESPACES; i++)
        {
            plane.append("  - {name: null").append(i).append(", type: discard, size: 1MiB}\n");
        }
        plane.append("subsystems:\n  - nqn: ").append(TargetProcess.NQN).append(
            "\n    allow-any-host: true\n    namespaces:\n");
        for (int i = 1; i <= NAMESPACES; i++)
        {
            plane.append("      - {nsid: ").append(i).append(", device: null").append(i).append("}\n");
        }
        launch("serve", plane.toString());
        manager = launch("manager", """
            state: {directory: '%s'}
            control: {directory: '%s'}
            metrics: {port: %d}
            data-planes: [{name: dp0, directory: '%s'}]
            """.formatted(directory.resolve("state"), directory.resolve("manager"), port, directory.resolve("plane")));
        final long deadlineNs = System.nanoTime() + WAIT_NS;
        while (!isWhole(scrapeIfOpen()))
        {
            assertTrue(System.nanoTime() - deadlineNs < 0, () -> "no metrics of the data plane: " + logOrReason());
            Thread.sleep(100);
        }
        for (int i = 0; i < 5; i++)
        {
            // A page is made once a second: each scrape waits for a new one.
            Thread.sleep(1_000);
            calmMs = Math.max(calmMs, scrapeMs());
        }
    }

    @AfterEach
    void stop() throws Exception
    {
        for (final Socket each : sockets)
        {
            each.close();
        }
        for (final Process each : processes.reversed())
        {
            each.destroyForcibly().waitFor();
        }
    }

    private Process launch(final String command, final String config) throws IOException
    {
        final Path file = Files.writeString(directory.resolve(command + ".yaml"), config);
        final List<String> line = TargetProcess.command("-Xmx128m", "-XX:+UseSerialGC");
        line.addAll(List.of(command, "--config", file.toString()));
        final ProcessBuilder builder = new ProcessBuilder(line).redirectErrorStream(true)
            .redirectOutput(directory.resolve(command + ".log").toFile());
        builder.environment().put("XDG_STATE_HOME", Files.createTempDirectory(directory, "state").toString());
        final Process process = builder.start();
        processes.add(process);
        return process;
    }

    private String logOrReason()
    {
        try
        {
            return Files.readString(directory.resolve("manager.log")) +
                Files.readString(directory.resolve("serve.log"));
        }
        catch (final IOException e)
        {
            return e.toString();
        }
    }

    private static boolean isWhole(final String scraped)
    {
        return NAMESPACES ==
            scraped.lines().filter((line) -> line.startsWith("millrace_namespace_size_bytes{")).count();
    }

    private String scrape() throws IOException
    {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port))
        {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(REQUEST);
            return new String(socket.getInputStream().readAllBytes(), US_ASCII);
        }
    }

    private String scrapeIfOpen()
    {
        try
        {
            return scrape();
        }
        catch (final IOException e)
        {
            return "";
        }
    }

    private long scrapeMs() throws IOException
    {
        final long startNs = System.nanoTime();
        assertTrue(isWhole(scrape()), "a scrape is not whole");
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
    }

    private Socket connect() throws IOException
    {
        final Socket socket = new Socket();
        socket.setReceiveBufferSize(4096);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 5_000);
        socket.setSoTimeout(10_000);
        return socket;
    }

    private static void attack(final Socket socket, final int round, final SlowStep step)
    {
        try
        {
            step.run(socket, round);
        }
        catch (final IOException e)
        {
            // The manager has ended this one, as it may.
            quietlyClose(socket);
        }
    }

    private static void quietlyClose(final Socket socket)
    {
        try
        {
            socket.close();
        }
        catch (final IOException e)
        {
            // It is closed then.
        }
    }

    private long descriptors() throws IOException
    {
        try (Stream<Path> files = Files.list(Path.of("/proc", Long.toString(manager.pid()), "fd")))
        {
            return files.count();
        }
    }

    private void assertAsBefore(final long descriptorsBefore) throws Exception
    {
        for (final Socket each : sockets)
        {
            each.close();
        }
        // A manager that is about to fail has this long for it; nothing to wait for shows that it does not.
        Thread.sleep(2_000);
        assertTrue(manager.isAlive());
        assertTrue(descriptors() <= descriptorsBefore + SPARE_DESCRIPTORS,
            descriptors() + " descriptors, " + descriptorsBefore + " before");
        final List<String> log = Files.readAllLines(directory.resolve("manager.log"));
        assertEquals(List.of(), log.stream().filter((line) -> line.startsWith("\tat ")).toList());
        final long lines = log.stream().filter((line) -> line.contains("metrics: scrapes not answered")).count();
        assertTrue(lines <= 2 + ROUNDS / 30, lines + " lines about scrapes");
    }

    private void attackSlowly(final int requestBytes, final SlowStep step) throws Exception
    {
        final long descriptorsBefore = descriptors();
        long longestMs = 0;
        for (int round = 0; round < ROUNDS; round++)
        {
            sockets.removeIf(Socket::isClosed);
            while (sockets.size() < SLOW_CLIENTS)
            {
                final Socket socket = connect();
                sockets.add(socket);
                attack(socket, round, (open, now) -> open.getOutputStream().write(REQUEST, 0, requestBytes));
            }
            final int now = round;
            sockets.forEach((each) -> attack(each, now, step));
            final long elapsedMs = scrapeMs();
            longestMs = Math.max(longestMs, elapsedMs);
            assertTrue(elapsedMs < 1_000 + 3 * calmMs, "a scrape took " + elapsedMs + " ms, " + calmMs + " alone");
            // One round a second: slow clients send or take a byte in each.
            Thread.sleep(1_000);
        }
        System.out.printf("%d slow clients: longest scrape %d ms, %d ms alone%n", SLOW_CLIENTS, longestMs, calmMs);
        assertAsBefore(descriptorsBefore);
    }

    @Test
    void silentClients() throws Exception
    {
        attackSlowly(0, (socket, round) ->
        {
        });
    }

    @Test
    void clientsThatSendAByteASecond() throws Exception
    {
        attackSlowly(10, (socket, round) -> socket.getOutputStream().write(REQUEST[Math.min(10 + round, 40)]));
    }

    @Test
    void clientsThatTakeAByteASecond() throws Exception
    {
        attackSlowly(REQUEST.length, (socket, round) -> socket.getInputStream().read());
    }

    @Test
    void scrapersThatReset() throws Exception
    {
        final long descriptorsBefore = descriptors();
        for (int i = 0; i < RESETS; i++)
        {
            try (Socket socket = connect())
            {
                socket.getOutputStream().write(REQUEST);
                if (0 == i % 2)
                {
                    attack(socket, i, (open, round) -> open.getInputStream().read());
                }
                socket.setSoLinger(true, 0);
            }
            catch (final IOException e)
            {
                // Displaced already.
                continue;
            }
        }
        assertTrue(scrapeMs() < 1_000 + 3 * calmMs);
        assertAsBefore(descriptorsBefore);
    }
}
