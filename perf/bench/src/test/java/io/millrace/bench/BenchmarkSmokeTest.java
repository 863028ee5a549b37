package io.millrace.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.millrace.testing.Requirement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs every bench for a moment, in this process: it must still run. The numbers mean nothing.
 */
class BenchmarkSmokeTest
{
    @Test
    void shouldRunEveryBenchWithoutError() throws RunnerException, IOException
    {
        final Collection<RunResult> results = run("io\\.millrace\\.bench\\..*");
        final Set<String> ran = results.stream()
            .map((result) -> result.getParams().getBenchmark().replaceAll("\\.\\w+$", "").replaceAll(".*\\.", ""))
            .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(benchClasses(), ran);
        for (final RunResult result : results)
        {
            assertFalse(Double.isNaN(result.getPrimaryResult().getScore()), result.getParams().getBenchmark());
        }
    }

    @Test
    void shouldRunTheBenchmarksOfQueuePairsWithoutError() throws RunnerException
    {
        Requirement.requireProgram("cc", "gcc");
        assertEquals(3, run("io\\.millrace\\.rdma\\..*QueuePairBenchmark.*").size());
        // Two ways, three batches.
        assertEquals(6, run("io\\.millrace\\.rdma\\..*ExtendedSendBenchmark.*").size());
    }

    private static Collection<RunResult> run(final String benchmarks) throws RunnerException
    {
        // Another run of JMH on the machine disturbs numbers, not this.
        System.setProperty("jmh.ignoreLock", "true");
        return new Runner(new OptionsBuilder()
            .include(benchmarks)
            .forks(0)
            .warmupIterations(0)
            .measurementIterations(1)
            .measurementTime(TimeValue.milliseconds(20))
            .shouldFailOnError(true)
            .verbosity(VerboseMode.SILENT)
            .build()).run();
    }

    private static Set<String> benchClasses() throws IOException
    {
        try (Stream<Path> files = Files.list(Path.of("src/main/java/io/millrace/bench")))
        {
            return files.map((file) -> file.getFileName().toString())
                .filter((name) -> name.endsWith("Benchmark.java"))
                .map((name) -> name.replace(".java", ""))
                .collect(Collectors.toCollection(TreeSet::new));
        }
    }
}
