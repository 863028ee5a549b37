package io.millrace.cli.initiator;

import io.millrace.console.ByteSize;
import io.millrace.console.CommandException;
import io.millrace.console.Confirmation;
import io.millrace.console.ExitCode;
import io.millrace.console.Json;
import io.millrace.console.StopSignal;
import io.millrace.console.Terminal;
import io.millrace.console.TimeSpan;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.InitiatorException;
import io.millrace.perf.load.LatencyLog;
import io.millrace.perf.load.LoadConfig;
import io.millrace.perf.load.LoadException;
import io.millrace.perf.load.LoadGenerator;
import io.millrace.perf.load.LoadPattern;
import io.millrace.perf.load.LoadReport;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code millrace perf}: load against any NVMe/TCP or NVMe/RDMA target.
 */
@Command(
    name = "perf",
    description = "Generate load on any NVMe/TCP or NVMe/RDMA target and measure it. The patterns randread and read " +
    "do not write. The patterns randwrite, randrw and write overwrite the namespace from its start up to --region: " +
    "they check for existing data first, and then ask for confirmation or need --destroy.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace perf --nqn nqn.2026-11.io.millrace:vol0",
        "  millrace perf tcp://192.0.2.7/NQN --pattern randrw --mix 70 --depth 64",
        "  millrace perf rdma://192.0.2.7/NQN --pattern randread --queues 4",
        "  millrace perf --nqn NQN --pattern write --verify --region 1GiB --destroy",
        "  millrace perf --nqn NQN --pattern randread --verify --region 1GiB",
        "  millrace perf --nqn NQN --rate 50000 --duration 60s --json --hlog latency.hlog",
        "",
        "At a fixed rate latency counts from the planned start of each command. Commands outstanding at the end of " +
            "the measurement count with the time that they take or have waited.",
        "",
        "Exit codes: 0 passed, 1 commands failed, blocks were wrong, the rate was missed or the target cannot be " +
            "reached, 2 wrong usage, or data would be overwritten, 130 stopped by Ctrl-C, after the report."})
public final class PerfCommand implements Callable<Integer>
{
    private static final long PROGRESS_INTERVAL_MS = 1_000;

    @Mixin
    private PerfTargetOptions target;

    @Option(names = "--nsid", paramLabel = "ID", defaultValue = "0",
        description = "Namespace ID. Default: the first namespace.")
    private int nsid;

    @Option(names = {"-w", "--pattern"}, paramLabel = "PATTERN", defaultValue = "randread",
        description = "randread, randwrite, randrw, read or write; those with a w overwrite the namespace. " +
            "Default: ${DEFAULT-VALUE}.")
    private String pattern;

    @Option(names = {"-s", "--size"}, paramLabel = "SIZE", converter = ByteSize.class, defaultValue = "4KiB",
        description = "Size of one I/O. Default: ${DEFAULT-VALUE}.")
    private long sizeBytes;

    @Option(names = {"-q", "--depth"}, paramLabel = "COUNT", defaultValue = "32",
        description = "Commands outstanding on each queue. Default: ${DEFAULT-VALUE}.")
    private int depth;

    @Option(names = {"-Q", "--queues"}, paramLabel = "COUNT", defaultValue = "1",
        description = "I/O queues, each over its own connection. Default: ${DEFAULT-VALUE}.")
    private int queues;

    @Option(names = "--mix", paramLabel = "PERCENT", defaultValue = "-1",
        description = "Share of reads with randrw. Default: 50.")
    private int readPercent;

    @Option(names = {"-t", "--duration"}, paramLabel = "TIME", converter = TimeSpan.class,
        description = "How long to measure. Default: 10s.")
    private Long durationMs;

    @Option(names = {"-c", "--count"}, paramLabel = "COUNT", defaultValue = "0",
        description = "Stop after this number of operations instead of --duration.")
    private long operationCount;

    @Option(names = "--warmup", paramLabel = "TIME", converter = TimeSpan.class, defaultValue = "2s",
        description = "Warm-up before the measurement. Default: ${DEFAULT-VALUE}.")
    private long warmUpMs;

    @Option(names = {"-r", "--rate"}, paramLabel = "COUNT", defaultValue = "0",
        description = "Operations started per second, all queues together. Default: unlimited.")
    private long ratePerSecond;

    @Option(names = "--verify",
        description = "With a writing pattern, write verifiable blocks and check them when they are read back. With " +
        "a reading pattern, check the blocks of such a load.")
    private boolean verify;

    @Option(names = "--destroy", description = "Overwrite the namespace, also when it holds data.")
    private boolean destroy;

    @Option(names = "--region", paramLabel = "SIZE", converter = ByteSize.class, defaultValue = "0",
        description = "Size of the region used, from the start of the namespace. Default: all; at most 1GiB with " +
        "--verify.")
    private long regionBytes;

    @Option(names = "--seed", paramLabel = "NUMBER", defaultValue = "1",
        description = "Seed of the order of blocks and of their content. Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Option(names = "--cpus", paramLabel = "CPU", split = ",",
        description = "Pin one reactor to each of these. Default: one reactor, not pinned.")
    private List<Integer> cpus = List.of();

    @Option(names = "--hdgst", description = "Header digests, over TCP.")
    private boolean headerDigest;

    @Option(names = "--ddgst", description = "Data digests, over TCP.")
    private boolean dataDigest;

    @Option(names = "--reconnect", paramLabel = "TIME", converter = TimeSpan.class, defaultValue = "0s",
        description = "Time to wait for a lost target to return before the load ends. Default: 0s.")
    private long reconnectMs;

    @Option(names = "--json", description = "Print JSON; progress goes to standard error.")
    private boolean json;

    @Option(names = "--hlog", paramLabel = "FILE",
        description = "Write the latencies of each second, in HdrHistogram's log format.")
    private Path latencyLog;

    /**
     * Called by picocli.
     */
    public PerfCommand()
    {
    }

    @Override
    public Integer call()
    {
        final LoadConfig config = config();
        final Terminal terminal = Terminal.standard();
        if (!json)
        {
            terminal.line(LoadPrinter.describe(config) + ", " + config.subsystemNqn() + " at " +
                LoadPrinter.target(config));
        }
        final StopSignal stop = StopSignal.install();
        final LoadReport report = run(config, stop);
        if (json)
        {
            terminal.line(Json.write(LoadPrinter.json(report)));
        }
        else
        {
            LoadPrinter.print(terminal, report);
        }
        return stop.exitCode(report.isPassed() ? ExitCode.OK : ExitCode.FAILURE);
    }

    private LoadReport run(final LoadConfig config, final StopSignal stop)
    {
        try (LatencyLog log = null == latencyLog ? LatencyLog.none() : LatencyLog.open(latencyLog);
            LoadGenerator generator = new LoadGenerator(config))
        {
            if (config.writes() && !destroy)
            {
                generator.findData().ifPresent((found) -> Confirmation.ask(Terminal.standardError(),
                    found + ", which pattern " + config.pattern() + " overwrites", "--destroy"));
            }
            try (ProgressLine progress = new ProgressLine(Terminal.standardError(), generator, stop,
                PROGRESS_INTERVAL_MS))
            {
                progress.start();
                return generator.run(log);
            }
        }
        catch (final LoadException e)
        {
            throw new CommandException(ExitCode.USAGE, e.getMessage(), e);
        }
        catch (final InitiatorException e)
        {
            throw new CommandException(ExitCode.FAILURE, e.getMessage(), e);
        }
    }

    private LoadConfig config()
    {
        try
        {
            return LoadConfig.to(target.transport(), target.address(ConnectionConfig.PORT_DEFAULT), target.nqn())
                .host(target.host())
                .nsid(nsid)
                .pattern(LoadPattern.of(pattern))
                .sizeBytes(Math.toIntExact(Math.min(sizeBytes, Integer.MAX_VALUE & -512)))
                .queues(depth, queues)
                .readPercent(readPercent)
                .durationMs(null != durationMs ? durationMs : operationCount > 0 ? 0 : LoadConfig.DURATION_MS_DEFAULT)
                .operationCount(operationCount)
                .warmUpMs(warmUpMs)
                .ratePerSecond(ratePerSecond)
                .verify(verify)
                .regionBytes(regionBytes)
                .seed(seed)
                .cpus(cpus)
                .digests(headerDigest, dataDigest)
                .connectTimeoutMs(target.connectTimeoutMs())
                .controllerLossTimeoutMs((int)Math.min(reconnectMs, Integer.MAX_VALUE))
                .build();
        }
        catch (final LoadException e)
        {
            throw new CommandException(ExitCode.USAGE, e.getMessage(), e);
        }
    }
}
