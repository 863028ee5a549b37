package io.millrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * No test is skipped unseen: {@code Requirement} alone skips, and CI compares what was skipped with a list.
 */
class SkippedTestsTest
{
    private static final Path ROOT = Path.of(System.getProperty("millrace.root")).toAbsolutePath().normalize();
    /** What JUnit and jqwik skip tests with. */
    private static final Pattern SKIPPING = Pattern.compile(
        "\\bAssumptions\\b|\\bTestAborted|@Disabled|\\bapi\\.condition\\b|\\bExecutionCondition\\b|" +
            "net\\.jqwik\\.api\\.Assume");
    private static final Set<String> ALLOWED =
        Set.of("Requirement.java", "RequirementTest.java", "LabCondition.java", "SkippedTestsTest.java");

    @TempDir
    private Path directory;

    @Test
    void shouldSkipByRequirementAlone() throws IOException
    {
        final List<Path> sources = testSources();
        assertTrue(sources.size() > 300, () -> "sources are not found: " + sources.size());
        final Set<String> others = new TreeSet<>();
        for (final Path source : sources)
        {
            final String name = source.getFileName().toString();
            if (!ALLOWED.contains(name) && SKIPPING.matcher(Files.readString(source)).find())
            {
                others.add(name);
            }
        }
        assertEquals(Set.of(), others, "skip tests themselves: use io.millrace.testing.Requirement");
    }

    @Test
    void shouldListTestsThatExistWithTheirReason() throws IOException
    {
        final Set<String> tests = new TreeSet<>();
        final List<Path> sources = testSources();
        for (final String line : Files.readAllLines(ROOT.resolve(".ci/skips")))
        {
            if (!line.startsWith("#"))
            {
                final String[] words = line.split("[# ]", 3);
                assertEquals(3, words.length, line);
                final String file = words[0].replace('.', '/') + ".java";
                assertTrue(tests.add(words[0] + "#" + words[1]), () -> "twice: " + line);
                final Path source = sources.stream().filter((each) -> each.endsWith(file)).findFirst().orElseThrow();
                assertTrue(Files.readString(source).contains("void " + words[1] + "("), line);
            }
        }
    }

    @Test
    void shouldReportTheSlowestClassesAndAcceptWhatIsListed() throws Exception
    {
        final StringBuilder eleven = new StringBuilder();
        for (int i = 1; i <= 11; i++)
        {
            suite("a", "io.millrace.Slow" + i + "Test", 1000 + i, "shouldRun", "");
        }
        suite("b/c", "io.millrace.OtherTest", 0.1, "shouldPass(int)[1]", skipped("Assumption failed: no scope"));
        final Run run = report("io.millrace.OtherTest#shouldPass has no scope");
        for (int i = 11; i > 1; i--)
        {
            eleven.append("  %d.0 s  io.millrace.Slow%dTest  (a)%n".formatted(1000 + i, i));
        }
        assertTrue(run.output.contains("The slowest of 12 test classes\n" + eleven + "All test classes of a module"),
            run.output);
        assertTrue(run.output.contains(" 11066.0 s  a\n"), run.output);
        assertTrue(run.output.endsWith(
            "1 of 12 tests were skipped\n  io.millrace.OtherTest#shouldPass: no scope\n" +
                "0 tests failed and passed when they ran again\n"), run.output);
        assertEquals(0, run.status);
    }

    @Test
    void shouldFailWhenAnotherTestIsSkippedOrAListedOneIsNot() throws Exception
    {
        suite("a", "io.millrace.ATest", 1, "shouldRun", skipped("no scope"));
        suite("b/c", "io.millrace.BTest", 1, "shouldRun", "");
        final Run run = report("# BTest too", "io.millrace.BTest#shouldRun has no scope", "io.millrace.CTest#x is not");
        assertTrue(run.output.endsWith("""
            io.millrace.ATest#shouldRun was skipped, and .ci/skips does not list it
            io.millrace.BTest#shouldRun was run: remove it from .ci/skips
            io.millrace.CTest#x of .ci/skips was neither run nor skipped
            """), run.output);
        assertEquals(1, run.status);
    }

    @Test
    void shouldLeaveOutReportsOfFormerRuns() throws Exception
    {
        suite("a", "io.millrace.ATest", 1, "shouldRun", skipped("no scope"));
        final Path report = directory.resolve("a/target/surefire-reports/TEST-io.millrace.ATest.xml");
        Files.setLastModifiedTime(report, FileTime.fromMillis(1));
        final Run run = report();
        assertTrue(run.output.contains("The slowest of 0 test classes\n"), run.output);
        assertEquals(0, run.status);
    }

    @Test
    void shouldListWhatPassedWhenItRanAgainAndFailWhenThatIsMoreThanTwo() throws Exception
    {
        suite("a", "io.millrace.ATest", 1, "shouldRun", flaky("Failure", "message=\"too late&#10;by much\""));
        suite("b/c", "io.millrace.BTest", 1, "shouldRun", flaky("Error", "type=\"java.lang.AssertionError\""));
        final Run two = report();
        assertTrue(two.output.endsWith("""
            2 tests failed and passed when they ran again: each is a defect, of the test or of what it tests
              io.millrace.ATest#shouldRun: too late
              io.millrace.BTest#shouldRun: java.lang.AssertionError
            """), two.output);
        assertEquals(0, two.status);
        suite("b/c", "io.millrace.CTest", 1, "shouldRun", flaky("Failure", "message=\"\""));
        final Run three = report();
        assertTrue(three.output.endsWith("3 tests passed only when they ran again, more than 2\n"), three.output);
        assertEquals(1, three.status);
    }

    private static String flaky(final String kind, final String attributes)
    {
        return "<flaky%1$s %2$s><stackTrace>at io.millrace.ATest</stackTrace></flaky%1$s>".formatted(kind, attributes);
    }

    private static List<Path> testSources() throws IOException
    {
        final List<Path> sources = new ArrayList<>();
        for (final String module : List.of("bindings", "dataplane", "control", "perf"))
        {
            try (Stream<Path> files = Files.walk(ROOT.resolve(module), FileVisitOption.FOLLOW_LINKS))
            {
                files.filter((file) -> file.toString().contains("/src/test/java/") && file.toString().endsWith(".java"))
                    .forEach(sources::add);
            }
        }
        return sources;
    }

    private void suite(
        final String module, final String name, final double seconds, final String test, final String content)
        throws IOException
    {
        final Path reports = Files.createDirectories(directory.resolve(module).resolve("target/surefire-reports"));
        Files.writeString(reports.resolve("TEST-" + name + ".xml"), """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuite name="%1$s" time="%2$,.3f" tests="1">
              <properties><property name="a" value="b"/></properties>
              <testcase name="%3$s" classname="%1$s" time="0.1">%4$s</testcase>
            </testsuite>
            """.formatted(name, seconds, test, content));
    }

    private static String skipped(final String reason)
    {
        return "<skipped type=\"org.opentest4j.TestAbortedException\"><![CDATA[org.opentest4j.TestAbortedException: " +
            reason + "\n\tat io.millrace.ATest.shouldRun(ATest.java:35)]]></skipped>";
    }

    private record Run(int status, String output)
    {
    }

    private Run report(final String... skips) throws IOException, InterruptedException
    {
        Files.write(Files.createDirectories(directory.resolve(".ci")).resolve("skips"), List.of(skips));
        Files.writeString(directory.resolve("pom.xml"), "  <module>a</module>\n  <module>b/c</module>\n");
        final Path started = Files.write(directory.resolve("started"), new byte[0]);
        Files.setLastModifiedTime(started, FileTime.fromMillis(
            System.currentTimeMillis() - TimeUnit.MINUTES.toMillis(10)));
        final Process process = new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "--source", "25",
            ROOT.resolve(".ci/report").toString(), directory.toString(), started.toString())
            .redirectErrorStream(true).start();
        final String output = new String(process.getInputStream().readAllBytes());
        return new Run(process.waitFor(), output);
    }
}
