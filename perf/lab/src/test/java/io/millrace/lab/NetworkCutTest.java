package io.millrace.lab;

import static io.millrace.testing.Requirement.require;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A manager that is cut off from its data plane: processes in networks of their own, with a link between them, and a
 * host of the data plane that verifies what it wrote. In namespaces of this host: an emulated one is too slow for
 * three JVMs that have to tell a cut from a pause. Skipped with the reason where users may not make any, failed
 * instead when the environment says {@code CI=true}.
 */
@Tag("lab")
final class NetworkCutTest
{
    private static final String SCRIPT = "network-cut.sh";
    /** Nothing of the host is there. */
    private static final String DIRECTORY = "/run/cut";
    private static final long LIMIT_SECONDS = 300;
    private static final List<String> NAMESPACES = List.of(
        "unshare", "--user", "--map-root-user", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc");

    private static boolean hasNamespaces() throws InterruptedException
    {
        try
        {
            return 0 == inNamespaces(
                "ip link add plane0 type veth peer name manager0 && mount -t tmpfs tmpfs /run").start().waitFor();
        }
        catch (final IOException e)
        {
            return false;
        }
    }

    private static ProcessBuilder inNamespaces(final String... shell)
    {
        final List<String> command = new ArrayList<>(NAMESPACES);
        command.addAll(List.of("bash", "-c"));
        command.addAll(List.of(shell));
        return new ProcessBuilder(command);
    }

    private static String run(final String jvm) throws IOException, InterruptedException
    {
        final Path log = Lab.directory("network-cut").resolve("output.log");
        // Its own /run holds what it makes, and the names of networks.
        final Process process = inNamespaces("mount -t tmpfs tmpfs /run && exec bash \"$@\"", "bash",
            Lab.root().resolve("perf/lab/src/test/guest").resolve(SCRIPT).toString(), jvm, TargetProcess.NQN,
            DIRECTORY).redirectErrorStream(true).redirectOutput(log.toFile()).start();
        try
        {
            assertTrue(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS), () -> "still runs: " + log);
        }
        finally
        {
            process.destroyForcibly();
        }
        final String output = Files.readString(log, StandardCharsets.UTF_8);
        assertEquals(0, process.exitValue(), output);
        return output;
    }

    @Test
    void shouldBeWhatItShouldBeWhenTheLinkIsBack() throws Exception
    {
        final List<String> command = TargetProcess.command("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");
        command.removeLast();
        final String jvm = String.join(" ", command);
        require(hasNamespaces(), "users may not make network namespaces (unshare --user --net), or ip is missing",
            "sysctl kernel.unprivileged_userns_clone=1; apt-get install iproute2");
        final String output = run(jvm);
        for (final String step : List.of("networks", "processes", "cut", "load"))
        {
            assertTrue(output.contains("STEP " + step + " ok"), output);
        }
        output.lines().filter((line) -> line.startsWith("CUT ")).forEach(System.out::println);
    }
}
