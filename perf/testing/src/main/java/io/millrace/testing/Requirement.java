package io.millrace.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/**
 * What a test needs and a machine may lack: a program, a second CPU, root. The test is skipped with the reason and the
 * remedy, and fails instead where the environment says {@code CI=true} and {@code .ci/skips} does not list it. No test
 * is skipped in another way.
 */
public final class Requirement
{
    private static final Path SKIPS = Path.of(System.getProperty("millrace.root", "."), ".ci", "skips");

    private Requirement()
    {
    }

    /**
     * Ends the running test unless a requirement is met.
     *
     * @param isMet   whether the machine has what the test needs.
     * @param missing what the machine lacks, as a clause.
     * @param remedy  what to do about it, such as a command.
     */
    public static void require(final boolean isMet, final String missing, final String remedy)
    {
        if (!isMet)
        {
            end("true".equals(System.getenv("CI")), SKIPS, missing + ": " + remedy);
        }
    }

    /**
     * Ends the running test unless a program is on {@code PATH}.
     *
     * @param program       to find.
     * @param debianPackage that has it.
     */
    public static void requireProgram(final String program, final String debianPackage)
    {
        require(isOnPath(program), "there is no " + program, "apt-get install " + debianPackage);
    }

    /** Ends the running test unless it runs as root, who alone gives files to other users. */
    public static void requireRoot()
    {
        require("root".equals(System.getProperty("user.name")), "only root gives files away", "run the test as root");
    }

    /**
     * Ends the running test on a machine with fewer CPUs.
     *
     * @param available CPUs on which the caller may run.
     * @param needed    by the test.
     */
    public static void requireCpus(final int available, final int needed)
    {
        require(available >= needed, available + " of " + needed + " CPUs", "allow more with taskset or the cgroup");
    }

    /**
     * Whether a program is on {@code PATH}.
     *
     * @param program to find.
     * @return whether some directory of {@code PATH} has it.
     */
    public static boolean isOnPath(final String program)
    {
        return Stream.of(System.getenv("PATH").split(":"))
            .anyMatch((directory) -> Files.isExecutable(Path.of(directory, program)));
    }

    static void end(final boolean isCi, final Path skips, final String reason)
    {
        if (isCi && !isListed(skips))
        {
            Assertions.fail("CI=true, and " + reason);
        }
        Assumptions.abort(reason);
    }

    /** Whether the test that calls is in the list: {@code class#method reason}. */
    private static boolean isListed(final Path skips)
    {
        try (Stream<String> lines = Files.lines(skips))
        {
            final Set<String> tests = lines.map((line) -> line.split(" ", 2)[0]).collect(Collectors.toSet());
            return StackWalker.getInstance().walk((frames) -> frames.anyMatch(
                (frame) -> tests.contains(frame.getClassName() + "#" + frame.getMethodName())));
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }
}
