package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.nvmf.config.CapacityLimits;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.request.Request;
import io.millrace.nvmf.request.RequestPhase;
import io.millrace.nvmf.request.RequestPool;
import io.millrace.nvmf.request.RequestShare;
import java.util.ArrayDeque;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Slots of requests with the launcher's heap, however many reactors divide them.
 */
class ManyReactorsTest
{
    private static final long HEAP_BYTES = 128L << 20;

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 16, 32, 64, 128})
    void shouldLetAQueueHaveCommandsBesideThoseThatWaitForEvents(final int reactors)
    {
        final CapacityLimits limits =
            CapacityLimits.ofHeap(HEAP_BYTES, reactors, TargetConfig.QUEUE_DEPTH_DEFAULT);
        try (RequestPool pool = new RequestPool((request) -> {}, limits))
        {
            // Admin queues of two hosts, with as many Asynchronous Event Requests as they may have.
            for (int host = 0; host < 2; host++)
            {
                take(pool, pool.join("192.0.2." + host), 4);
            }
            take(pool, pool.join("192.0.2.3"), Math.min(32, limits.requestsPerReactor() / 16));
        }
    }

    private static void take(final RequestPool pool, final RequestShare share, final int count)
    {
        final ArrayDeque<Request> taken = new ArrayDeque<>();
        while (taken.size() < count)
        {
            assertTrue(pool.mayAcquire(taken.size(), share), "has " + taken.size() + " of " + count);
            final Request request = pool.acquire(taken.size(), share);
            request.phase(RequestPhase.EXECUTING);
            taken.add(request);
        }
    }
}
