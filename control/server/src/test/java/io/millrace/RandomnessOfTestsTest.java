package io.millrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests take random numbers from {@code io.millrace.seed.TestSeeds} only, so that each failure can be repeated.
 */
class RandomnessOfTestsTest
{
    private static final Path ROOT = Path.of(System.getProperty("millrace.root")).toAbsolutePath().normalize();
    private static final Pattern OWN_RANDOMNESS =
        Pattern.compile("new (Splittable)?Random\\(|ThreadLocalRandom\\.|Math\\.random\\(|RandomGenerator\\.|" +
            "(?i:seed) = System\\.|getLong\\(\"[a-z.]*seed");
    /** The source itself, this test, and those that choose a free port, which no seed can promise. */
    private static final Set<String> ALLOWED =
        Set.of("TestSeeds", "RandomnessOfTestsTest", "FreePorts", "Ports", "ControlFixture");

    @Test
    void shouldComeFromTheSeedOfTheRun() throws IOException
    {
        final List<String> offences = new ArrayList<>();
        int files = 0;
        for (final Path file : testSources())
        {
            files++;
            final List<String> lines = Files.readAllLines(file);
            for (int i = 0; i < lines.size(); i++)
            {
                final String name = file.getFileName().toString().replace(".java", "");
                if (OWN_RANDOMNESS.matcher(lines.get(i)).find() && !ALLOWED.contains(name))
                {
                    offences.add(ROOT.relativize(file) + ":" + (i + 1) + ": " + lines.get(i).strip());
                }
            }
        }
        assertTrue(files > 300, files + " sources of tests");
        assertEquals(List.of(), offences, "take it from TestSeeds.random(), random(part) or fixed(seed)");
    }

    private static List<Path> testSources() throws IOException
    {
        try (Stream<Path> all = Files.walk(ROOT))
        {
            return all.filter((file) -> ROOT.relativize(file).toString().matches(".*src/test/java/.*\\.java")).toList();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "bindings", "dataplane", "messaging", "control/client", "control/server", "perf/load", "perf/lab"})
    void shouldNameTheSeedInFailuresOfEachModule(final String module) throws IOException
    {
        // The services and the properties that register what names it are in that module's jar.
        assertTrue(Files.readString(ROOT.resolve(module).resolve("pom.xml"))
            .contains("<artifactId>millrace-testing</artifactId>"));
        assertFalse(Files.exists(ROOT.resolve(module).resolve("src/test/resources/junit-platform.properties")));
    }
}
