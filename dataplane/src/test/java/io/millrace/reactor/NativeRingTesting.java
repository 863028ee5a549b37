package io.millrace.reactor;

import static io.millrace.testing.Requirement.requireProgram;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeLibrary;
import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Native code for the tests of rings, made by the C compiler of this machine.
 */
final class NativeRingTesting
{
    static final Path RING = Path.of(System.getProperty("millrace.root"), "native/ring");

    private static final List<String> FUNCTIONS =
        List.of("echo_start", "echo_thread_id", "echo_sleeps", "echo_cpu_ns", "echo_join", "flood_run");

    private NativeRingTesting()
    {
    }

    static List<String> run(final Path folder, final String... command) throws IOException, InterruptedException
    {
        final Path output = folder.resolve("output.txt");
        final Process process = new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
        final boolean ended = process.waitFor(120, TimeUnit.SECONDS);
        process.destroyForcibly();
        final String text = Files.readString(output, StandardCharsets.UTF_8);
        assertTrue(ended && 0 == process.exitValue(), () -> String.join(" ", command) + ": " + text);
        return text.lines().toList();
    }

    static NativeCode nativeCode(final Path folder) throws IOException, InterruptedException
    {
        requireProgram("cc", "gcc");
        final Path file = folder.resolve("libmillrace_ring_echo.so");
        run(folder, "cc", "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-pthread", "-shared", "-fPIC",
            "-o", file.toString(), RING.resolve("test/echo.c").toString());
        final NativeLibrary library =
            NativeLibrary.probe("ring echo", "look at what the compiler says", List.of(file.toString()), FUNCTIONS);
        assertTrue(library.capability().isAvailable(), library.capability()::toString);
        return new NativeCode(library);
    }

    /** The functions of {@code native/ring/test/echo.c}. */
    static final class NativeCode
    {
        private final MethodHandle start;
        private final MethodHandle threadId;
        private final MethodHandle sleeps;
        private final MethodHandle cpuNs;
        private final MethodHandle join;
        private final MethodHandle flood;

        private NativeCode(final NativeLibrary library)
        {
            start = library.link("echo_start", FunctionDescriptor.of(
                JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT));
            threadId = library.link("echo_thread_id", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
            sleeps = library.link("echo_sleeps", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
            cpuNs = library.link("echo_cpu_ns", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
            join = library.link("echo_join", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
            flood = library.link("flood_run",
                FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT));
        }

        /** Answers a handle, or what refused, from -8 to 1. */
        long startEcho(final NativeRing ring, final long seed, final long spins, final long pauseInterval)
        {
            return startEcho(ring.address(), ring.lengthBytes(), seed, spins, pauseInterval);
        }

        long startEcho(
            final long address, final long lengthBytes, final long seed, final long spins, final long pauseInterval)
        {
            return (long)call(() ->
                (long)start.invokeExact(address, lengthBytes, seed, spins, pauseInterval, -1));
        }

        int threadId(final long echo)
        {
            return (int)call(() -> (int)threadId.invokeExact(echo));
        }

        long sleeps(final long echo)
        {
            return (long)call(() -> (long)sleeps.invokeExact(echo));
        }

        long cpuNs(final long echo)
        {
            return (long)call(() -> (long)cpuNs.invokeExact(echo));
        }

        long join(final long echo)
        {
            return (long)call(() -> (long)join.invokeExact(echo));
        }

        int flood(final NativeRing ring, final long seed, final int threads, final int count)
        {
            return (int)call(() -> (int)flood.invokeExact(ring.address(), ring.lengthBytes(), seed, threads, count));
        }

        private static Object call(final Call call)
        {
            try
            {
                return call.run();
            }
            catch (final Throwable t)
            {
                throw new AssertionError(t);
            }
        }

        @FunctionalInterface
        private interface Call
        {
            Object run() throws Throwable;
        }
    }
}
