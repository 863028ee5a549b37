package io.millrace.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import io.millrace.block.BlockChannel;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.memory.DmaMemory;
import io.millrace.nvme.AnaState;
import io.millrace.nvmf.initiator.Waits;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.testing.AllocationWindows;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a reactor allocates while requests go through a remote device: nothing for a request, on either path, and
 * nothing either after its connections were lost.
 */
class RemoteAllocationTest
{
    private static final ThreadMXBean THREADS = (ThreadMXBean)ManagementFactory.getThreadMXBean();
    private static final int BLOCK = 4096;
    private static final int SIZE_BYTES = 4 << 20;
    private static final int DEPTH = 16;
    private static final int REQUESTS_PER_WINDOW = 2_000;
    private static final int CLEAN_WINDOWS = 3;
    private static final int WINDOWS_MIN = 500;
    /** Ends a test that hangs. */
    private static final long LIMIT_S = 600;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldAllocateNothingForARequestWhenWarm(final boolean writes)
    {
        try (DmaMemory arena = DmaMemory.map(1 << 20);
            InnerTarget target = new InnerTarget(2, DeviceConfig.memory("inner", SIZE_BYTES, BLOCK));
            RemoteDevice device = target.connect();
            Initiator initiator = new Initiator("host", device))
        {
            final RemoteChannel channel = (RemoteChannel)initiator.channel();
            final Load load = new Load(channel, arena.address(), writes);
            initiator.call(() ->
            {
                load.begin();
                return null;
            });
            assertEquals(0, initiator.call(channel::currentPath));
            load.awaitCleanWindows(initiator);
            final TransportAddress first = target.addresses().getFirst();
            Waits.get(target.dataPlane().anaStates().set(InnerTarget.NQN, first, 0, AnaState.INACCESSIBLE));
            Waits.until("second path", () -> 1 == initiator.call(channel::currentPath));
            load.awaitCleanWindows(initiator);
            final long retriedBefore = device.retriedCount();
            target.stop();
            target.start();
            Waits.until("requests were sent again", 60, () -> device.retriedCount() > retriedBefore);
            load.awaitCleanWindows(initiator);
            load.isOver = true;
            Waits.until("idle", () -> initiator.call(() -> 0 == channel.inFlight()));
            assertEquals(0, load.failures);
        }
    }

    /** Requests that are submitted again when they have ended. On the reactor, but for what is volatile. */
    private static final class Load
    {
        private final BlockChannel channel;
        private final boolean writes;
        private final BlockRequest[] requests = new BlockRequest[DEPTH];
        private final long address;
        private AllocationWindows windows = new AllocationWindows(CLEAN_WINDOWS, WINDOWS_MIN);
        private volatile int failures;
        private volatile boolean isOver;
        private int ended;
        private long bytesBefore;
        private long lba;

        Load(final BlockChannel channel, final long address, final boolean writes)
        {
            this.channel = channel;
            this.address = address;
            this.writes = writes;
        }

        void begin()
        {
            for (int i = 0; i < DEPTH; i++)
            {
                requests[i] = new BlockRequest(this, Load::onComplete);
                submit(requests[i], address + (long)i * BLOCK);
            }
        }

        private void submit(final BlockRequest request, final long buffer)
        {
            lba = (lba + 1) % (SIZE_BYTES / BLOCK);
            request.reset(writes ? BlockOperation.WRITE : BlockOperation.READ, lba, 1).segments().add(buffer, BLOCK);
            failures += channel.submit(request) ? 0 : 1;
        }

        private static void onComplete(final BlockRequest request)
        {
            ((Load)request.owner()).next(request);
        }

        private void next(final BlockRequest request)
        {
            failures += BlockStatus.SUCCESS == request.status() ? 0 : 1;
            if (REQUESTS_PER_WINDOW == ++ended)
            {
                ended = 0;
                windows.end(THREADS.getCurrentThreadAllocatedBytes() - bytesBefore);
                bytesBefore = THREADS.getCurrentThreadAllocatedBytes();
            }
            if (!isOver)
            {
                submit(request, request.segments().address(0));
            }
        }

        /** Waits for windows that begin from now on. */
        void awaitCleanWindows(final Initiator initiator)
        {
            final AllocationWindows next = initiator.call(() ->
            {
                ended = 0;
                windows = new AllocationWindows(CLEAN_WINDOWS, WINDOWS_MIN);
                bytesBefore = THREADS.getCurrentThreadAllocatedBytes();
                return windows;
            });
            Waits.until("windows without allocation", LIMIT_S, next::isOver);
            next.assertClean(REQUESTS_PER_WINDOW + " requests");
        }
    }
}
