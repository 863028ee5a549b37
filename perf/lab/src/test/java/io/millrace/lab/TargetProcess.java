package io.millrace.lab;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The {@code millrace serve} command in a process of its own, on the classes under test.
 */
public final class TargetProcess implements AutoCloseable
{
    public static final String NQN = "nqn.2026-11.io.millrace:lab";

    /** In {@code /proc/net/tcp}; include/net/tcp_states.h. */
    private static final String TCP_ESTABLISHED = "01";
    private static final long LISTEN_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long STOP_TIMEOUT_SECONDS = 20;
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(20);

    private final Path directory;
    private final int port;
    private final List<String> jvmOptions;
    /** Its own, and new: what a former run left would be served instead of the file. */
    private final Path stateHome;
    private Process process;

    private TargetProcess(final Path directory, final int port, final List<String> jvmOptions) throws IOException
    {
        this.jvmOptions = jvmOptions;
        this.directory = directory;
        this.port = port;
        stateHome = Files.createTempDirectory(directory, "state");
    }

    /**
     * Starts one and waits until it listens.
     *
     * @param name    of the test, whose directory the log goes to.
     * @param devices lines of YAML, each a device; namespace 1 is the first device that is shown, and so on.
     * @param shown   names of the devices that are namespaces.
     */
    public static TargetProcess start(final String name, final List<String> devices, final String... shown)
        throws IOException
    {
        return start(name, List.of(), "", devices, shown);
    }

    /**
     * As {@link #start(String, List, String...)}, with more settings.
     *
     * @param name     of the test, whose directory the log goes to.
     * @param settings lines of YAML at the top level.
     * @param devices  lines of YAML, each a device; namespace 1 is the first device that is shown, and so on.
     * @param shown    names of the devices that are namespaces.
     */
    public static TargetProcess start(
        final String name, final String settings, final List<String> devices, final String... shown) throws IOException
    {
        return start(name, List.of(), settings, devices, shown);
    }

    /**
     * As {@link #start(String, List, String...)}, with more settings and options.
     *
     * @param name     of the test, whose directory the log goes to.
     * @param options  of the JVM, after the launcher's.
     * @param settings more lines of YAML: sections at the top level.
     * @param devices  lines of YAML, each a device; namespace 1 is the first device that is shown, and so on.
     * @param shown    names of the devices that are namespaces.
     */
    public static TargetProcess start(
        final String name,
        final List<String> options,
        final String settings,
        final List<String> devices,
        final String... shown) throws IOException
    {
        final TargetProcess target = new TargetProcess(Lab.directory(name + "-target"), Ports.free(), options);
        final StringBuilder yaml = new StringBuilder("reactors: [{name: r0}, {name: r1}]\ndevices:\n");
        devices.forEach((device) -> yaml.append("  - ").append(device).append('\n'));
        yaml.append("subsystems:\n  - nqn: ").append(NQN).append("\n    allow-any-host: true\n    namespaces:")
            .append(0 == shown.length ? " []\n" : "\n");
        for (int i = 0; i < shown.length; i++)
        {
            yaml.append("      - {nsid: ").append(i + 1).append(", device: ").append(shown[i]).append("}\n");
        }
        yaml.append("listeners:\n  - {transport: tcp, address: 127.0.0.1, port: ").append(target.port)
            .append("}\ndiscovery: false\n").append(settings);
        if (!settings.contains("control:"))
        {
            // Several run at once, and what is measured is I/O.
            yaml.append("control: {enabled: false}\n");
        }
        Files.writeString(target.directory.resolve("millrace.yaml"), yaml);
        Files.deleteIfExists(target.log());
        target.start();
        return target;
    }

    /**
     * The Java of the tests, with its access to modules. More modules than the launcher has would cost the JVM its
     * archive of classes, without which it starts slowly.
     */
    static List<String> java()
    {
        final List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElseThrow());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .filter((argument) -> argument.startsWith("--") && !argument.startsWith("--add-modules")).toList());
        return command;
    }

    /** The {@code millrace} command on the classes under test, with options for its JVM. */
    public static List<String> command(final String... options)
    {
        final List<String> command = java();
        command.addAll(List.of(options));
        command.addAll(List.of("-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            "io.millrace.cli.Millrace"));
        return command;
    }

    public int port()
    {
        return port;
    }

    /** Its process, for what {@code /proc} says of it. */
    public Process process()
    {
        return process;
    }

    public Path log()
    {
        return directory.resolve("serve.log");
    }

    /** Starts it again after {@link #kill()}. */
    void start() throws IOException
    {
        final List<String> flags = new ArrayList<>(List.of(LauncherFlags.of("serve")));
        flags.addAll(jvmOptions);
        final List<String> command = command(flags.toArray(String[]::new));
        command.addAll(List.of("serve", "--config", directory.resolve("millrace.yaml").toString()));
        final ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()));
        builder.environment().put("XDG_STATE_HOME", stateHome.toString());
        process = builder.start();
        final long deadlineNs = System.nanoTime() + LISTEN_TIMEOUT_NS;
        while (!Ports.isOpen(port))
        {
            if (!process.isAlive() || System.nanoTime() - deadlineNs > 0)
            {
                throw new AssertionError("the target does not listen on port " + port + ":\n" +
                    Files.readString(log()));
            }
            LockSupport.parkNanos(PAUSE_NS);
        }
    }

    /** Ends it as kill -9 does. */
    public void kill() throws InterruptedException
    {
        process.destroyForcibly().waitFor();
    }

    public boolean isAlive()
    {
        return process.isAlive();
    }

    /**
     * How many connections are open on its listener, by the kernel's table: the target's ends, which have the
     * listener's port.
     */
    public int connections() throws IOException
    {
        final String localEnd = String.format(":%04X", port);
        int connections = 0;
        for (final String row : Files.readAllLines(Path.of("/proc/net/tcp")))
        {
            // The columns: number, local address, remote address, state.
            final String[] columns = row.strip().split(" +");
            connections += columns[1].endsWith(localEnd) && TCP_ESTABLISHED.equals(columns[3]) ? 1 : 0;
        }
        return connections;
    }

    @Override
    public void close()
    {
        process.destroy();
        try
        {
            if (!process.waitFor(STOP_TIMEOUT_SECONDS, TimeUnit.SECONDS))
            {
                process.destroyForcibly();
                throw new AssertionError("the target did not stop; its log is " + log());
            }
        }
        catch (final InterruptedException ex)
        {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
