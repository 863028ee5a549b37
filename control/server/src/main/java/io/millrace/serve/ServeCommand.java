package io.millrace.serve;

import io.millrace.block.file.FileRecords;
import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.console.LineLog;
import io.millrace.console.StopSignal;
import io.millrace.console.Terminal;
import io.millrace.console.Version;
import io.millrace.control.agent.ControlAgent;
import io.millrace.control.agent.ControlEvents;
import io.millrace.control.agent.MetricsRecords;
import io.millrace.control.service.ControlBase;
import io.millrace.control.service.ControlSettings;
import io.millrace.control.setting.Units;
import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.DataPlaneListener;
import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.dataplane.config.SettingException;
import io.millrace.manager.metrics.MetricsEndpoint;
import io.millrace.manager.metrics.PlaneRecords;
import io.millrace.serve.config.ConfigReader;
import io.millrace.settings.ConfigException;
import io.millrace.spdk.SpdkRuntime;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.agrona.concurrent.SystemNanoClock;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code millrace serve}: serves the configuration of a file until it is stopped.
 */
@Command(
    name = "serve",
    description = "Serve the volumes that a configuration file declares, until Ctrl-C or SIGTERM.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace serve --config millrace.yaml",
        "  millrace serve --config millrace.yaml --check    only check the file",
        "",
        "A data plane with a manager restores the state applied last instead of that of the file.",
        "",
        "docs/configuration.md describes the file, millrace.yaml is an example."})
public final class ServeCommand implements Callable<Integer>
{
    @Option(names = {"-c", "--config"}, required = true, paramLabel = "FILE", description = "Configuration file.")
    private Path file;

    @Option(names = "--check", description = "Check the file, start nothing. Ports, files and CPUs are not looked at.")
    private boolean check;

    @Option(names = "--import", description = {
        "Use the state of the file instead of the state that a manager applied.",
        "Its manager shows the difference as drift."})
    private boolean isImport;

    /**
     * Called by picocli.
     */
    public ServeCommand()
    {
    }

    /**
     * Serves what a file declares.
     *
     * @param file to read.
     */
    public ServeCommand(final Path file)
    {
        this.file = file;
    }

    @Override
    public Integer call() throws Exception
    {
        final Terminal terminal = Terminal.standard();
        final ConfigReader.Result read = read();
        if (check)
        {
            terminal.line(file + ": valid; " + Units.count(read.config().subsystems().size(), "subsystem") + ", " +
                Units.count(read.config().devices().size(), "device") + ", " +
                Units.count(read.config().listeners().size(), "listener"));
            return ExitCode.OK;
        }
        final StopSignal stop = StopSignal.install();
        final LineLog lines = new LineLog(terminal);
        final EventLog log = new EventLog(lines);
        makeBase(read);
        try
        {
            serve(read, terminal, stop, lines, log);
        }
        finally
        {
            // Nothing of it is open any more.
            stopSpdk(terminal);
        }
        return ExitCode.OK;
    }

    private void serve(
        final ConfigReader.Result read,
        final Terminal terminal,
        final StopSignal stop,
        final LineLog lines,
        final EventLog log) throws Exception
    {
        // Without control nothing of it is loaded: the time to start counts.
        final ControlEvents events = null == read.control() ? null : new ControlEvents();
        final FileRecords records = FileRecords.in(read.recordDirectory());
        final InitialState applied = null == read.control() ? null : InitialState.read(read, isImport, records);
        try (DataPlane dataPlane = start(read, null != applied && applied.isRestored() ?
                read.withoutServed() : read.withRecords(records.permanent()), log,
                null == events ? DataPlaneListener.NONE : events);
            ControlAgent control =
                null == events ? null : startControl(read, dataPlane, events, applied, terminal, log, stop);
            MetricsEndpoint metrics = startMetrics(read, dataPlane, control, log))
        {
            if (null != applied && applied.isRestored())
            {
                exportRestored(read, dataPlane, log);
            }
            Banner.print(terminal, dataPlane);
            if (null != control)
            {
                terminal.line("control: " + read.control().directory() + ", " + ControlSettings.IPC_CHANNEL +
                    (read.control().isUdp() ? " and " + read.control().channel() : "") + ", stream " +
                    read.control().streamId());
            }
            if (null != dataPlane.statusFile())
            {
                terminal.line("status: " + dataPlane.statusFile());
            }
            if (null != metrics)
            {
                terminal.line("metrics: http://" + read.metrics().getAddress().getHostAddress() + ':' +
                    metrics.port() + "/metrics");
            }
            Banner.ready(terminal);
            lines.start();
            final WarmUp warmUp = read.warmUp() ? WarmUp.start(terminal) : null;
            stop.await();
            if (null != warmUp)
            {
                warmUp.close();
            }
            lines.close();
            terminal.line("stopping");
        }
    }

    /** Devices are there only now. What cannot be served is no reason to serve nothing. */
    private static void exportRestored(final ConfigReader.Result read, final DataPlane dataPlane, final EventLog log)
    {
        try
        {
            dataPlane.export(read.config().spdk());
        }
        catch (final SettingException e)
        {
            log.onError(e.getMessage());
        }
    }

    /** Before SPDK makes its socket there, which may be before the control agent makes its directory. */
    private static void makeBase(final ConfigReader.Result read)
    {
        final Path socket = read.config().spdk().config().rpcSocket();
        if (null != read.control() && null != socket)
        {
            try
            {
                ControlBase.make(socket, read.control().group());
            }
            catch (final IOException e)
            {
                // Who uses the directory says that it is missing.
            }
        }
    }

    private static Path spdkSocket()
    {
        final SpdkRuntime running = SpdkRuntime.running();
        return null == running ? null : running.config().rpcSocket();
    }

    private static void stopSpdk(final Terminal terminal)
    {
        final SpdkRuntime running = SpdkRuntime.running();
        if (null != running)
        {
            running.stop().forEach(terminal::line);
        }
    }

    private ConfigReader.Result read()
    {
        try
        {
            return ConfigReader.read(file);
        }
        catch (final ConfigException e)
        {
            throw new CommandException(ExitCode.USAGE, e.getMessage(), e);
        }
    }

    private static DataPlane start(
        final ConfigReader.Result read,
        final DataPlaneConfig config,
        final EventLog log,
        final DataPlaneListener listener)
    {
        try
        {
            return DataPlane.start(config, log, listener);
        }
        catch (final SettingException e)
        {
            throw new CommandException(ExitCode.USAGE, read.locate(e).getMessage(), e);
        }
    }

    private static MetricsEndpoint startMetrics(
        final ConfigReader.Result read, final DataPlane dataPlane, final ControlAgent control, final EventLog log)
    {
        if (null == read.metrics())
        {
            return null;
        }
        final String name = null == read.control() ? ControlSettings.NAME_DEFAULT : read.control().name();
        final MetricsRecords records = new MetricsRecords(dataPlane, name, Version.number());
        final BdevCounters bdevs = new BdevCounters(ServeCommand::spdkSocket, log::onError);
        try
        {
            return MetricsEndpoint.start(read.metrics(), () -> List.of(new PlaneRecords(
                name, true, Stream.concat(records.get().stream(), bdevs.get().stream()).toList())),
                new ServeProbes(dataPlane, control, SystemNanoClock.INSTANCE), log::onError);
        }
        catch (final IOException e)
        {
            dataPlane.abandon();
            throw new CommandException(ExitCode.USAGE, read.file() + ": " + e.getMessage() + " with metrics.port", e);
        }
    }

    private static ControlAgent startControl(
        final ConfigReader.Result read,
        final DataPlane dataPlane,
        final ControlEvents events,
        final InitialState applied,
        final Terminal terminal,
        final EventLog log,
        final StopSignal stop)
    {
        final ServeOwner owner = new ServeOwner(log, stop);
        applied.restore(dataPlane, owner, terminal);
        try
        {
            return ControlAgent.start(read.control(), dataPlane, events, owner, applied.kept(), read.bounds());
        }
        catch (final SettingException e)
        {
            dataPlane.abandon();
            throw new CommandException(ExitCode.USAGE, read.locate(e).getMessage(), e);
        }
    }
}
