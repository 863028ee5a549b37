package io.millrace.manager;

import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.console.LineLog;
import io.millrace.console.StartTime;
import io.millrace.console.StopSignal;
import io.millrace.console.Terminal;
import io.millrace.control.client.ControlSettingException;
import io.millrace.control.service.ControlSettings;
import io.millrace.control.setting.InvalidSettingException;
import io.millrace.control.setting.Units;
import io.millrace.manager.config.ManagerConfig;
import io.millrace.manager.config.ManagerConfigReader;
import io.millrace.manager.config.PlaneConfig;
import io.millrace.manager.metrics.MetricsEndpoint;
import io.millrace.manager.store.StoreException;
import io.millrace.settings.ConfigException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.agrona.CloseHelper;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code millrace manager}: reconciles data planes with their desired state until it is stopped.
 */
@Command(
    name = "manager",
    description = "Reconcile data planes with their desired state, until Ctrl-C or SIGTERM.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace manager                          of this user's data plane",
        "  millrace manager --config manager.yaml    of those that a file declares",
        "  millrace manager --use-version dp0=41     continue with version 41 of dp0",
        "",
        "docs/operating.md says how to run it, docs/configuration.md describes the file."})
public final class ManagerCommand implements Callable<Integer>
{
    @Option(names = {"-c", "--config"}, paramLabel = "FILE",
        description = "Configuration file; without it one data plane, that of this user.")
    private Path file;

    @Option(names = "--use-version", paramLabel = "[DATA-PLANE=]VERSION",
        description = "Continue with an earlier version of a data plane's desired state; later versions are set aside.")
    private List<String> useVersion = List.of();

    @Option(names = "--end-with-stdin", hidden = true,
        description = "Stop at the end of standard input, which is the end of the parent process.")
    private boolean endWithStdin;

    @Option(names = "--check", description = "Check the file, start nothing.")
    private boolean check;

    /**
     * Called by picocli.
     */
    public ManagerCommand()
    {
    }

    @Override
    public Integer call() throws Exception
    {
        final Terminal terminal = Terminal.standard();
        final ManagerConfigReader.Result read = read();
        final ManagerConfig config = read.config();
        final Map<String, Long> versions = versions(config);
        if (check)
        {
            terminal.line(file + ": valid; " + Units.count(config.dataPlanes().size(), "data plane"));
            return ExitCode.OK;
        }
        final StopSignal stop = StopSignal.install();
        final LineLog lines = new LineLog(terminal);
        final Consumer<String> log = lines.source("lines");
        final Manager manager = start(read, versions, log);
        AutoCloseable metrics = null;
        try
        {
            metrics = startMetrics(config, manager, log);
            terminal.line("name: " + config.name());
            terminal.line("state: " + config.stateDirectory());
            terminal.line("control: " + config.control().directory() + ", " + ControlSettings.IPC_CHANNEL +
                (config.control().isUdp() ? " and " + config.control().channel() : "") + ", stream " +
                config.control().streamId());
            for (final PlaneConfig each : config.dataPlanes())
            {
                terminal.line("data plane " + each.name() + ": " + each.address());
            }
            if (null != metrics)
            {
                terminal.line("metrics: http://" + config.metrics().getAddress().getHostAddress() + ':' +
                    config.metrics().getPort() + "/metrics");
            }
            final double seconds = StartTime.elapsedSeconds();
            terminal.line(terminal.good("ready") +
                (seconds < 0 ? "" : String.format(Locale.ROOT, " after %.2f s", seconds)) + "; Ctrl-C stops");
            lines.start();
            if (endWithStdin)
            {
                Thread.ofPlatform().daemon().name("millrace-stdin").start(() -> awaitEndOfInput(stop));
            }
            stop.await();
            log.accept("stopping");
        }
        finally
        {
            CloseHelper.closeAll(metrics, manager, lines);
        }
        return ExitCode.OK;
    }

    private static void awaitEndOfInput(final StopSignal stop)
    {
        try
        {
            System.in.transferTo(OutputStream.nullOutputStream());
        }
        catch (final IOException e)
        {
            // An input that cannot be read has ended.
        }
        stop.request();
    }

    private static AutoCloseable startMetrics(
        final ManagerConfig config, final Manager manager, final Consumer<String> log)
    {
        if (null == config.metrics())
        {
            return null;
        }
        try
        {
            return MetricsEndpoint.start(config.metrics(), manager.records(), manager.probes(), log);
        }
        catch (final IOException e)
        {
            throw new CommandException(ExitCode.USAGE, e.getMessage(), e);
        }
    }

    private ManagerConfigReader.Result read()
    {
        if (null == file)
        {
            if (check)
            {
                throw new CommandException(ExitCode.USAGE, "--check checks a file; name it with --config");
            }
            return new ManagerConfigReader.Result(null, ManagerConfig.ofThisUser(System.getenv()), Map.of());
        }
        try
        {
            return ManagerConfigReader.read(file, System.getenv());
        }
        catch (final ConfigException e)
        {
            throw new CommandException(ExitCode.USAGE, e.getMessage(), e);
        }
    }

    private Map<String, Long> versions(final ManagerConfig config)
    {
        final Map<String, Long> versions = new HashMap<>();
        for (final String each : useVersion)
        {
            final int equals = each.indexOf('=');
            final String name = equals >= 0 ? each.substring(0, equals) :
                1 == config.dataPlanes().size() ? config.dataPlanes().getFirst().name() : "";
            final String number = each.substring(equals + 1);
            if (config.dataPlanes().stream().noneMatch((plane) -> plane.name().equals(name)) ||
                !number.matches("[1-9][0-9]{0,17}"))
            {
                throw new CommandException(ExitCode.USAGE, "--use-version " + each + ": not a version of a data " +
                    "plane; write DATA-PLANE=VERSION with one of " +
                    String.join(", ", config.dataPlanes().stream().map(PlaneConfig::name).toList()));
            }
            versions.put(name, Long.parseLong(number));
        }
        return versions;
    }

    private static Manager start(
        final ManagerConfigReader.Result read, final Map<String, Long> versions, final Consumer<String> log)
    {
        try
        {
            return Manager.start(read.config(), versions, log);
        }
        catch (final InvalidSettingException e)
        {
            throw new CommandException(ExitCode.USAGE, null == read.file() ? e.getMessage() :
                read.locate(e.key(), e.value(), e.bound(), e.remedy()).getMessage(), e);
        }
        catch (final StoreException | ControlSettingException e)
        {
            throw new CommandException(ExitCode.USAGE, e.getMessage(), e);
        }
    }
}
