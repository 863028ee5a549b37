package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.agrona.IoUtil;

/**
 * A real {@code ./millrace} process. Test thread; ended by {@link #close()} whatever happens.
 */
final class MillraceProcess implements AutoCloseable
{
    static final Path ROOT = Path.of(System.getProperty("millrace.root"));

    private static final long TIMEOUT_S = 60;
    private static final String END = "\0end";

    /** Default control directories of these processes, and of no others on this machine. */
    static final Path RUNTIME = runtime();

    private final Process process;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final List<String> seen = new ArrayList<>();

    private MillraceProcess(final Process process)
    {
        this.process = process;
        Thread.ofPlatform().daemon().start(this::read);
    }

    static MillraceProcess start(final String... args) throws IOException
    {
        final List<String> command = new ArrayList<>(List.of(ROOT.resolve("millrace").toString()));
        command.addAll(Arrays.asList(args));
        return start(command, Map.of("MILLRACE_NO_BUILD", "1", "XDG_STATE_HOME", stateHome(args).toString()));
    }

    private static Path runtime()
    {
        try
        {
            final Path directory = Files.createTempDirectory(Path.of("/dev/shm"), "millrace-it");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> IoUtil.delete(directory.toFile(), true)));
            return directory;
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    /** What is kept goes beside the configuration: no test finds what another left. */
    private static Path stateHome(final String... args)
    {
        final int config = Arrays.asList(args).indexOf("--config");
        return config < 0 || config + 1 == args.length ? Path.of("/nonexistent") :
            Path.of(args[config + 1]).toAbsolutePath().resolveSibling("xdg-state");
    }

    static MillraceProcess start(final List<String> command, final Map<String, String> environment) throws IOException
    {
        // In a shell's background SIGINT is ignored, children inherit that, and the JVM leaves it so.
        final List<String> withSignals = new ArrayList<>(List.of("env", "--default-signal=INT"));
        withSignals.addAll(command);
        final ProcessBuilder builder = new ProcessBuilder(withSignals).redirectErrorStream(true);
        builder.environment().put("XDG_RUNTIME_DIR", RUNTIME.toString());
        builder.environment().putAll(environment);
        return new MillraceProcess(builder.start());
    }

    private void read()
    {
        try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8))
        {
            for (String line = reader.readLine(); null != line; line = reader.readLine())
            {
                lines.add(line);
            }
        }
        catch (final IOException e)
        {
            lines.add(e.toString());
        }
        lines.add(END);
    }

    /**
     * Waits for a line.
     *
     * @param regex that it contains.
     * @return the match.
     */
    Matcher await(final String regex) throws InterruptedException
    {
        final Pattern pattern = Pattern.compile(regex);
        while (true)
        {
            final String line = lines.poll(TIMEOUT_S, TimeUnit.SECONDS);
            if (null == line || END.equals(line))
            {
                return fail("no line with '" + regex + "' in:\n" + String.join("\n", seen));
            }
            seen.add(line);
            final Matcher matcher = pattern.matcher(line);
            if (matcher.find())
            {
                return matcher;
            }
        }
    }

    int port() throws InterruptedException
    {
        return Integer.parseInt(await("listening on 127\\.0\\.0\\.1:(\\d+)").group(1));
    }

    long pid()
    {
        return process.pid();
    }

    void signal(final String name) throws IOException, InterruptedException
    {
        assertEquals(0, new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid()).start().waitFor(),
            () -> "no process to signal; it said: " + said());
    }

    /**
     * Waits for the end.
     *
     * @param seconds bound.
     * @return exit code.
     */
    int exitCode(final long seconds) throws InterruptedException
    {
        if (!process.waitFor(seconds, TimeUnit.SECONDS))
        {
            final String threads = threads();
            return fail("still running after " + seconds + " s: " + said() + '\n' + threads);
        }
        return process.exitValue();
    }

    int exitCode() throws InterruptedException
    {
        return exitCode(TIMEOUT_S);
    }

    /**
     * {@return all that was printed; only after the end}
     */
    String output() throws InterruptedException
    {
        exitCode();
        for (String line = lines.take(); !END.equals(line); line = lines.take())
        {
            seen.add(line);
        }
        lines.add(END);
        return String.join("\n", seen);
    }

    /**
     * {@return what was printed until now, for a message}
     */
    String said()
    {
        return '\n' + String.join("\n", seen) + '\n' + String.join("\n", lines);
    }

    /**
     * {@return what its threads do, as the kernel sees them; those of Java it is asked to print besides}
     */
    private String threads() throws InterruptedException
    {
        try
        {
            final Process shell = new ProcessBuilder("sh", "-c", "for t in /proc/" + pid() + "/task/*; do echo " +
                "\"$(cat $t/comm): $(cat $t/stat) in $(cat $t/wchan), $(cat $t/syscall)\"; done; kill -QUIT " + pid() +
                "; sleep 2; grep -E 'Sig|Shd' /proc/" + pid() + "/status").redirectErrorStream(true).start();
            return new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8) + said();
        }
        catch (final IOException e)
        {
            return e.toString();
        }
    }

    /**
     * {@return all that was printed, for a message}
     */
    String outputOrReason()
    {
        try
        {
            return output();
        }
        catch (final InterruptedException e)
        {
            return e.toString();
        }
    }

    /**
     * {@return what of the process lies in memory}
     */
    long residentBytes() throws IOException
    {
        final String status = Files.readString(Path.of("/proc/" + process.pid() + "/status"));
        final Matcher matcher = Pattern.compile("VmRSS:\\s+(\\d+) kB").matcher(status);
        return matcher.find() ? Long.parseLong(matcher.group(1)) << 10 : fail(status);
    }

    @Override
    public void close()
    {
        process.destroyForcibly();
    }
}
