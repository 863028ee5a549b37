package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.console.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A data plane {@code dp0} and its manager as processes of their own, which may be killed, and commands for them.
 */
final class ManagedArrayProcesses implements AutoCloseable
{
    private static final long WAIT_NS = TimeUnit.SECONDS.toNanos(60);

    private final Path directory;
    private final String planeConfig;
    private final List<MillraceProcess> running = new ArrayList<>();

    /**
     * None runs.
     *
     * @param directory   of all that they write.
     * @param planeConfig more of the data plane's configuration, with the directory for {@code %1$s}.
     */
    ManagedArrayProcesses(final Path directory, final String planeConfig)
    {
        this.directory = directory;
        this.planeConfig = planeConfig;
    }

    MillraceProcess start(final String kind, final String name, final String config)
        throws IOException, InterruptedException
    {
        // State lies beside the configuration.
        final Path file = Files.createDirectories(directory.resolve("etc-" + name)).resolve("config.yaml");
        final MillraceProcess process =
            MillraceProcess.start(kind, "--config", Files.writeString(file, config).toString());
        running.add(process);
        process.await("^ready");
        return process;
    }

    MillraceProcess startPlane() throws IOException, InterruptedException
    {
        return start("serve", "plane", ("""
            control: {directory: %1$s/plane, device-directories: [%1$s]}
            status: {file: none}
            warm-up: false
            discovery: false
            """ + planeConfig).formatted(directory));
    }

    MillraceProcess startManager() throws IOException, InterruptedException
    {
        return start("manager", "manager", """
            state: {directory: %1$s/state}
            control: {directory: %1$s/manager}
            data-planes: [{name: dp0, directory: %1$s/plane}]
            """.formatted(directory));
    }

    static void kill(final MillraceProcess process) throws InterruptedException, IOException
    {
        process.signal("KILL");
        process.exitCode();
    }

    MillraceProcess killAndRestart(final MillraceProcess plane, final MillraceProcess manager)
        throws IOException, InterruptedException
    {
        kill(plane);
        manager.await("dp0: disconnected: ");
        final MillraceProcess next = startPlane();
        manager.await("dp0: active with term ");
        return next;
    }

    /** {@return what a command prints that succeeds at a process with a control directory of a name} */
    String ok(final String control, final String line) throws IOException, InterruptedException
    {
        final List<String> command = new ArrayList<>(List.of(MillraceProcess.ROOT.resolve("millrace").toString()));
        command.addAll(List.of(line.split(" ")));
        try (MillraceProcess process = MillraceProcess.start(command, Map.of(
            "MILLRACE_NO_BUILD", "1", "MILLRACE_CONTROL", directory.resolve(control).toString())))
        {
            assertEquals(ExitCode.OK, process.exitCode(), () -> line + " printed:\n" + process.outputOrReason());
            return process.output();
        }
    }

    String ok(final String line) throws IOException, InterruptedException
    {
        return ok("manager", line);
    }

    /** Until a command prints a text. */
    String until(final String control, final String line, final String text) throws IOException, InterruptedException
    {
        final long deadlineNs = System.nanoTime() + WAIT_NS;
        String output = ok(control, line);
        while (!output.contains(text))
        {
            final String last = output;
            assertTrue(System.nanoTime() - deadlineNs < 0, () -> "never '" + text + "' in:\n" + last);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
            output = ok(control, line);
        }
        return output;
    }

    @Override
    public void close()
    {
        running.forEach(MillraceProcess::close);
    }
}
