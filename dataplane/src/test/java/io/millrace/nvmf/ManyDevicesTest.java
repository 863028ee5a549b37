package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockGeometry;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.CloseListener;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.reactor.Poller;
import io.millrace.testing.MeasuresTime;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** A subsystem of ten thousand namespaces whose devices take their time to open and to close on a reactor. */
@MeasuresTime
class ManyDevicesTest
{
    private static final int COUNT = 10_000;
    private static final long WORK_NS = 20_000;
    /** All at once would take 200 ms and more of the reactor's processor time, whatever others leave of it. */
    private static final long CYCLE_NS_MAX = 100_000_000;
    private static final long PATIENCE_NS = 10_000_000_000L;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final AtomicInteger openChannels = new AtomicInteger();

    /** A device whose channels cost the reactor some work. */
    private final class WorkingDevice implements BlockDevice
    {
        private final BlockGeometry geometry =
            BlockGeometry.builder(512, 8)
                .completesInline(true)
                .supportsCompare(true)
                .supportsWriteZeroes(true)
                .supportsVerify(true)
                .supportsDeallocate(true)
                .deallocatedReadsZero(true)
                .build();

        private static void work()
        {
            final long endNs = THREADS.getCurrentThreadCpuTime() + WORK_NS;
            while (THREADS.getCurrentThreadCpuTime() - endNs < 0)
            {
                Thread.onSpinWait();
            }
        }

        @Override
        public String name()
        {
            return "working";
        }

        @Override
        public BlockGeometry geometry()
        {
            return geometry;
        }

        @Override
        public void open(final ReactorContext context, final OpenListener listener)
        {
            work();
            openChannels.incrementAndGet();
            listener.onOpened(new BlockChannel()
            {
                @Override
                public boolean submit(final BlockRequest request)
                {
                    request.complete(BlockStatus.SUCCESS);
                    return true;
                }

                @Override
                public int inFlight()
                {
                    return 0;
                }

                @Override
                public int poll()
                {
                    throw new AssertionError("polled though it has no requests");
                }

                @Override
                public void close(final CloseListener closed)
                {
                    work();
                    openChannels.decrementAndGet();
                    closed.onClosed(this);
                }
            });
        }

        @Override
        public void close()
        {
        }
    }

    /** Measures the longest time that its thread works between two turns. */
    private static final class Watch implements Poller
    {
        private long lastNs;
        private volatile long longestNs;

        @Override
        public int poll()
        {
            final long nowNs = THREADS.getCurrentThreadCpuTime();
            longestNs = 0 == lastNs ? 0 : Math.max(longestNs, nowNs - lastNs);
            lastNs = nowNs;
            // The reactor does not sleep meanwhile.
            return 1;
        }
    }

    /** As long as there is some progress: how fast it is depends on what others do on this machine. */
    private void awaitChannels(final int count)
    {
        int last = openChannels.get();
        long lastNs = System.nanoTime();
        while (count != openChannels.get())
        {
            if (last != openChannels.get())
            {
                last = openChannels.get();
                lastNs = System.nanoTime();
            }
            assertTrue(System.nanoTime() - lastNs < PATIENCE_NS,
                () -> openChannels.get() + " open instead of " + count);
            LockSupport.parkNanos(100_000);
        }
    }

    @Test
    void shouldOpenAndCloseThemInStepsThatHoldNobodyUp()
    {
        try (TestTarget target = new TestTarget(1))
        {
            for (int nsid = 2; nsid <= COUNT; nsid++)
            {
                target.subsystem().addNamespace(new Namespace(nsid, new WorkingDevice(), UUID.randomUUID()));
            }
            final Watch watch = new Watch();
            target.reactor(0).run(() -> target.reactor(0).reactor().addPoller(watch));
            final TestHost admin = target.admin();
            final TestHost host = target.reactor(0).connect(TestTarget.LOCAL);
            host.connect(TestTarget.NQN, 1, admin.queuePair().association().id(),
                (command, data) -> command.queueSize(127));
            // The last is opened before its turn.
            assertEquals(NvmeStatus.SUCCESS,
                host.execute((entry) -> entry.opcode(IoOpcode.FLUSH).namespaceId(COUNT)).status());
            assertTrue(openChannels.get() < COUNT - 1, "all were open before the last was asked for");
            awaitChannels(COUNT - 1);
            final long openingNs = watch.longestNs;
            final CompletableFuture<Boolean> removed = target.target().removeSubsystem(TestTarget.NQN);
            awaitChannels(0);
            removed.orTimeout(10, TimeUnit.SECONDS).join();
            final long closingNs = watch.longestNs;
            System.out.println(COUNT + " devices: longest cycle " + openingNs / 1000 + " us opening, " +
                closingNs / 1000 + " us with closing");
            assertTrue(closingNs < CYCLE_NS_MAX,
                () -> "longest cycle " + openingNs + " ns, then " + closingNs + " ns");
            target.reactor(0).run(() -> target.reactor(0).reactor().removePoller(watch));
        }
    }
}
