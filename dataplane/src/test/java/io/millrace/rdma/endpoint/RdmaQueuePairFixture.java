package io.millrace.rdma.endpoint;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.rdma.core.LinuxRdmaCore;
import io.millrace.reactor.DrivenReactor;
import io.millrace.reactor.ReactorConfig;
import io.millrace.reactor.ReactorErrorHandler;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A queue pair on a provider in C, and what it reports. */
abstract class RdmaQueuePairFixture
{
    static final QueuePairConfig SIZES = new QueuePairConfig(8, 4, 2, 32, 4);
    static final int INLINE = 32;

    final List<String> reports = new ArrayList<>();
    final CompletionHandler handler = new CompletionHandler()
    {
        @Override
        public void onSent(final long id, final CompletionStatus status)
        {
            reports.add("sent " + id + " " + status);
        }

        @Override
        public void onReceived(final long id, final CompletionStatus status, final int bytes, final int immediate)
        {
            reports.add("received " + id + " " + status + " " + bytes + " " + immediate);
        }
    };
    @TempDir
    static Path folder;
    /** Whose clock stands still between its cycles. */
    DrivenReactor reactor;
    ModelProvider provider;
    CompletionQueue queue;
    RdmaQueuePair pair;
    int progress;

    @BeforeEach
    void open() throws Throwable
    {
        reactor = new DrivenReactor(ReactorConfig.of("clock", -1), ReactorErrorHandler.standard());
        provider = new ModelProvider(folder);
        queue = new CompletionQueue(
            LinuxRdmaCore.INSTANCE, reactor.reactor(), provider.counters, null, provider.completionQueue, 0L,
            3 * SIZES.completions());
        pair = pair();
    }

    @AfterEach
    void close()
    {
        provider.close();
        reactor.close();
    }

    /** {@return nanoseconds by which a cycle advanced the clock} */
    long cycle() throws InterruptedException
    {
        final long beforeNs = reactor.reactor().nowNs();
        assertTrue(reactor.drive(() -> reactor.reactor().nowNs() > beforeNs, 10_000_000_000L));
        return reactor.reactor().nowNs() - beforeNs;
    }

    RdmaQueuePair pair()
    {
        final RdmaQueuePair made = new RdmaQueuePair(queue, handler, SIZES, () -> progress++);
        made.open(provider.queuePair, INLINE);
        return made;
    }

    List<String> reported()
    {
        final List<String> copy = List.copyOf(reports);
        reports.clear();
        return copy;
    }

    CompletionQueue queue(final int entries)
    {
        return new CompletionQueue(LinuxRdmaCore.INSTANCE, reactor.reactor(), provider.counters, null,
            provider.completionQueue, 0L, entries);
    }

    RdmaQueuePair pair(
        final CompletionQueue completions, final QueuePairConfig config, final CompletionHandler its)
    {
        final RdmaQueuePair made = new RdmaQueuePair(completions, its, config, () -> progress++);
        made.open(provider.queuePair, INLINE);
        return made;
    }
}
