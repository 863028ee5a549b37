package io.millrace.cli.local.parity;

import io.millrace.bindings.Capability;
import io.millrace.console.ExitCode;
import io.millrace.console.Json;
import io.millrace.console.Terminal;
import io.millrace.parity.ParityEngine;
import io.millrace.parity.ParityEngineType;
import io.millrace.parity.ParityEngines;
import io.millrace.parity.ParityMeasurement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code millrace parity bench}: speed of parity engines by shape.
 */
@Command(
    name = "bench",
    description = "Measure parity engines on one CPU: P+Q, and recovery of two lost strips, by shape of the stripe.",
    footerHeading = "%nExamples:%n",
    footer = {"  millrace parity bench", "  millrace parity bench --json | jq '.results[]'"})
public final class ParityBenchCommand implements Callable<Integer>
{
    private static final int BAR_WIDTH = 40;
    private static final double GIGA = 1e9;
    private static final int KIB = 1 << 10;
    private static final long WARM_UP_NS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long MEASURE_NS = TimeUnit.MILLISECONDS.toNanos(200);
    /** In the caches of a core, and out of all caches. */
    private static final List<Shape> SHAPES = List.of(new Shape(4, 16 * KIB), new Shape(8, 4 * KIB),
        new Shape(8, 64 * KIB), new Shape(16, 16 * KIB), new Shape(8, 8 * KIB * KIB));

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    /** Strips of data beside P and Q. */
    record Shape(int dataCount, int stripBytes)
    {
        String label()
        {
            final int kib = stripBytes / KIB;
            return dataCount + "+2 x " + (kib < KIB ? kib + "KiB" : kib / KIB + "MiB");
        }
    }

    /** One bar. */
    record Result(Shape shape, ParityMeasurement.Operation operation, ParityEngineType type, double bytesPerSecond)
    {
    }

    /**
     * Called by picocli.
     */
    public ParityBenchCommand()
    {
    }

    @Override
    public Integer call()
    {
        final List<Result> results = new ArrayList<>();
        for (final ParityEngineType type : ParityEngines.available())
        {
            try (ParityEngine engine = ParityEngines.create(type))
            {
                measure(engine, results);
            }
        }
        final Terminal terminal = Terminal.standard();
        if (json)
        {
            terminal.line(Json.write(json(results)));
        }
        else
        {
            lines(results).forEach(terminal::line);
            unavailable().forEach((capability) -> terminal.line(capability.toString()));
        }
        return ExitCode.OK;
    }

    private static void measure(final ParityEngine engine, final List<Result> results)
    {
        for (final Shape shape : SHAPES)
        {
            try (ParityMeasurement measurement = new ParityMeasurement(shape.dataCount(), shape.stripBytes()))
            {
                for (final ParityMeasurement.Operation operation : ParityMeasurement.Operation.values())
                {
                    measurement.bytesPerSecond(engine, operation, WARM_UP_NS);
                    results.add(new Result(shape, operation, engine.type(),
                        measurement.bytesPerSecond(engine, operation, MEASURE_NS)));
                }
            }
        }
    }

    private static List<Capability> unavailable()
    {
        final List<Capability> unavailable = new ArrayList<>();
        for (final ParityEngineType type : ParityEngineType.values())
        {
            final Capability capability = ParityEngines.capability(type);
            if (!capability.isAvailable())
            {
                unavailable.add(capability);
            }
        }
        return unavailable;
    }

    static List<String> lines(final List<Result> results)
    {
        final List<String> lines = new ArrayList<>();
        final double most = results.stream().mapToDouble(Result::bytesPerSecond).max().orElse(1);
        for (final Shape shape : SHAPES)
        {
            for (final ParityMeasurement.Operation operation : ParityMeasurement.Operation.values())
            {
                for (final Result result : results)
                {
                    if (result.shape().equals(shape) && result.operation() == operation)
                    {
                        lines.add(String.format(Locale.ROOT, "%-12s  %-10s  %-6s  %6.1f GB/s  %s", shape.label(),
                            operation.label(), result.type().label(), result.bytesPerSecond() / GIGA,
                            "#".repeat((int)Math.round(BAR_WIDTH * result.bytesPerSecond() / most))));
                    }
                }
            }
        }
        return lines;
    }

    static Map<String, Object> json(final List<Result> results)
    {
        final Map<String, Object> json = new LinkedHashMap<>();
        json.put("results", results.stream().map((result) ->
        {
            final Map<String, Object> one = new LinkedHashMap<>();
            one.put("data", result.shape().dataCount());
            one.put("strip-bytes", result.shape().stripBytes());
            one.put("operation", result.operation().label());
            one.put("engine", result.type().label());
            one.put("bytes-per-second", Math.round(result.bytesPerSecond()));
            return one;
        }).toList());
        json.put("unavailable", unavailable().stream().map(Capability::toString).toList());
        return json;
    }
}
