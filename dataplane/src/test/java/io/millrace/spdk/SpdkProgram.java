package io.millrace.spdk;

import io.millrace.testing.Requirement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A program of the SPDK that this process has loaded: spdk_dd, spdk_nvme_perf. It has ordinary pages, and one CPU.
 */
public final class SpdkProgram implements AutoCloseable
{
    private static final long LIMIT_S = 60;

    private final Path output;
    private final Process process;

    /**
     * Starts it.
     *
     * @param directory for its output.
     * @param name      of the program.
     * @param arguments beside those of its memory.
     * @throws IOException when it cannot be started.
     */
    public SpdkProgram(final Path directory, final String name, final String... arguments) throws IOException
    {
        final Path libraries = libraries();
        final Path program = libraries.resolveSibling("bin").resolve(name);
        Requirement.require(Files.isExecutable(program), "there is no " + program, "build SPDK with its applications");
        final List<String> command = new ArrayList<>(List.of(program.toString(), "--no-huge", "-s", "512"));
        command.addAll(List.of(arguments));
        output = Files.createTempFile(directory, name, ".log");
        final ProcessBuilder builder =
            new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().put("LD_LIBRARY_PATH", libraries.toString());
        process = builder.start();
    }

    /** Where the libraries of SPDK are that this process has loaded. */
    private static Path libraries() throws IOException
    {
        SpdkTesting.runtime();
        try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps")))
        {
            return maps.filter((line) -> line.contains("/libspdk_nvmf.so")).findFirst()
                .map((line) -> Path.of(line.substring(line.indexOf('/'))).getParent()).orElseThrow();
        }
    }

    /**
     * {@return what it has printed so far}
     *
     * @throws IOException when that cannot be read.
     */
    public String output() throws IOException
    {
        return Files.readString(output);
    }

    /**
     * Waits until it ends, a minute at most.
     *
     * @return its exit status.
     * @throws InterruptedException when interrupted.
     * @throws IOException          when it does not end.
     */
    public int await() throws InterruptedException, IOException
    {
        if (!process.waitFor(LIMIT_S, TimeUnit.SECONDS))
        {
            throw new IOException("it has not ended: " + output());
        }
        return process.exitValue();
    }

    @Override
    public void close()
    {
        process.destroyForcibly();
    }
}
