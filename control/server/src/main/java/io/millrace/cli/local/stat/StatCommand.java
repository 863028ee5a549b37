package io.millrace.cli.local.stat;

import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.console.Json;
import io.millrace.console.StopSignal;
import io.millrace.console.Terminal;
import io.millrace.status.StatusException;
import io.millrace.status.StatusReader;
import io.millrace.status.StatusSettings;
import io.millrace.status.StatusSnapshot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code millrace stat}: shows what a data plane of this machine counts and measures, or did when it ended. It asks the
 * data plane nothing and takes nothing from it.
 */
@Command(
    name = "stat",
    description = "Show what a data plane of this machine counts and measures, also after it has ended.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace stat                        since its start",
        "  millrace stat --watch                rates and latencies of each second",
        "  millrace stat /run/millrace/status   of another file than the default",
        "  millrace stat --json | jq '.namespaces[].read.\"latency-ns\".p99'",
        "",
        "docs/metrics.md says what each number means."})
public final class StatCommand implements Callable<Integer>
{
    private static final double MS_PER_S = 1e3;
    private static final String SUFFIX = ".status";

    @Parameters(arity = "0..1", paramLabel = "FILE", description = "Status file. Default: this user's.")
    private Path file;

    @Option(names = "--data-plane", paramLabel = "NAME",
        description = "Read the file of this user's data plane with this control.name.")
    private String dataPlane;

    @Option(names = "--json", description = "Print everything as JSON.")
    private boolean json;

    @Option(names = {"-w", "--watch"}, arity = "0..1", paramLabel = "SECONDS", fallbackValue = "1",
        description = "Print rates and latencies every SECONDS, ${FALLBACK-VALUE} without a number.")
    private Double seconds;

    @Option(names = "--count", paramLabel = "N", description = "With --watch: end after N reports.")
    private Integer count;

    /**
     * Called by picocli.
     */
    public StatCommand()
    {
    }

    @Override
    public Integer call() throws InterruptedException
    {
        check();
        final Terminal terminal = Terminal.standard();
        final Path path = null != file ? file :
            null != dataPlane ? StatusSettings.fileDefault(dataPlane) : fileDefault();
        try
        {
            if (null != seconds)
            {
                watch(terminal, path);
                return ExitCode.OK;
            }
            final StatView view = view(path);
            if (json)
            {
                terminal.line(Json.write(StatJson.of(view)));
            }
            else
            {
                StatPrinter.print(terminal, view);
            }
        }
        catch (final StatusException e)
        {
            throw new CommandException(ExitCode.FAILURE, e.getMessage(), e);
        }
        return ExitCode.OK;
    }

    /** The file of a data plane without a name of its own, or the only one. */
    private static Path fileDefault()
    {
        final Path unnamed = StatusSettings.fileDefault();
        if (Files.exists(unnamed))
        {
            return unnamed;
        }
        final String prefix = unnamed.getFileName().toString().replace(SUFFIX, "-");
        final List<String> named;
        try (Stream<Path> files = Files.list(unnamed.getParent()))
        {
            named = files.map((each) -> each.getFileName().toString())
                .filter((each) -> each.startsWith(prefix) && each.endsWith(SUFFIX)).sorted().toList();
        }
        catch (final IOException _)
        {
            // Opening the file says why.
            return unnamed;
        }
        if (named.size() > 1)
        {
            throw new CommandException(ExitCode.USAGE, "which data plane? name one with --data-plane: " +
                named.stream().map((each) -> each.substring(prefix.length(), each.length() - SUFFIX.length()))
                    .collect(Collectors.joining(", ")));
        }
        return named.isEmpty() ? unnamed : unnamed.resolveSibling(named.getFirst());
    }

    private void check()
    {
        if (null != file && null != dataPlane)
        {
            throw new CommandException(ExitCode.USAGE, "FILE and --data-plane exclude each other: give one of them");
        }
        if (null != seconds && !(seconds >= 0.1 && seconds <= 3_600))
        {
            throw new CommandException(ExitCode.USAGE, "--watch " + seconds + ": out of range 0.1 to 3600 s");
        }
        if (null != count && (null == seconds || count < 1))
        {
            throw new CommandException(ExitCode.USAGE, "--count " + count + ": " +
                (null == seconds ? "goes with --watch" : "must be at least 1"));
        }
        if (json && null != seconds)
        {
            throw new CommandException(ExitCode.USAGE, "--json prints everything since the start: leave out --watch");
        }
    }

    private static StatView view(final Path path)
    {
        final StatusReader reader = StatusReader.open(path);
        final StatusSnapshot snapshot = reader.read();
        final StatView.State state = snapshot.stopEpochMs() > 0 ? StatView.State.STOPPED :
            reader.isWriterAlive() ? StatView.State.RUNNING : StatView.State.DEAD;
        return StatView.sinceStart(path, state, System.currentTimeMillis(), snapshot);
    }

    private void watch(final Terminal terminal, final Path path) throws InterruptedException
    {
        final StopSignal stop = StopSignal.install();
        final long intervalNs = (long)(seconds * 1e9);
        StatView before = view(path);
        StatPrinter.print(terminal, before);
        if (StatView.State.RUNNING != before.state())
        {
            return;
        }
        long dueNs = System.nanoTime() + intervalNs;
        for (int i = 0; null == count || i < count; i++)
        {
            if (stop.await(Math.max(0, (dueNs - System.nanoTime()) / 1_000_000)))
            {
                return;
            }
            dueNs += intervalNs;
            final StatView now = view(path);
            final boolean isSame = now.snapshot().startEpochMs() == before.snapshot().startEpochMs() &&
                now.snapshot().processId() == before.snapshot().processId();
            StatPrinter.print(terminal, isSame ? new StatView(path, now.state(), now.nowMs(), now.snapshot(),
                before.snapshot(), (now.nowMs() - before.nowMs()) / MS_PER_S) : now);
            if (StatView.State.RUNNING != now.state())
            {
                return;
            }
            before = now;
        }
    }
}
