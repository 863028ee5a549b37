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
import java.util.concurrent.Callable;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code millrace rdma lat}: latency of an RDMA connection.
 */
@Command(
    name = "lat",
    description = {
        "Measure the latency of an RDMA connection, with the columns of perftest's ib_send_lat and ib_read_lat.",
        "The other side runs the same command without an address. A test that takes more than 10 minutes fails."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace rdma lat                          on one machine",
        "  millrace rdma lat 192.0.2.7                on the other",
        "  millrace rdma lat 192.0.2.7 --op read --size 4KiB --iters 10000"})
public final class RdmaLatCommand implements Callable<Integer>
{
    private static final double US_NS = 1_000.0;
    private static final int SIZE_DEFAULT = 2;
    /** For a test of which every operation takes long; the connection's own limits come first. */
    private static final long LIMIT_MS = 600_000;

    @Mixin
    private RdmaTestOptions options;

    @Option(names = "--op", paramLabel = "OPERATION", defaultValue = "send",
        description = "send: messages that come back, half the round trip is reported; or read. " +
            "Default: ${DEFAULT-VALUE}.")
    private String operation;

    @Option(names = {"-n", "--iters"}, paramLabel = "COUNT", defaultValue = "1000",
        description = "Operations to measure. Default: ${DEFAULT-VALUE}.")
    private long count;

    /**
     * Called by picocli.
     */
    public RdmaLatCommand()
    {
    }

    @Override
    public Integer call()
    {
        if (!operation.equals("send") && !operation.equals("read"))
        {
            throw new CommandException(ExitCode.USAGE, "--op " + operation + ": must be send or read");
        }
        if (options.isServer())
        {
            return options.serve();
        }
        final RdmaTestConfig config = options.config(operation, SIZE_DEFAULT, 1, count);
        final Histogram latencies;
        try
        {
            latencies = RdmaTests.latency(config, LIMIT_MS);
        }
        catch (final RdmaException e)
        {
            throw new CommandException(ExitCode.FAILURE, e.getMessage(), e);
        }
        final Terminal terminal = Terminal.standard();
        if (options.isJson())
        {
            terminal.line(Json.write(json(config, latencies)));
        }
        else
        {
            terminal.line("#bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]" +
                "    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]");
            terminal.line(line(config, latencies));
        }
        return ExitCode.OK;
    }

    private static double us(final double ns)
    {
        return ns / US_NS;
    }

    static String line(final RdmaTestConfig config, final Histogram latencies)
    {
        return "%6d %11d %14.2f %14.2f %16.2f %14.2f %16.2f %22.2f %24.2f".formatted(config.sizeBytes(),
            config.count(), us(latencies.getMinValue()), us(latencies.getMaxValue()),
            us(latencies.getValueAtPercentile(50)), us(latencies.getMean()), us(latencies.getStdDeviation()),
            us(latencies.getValueAtPercentile(99)), us(latencies.getValueAtPercentile(99.9)));
    }

    static Map<String, Object> json(final RdmaTestConfig config, final Histogram latencies)
    {
        final Map<String, Object> json = new LinkedHashMap<>();
        json.put("operation", config.operation().name().toLowerCase(Locale.ROOT));
        json.put("size-bytes", config.sizeBytes());
        json.put("count", config.count());
        json.put("min-ns", latencies.getMinValue());
        json.put("p50-ns", latencies.getValueAtPercentile(50));
        json.put("mean-ns", Math.round(latencies.getMean()));
        json.put("stdev-ns", Math.round(latencies.getStdDeviation()));
        json.put("p99-ns", latencies.getValueAtPercentile(99));
        json.put("p99.9-ns", latencies.getValueAtPercentile(99.9));
        json.put("max-ns", latencies.getMaxValue());
        return json;
    }
}
