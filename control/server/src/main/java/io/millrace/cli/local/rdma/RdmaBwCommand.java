package io.millrace.cli.local.rdma;

import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.console.Json;
import io.millrace.console.Terminal;
import io.millrace.perf.rdma.RdmaTestConfig;
import io.millrace.perf.rdma.RdmaTests;
import io.millrace.rdma.RdmaException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code millrace rdma bw}: bandwidth of an RDMA connection.
 */
@Command(
    name = "bw",
    description = {
        "Measure the bandwidth of an RDMA connection, with the columns of perftest's ib_write_bw.",
        "The other side runs the same command without an address. A test that takes more than 10 minutes fails."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace rdma bw                           on one machine",
        "  millrace rdma bw 192.0.2.7                 on the other",
        "  millrace rdma bw 192.0.2.7 --op read --size 1MiB --tx-depth 16"})
public final class RdmaBwCommand implements Callable<Integer>
{
    private static final Set<String> OPERATIONS = Set.of("send", "read", "write");
    private static final int SIZE_DEFAULT = 64 << 10;
    private static final int DEPTH_DEFAULT = 128;
    private static final double MIB = 1 << 20;
    private static final double SECOND_NS = 1e9;
    private static final double MILLION = 1e6;
    private static final long LIMIT_MS = 600_000;

    @Mixin
    private RdmaTestOptions options;

    @Option(names = "--op", paramLabel = "OPERATION", defaultValue = "write",
        description = "write, read or send. Default: ${DEFAULT-VALUE}.")
    private String operation;

    @Option(names = {"-n", "--iters"}, paramLabel = "COUNT", defaultValue = "5000",
        description = "Operations to measure. Default: ${DEFAULT-VALUE}.")
    private long count;

    @Option(names = {"-t", "--tx-depth"}, paramLabel = "COUNT",
        description = "Operations outstanding at a time; times their size at most 64MiB. Default: 128, or as many as " +
            "that allows.")
    private Integer depth;

    /**
     * Called by picocli.
     */
    public RdmaBwCommand()
    {
    }

    @Override
    public Integer call()
    {
        if (!OPERATIONS.contains(operation))
        {
            throw new CommandException(ExitCode.USAGE, "--op " + operation + ": must be write, read or send");
        }
        if (options.isServer())
        {
            return options.serve();
        }
        final RdmaTestConfig config = options.config(operation, SIZE_DEFAULT, depth(), count);
        final long ns;
        try
        {
            ns = RdmaTests.bandwidth(config, LIMIT_MS);
        }
        catch (final RdmaException e)
        {
            throw new CommandException(ExitCode.FAILURE, e.getMessage(), e);
        }
        final Terminal terminal = Terminal.standard();
        if (options.isJson())
        {
            terminal.line(Json.write(json(config, ns)));
        }
        else
        {
            terminal.line(" #bytes #iterations    BW average[MiB/sec]    MsgRate[Mpps]");
            terminal.line(line(config, ns));
        }
        return ExitCode.OK;
    }

    private int depth()
    {
        return null != depth ? depth : defaultDepth(options.size(SIZE_DEFAULT));
    }

    /** {@return as many operations as the memory of a test has room for, up to the usual depth} */
    static int defaultDepth(final int sizeBytes)
    {
        return Math.clamp(RdmaTestConfig.MEMORY_BYTES_MAX / Math.max(1, sizeBytes), 1, DEPTH_DEFAULT);
    }

    private static double perSecond(final RdmaTestConfig config, final long ns)
    {
        return config.count() * SECOND_NS / ns;
    }

    static String line(final RdmaTestConfig config, final long ns)
    {
        final double rate = perSecond(config, ns);
        return "%7d %11d %22.2f %16.6f".formatted(
            config.sizeBytes(), config.count(), rate * config.sizeBytes() / MIB, rate / MILLION);
    }

    static Map<String, Object> json(final RdmaTestConfig config, final long ns)
    {
        final double rate = perSecond(config, ns);
        final Map<String, Object> json = new LinkedHashMap<>();
        json.put("operation", config.operation().name().toLowerCase(Locale.ROOT));
        json.put("size-bytes", config.sizeBytes());
        json.put("depth", config.depth());
        json.put("count", config.count());
        json.put("ns", ns);
        json.put("bytes-per-second", Math.round(rate * config.sizeBytes()));
        json.put("operations-per-second", Math.round(rate));
        return json;
    }
}
