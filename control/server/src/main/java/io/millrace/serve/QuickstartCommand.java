package io.millrace.serve;

import io.millrace.console.ByteSize;
import io.millrace.console.CommandException;
import io.millrace.console.Confirmation;
import io.millrace.console.ExitCode;
import io.millrace.console.Json;
import io.millrace.console.LineLog;
import io.millrace.console.StopSignal;
import io.millrace.console.Terminal;
import io.millrace.console.Version;
import io.millrace.control.agent.ControlEvents;
import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.DataPlaneListener;
import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.config.ListenerSettings;
import io.millrace.dataplane.config.SettingException;
import io.millrace.dataplane.config.SubsystemSettings;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.rdma.RdmaTransportConfig;
import io.millrace.nvmf.tcp.TcpTransportConfig;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.rdma.RdmaDevices;
import io.millrace.rdma.RdmaException;
import io.millrace.rdma.RdmaScan;
import io.millrace.reactor.ReactorConfig;
import io.millrace.status.StatusSettings;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code millrace quickstart}: a volume in a file, served on the loopback address, verified and measured.
 */
@Command(
    name = "quickstart",
    description = "Serve a volume in a file on 127.0.0.1, verify and measure it, and go on serving until Ctrl-C.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace quickstart",
        "  millrace quickstart --path /mnt/fast/vol.img --size 16GiB",
        "  millrace quickstart --exit --json            measure and end, for scripts",
        "  millrace quickstart --fresh                  delete earlier runs first",
        "",
        "What is made in it remains for the next run, in FILE.state beside the volume.",
        "",
        "Exit codes: 0 passed, 1 a command failed or a block was wrong, 2 it could not start."})
public final class QuickstartCommand implements Callable<Integer>
{
    static final String NQN = "nqn.2026-11.io.millrace:quickstart";

    static final int PORT_DEFAULT = 4420;

    private static final int NAMESPACE_BLOCK_BYTES = 4096;
    private static final long ROUND_MS_DEFAULT = 2_000;

    @Option(names = "--path", paramLabel = "FILE",
        description = "File of the volume. Default: millrace/quickstart.img in $$XDG_DATA_HOME or ~/.local/share.")
    private Path path;

    @Option(names = "--size", paramLabel = "SIZE", converter = ByteSize.class,
        description = "Size of the volume. Default: that of the file, else 1GiB.")
    private Long sizeBytes;

    @Option(names = "--port", paramLabel = "PORT",
        description = {
            "TCP port; 0 takes any free one in a first run. Default: that of the last run, else 4420.",
            "A port other than the last run's moves the listener."})
    private Integer port;

    @Option(names = "--discovery-port", paramLabel = "PORT", description = {
        "TCP port of discovery; 0 takes any free one in a first run. Default: that of the last run, else 8009.",
        "A port other than the last run's moves the listener."})
    private Integer discoveryPort;

    @Option(names = "--fresh", description = "Begin anew: delete the volume and all that was made in earlier runs.")
    private boolean fresh;

    @Mixin
    private Confirmation confirmation;

    @Option(names = "--overwrite", description = "Also measure writes on an existing volume; overwrites its first " +
        "64MiB.")
    private boolean overwrite;

    @Option(names = {"--exit", "--once"}, description = "End after measuring.")
    private boolean exit;

    @Option(names = "--no-measure", description = "Serve only.")
    private boolean noMeasure;

    @Option(names = "--no-manager", description = "Do not start a manager.")
    private boolean noManager;

    @Option(names = "--round", paramLabel = "MS", defaultValue = "2000", hidden = true)
    private long roundMs = ROUND_MS_DEFAULT;

    @Option(names = "--json", description = "With --exit: print the measurements as JSON and nothing else.")
    private boolean json;

    /**
     * Called by picocli.
     */
    public QuickstartCommand()
    {
    }

    @Override
    public Integer call() throws InterruptedException
    {
        if (json && !exit)
        {
            throw new CommandException(ExitCode.USAGE, "--json prints when all is over: add --exit");
        }
        checkPort("--port", port);
        checkPort("--discovery-port", discoveryPort);
        final Terminal terminal = json ? Terminal.standardError() : Terminal.standard();
        if (fresh)
        {
            QuickstartVolume.locate(path, sizeBytes, System.getenv()).delete(terminal, confirmation, System.getenv());
        }
        final QuickstartVolume volume = QuickstartVolume.locate(path, sizeBytes, System.getenv());
        final QuickstartState state = noManager ? null :
            QuickstartState.open(QuickstartState.directory(volume.path(), System.getenv()), volume.path());
        if (noManager && Files.exists(QuickstartState.directory(volume.path(), System.getenv())))
        {
            terminal.line("note: resources of earlier runs in " +
                QuickstartState.directory(volume.path(), System.getenv()) + " are ignored with --no-manager");
        }
        if (null != state)
        {
            state.check(sizeBytes, port, discoveryPort);
        }
        final StopSignal stop = StopSignal.install();
        boolean isRight = true;
        final LineLog lines = new LineLog(terminal);
        final EventLog log = new EventLog(lines);
        final ControlEvents events = noManager ? null : new ControlEvents();
        final boolean isRestored = null != state && !state.isNew();
        try (DataPlane dataPlane = start(volume, isRestored, log, noManager ? DataPlaneListener.NONE : events);
            QuickstartControl control = noManager ? null :
                QuickstartControl.start(dataPlane, volume.path(), state, events, log, stop, terminal))
        {
            Banner.print(terminal, dataPlane);
            QuickstartHints.connect(dataPlane).forEach(terminal::line);
            if (null != control)
            {
                hints(terminal, control);
                QuickstartHints.rdma(dataPlane, rdmaDevices(), control.option()).forEach(terminal::line);
            }
            Banner.ready(terminal);
            if (!noMeasure)
            {
                terminal.line();
                isRight = !isExported(dataPlane) ? skip(terminal) :
                    measure(terminal, dataPlane, stop, volume.isFresh() || overwrite);
            }
            if (!exit && !stop.isRequested())
            {
                terminal.line();
                terminal.line(terminal.good("serving") + " " +
                    QuickstartHints.served(dataPlane, volume.path()) + " until Ctrl-C");
                // Not the hosts of the measurement.
                lines.clear();
                lines.start();
                stop.await();
                lines.close();
            }
            terminal.line("stopping");
        }
        return isRight ? ExitCode.OK : ExitCode.FAILURE;
    }

    private static void checkPort(final String option, final Integer value)
    {
        if (null != value && (value < 0 || value > 0xffff))
        {
            throw new CommandException(ExitCode.USAGE, option + " " + value + ": out of range 0 to 65535");
        }
    }

    /** Commands of an earlier run may have changed what is there. */
    private static boolean isExported(final DataPlane dataPlane)
    {
        return dataPlane.addresses().stream().anyMatch(QuickstartCommand::isTcp) &&
            dataPlane.namespaces().list(null).stream().anyMatch((each) ->
            NQN.equals(each.subsystemNqn()) && 1 == each.nsid() && QuickstartState.VOLUME.equals(each.device()));
    }

    /** By which it is measured. */
    private static boolean isTcp(final TransportAddress address)
    {
        return TransportAddress.Type.TCP == address.transportType();
    }

    private static boolean skip(final Terminal terminal)
    {
        terminal.line(terminal.warn("note: ") + "nothing is measured: namespace 1 of " + NQN + " was removed, or is " +
            "not on device " + QuickstartState.VOLUME +
            " any more, or there is no listener over TCP; --fresh begins anew");
        return true;
    }

    private boolean measure(
        final Terminal terminal, final DataPlane dataPlane, final StopSignal stop, final boolean mayWrite)
    {
        final InetSocketAddress address = dataPlane.addresses().stream().filter(QuickstartCommand::isTcp).findFirst()
            .orElseThrow().socketAddress();
        final QuickstartRounds rounds = new QuickstartRounds(address, NQN,
            dataPlane.devices().get(QuickstartState.VOLUME).geometry().sizeBytes(), roundMs, stop);
        final boolean isRight = rounds.run(terminal, mayWrite);
        if (json)
        {
            final Map<String, Object> result = new LinkedHashMap<>();
            result.put("passed", isRight);
            result.put("rounds", rounds.results());
            Terminal.standard().line(Json.write(result));
        }
        return isRight;
    }

    private static void hints(final Terminal terminal, final QuickstartControl control)
    {
        terminal.line("to run it, managed by process " + control.managerPid() + ", from another terminal:");
        for (final String command : new String[]{"top", "get", "events", "namespace list", "device create --help"})
        {
            terminal.line("  ./millrace " + command + control.option());
        }
        terminal.line();
    }

    private static RdmaDevices rdmaDevices()
    {
        try
        {
            return RdmaScan.run();
        }
        catch (final RdmaException e)
        {
            // No library for RDMA is what most machines have; 'millrace doctor' says what is missing.
            return new RdmaDevices(List.of(), List.of());
        }
    }

    private DataPlane start(
        final QuickstartVolume volume,
        final boolean isRestored,
        final EventLog log,
        final DataPlaneListener listener)
    {
        final DeviceConfig file = DeviceConfig.of(QuickstartState.VOLUME, "file", Map.of(
            "path", volume.path().toString(), "size", volume.sizeBytes(), "block-size", NAMESPACE_BLOCK_BYTES,
            "preallocate", false));
        try
        {
            return DataPlane.start(new DataPlaneConfig(
                List.of(ReactorConfig.of("reactor-0", -1)),
                DataPlaneConfig.MEMORY_BYTES_DEFAULT,
                isRestored ? List.of() : List.of(file),
                isRestored ? List.of() : List.of(subsystem()),
                isRestored ? List.of() : List.of(new ListenerSettings(
                    TransportAddress.tcp("127.0.0.1", null == port ? PORT_DEFAULT : port))),
                isRestored ? DataPlaneConfig.NO_DISCOVERY_PORT :
                    null == discoveryPort ? ListenerSettings.DISCOVERY_PORT : discoveryPort,
                TargetConfig.defaults(),
                List.of(TcpTransportConfig.defaults(), RdmaTransportConfig.defaults()),
                isRestored,
                new StatusSettings(StatusSettings.fileDefault(), false, StatusSettings.BYTES_EACH_DEFAULT,
                    "millrace " + Version.number())), log, listener);
        }
        catch (final SettingException e)
        {
            throw new CommandException(ExitCode.USAGE, inOptions(e), e);
        }
    }

    private static SubsystemSettings subsystem()
    {
        return new SubsystemSettings(NQN, null, SubsystemSettings.MODEL_DEFAULT, true, List.of(),
            List.of(new SubsystemSettings.NamespaceSettings(1, QuickstartState.VOLUME, null)));
    }

    /** Names the option in place of the setting it became. */
    private static String inOptions(final SettingException e)
    {
        final String key = e.key();
        final String value = null == e.value() ? "" : " " + e.value();
        if (key.startsWith("listeners"))
        {
            return "--port" + value + ": " + e.bound() + "; choose another with --port, or stop what listens there";
        }
        if (key.equals("discovery"))
        {
            return "--discovery-port" + value + ": " + e.bound() +
                "; choose another with --discovery-port, or stop what listens there";
        }
        if (key.startsWith("devices"))
        {
            final String option = key.endsWith("size") ? "--size" : "--path";
            return option + value + ": " + e.bound() + (e.remedy().isEmpty() ? "" : "; " + e.remedy());
        }
        return e.getMessage();
    }
}
