package io.millrace.perf.load;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.millrace.testing.AllocationWindows;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The load's own thread allocates nothing for an operation.
 */
class LoadAllocationTest
{
    private static final ThreadMXBean THREADS = (ThreadMXBean)ManagementFactory.getThreadMXBean();
    private static final long PAUSE_NS = 5_000_000;
    private static final long OPERATIONS_PER_WINDOW = 1_000;
    private static final int CLEAN_WINDOWS = 3;
    private static final int WINDOWS_MIN = 100;
    /** Ends a test that hangs. */
    private static final long LIMIT_NS = 60_000_000_000L;
    /**
     * The smallest object takes 16 bytes, so an operation that allocates is above this every time. What is below is the
     * way to sleep and back, which runs so seldom that it is interpreted, and boxes.
     */
    private static final long BYTES_PER_OPERATION_MAX = 4;

    @ParameterizedTest
    @CsvSource({"false, 0", "true, 0", "false, 5000"})
    void shouldAllocateNothingForAnOperationWhenWarm(final boolean verify, final long rate)
    {
        try (LoadTarget target = new LoadTarget(LoadTarget.memory());
            LoadGenerator generator = new LoadGenerator(target.load().pattern(LoadPattern.RANDRW).verify(verify)
                .ratePerSecond(rate).durationMs(3_600_000).build()))
        {
            final CompletableFuture<LoadReport> running = CompletableFuture.supplyAsync(generator::run);
            final long thread = reactorThread();
            awaitOperations(generator, 0);
            final AllocationWindows windows = new AllocationWindows(CLEAN_WINDOWS, WINDOWS_MIN);
            while (!windows.isOver())
            {
                final long before = generator.progress().operations();
                final long bytesBefore = THREADS.getThreadAllocatedBytes(thread);
                final long operations = awaitOperations(generator, before);
                final long bytes = THREADS.getThreadAllocatedBytes(thread) - bytesBefore;
                windows.end(bytes < operations * BYTES_PER_OPERATION_MAX ? 0 : bytes);
            }
            generator.stop();
            running.orTimeout(20, TimeUnit.SECONDS).join();
            windows.assertClean(OPERATIONS_PER_WINDOW + " operations or more");
        }
    }

    private static long awaitOperations(final LoadGenerator generator, final long before)
    {
        final long deadlineNs = System.nanoTime() + LIMIT_NS;
        LoadProgress progress = generator.progress();
        while (LoadPhase.MEASURE != progress.phase() || progress.operations() - before < OPERATIONS_PER_WINDOW)
        {
            assertTrue(System.nanoTime() - deadlineNs < 0, "it hangs");
            LockSupport.parkNanos(PAUSE_NS);
            progress = generator.progress();
        }
        return progress.operations() - before;
    }

    private static long reactorThread()
    {
        for (int i = 0; i < 10_000; i++)
        {
            for (final Thread thread : Thread.getAllStackTraces().keySet())
            {
                if (thread.getName().contains("load-0"))
                {
                    return thread.threadId();
                }
            }
            LockSupport.parkNanos(1_000_000);
        }
        throw new AssertionError("no reactor was started");
    }
}
