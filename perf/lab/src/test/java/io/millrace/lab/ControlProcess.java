package io.millrace.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;

/**
 * A {@code millrace} command on the classes under test, in a process of its own that is killed and started again.
 */
final class ControlProcess implements AutoCloseable
{
    private final List<String> command;
    private final Path log;
    private Process process;
    private Instant started;

    /** Starts it; the directory is that of its log. */
    static ControlProcess start(final Path directory, final String... arguments) throws IOException
    {
        final ControlProcess started = new ControlProcess(directory.resolve(arguments[0] + ".log"), arguments);
        Files.deleteIfExists(started.log);
        started.start();
        return started;
    }

    private ControlProcess(final Path log, final String... arguments)
    {
        this.log = log;
        command = TargetProcess.command("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");
        command.addAll(Arrays.asList(arguments));
    }

    private void start() throws IOException
    {
        started = Instant.now();
        process = new ProcessBuilder(command).redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile())).start();
    }

    /** When the process that runs was started. */
    Instant started()
    {
        return started;
    }

    /** Ends it as kill -9 does, wherever it is, and starts it again. */
    void killAndStart() throws IOException, InterruptedException
    {
        if (!process.isAlive())
        {
            throw new AssertionError("ended by itself:\n" + Files.readString(log));
        }
        process.destroyForcibly().waitFor();
        start();
    }

    @Override
    public void close()
    {
        process.destroyForcibly().onExit().join();
    }
}
