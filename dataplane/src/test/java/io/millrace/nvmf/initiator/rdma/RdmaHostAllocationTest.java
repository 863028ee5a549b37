package io.millrace.nvmf.initiator.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import io.millrace.nvme.identify.IdentifyControllerIo;
import io.millrace.nvmf.initiator.CapsuleLimits;
import io.millrace.nvmf.initiator.HostCompletionListener;
import io.millrace.nvmf.initiator.HostRequest;
import io.millrace.nvmf.initiator.Waits;
import io.millrace.rdma.model.LinuxDescriptors;
import io.millrace.rdma.model.MeasuredCore;
import io.millrace.rdma.model.RdmaModel;
import io.millrace.testing.AllocationWindows;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.util.function.UnaryOperator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What the host's reactor allocates while commands flow over RDMA: nothing for a command. What the model of rdma-core
 * allocates in its functions is counted out.
 */
class RdmaHostAllocationTest
{
    private static final ThreadMXBean THREADS = (ThreadMXBean)ManagementFactory.getThreadMXBean();
    private static final int DEPTH = 8;
    private static final int LENGTH_BYTES = 4096;
    private static final int WINDOW_COMMANDS = 1_000;
    private static final int CLEAN_WINDOWS = 3;
    private static final int WINDOWS_MIN = 150;
    /** Ends a test that hangs. */
    private static final long LIMIT_S = 600;
    private static final int KEYED = IdentifyControllerIo.SGL_ANY_ALIGNMENT | IdentifyControllerIo.SGL_KEYED;

    @ParameterizedTest
    @CsvSource({"keyed read, false, 0, true", "keyed write, true, 0, true", "in-capsule write, true, 8192, true",
        "copied read, false, 0, false", "copied write, true, 0, false"})
    void shouldAllocateNothingForACommandWhenWarm(
        final String kind, final boolean writes, final int inCapsuleBytes, final boolean isRegistered)
    {
        final RdmaModel model = new RdmaModel();
        final MeasuredCore core = new MeasuredCore(model.network(), new LinuxDescriptors());
        core.addDevice(RdmaModel.address(4));
        try (RdmaHostFixture fixture = new RdmaHostFixture(model, core, RdmaHostFixture.SLOTS);
            Arena arena = Arena.ofShared())
        {
            fixture.openReady(new CapsuleLimits(inCapsuleBytes, KEYED | IdentifyControllerIo.SGL_OFFSET, 1),
                UnaryOperator.identity());
            final long address = isRegistered ? fixture.memory.address() :
                arena.allocate((long)DEPTH * LENGTH_BYTES, LENGTH_BYTES).address();
            final Load load = new Load(fixture.queue(), core, address, writes);
            fixture.call(() ->
            {
                load.begin();
                return null;
            });
            Waits.until("windows without allocation", LIMIT_S, load.windows::isOver);
            Waits.until("idle", () -> fixture.call(() -> 0 == fixture.queue().inFlight()));
            assertEquals(0, load.failures);
            load.windows.assertClean(WINDOW_COMMANDS + " commands, " + kind);
        }
    }

    private static final class Load implements HostCompletionListener
    {
        private final RdmaHostQueue queue;
        private final MeasuredCore core;
        private final long address;
        private final boolean writes;
        private final AllocationWindows windows = new AllocationWindows(CLEAN_WINDOWS, WINDOWS_MIN);
        private volatile int failures;
        private int commands;
        private long beforeBytes;

        Load(final RdmaHostQueue queue, final MeasuredCore core, final long address, final boolean writes)
        {
            this.queue = queue;
            this.core = core;
            this.address = address;
            this.writes = writes;
        }

        void begin()
        {
            for (int i = 0; i < DEPTH; i++)
            {
                submit(new HostRequest(null, this), address + (long)i * LENGTH_BYTES);
            }
        }

        private void submit(final HostRequest request, final long buffer)
        {
            if (writes)
            {
                request.write(1, 0, 1, buffer, LENGTH_BYTES);
            }
            else
            {
                request.read(1, 0, 1, buffer, LENGTH_BYTES);
            }
            if (!queue.submit(request))
            {
                failures++;
            }
        }

        @Override
        public void onComplete(final HostRequest request)
        {
            failures += request.isSuccess() ? 0 : 1;
            commands++;
            if (WINDOW_COMMANDS == commands)
            {
                endWindow();
            }
            if (!windows.isOver())
            {
                submit(request, request.payload().address(0));
            }
        }

        /** {@return what this thread allocated, but for the model} */
        private long allocatedBytes()
        {
            return THREADS.getCurrentThreadAllocatedBytes() - core.allocatedBytes();
        }

        private void endWindow()
        {
            commands = 0;
            windows.end(allocatedBytes() - beforeBytes);
            beforeBytes = allocatedBytes();
        }
    }
}
