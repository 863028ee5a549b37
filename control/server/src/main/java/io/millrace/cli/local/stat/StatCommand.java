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
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code millrace stat}: shows what a data plane of this machine counts and measures, or did when it ended. It asks the
 * data plane nothing and takes nothing from it.
 */
@Command(
    name = "stat",
    description = "Show what a data plane of this machine counts and measures, also when it is dead.",
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

    @Parameters(arity = "0..1", paramLabel = "FILE", description = "Status file. Default: this user's.")
    private Path file;

    @Option(names = "--json", description = "Print everything as JSON.")
    private boolean json;

    @Option(names = {"-w", "--watch"}, arity = "0..1", paramLabel = "SECONDS", fallbackValue = "1",
        description = "Print what happens every so many seconds, ${FALLBACK-VALUE} when none are given.")
    private Double seconds;

    @Option(names = "--count", paramLabel = "N", description = "With --watch: end after so many times.")
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
        final Path path = null == file ? StatusSettings.fileDefault() : file;
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

    private void check()
    {
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
