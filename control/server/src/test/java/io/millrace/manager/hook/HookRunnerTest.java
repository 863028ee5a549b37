package io.millrace.manager.hook;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.manager.config.HookConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HookRunnerTest
{
    private static final long WAIT_NS = TimeUnit.SECONDS.toNanos(30);

    @TempDir
    private Path directory;

    private HookRunner runner(final String script)
    {
        return new HookRunner(
            new HookConfig(List.of("/bin/sh", "-c", script), List.of(), 0, TimeUnit.SECONDS.toNanos(60)), directory);
    }

    private static void until(final BooleanSupplier condition)
    {
        final long deadlineNs = System.nanoTime() + WAIT_NS;
        while (!condition.getAsBoolean())
        {
            assertTrue(System.nanoTime() - deadlineNs < 0, "too late");
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** Of one program, until it has ended. */
    private static List<String> output(final HookRunner runner)
    {
        final List<String> lines = new ArrayList<>();
        assertTrue(runner.run("dp0", true, "test"));
        final HookRunner.Result[] result = new HookRunner.Result[1];
        until(() -> null != (result[0] = runner.poll()));
        assertEquals(0, result[0].exitCode(), result[0].text());
        for (String line = runner.pollOutput(); null != line; line = runner.pollOutput())
        {
            lines.add(line);
        }
        return lines;
    }

    @Test
    void shouldTellWhatAProgramPrints()
    {
        try (HookRunner runner = runner("echo one; printf 'two\\033[2J\\tx' >&2"))
        {
            assertEquals(List.of("dp0: hook data-plane-down prints: one",
                "dp0: hook data-plane-down prints: two?[2J?x"), output(runner));
        }
    }

    @Test
    void shouldBoundWhatAProgramPrints()
    {
        for (final String script : List.of("head -c 20000000 /dev/zero | tr '\\0' x", "yes | head -c 20000000"))
        {
            try (HookRunner runner = runner(script))
            {
                final List<String> lines = output(runner);
                assertTrue(lines.size() <= HookOutput.LINES_MAX + 1, lines.size() + " lines");
                assertTrue(String.join("", lines).length() < 2 * HookOutput.BYTES_MAX);
                assertTrue(lines.getLast().matches("dp0: hook data-plane-down prints: .*[0-9]+ more bytes omitted.*"),
                    lines.getLast());
            }
        }
    }

    /** What it left in the background has its output still. */
    @Test
    void shouldNotWaitForWhatAProgramLeavesBehind() throws IOException
    {
        final Path pid = directory.resolve("pid");
        try (HookRunner runner = runner("echo here; sleep 100 & echo $! > " + pid))
        {
            assertEquals(List.of("dp0: hook data-plane-down prints: here"), output(runner));
        }
        finally
        {
            ProcessHandle.of(Long.parseLong(Files.readString(pid).strip())).ifPresent(ProcessHandle::destroyForcibly);
        }
    }

    @Test
    void shouldEndWithTheManager() throws IOException
    {
        final Path pid = directory.resolve("pid");
        final HookRunner runner = runner(
            "sleep 100 & echo $! > " + pid + ".part; mv " + pid + ".part " + pid + "; wait");
        assertTrue(runner.run("dp0", true, "test"));
        until(() -> Files.exists(pid));
        final ProcessHandle process =
            ProcessHandle.of(Long.parseLong(Files.readString(pid).strip())).orElse(null);
        assertNotNull(process);
        final ProcessHandle shell = process.parent().orElseThrow();
        runner.close();
        assertFalse(shell.isAlive(), "the program runs on");
        until(() -> !process.isAlive());
    }
}
