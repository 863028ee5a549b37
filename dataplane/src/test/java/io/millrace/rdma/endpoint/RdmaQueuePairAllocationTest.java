package io.millrace.rdma.endpoint;

import com.sun.management.ThreadMXBean;
import io.millrace.rdma.core.LinuxRdmaCore;
import io.millrace.reactor.DrivenReactor;
import io.millrace.reactor.ReactorConfig;
import io.millrace.reactor.ReactorErrorHandler;
import io.millrace.testing.AllocationWindows;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RdmaQueuePairAllocationTest
{
    private static final int REQUESTS_PER_WINDOW = 10_000;
    private static final int WINDOWS_MIN = 500;
    private static final QueuePairConfig SIZES = new QueuePairConfig(16, 16, 2, 0, 1);
    private static final ThreadMXBean THREADS = (ThreadMXBean)ManagementFactory.getThreadMXBean();

    @TempDir
    private static Path folder;
    private long reported;

    @Test
    void shouldAllocateNothingPerRequestWhenWarm() throws Throwable
    {
        try (DrivenReactor reactor = new DrivenReactor(
                ReactorConfig.of("clock", -1), ReactorErrorHandler.standard());
            ModelProvider provider = new ModelProvider(folder))
        {
            final CompletionQueue queue = new CompletionQueue(
                LinuxRdmaCore.INSTANCE, reactor.reactor(), provider.counters, null, provider.completionQueue, 0L,
                SIZES.completions());
            final RdmaQueuePair pair = new RdmaQueuePair(queue, new CompletionHandler()
            {
                @Override
                public void onSent(final long id, final CompletionStatus status)
                {
                    reported += id;
                }

                @Override
                public void onReceived(
                    final long id, final CompletionStatus status, final int bytes, final int immediate)
                {
                    reported += bytes;
                }
            }, SIZES, () -> { });
            pair.open(provider.queuePair, 0);
            final AllocationWindows windows = new AllocationWindows(1, WINDOWS_MIN);
            while (!windows.isOver())
            {
                final long beforeBytes = THREADS.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < REQUESTS_PER_WINDOW; i++)
                {
                    exchange(provider, queue, pair);
                }
                windows.end(THREADS.getCurrentThreadAllocatedBytes() - beforeBytes);
            }
            windows.assertClean(REQUESTS_PER_WINDOW + " requests");
            pair.close();
        }
    }

    private void exchange(final ModelProvider provider, final CompletionQueue queue, final RdmaQueuePair pair)
    {
        pair.segment(0x1000, 64, 7).postReceive(1);
        provider.complete(RequestId.receive(0, provider.receivedCount() - 1), 0, 64, 0, 0);
        pair.segment(0x2000, 4096, 7).postWrite(2, false, 0x8000, 9);
        pair.segment(0x3000, 16, 7).postSend(3, true);
        provider.complete(RequestId.send(0, provider.sentCount() - 1), 0, 0, 0, 0);
        queue.poll();
    }
}
