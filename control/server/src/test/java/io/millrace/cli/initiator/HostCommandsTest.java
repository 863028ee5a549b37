package io.millrace.cli.initiator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.console.CommandException;
import io.millrace.console.Terminal;
import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.config.ListenerSettings;
import io.millrace.dataplane.config.SubsystemSettings;
import io.millrace.nvme.AnaState;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.tcp.TcpTransportConfig;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.perf.load.LoadConfig;
import io.millrace.perf.load.LoadGenerator;
import io.millrace.perf.load.LoadPattern;
import io.millrace.perf.load.LoadPhase;
import io.millrace.perf.load.LoadProgress;
import io.millrace.perf.load.LoadReport;
import io.millrace.reactor.ReactorConfig;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/**
 * The host commands against a target in this process.
 */
class HostCommandsTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:host-test";
    private static DataPlane dataPlane;
    private static String target;
    private static int port;

    @BeforeAll
    static void startTarget()
    {
        dataPlane = dataPlane();
        port = dataPlane.addresses().getFirst().port();
        target = "tcp://127.0.0.1:" + port;
    }

    private static DataPlane dataPlane()
    {
        return DataPlane.start(new DataPlaneConfig(
            List.of(ReactorConfig.of("test-target", -1)),
            DataPlaneConfig.MEMORY_BYTES_MIN * 2,
            List.of(DeviceConfig.memory("mem0", 4 << 20, 4096)),
            List.of(new SubsystemSettings(NQN, null, SubsystemSettings.MODEL_DEFAULT, true, List.of(),
                List.of(new SubsystemSettings.NamespaceSettings(1, "mem0", null)))),
            List.of(new ListenerSettings(TransportAddress.tcp("127.0.0.1", 0))),
            DataPlaneConfig.NO_DISCOVERY_PORT,
            TargetConfig.defaults(),
            TcpTransportConfig.defaults()));
    }

    @AfterAll
    static void stopTarget()
    {
        dataPlane.close();
    }

    private record Outcome(int exitCode, String out, String failure)
    {
    }

    /** Runs a command as the launcher does, with what it prints. */
    private static Outcome run(final Object command, final String... args)
    {
        final PrintStream standard = System.out;
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        final StringBuilder failure = new StringBuilder();
        System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try
        {
            final int exitCode = new CommandLine(command)
                .setExecutionExceptionHandler((e, line, result) ->
                {
                    failure.append(e.getMessage());
                    if (e instanceof final CommandException expected)
                    {
                        return expected.exitCode();
                    }
                    throw e;
                })
                .setParameterExceptionHandler((e, arguments) ->
                {
                    failure.append(e.getMessage());
                    return 2;
                })
                .execute(args);
            return new Outcome(exitCode, bytes.toString(StandardCharsets.UTF_8), failure.toString());
        }
        finally
        {
            System.setOut(standard);
        }
    }

    @Test
    void shouldListWhatIsOffered()
    {
        final Outcome table = run(new DiscoverCommand(), target);
        assertEquals(0, table.exitCode, table.failure);
        assertTrue(table.out.lines().anyMatch((line) ->
            line.matches("tcp/ipv4 +127\\.0\\.0\\.1 +" + port + " +nvme subsystem +" + NQN)), table.out);
        final Outcome json = run(new DiscoverCommand(), target, "--json");
        assertTrue(json.out.contains("\"subsystem-nqn\": \"" + NQN + "\""), json.out);
        assertTrue(json.out.startsWith("["), json.out);
    }

    @Test
    void shouldShowControllerAndNamespaces()
    {
        final Outcome text = run(new IdentifyCommand(), target + "/" + NQN);
        assertEquals(0, text.exitCode, text.failure);
        assertTrue(text.out.contains("of " + NQN + " at " + target), text.out);
        assertTrue(
            text.out.lines().anyMatch((line) -> line.matches(" +1 +4MiB +1024 +4096 +[0-9a-f-]{36}.*")), text.out);
        final Outcome json = run(new IdentifyCommand(), "--address", "127.0.0.1", "--port", String.valueOf(port),
            "--nqn", NQN, "--json");
        assertTrue(json.out.contains("\"size-bytes\": 4194304"), json.out);
    }

    @Test
    void shouldShowHowNamespacesAreReachedThroughThisPath()
    {
        dataPlane.anaStates().set(NQN, dataPlane.addresses().getFirst(), 1, AnaState.NON_OPTIMIZED).join();
        final Outcome text = run(new IdentifyCommand(), target + "/" + NQN);
        assertTrue(text.out.lines().anyMatch((line) ->
            line.matches(" +1 +4MiB +1024 +4096 +[0-9a-f-]{36} +1 +non-optimized .*shared")), text.out);
        assertTrue(text.out.lines().anyMatch((line) -> line.matches(
            " +ana states +optimized, non-optimized, inaccessible, persistent-loss, change")), text.out);
        assertTrue(text.out.lines().anyMatch((line) -> line.matches(" +ana transition seconds +10")), text.out);
        dataPlane.anaStates().set(NQN, null, 0, AnaState.OPTIMIZED).join();
        final Outcome json = run(new IdentifyCommand(), target + "/" + NQN, "--json");
        for (final String field : List.of("\"ana-group\": 1", "\"ana-state\": \"optimized\"", "\"ana-group-fixed\": " +
            "true",
            "\"ana-transition-seconds\": 10", "\"ana-group-id-max\": 128", "\"ana-groups\": 128"))
        {
            assertTrue(json.out.contains(field), json.out);
        }
    }

    @Test
    void shouldMeasureAndPrintATable()
    {
        final Outcome outcome = run(new PerfCommand(), target + "/" + NQN, "--pattern", "randrw", "--mix", "70",
            "--size", "4k", "--depth", "8", "--queues", "2", "--duration", "200ms", "--warmup", "0", "--verify",
            "--destroy", "--hdgst", "--ddgst");
        assertEquals(0, outcome.exitCode, outcome.out + outcome.failure);
        assertTrue(
            outcome.out.startsWith("randrw (70 % reads) of 4KiB, depth 8 on 2 queues, verified, " + NQN), outcome.out);
        assertTrue(
            outcome.out.lines().anyMatch((line) -> line.matches(" +IOPS +MiB/s +avg us +p50 .*max")), outcome.out);
        for (final String row : List.of("read", "write", "total"))
        {
            assertTrue(outcome.out.lines().anyMatch((line) -> line.matches(row + "( +[0-9,.]+){9}")), outcome.out);
        }
        assertTrue(outcome.out.contains("verified "), outcome.out);
        assertTrue(outcome.out.lines().anyMatch((line) ->
            line.matches("longest stall [0-9,.]+ ms, [0-9,]+ commands outstanding at the end")), outcome.out);
    }

    /** On the region that a pattern overwrites: empty, then with data, then with what a verified load left. */
    @Test
    void shouldNotOverwriteDataUnlessItIsMeant() throws Exception
    {
        try (DataPlane own = dataPlane())
        {
            final String there = "tcp://127.0.0.1:" + own.addresses().getFirst().port() + "/" + NQN;
            final String[] verifiedRead =
                {there, "--pattern", "randread", "--verify", "--count", "500", "--warmup", "0"};
            final Outcome nothing = run(new PerfCommand(), verifiedRead);
            assertEquals(2, nothing.exitCode, nothing.out);
            assertTrue(nothing.failure.contains("holds nothing that a verified load wrote"), nothing.failure);
            final Outcome first = run(new PerfCommand(), there, "--pattern", "write", "--verify", "--count", "1024",
                "--warmup", "0");
            assertEquals(0, first.exitCode, first.failure);
            for (final String pattern : List.of("randwrite", "randrw", "write"))
            {
                final Outcome second = run(new PerfCommand(), there, "--pattern", pattern, "--count", "10");
                assertEquals(2, second.exitCode, second.out);
                assertEquals("namespace 1 of " + NQN + " holds data: block 0 is not zero, which pattern " + pattern +
                    " overwrites: add --destroy to confirm", second.failure);
            }
            for (int i = 0; i < 2; i++)
            {
                final Outcome read = run(new PerfCommand(), verifiedRead);
                assertEquals(0, read.exitCode, read.out + read.failure);
                assertTrue(read.out.contains("verified 500 blocks"), read.out);
            }
            assertEquals(0, run(new PerfCommand(), there, "--pattern", "randwrite", "--count", "64", "--warmup", "0",
                "--destroy").exitCode);
            final Outcome destroyed = run(new PerfCommand(), verifiedRead);
            assertEquals(1, destroyed.exitCode, destroyed.failure);
            assertTrue(destroyed.out.contains("lack the mark of a verified write"), destroyed.out);
        }
    }

    @Test
    void shouldSayWhichPatternsOverwrite()
    {
        final String help = new CommandLine(new PerfCommand()).getUsageMessage().replaceAll("\\s+", " ");
        assertTrue(help.contains("The patterns randwrite, randrw and write overwrite the namespace"), help);
        assertTrue(help.contains("those with a w overwrite the namespace"), help);
        assertTrue(help.contains("--destroy"), help);
    }

    @Test
    void shouldPrintJsonAndLogLatencies(@TempDir final Path directory) throws Exception
    {
        final Path log = directory.resolve("latency.hlog");
        final Outcome outcome = run(new PerfCommand(), target, "--nqn", NQN, "--count", "500", "--warmup", "0",
            "--json",
            "--hlog", log.toString());
        assertEquals(0, outcome.exitCode, outcome.failure);
        assertTrue(outcome.out.startsWith("{"), outcome.out);
        assertTrue(outcome.out.contains("\"operations\": 500"), outcome.out);
        assertTrue(outcome.out.contains("\"p99.99\""), outcome.out);
        assertTrue(Files.readString(log).contains("Tag=read"), Files.readString(log));
    }

    @ParameterizedTest
    @CsvSource({
        "--pattern random, 2, unknown: use one of randread",
        "--size 1000, 2, multiple of 512",
        "--size 512, 2, not a multiple of the block size 4096",
        "--depth 0, 2, 'depth 0 is out of range: use 1 to 4095'",
        "--nsid 5, 2, has no namespace 5",
        "--duration soon, 2, such as 10s",
        "--mix 30, 2, use pattern randrw"})
    void shouldEndWithUsageWhenALoadMakesNoSense(final String args, final int exitCode, final String message)
    {
        final String[] all = ("--nqn " + NQN + " --port " + port + " " + args).split(" ");
        final Outcome outcome = run(new PerfCommand(), all);
        assertEquals(exitCode, outcome.exitCode);
        assertTrue(outcome.failure.contains(message), outcome.failure);
    }

    @Test
    void shouldEndWithFailureWhenTheTargetCannotBeReached() throws Exception
    {
        final int nobody;
        try (java.net.ServerSocket taken = new java.net.ServerSocket(0, 1, InetAddress.getLoopbackAddress()))
        {
            nobody = taken.getLocalPort();
        }
        for (final Object command : List.of(new PerfCommand(), new DiscoverCommand(), new IdentifyCommand()))
        {
            final Outcome outcome = run(command, "--nqn", NQN, "--port", String.valueOf(nobody));
            assertEquals(1, outcome.exitCode);
            assertTrue(outcome.failure.contains("connection refused by tcp://127.0.0.1:" + nobody), outcome.failure);
        }
        final Outcome unknown = run(new IdentifyCommand(), target + "/" + NQN + "x");
        assertEquals(1, unknown.exitCode);
        assertTrue(unknown.failure.contains("no subsystem " + NQN + "x"), unknown.failure);
    }

    @Test
    void shouldSayWhatFailed()
    {
        final LoadConfig config = LoadConfig.to(dataPlane.addresses().getFirst().socketAddress(), NQN)
            .durationMs(300).warmUpMs(0).ratePerSecond(900_000_000).pattern(LoadPattern.RANDREAD).build();
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (LoadGenerator generator = new LoadGenerator(config))
        {
            final LoadReport report = generator.run();
            LoadPrinter.print(new Terminal(new PrintStream(bytes, true, StandardCharsets.UTF_8), false, false), report);
            final Map<String, Object> json = LoadPrinter.json(report);
            assertEquals(false, json.get("passed"));
        }
        final String text = bytes.toString(StandardCharsets.UTF_8);
        assertTrue(text.contains("failed: rate of 900000000 operations a second was asked for"), text);
    }

    @Test
    void shouldShowProgressSinceTheLastLook()
    {
        final LoadProgress before =
            new LoadProgress(LoadPhase.MEASURE, 1_000_000_000L, 10_000_000_000L, 100, 50, 150 << 20, 5, true, 4, 0);
        final LoadProgress now =
            new LoadProgress(LoadPhase.MEASURE, 2_000_000_000L, 10_000_000_000L, 1100, 550, 350 << 20, 7, false, 4, 0);
        assertEquals("measuring  2/10 s  1,500 IOPS  200.0 MiB/s  2 errors/s  not connected, trying again",
            LoadPrinter.progress(before, now));
        assertEquals("connecting  0 s",
            LoadPrinter.progress(null, new LoadProgress(LoadPhase.CONNECT, 3_000_000L, 0, 0, 0, 0, 0, false, 0, 0)));
        assertEquals("measuring  3/10 s  0 IOPS  0.0 MiB/s  no completion for 2 s, 32 outstanding",
            LoadPrinter.progress(now, new LoadProgress(LoadPhase.MEASURE, 3_000_000_000L, 10_000_000_000L, 1100, 550,
            350 << 20, 7, true, 32, 2_000_000_000L)));
    }

    @Test
    void shouldRefuseACpuThatIsNotThere()
    {
        final Outcome outcome = run(new PerfCommand(), target + "/" + NQN, "--cpus", "8191");
        assertEquals(2, outcome.exitCode, outcome.failure);
        assertTrue(outcome.failure.matches(
            "CPU 8191: not among the CPUs this process may run on, [0-9,-]+: use one of them"), outcome.failure);
    }
}
