package io.millrace.rdma.endpoint;

import io.millrace.rdma.core.LinuxRdmaCore;
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
    ModelProvider provider;
    CompletionQueue queue;
    RdmaQueuePair pair;
    int progress;

    @BeforeEach
    void open() throws Throwable
    {
        provider = new ModelProvider(folder);
        queue = new CompletionQueue(
            LinuxRdmaCore.INSTANCE, null, provider.counters, null, provider.completionQueue, 0L,
            3 * SIZES.completions());
        pair = pair();
    }

    @AfterEach
    void close()
    {
        provider.close();
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
        return new CompletionQueue(
            LinuxRdmaCore.INSTANCE, null, provider.counters, null, provider.completionQueue, 0L, entries);
    }

    RdmaQueuePair pair(
        final CompletionQueue completions, final QueuePairConfig config, final CompletionHandler its)
    {
        final RdmaQueuePair made = new RdmaQueuePair(completions, its, config, () -> progress++);
        made.open(provider.queuePair, INLINE);
        return made;
    }
}
