package io.millrace.bindings;

import static io.millrace.testing.Requirement.isOnPath;
import static io.millrace.testing.Requirement.require;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What is committed under {@code bindings/src/generated} is what {@code jextract/generate.sh} writes.
 */
class DriftTest
{
    private static final Path COMMITTED = LayoutTable.ROOT.resolve("bindings/src/generated/java");
    private static final Pattern VERSION = Pattern.compile("int (\\w+_HEADERS_VERSION) = \\(int\\)(\\d+)L;");

    @TempDir
    private Path folder;

    @Test
    void shouldWriteWhatIsCommittedWhenGeneratedAgain() throws Exception
    {
        require(null != System.getenv("JEXTRACT") || isOnPath("jextract"),
            "jextract is neither on PATH nor named in JEXTRACT", "see jextract/README.md");
        generate(folder);

        final Map<Path, String> committed = read(COMMITTED);
        // SPDK is generated where it is installed.
        if (null == System.getenv("SPDK_DIR"))
        {
            committed.keySet().removeIf((path) -> path.getParent().endsWith("spdk"));
        }
        final Map<Path, String> generated = read(folder);
        require(versions(committed).equals(versions(generated)),
            "generated from " + versions(committed) + ", this machine has " + versions(generated),
            "run the test where the headers are those that were read, or generate again");
        assertEquals(committed.keySet(), generated.keySet());
        for (final Map.Entry<Path, String> file : committed.entrySet())
        {
            assertEquals(file.getValue(), generated.get(file.getKey()),
                () -> file.getKey() + " is not what generate.sh writes: run it, or use the jextract of " +
                    "jextract/README.md");
        }
    }

    private void generate(final Path output) throws IOException, InterruptedException
    {
        final Path log = Files.createTempFile("generate", ".log");
        final Process process = new ProcessBuilder(
            LayoutTable.ROOT.resolve("jextract/generate.sh").toString(), "--output", output.toString())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
        final boolean ended = process.waitFor(300, TimeUnit.SECONDS);
        process.destroyForcibly();
        final String text = Files.readString(log);
        Files.delete(log);
        assertTrue(ended && 0 == process.exitValue(), () -> "generate.sh: " + text);
    }

    /** Without comments: they quote the headers, which word a type differently from one patch release to the next. */
    private static Map<Path, String> read(final Path root) throws IOException
    {
        final Map<Path, String> files = new TreeMap<>();
        final List<Path> paths;
        try (Stream<Path> walk = Files.walk(root))
        {
            paths = walk.filter(path -> path.toString().endsWith(".java")).toList();
        }
        for (final Path path : paths)
        {
            try (Stream<String> lines = Files.lines(path))
            {
                files.put(root.relativize(path), lines
                    .filter(line -> !line.stripLeading().startsWith("*") && !line.stripLeading().startsWith("/*"))
                    .collect(Collectors.joining("\n")));
            }
        }
        return files;
    }

    private static Map<String, String> versions(final Map<Path, String> files)
    {
        final Map<String, String> versions = new TreeMap<>();
        for (final String text : files.values())
        {
            final Matcher matcher = VERSION.matcher(text);
            while (matcher.find())
            {
                final int version = Integer.parseInt(matcher.group(2));
                versions.put(matcher.group(1), (version >> 8) + "." + (version & 0xFF));
            }
        }
        return versions;
    }
}
