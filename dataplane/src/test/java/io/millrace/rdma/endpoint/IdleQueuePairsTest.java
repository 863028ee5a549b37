package io.millrace.rdma.endpoint;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.rdma.model.RdmaModel;
import io.millrace.rdma.model.RdmaProcesses;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import org.junit.jupiter.api.Test;

/** Connections without requests cost no CPU time. */
class IdleQueuePairsTest extends RdmaEndpointFixture
{
    private static final int PAIRS = 64;
    private static final long IDLE_MS = 2_000;
    /** Of a CPU. */
    private static final double SHARE_MAX = 0.005;
    private static final int ATTEMPTS = 5;
    private static final double NS_PER_MS = 1e6;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final RdmaModel model = new RdmaModel();

    @Override
    protected RdmaProcesses processes()
    {
        return model;
    }

    /** A machine that is busy with something else may wake a reactor for it; not each time. */
    @Test
    void shouldSleepWhileTheyAreIdle() throws InterruptedException
    {
        for (int i = 0; i < PAIRS; i++)
        {
            open();
        }
        final long[] reactors = {host.call(() -> Thread.currentThread().threadId()),
            target.call(() -> Thread.currentThread().threadId())};
        double share = 1;
        for (int i = 0; i < ATTEMPTS && share >= SHARE_MAX; i++)
        {
            final long before = cpuNs(reactors);
            // What is measured is how much CPU this much time takes.
            Thread.sleep(IDLE_MS);
            share = (cpuNs(reactors) - before) / NS_PER_MS / IDLE_MS;
        }
        final double used = share;
        assertTrue(used < SHARE_MAX,
            () -> "the reactors of " + PAIRS + " connections used " + 100 * used + " % of a CPU");
    }

    private static long cpuNs(final long[] threads)
    {
        long sum = 0;
        for (final long each : threads)
        {
            sum += THREADS.getThreadCpuTime(each);
        }
        return sum;
    }
}
