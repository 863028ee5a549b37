package io.millrace.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What {@code config/check-test-names} says of the names that {@code -Dtest} is given: of this class.
 */
final class TestNamesTest
{
    private static final Path ROOT = Path.of(System.getProperty("millrace.root", ".")).toAbsolutePath().normalize();

    @ParameterizedTest
    @ValueSource(strings = {"TestNamesTest", "TestNames*", "Otther*Test", "io.millrace.testing.TestNamesTest",
        "TestNamesTest.java", "TestNamesTest#shouldSayWhichClassIsMissing", "TestNamesTest#should*",
        "TestNamesTest, !Other*", "NONE",
        "TestNamesTest#shouldSayWhichClassIsMissing+shouldKnow*"})
    void shouldKnowWhatThereIs(final String names) throws Exception
    {
        assertEquals("", check(names));
    }

    @ParameterizedTest
    @ValueSource(strings = {"TestNamesTset", "io.millrace.other.TestNamesTest"})
    void shouldSayWhichClassIsMissing(final String name) throws Exception
    {
        assertEquals("-Dtest: there is no test class " + name + "\n", check(name));
        assertEquals("-Dtest: there is no test class " + name + "\n", check("TestNamesTest," + name));
    }

    @Test
    void shouldSayWhichMethodIsMissing() throws Exception
    {
        // Its name must not be in this file as a whole.
        final String name = "TestNamesTest#should" + "BeMissing";
        assertEquals("-Dtest: there is no test method " + name + "\n", check(name));
    }

    private static String check(final String names) throws Exception
    {
        final Process check =
            new ProcessBuilder(ROOT.resolve("config/check-test-names").toString(), ROOT.toString(), names)
                .redirectErrorStream(true).start();
        final String said = new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(said.isEmpty() ? 0 : 1, check.waitFor(), said);
        return said;
    }
}
