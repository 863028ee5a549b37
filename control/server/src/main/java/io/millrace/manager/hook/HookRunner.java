package io.millrace.manager.hook;

import io.millrace.control.client.ControlDirectories;
import io.millrace.manager.config.HookConfig;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;

/**
 * Runs the hook programs for data planes that go down and come up: sequentially for each data plane, with bounded
 * concurrency and time. Forwards the beginning of their output. The manager's thread, except the threads of the
 * programs.
 */
public final class HookRunner implements AutoCloseable
{
    /**
     * Result of a program.
     *
     * @param dataPlane name of the data plane.
     * @param hook      key of the hook.
     * @param program   path of the program.
     * @param exitCode  of the program; below 0: it was killed or not started.
     * @param text      the exit code or the failure in words.
     */
    public record Result(String dataPlane, String hook, String program, int exitCode, String text)
    {
    }

    private record Run(String dataPlane, String hook, List<String> command, String reason)
    {
    }

    /** Programs that may be queued. */
    public static final int WAITING_MAX = 64;
    private static final int RUNNING_MAX = 8;
    private static final long CLOSE_WAIT_MS = 5_000;
    private static final long KILL_WAIT_MS = 1_000;
    private static final int KILLED = -1;
    private static final int NOT_STARTED = -2;

    private final HookConfig config;
    /** Control directory of the manager, for programs that run {@code millrace}. */
    private final Path controlDirectory;
    private final ExecutorService executor = Executors.newFixedThreadPool(
        RUNNING_MAX, Thread.ofPlatform().daemon().name("millrace-hook-", 0).factory());
    private final ManyToOneConcurrentLinkedQueue<Result> results = new ManyToOneConcurrentLinkedQueue<>();
    private final ManyToOneConcurrentLinkedQueue<String> output = new ManyToOneConcurrentLinkedQueue<>();
    private final Map<String, ArrayDeque<Run>> lines = new HashMap<>();
    private int waitingCount;

    /**
     * Makes a runner.
     *
     * @param config           programs and time limits.
     * @param controlDirectory that commands of the programs go to.
     */
    public HookRunner(final HookConfig config, final Path controlDirectory)
    {
        this.config = config;
        this.controlDirectory = controlDirectory.toAbsolutePath().normalize();
    }

    /**
     * Queues the hook program, if one is configured.
     *
     * @param dataPlane name of the data plane.
     * @param isDown    true: it went down; false: it came up.
     * @param reason    in words.
     * @return false: too many are queued.
     */
    public boolean run(final String dataPlane, final boolean isDown, final String reason)
    {
        final List<String> command = isDown ? config.down() : config.up();
        if (command.isEmpty())
        {
            return true;
        }
        if (waitingCount >= WAITING_MAX)
        {
            return false;
        }
        waitingCount++;
        final ArrayDeque<Run> line = lines.computeIfAbsent(dataPlane, (name) -> new ArrayDeque<>());
        line.addLast(new Run(dataPlane, isDown ? "data-plane-down" : "data-plane-up", command, reason));
        if (1 == line.size())
        {
            begin(line.peekFirst());
        }
        return true;
    }

    private void begin(final Run run)
    {
        executor.execute(() -> results.offer(carryOut(run)));
    }

    /** {@return result of the next program that ended; null: none} */
    public Result poll()
    {
        final Result result = results.poll();
        if (null != result)
        {
            waitingCount--;
            final ArrayDeque<Run> line = lines.get(result.dataPlane());
            line.removeFirst();
            if (!line.isEmpty())
            {
                begin(line.peekFirst());
            }
        }
        return result;
    }

    /** {@return the next line of output with its hook; null: none. All lines of a program come before its result} */
    public String pollOutput()
    {
        return output.poll();
    }

    private Result carryOut(final Run run)
    {
        final String program = run.command().getFirst();
        final ProcessBuilder builder = new ProcessBuilder(run.command())
            .redirectInput(new File("/dev/null"))
            .redirectErrorStream(true);
        builder.environment().put("MILLRACE_DATA_PLANE", run.dataPlane());
        builder.environment().put("MILLRACE_REASON", run.reason());
        builder.environment().put(ControlDirectories.CONTROL_VARIABLE, controlDirectory.toString());
        Process process = null;
        try
        {
            process = builder.start();
            final HookOutput printed = new HookOutput(process.getInputStream(), (line) ->
                output.offer(run.dataPlane() + ": hook " + run.hook() + " prints: " + line));
            if (process.waitFor(config.timeoutNs(), TimeUnit.NANOSECONDS))
            {
                printed.end();
                return new Result(run.dataPlane(), run.hook(), program, process.exitValue(),
                    "exit code " + process.exitValue());
            }
            kill(process);
            printed.end();
            return new Result(run.dataPlane(), run.hook(), program, KILLED,
                "killed after " + TimeUnit.NANOSECONDS.toMillis(config.timeoutNs()) + " ms");
        }
        catch (final IOException e)
        {
            return new Result(run.dataPlane(), run.hook(), program, NOT_STARTED, "not started: " + e.getMessage());
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
            return new Result(run.dataPlane(), run.hook(), program, KILLED, "killed at the end of the manager");
        }
        finally
        {
            if (null != process && process.isAlive())
            {
                kill(process);
            }
        }
    }

    private static void kill(final Process process)
    {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        // Not by waitFor(), as the ending manager interrupts. A process blocked in the kernel is not waited for.
        process.onExit().completeOnTimeout(process, KILL_WAIT_MS, TimeUnit.MILLISECONDS).join();
    }

    /** Kills running programs and waits for them, as the process may exit right afterwards. */
    @Override
    public void close()
    {
        executor.shutdownNow();
        try
        {
            executor.awaitTermination(CLOSE_WAIT_MS, TimeUnit.MILLISECONDS);
        }
        catch (final InterruptedException _)
        {
            Thread.currentThread().interrupt();
        }
    }
}
