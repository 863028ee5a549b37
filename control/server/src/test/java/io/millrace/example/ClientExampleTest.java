package io.millrace.example;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.agent.AgentFixture;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example runs against a data plane, and README and package documentation show what runs. */
class ClientExampleTest
{
    private static final Path ROOT = Path.of(System.getProperty("millrace.root"));
    private static final Path SOURCE =
        ROOT.resolve("control/server/src/test/java/io/millrace/example/ClientExample.java");

    /** What is between its two marks, without the indentation. */
    private static String example() throws IOException
    {
        final String source = Files.readString(SOURCE);
        final int begin = source.indexOf("// example\n") + "// example\n".length();
        return source.substring(begin, source.indexOf("        // end\n")).stripTrailing().stripIndent() + "\n";
    }

    @Test
    void shouldMakeAVolumeListItAndPrintEvents(@TempDir final Path directory)
    {
        final PrintStream standard = System.out;
        final ByteArrayOutputStream printed = new ByteArrayOutputStream();
        try (AgentFixture fixture = AgentFixture.ipc(directory))
        {
            System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
            ClientExample.main(fixture.settings().directory().toString());
        }
        finally
        {
            System.setOut(standard);
        }
        final String text = printed.toString(StandardCharsets.UTF_8);
        assertTrue(text.contains("CREATED DEVICE mem0\n"), text);
        assertTrue(text.contains("serving [NamespaceInfo[nqn=nqn.2026-11.io.example:volume, nsid=1,"), text);
    }

    @Test
    void shouldBeWhatTheReadmeShows() throws IOException
    {
        final String readme = Files.readString(ROOT.resolve("README.md"));
        assertTrue(readme.contains("```java\n" + example() + "```\n"), () -> "README.md shows:\n" + readme);
    }

    @Test
    void shouldBeWhatThePackageDocumentationShows() throws IOException
    {
        final String documentation = Files.readString(
            ROOT.resolve("control/client/src/main/java/io/millrace/control/client/package-info.java"));
        final String expected = " * <pre>{@code\n" + example().lines().map((line) -> " * " + line + "\n")
            .collect(Collectors.joining()) + " * }</pre>\n";
        assertTrue(documentation.contains(expected), () -> "the package documentation shows:\n" + documentation);
    }
}
