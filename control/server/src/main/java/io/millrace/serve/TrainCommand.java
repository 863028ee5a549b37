package io.millrace.serve;

import io.millrace.console.ExitCode;
import io.millrace.console.LineLog;
import io.millrace.console.StopSignal;
import io.millrace.console.Terminal;
import io.millrace.control.agent.ControlAgent;
import io.millrace.control.agent.ControlEvents;
import io.millrace.control.agent.PersistedState;
import io.millrace.control.client.ControlClient;
import io.millrace.control.client.ControlClientContext;
import io.millrace.control.codec.Role;
import io.millrace.control.message.DeviceSpec;
import io.millrace.dataplane.DataPlane;
import io.millrace.perf.load.LoadConfig;
import io.millrace.perf.load.LoadGenerator;
import io.millrace.serve.config.ConfigReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/**
 * {@code millrace train}: starts a small data plane, drives it for two seconds, sends it commands, stops it and prints
 * nothing. The
 * launcher runs it after a build, for the JVM to keep the classes that a start loads and links (JEP 483) and the
 * profiles of what ran (JEP 515): a server then listens in less than half the time, and the compiler is done with the
 * I/O paths soon after.
 */
@Command(name = "train", hidden = true, description = "Drive a small data plane, for the JVM to learn how.")
public final class TrainCommand implements Callable<Integer>
{
    private static final String NQN = "nqn.2026-11.io.millrace:train";
    private static final int MEMORY_NSID = 1;
    private static final int FILE_NSID = 2;
    private static final String CONFIG = """
        reactors: [{cpu: any}]
        memory: {size: 16MiB}
        devices:
          - {name: mem0, type: memory, size: 1MiB, block-size: 512}
          - {name: file0, type: file, path: '%s', size: 1MiB}
        subsystems:
          - nqn: nqn.2026-11.io.millrace:train
            allow-any-host: true
            namespaces: [{nsid: 1, device: mem0}, {nsid: 2, device: file0}]
        listeners: [{transport: tcp, address: 127.0.0.1, port: 0}]
        discovery: false
        status: {file: '%s', size: 1MiB}
        control: {directory: '%s'}
        """;

    /**
     * Called by picocli.
     */
    public TrainCommand()
    {
    }

    @Override
    public Integer call() throws IOException
    {
        final Path file = Files.createTempFile("millrace-train", ".img");
        final Path status = file.resolveSibling(file.getFileName() + ".status");
        final Path control = file.resolveSibling(file.getFileName() + ".control");
        try (PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8))
        {
            final Terminal terminal = new Terminal(nowhere, false, false);
            final String text = CONFIG.formatted(quoted(file), quoted(status), quoted(control));
            final ConfigReader.Result read = ConfigReader.read("train", text);
            final LineLog lines = new LineLog(terminal);
            final EventLog log = new EventLog(lines);
            final StopSignal stop = StopSignal.install();
            final ControlEvents events = new ControlEvents();
            try (DataPlane dataPlane = DataPlane.start(read.config(), log, events);
                ControlAgent agent = ControlAgent.start(read.control(), dataPlane, events, new ServeOwner(log, stop),
                    PersistedState.NOWHERE, read.bounds()))
            {
                command(agent, control);
                Banner.print(terminal, dataPlane);
                Banner.ready(terminal);
                lines.start();
                log.onConnected("train", "train", "train", 1);
                lines.close();
                final InetSocketAddress address = dataPlane.addresses().getFirst().socketAddress();
                drive(WarmUp.small(load(address, MEMORY_NSID), 64, 1_000));
                drive(WarmUp.large(load(address, MEMORY_NSID), 8, 500));
                drive(WarmUp.small(load(address, FILE_NSID), 32, 500));
            }
        }
        finally
        {
            Files.delete(file);
            Files.deleteIfExists(status);
            Files.deleteIfExists(status.resolveSibling(status.getFileName() + ".lock"));
            Files.deleteIfExists(control.resolveSibling(control.getFileName() + ".lock"));
        }
        return ExitCode.OK;
    }

    /** {@return a path between the single quotes of YAML} */
    private static String quoted(final Path path)
    {
        return path.toString().replace("'", "''");
    }

    private static LoadConfig.Builder load(final InetSocketAddress address, final int nsid)
    {
        return LoadConfig.to(address, NQN).nsid(nsid);
    }

    /** What a command does, so that both its side and that of the data plane are in the archive. */
    private static void command(final ControlAgent agent, final Path control)
    {
        try (ControlClient client = ControlClient.connect(
            new ControlClientContext().aeronDirectoryName(control.toString()).role(Role.ADMIN)))
        {
            client.createDevice(DeviceSpec.memory("mem1", 1 << 20, 4096));
            client.deleteDevice("mem1");
            if (client.devices("").isEmpty() || 0 != agent.droppedCount())
            {
                throw new IllegalStateException("commands of the training are lost");
            }
        }
    }

    private static void drive(final LoadConfig load)
    {
        try (LoadGenerator generator = new LoadGenerator(load))
        {
            generator.run();
        }
    }
}
