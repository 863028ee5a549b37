package io.millrace.perf.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.fault.FaultPlan;
import io.millrace.block.fault.FaultRule;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.nvmf.initiator.InitiatorException;
import io.millrace.testing.MeasuresTime;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@MeasuresTime
class LoadGeneratorTest
{
    private static LoadReport run(final LoadConfig config)
    {
        try (LoadGenerator generator = new LoadGenerator(config))
        {
            return generator.run();
        }
    }

    private static LoadTarget faulty(final FaultRule rule)
    {
        return new LoadTarget(LoadTarget.memory(),
            DeviceConfig.fault("fault0", "mem0", new FaultPlan(1, List.of(rule))));
    }

    private static void until(final String what, final BooleanSupplier condition)
    {
        final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!condition.getAsBoolean())
        {
            assertTrue(System.nanoTime() - deadlineNs < 0, () -> "waited in vain for " + what);
            LockSupport.parkNanos(1_000_000);
        }
    }

    @ParameterizedTest
    @EnumSource(LoadPattern.class)
    void shouldCountAndTimeEveryPattern(final LoadPattern pattern)
    {
        try (LoadTarget target = new LoadTarget(LoadTarget.memory()))
        {
            final LoadReport report = run(target.load().pattern(pattern).queues(8, 2).build());
            assertTrue(report.isPassed(), report.failures().toString());
            assertEquals(pattern.readPercentDefault() > 0, report.read().operations() > 0);
            assertEquals(pattern.readPercentDefault() < 100, report.write().operations() > 0);
            assertEquals(report.read().operations() + report.write().operations(), report.total().operations());
            assertEquals(report.total().operations() + report.unfinished(),
                report.total().latencyNs().getTotalCount());
            assertTrue(report.elapsedNs() >= TimeUnit.MILLISECONDS.toNanos(200));
            assertEquals(report.total().operations(), report.total().operationsPerSecond() * report.elapsedNs() / 1e9,
                report.total().operations() * 0.1);
            assertTrue(report.total().latencyUs(50) > 0);
            assertTrue(report.total().latencyUsMax() >= report.total().latencyUs(99));
        }
    }

    @Test
    void shouldCountWhatIsOutstandingAtTheEndWithTheTimeItTakes()
    {
        final long delayNs = TimeUnit.MILLISECONDS.toNanos(1_500);
        try (LoadTarget target = faulty(FaultRule.delay(delayNs)))
        {
            final LoadReport report = run(target.load().warmUpMs(0).durationMs(300).queues(8, 2).build());
            assertEquals(0, report.total().operations());
            assertEquals(16, report.unfinished());
            assertEquals(16, report.read().latencyNs().getTotalCount());
            assertTrue(report.read().latencyUs(50) > 1_490_000, "median " + report.read().latencyUs(50));
            assertTrue(report.longestStallNs() > delayNs * 99 / 100, "stall " + report.longestStallNs());
        }
    }

    @Test
    void shouldShowAStallWhileItLastsAndCountItWhenTheLoadIsStopped()
    {
        try (LoadTarget target = faulty(FaultRule.hang());
            LoadGenerator generator = new LoadGenerator(
                target.load().warmUpMs(0).durationMs(3_600_000).queues(8, 1).build()))
        {
            final CompletableFuture<LoadReport> running = CompletableFuture.supplyAsync(generator::run);
            until("the stall to show", () -> generator.progress().quietNs() > 700_000_000L);
            assertEquals(8, generator.progress().outstanding());
            assertEquals(0, generator.progress().operations());
            generator.stop();
            final LoadReport report = running.orTimeout(20, TimeUnit.SECONDS).join();
            assertEquals(8, report.unfinished());
            assertEquals(8, report.read().latencyNs().getTotalCount());
            assertTrue(report.read().latencyUsMax() > 700_000, "max " + report.read().latencyUsMax());
            assertTrue(report.longestStallNs() > 700_000_000L, "stall " + report.longestStallNs());
        }
    }

    @Test
    void shouldTimeWhatHadNoSlotFromItsPlannedMomentWhenNothingCompletes()
    {
        final int rate = 200;
        try (LoadTarget target = faulty(FaultRule.delay(TimeUnit.MILLISECONDS.toNanos(800))))
        {
            final LoadReport report = run(target.load().ratePerSecond(rate).warmUpMs(0).durationMs(500).queues(1, 1)
                .build());
            assertEquals(0, report.total().operations());
            // One was sent; the others of half a second had no slot, and their median waited a quarter of a second.
            assertTrue(report.unfinished() >= rate / 2 * 9 / 10, "unfinished " + report.unfinished());
            assertEquals(report.unfinished(), report.total().latencyNs().getTotalCount());
            assertTrue(report.total().latencyUs(50) > 200_000, "median " + report.total().latencyUs(50));
        }
    }

    @Test
    void shouldFindDataOnlyWhereAPatternWouldOverwriteIt()
    {
        try (LoadTarget target = new LoadTarget(LoadTarget.memory()))
        {
            try (LoadGenerator empty = new LoadGenerator(target.load().pattern(LoadPattern.RANDRW).build()))
            {
                assertEquals(Optional.empty(), empty.findData());
            }
            run(target.load().pattern(LoadPattern.WRITE).regionBytes(LoadConfig.SIZE_BYTES_DEFAULT).build());
            for (final LoadPattern pattern : LoadPattern.values())
            {
                try (LoadGenerator generator = new LoadGenerator(target.load().pattern(pattern).build()))
                {
                    assertEquals(pattern.readPercentDefault() < 100, generator.findData().isPresent());
                }
            }
        }
    }

    @Test
    void shouldTreatBlocksThatCannotBeReadAsData()
    {
        try (LoadTarget target = faulty(FaultRule.error(BlockStatus.MEDIA_ERROR));
            LoadGenerator generator = new LoadGenerator(target.load().pattern(LoadPattern.WRITE).build()))
        {
            final String found = generator.findData().orElseThrow();
            assertTrue(found.contains("block 0 cannot be read"), found);
        }
    }

    @ParameterizedTest
    @CsvSource({"RANDREAD, 4096", "READ, 65536"})
    void shouldVerifyByReadingAloneWhatAVerifiedWriteLeft(final LoadPattern pattern, final int sizeBytes)
    {
        try (LoadTarget target = new LoadTarget(LoadTarget.memory()))
        {
            final LoadConfig read = target.load().pattern(pattern).sizeBytes(sizeBytes).verify(true).seed(7).build();
            final String refused = assertThrows(LoadException.class, () -> run(read)).getMessage();
            assertTrue(refused.contains("holds nothing that a verified load wrote"), refused);
            run(target.load().pattern(LoadPattern.WRITE).verify(true).operationCount(1024).durationMs(0).build());
            final LoadReport report = run(read);
            assertTrue(report.isPassed(), report.failures().toString());
            assertTrue(report.verifiedBlocks() > 0);
            assertEquals(0, report.write().operations());
            run(target.load().pattern(LoadPattern.WRITE).warmUpMs(0).operationCount(64).durationMs(0).build());
            final LoadReport overwritten = run(read);
            assertTrue(overwritten.unmarkedBlocks() > 0);
            assertTrue(overwritten.failures().getFirst().contains("lack the mark of a verified write"),
                overwritten.failures().toString());
        }
    }

    @ParameterizedTest
    @CsvSource({"RANDWRITE, 4096", "WRITE, 65536", "RANDRW, 8192"})
    void shouldVerifyWhatItWrote(final LoadPattern pattern, final int sizeBytes)
    {
        try (LoadTarget target = new LoadTarget(LoadTarget.memory()))
        {
            final LoadReport report = run(target.load().pattern(pattern).sizeBytes(sizeBytes).queues(8, 2)
                .verify(true).digests(true, true).build());
            assertTrue(report.isPassed(), report.failures().toString());
            assertTrue(report.verifiedBlocks() > 0);
            assertEquals(0, report.verifyFailures());
        }
    }

    @Test
    void shouldFailWhenADeviceLosesWrites()
    {
        try (LoadTarget target = faulty(new FaultRule(io.millrace.block.fault.FaultEffect.LOST_WRITE,
            Set.of(BlockOperation.WRITE), 0, Long.MAX_VALUE, BlockStatus.SUCCESS, 0, 1, 0.2, 0)))
        {
            final LoadReport report = run(target.load().pattern(LoadPattern.RANDWRITE).verify(true).build());
            assertFalse(report.isPassed());
            assertTrue(report.verifyFailures() > 0);
            assertTrue(report.failures().stream().anyMatch((line) -> line.contains("do not hold what was written")),
                report.failures().toString());
        }
    }

    @Test
    void shouldFailWhenADeviceTearsWrites()
    {
        try (LoadTarget target = faulty(new FaultRule(io.millrace.block.fault.FaultEffect.TORN_WRITE,
            Set.of(BlockOperation.WRITE), 0, Long.MAX_VALUE, BlockStatus.SUCCESS, 0, 1, 0.2, 0)))
        {
            final LoadReport report =
                run(target.load().pattern(LoadPattern.RANDRW).sizeBytes(16384).verify(true).build());
            assertFalse(report.isPassed());
            assertTrue(report.verifyFailures() > 0);
        }
    }

    @Test
    void shouldCountErrorsByStatusAndGoOn()
    {
        try (LoadTarget target = faulty(new FaultRule(io.millrace.block.fault.FaultEffect.ERROR,
            Set.of(BlockOperation.READ), 0, Long.MAX_VALUE, BlockStatus.MEDIA_ERROR, 0, 10, 1, 0)))
        {
            final LoadReport report = run(target.load().build());
            assertFalse(report.isPassed());
            assertTrue(report.errors() > 0);
            assertTrue(report.read().operations() > report.errors());
            assertTrue(report.failures().get(1).contains("times status 0x281, first read of block"),
                report.failures().toString());
        }
    }

    @Test
    void shouldKeepAFixedRate()
    {
        final int rate = 400;
        try (LoadTarget target = new LoadTarget(LoadTarget.memory()))
        {
            // A machine that is busy with something else may well miss a rate, but not every time.
            LoadReport report = null;
            for (int i = 0; i < 5 && (null == report || !report.isPassed()); i++)
            {
                report = run(target.load().ratePerSecond(rate).durationMs(600).queues(8, 2).build());
                assertTrue(report.total().operationsPerSecond() < rate * 1.1, "faster than asked for");
            }
            assertTrue(report.isPassed(), report.failures().toString());
            assertTrue(report.total().operationsPerSecond() > rate * 0.8);
        }
    }

    @Test
    void shouldFailAndTimeFromThePlannedMomentWhenTheRateIsMissed()
    {
        final long delayNs = TimeUnit.MILLISECONDS.toNanos(20);
        try (LoadTarget target = faulty(FaultRule.delay(delayNs)))
        {
            final LoadReport report = run(target.load().ratePerSecond(2000).durationMs(500).queues(1, 1).build());
            assertFalse(report.isPassed());
            assertTrue(report.failures().getFirst().contains("rate of 2000 operations a second"),
                report.failures().toString());
            // A command takes 20 ms and one is due every half millisecond, so the last ones wait for most of the run.
            assertTrue(report.total().latencyUsMax() > 300_000, "max " + report.total().latencyUsMax());
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 1000", "50, 1003"})
    void shouldEndAfterTheCountOfOperations(final long warmUpMs, final long count)
    {
        try (LoadTarget target = new LoadTarget(LoadTarget.memory()))
        {
            final LoadReport report = run(target.load().warmUpMs(warmUpMs).durationMs(0).operationCount(count)
                .queues(8, 3).build());
            assertTrue(report.isPassed(), report.failures().toString());
            assertEquals(count, report.total().operations());
        }
    }

    @Test
    void shouldTellHowFarItHasComeAndStopWhenAsked()
    {
        try (LoadTarget target = new LoadTarget(LoadTarget.memory());
            LoadGenerator generator = new LoadGenerator(target.load().durationMs(3_600_000).build()))
        {
            final CompletableFuture<LoadReport> report = CompletableFuture.supplyAsync(generator::run);
            final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            LoadProgress progress = generator.progress();
            while (LoadPhase.MEASURE != progress.phase() || progress.operations() < 100)
            {
                assertTrue(System.nanoTime() - deadlineNs < 0, "no progress: " + progress);
                LockSupport.parkNanos(1_000_000);
                progress = generator.progress();
            }
            assertEquals(progress.operations() * LoadConfig.SIZE_BYTES_DEFAULT, progress.bytes());
            assertTrue(progress.connected());
            generator.stop();
            assertTrue(report.orTimeout(20, TimeUnit.SECONDS).join().isPassed());
            assertEquals(LoadPhase.DONE, generator.progress().phase());
        }
    }

    @Test
    void shouldLogTheLatenciesOfEachSecond(@TempDir final Path directory) throws IOException
    {
        final Path file = directory.resolve("latency.hlog");
        try (LoadTarget target = new LoadTarget(LoadTarget.memory());
            LoadGenerator generator = new LoadGenerator(
                target.load().pattern(LoadPattern.RANDRW).durationMs(2_500).build()))
        {
            final LoadReport report;
            try (LatencyLog log = LatencyLog.open(file))
            {
                report = generator.run(log);
            }
            final Histogram reads = new Histogram(LoadWorker.LATENCY_NS_MAX, 3);
            final Histogram writes = new Histogram(LoadWorker.LATENCY_NS_MAX, 3);
            final List<Histogram> intervals = new ArrayList<>();
            try (HistogramLogReader reader = new HistogramLogReader(file.toFile()))
            {
                Histogram next = (Histogram)reader.nextIntervalHistogram();
                while (null != next)
                {
                    ("read".equals(next.getTag()) ? reads : writes).add(next);
                    intervals.add(next);
                    next = (Histogram)reader.nextIntervalHistogram();
                }
            }
            // A machine that is busy with something else may have some of them longer, not shorter.
            assertTrue(intervals.size() >= 4 && 0 == intervals.size() % 2, intervals.size() + " intervals");
            for (final Histogram each : intervals.subList(0, intervals.size() - 2))
            {
                assertTrue(each.getEndTimeStamp() - each.getStartTimeStamp() >= 999,
                    () -> each.getStartTimeStamp() + " to " + each.getEndTimeStamp());
            }
            assertEquals(report.read().latencyNs().getTotalCount(), reads.getTotalCount());
            assertEquals(report.write().latencyNs().getTotalCount(), writes.getTotalCount());
        }
    }

    @Test
    void shouldGoOnAndVerifyWhenTheTargetWasAway()
    {
        try (LoadTarget target = new LoadTarget(LoadTarget.memory());
            LoadGenerator generator = new LoadGenerator(target.load().durationMs(3_600_000)
                .controllerLossTimeoutMs(20_000).build()))
        {
            final CompletableFuture<LoadReport> running = CompletableFuture.supplyAsync(generator::run);
            until("it to measure", () -> LoadPhase.MEASURE == generator.progress().phase() || running.isDone());
            target.stop();
            until("it to notice", () -> !generator.progress().connected());
            target.start();
            until("it to be back", () -> generator.progress().connected());
            final long before = generator.progress().operations();
            until("it to go on", () -> generator.progress().operations() > before);
            generator.stop();
            final LoadReport report = running.orTimeout(20, TimeUnit.SECONDS).join();
            assertTrue(report.isPassed(), report.failures().toString());
            assertEquals(1, report.reconnects());
        }
    }

    @Test
    void shouldFailWhenTheTargetIsLost()
    {
        try (LoadTarget target = new LoadTarget(LoadTarget.memory());
            LoadGenerator generator = new LoadGenerator(target.load().durationMs(60_000).build()))
        {
            final CompletableFuture<LoadReport> running = CompletableFuture.supplyAsync(generator::run);
            until("it to measure", () -> LoadPhase.MEASURE == generator.progress().phase() || running.isDone());
            target.stop();
            final LoadReport report = running.orTimeout(20, TimeUnit.SECONDS).join();
            assertFalse(report.isPassed());
            assertTrue(report.failures().getFirst().startsWith("target was lost: "), report.failures().toString());
            target.start();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "6144, 0, 0, 'size 6144 is not a multiple of the block size 4096'",
        "4096, 7, 0, 'has no namespace 7: use one of [1]'",
        "4096, 0, 8388608, 'region of 8388608 bytes is larger than namespace 1'",
        "8388608, 0, 0, 'is above the largest transfer'"})
    void shouldSayWhyATargetCannotBeLoaded(
        final int sizeBytes, final int nsid, final long regionBytes, final String message)
    {
        try (LoadTarget target = new LoadTarget(LoadTarget.memory()))
        {
            final LoadConfig config = target.load().sizeBytes(sizeBytes).nsid(nsid).regionBytes(regionBytes).build();
            final String actual = assertThrows(LoadException.class, () -> run(config)).getMessage();
            assertTrue(actual.contains(message), actual);
        }
    }

    @Test
    void shouldSayWhenNobodyListens()
    {
        final LoadTarget target = new LoadTarget(LoadTarget.memory());
        final LoadConfig config = target.load().build();
        target.close();
        final String actual = assertThrows(InitiatorException.class, () -> run(config)).getMessage();
        assertTrue(actual.contains("connection refused"), actual);
    }
}
