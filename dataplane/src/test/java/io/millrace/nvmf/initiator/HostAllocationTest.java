package io.millrace.nvmf.initiator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import io.millrace.testing.AllocationWindows;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What the reactor's thread allocates while commands flow: nothing for a command.
 */
class HostAllocationTest
{
    private static final ThreadMXBean THREADS = (ThreadMXBean)ManagementFactory.getThreadMXBean();
    private static final int DEPTH = 16;
    /** Windows of long commands are shorter, so that they take no longer. */
    private static final int WINDOW_BYTES = 8 << 20;
    private static final int CLEAN_WINDOWS = 3;
    private static final int WINDOWS_MIN = 1_000;
    /** Ends a test that hangs. */
    private static final long LIMIT_S = 600;

    @ParameterizedTest
    @CsvSource({"false, 4096, false", "true, 4096, false", "false, 65536, false", "true, 65536, false",
        "false, 4096, true", "true, 65536, true"})
    void shouldAllocateNothingForACommandWhenWarm(final boolean writes, final int length, final boolean digests)
    {
        try (HostFixture host = new HostFixture(); LocalTarget target = LocalTarget.memory();
            RemoteController controller = host.connect(
                target.config().queueDepth(DEPTH).digests(digests, digests).build()))
        {
            final RemoteQueuePair queue = host.queue(controller);
            final MemorySegment memory = host.memory((long)DEPTH * length);
            final Load load = new Load(queue, memory.address(), writes, length);
            host.call(() ->
            {
                load.begin();
                return null;
            });
            Waits.until("windows without allocation", LIMIT_S, load.windows::isOver);
            Waits.until("idle", () -> host.call(() -> 0 == queue.inFlight()));
            assertEquals(0, load.failures);
            load.windows.assertClean(WINDOW_BYTES / length + " commands");
        }
    }

    /**
     * Interpreted code may box, so that the first windows are not clean; code that allocates by itself never has a
     * clean one.
     */
    private static final class Load implements HostCompletionListener
    {
        private final RemoteQueuePair queue;
        private final long address;
        private final boolean writes;
        private final int length;
        private final AllocationWindows windows = new AllocationWindows(CLEAN_WINDOWS, WINDOWS_MIN);
        private volatile int failures;
        private int commands;
        private long bytesBefore;
        private long lba;

        Load(final RemoteQueuePair queue, final long address, final boolean writes, final int length)
        {
            this.queue = queue;
            this.address = address;
            this.writes = writes;
            this.length = length;
        }

        void begin()
        {
            for (int i = 0; i < DEPTH; i++)
            {
                submit(new HostRequest(null, this), address + (long)i * length);
            }
        }

        private void submit(final HostRequest request, final long buffer)
        {
            final int blocks = length / LocalTarget.BLOCK_BYTES;
            lba = (lba + blocks) % (LocalTarget.SIZE_BYTES / LocalTarget.BLOCK_BYTES - blocks);
            if (writes)
            {
                request.write(1, lba, blocks, buffer, length);
            }
            else
            {
                request.read(1, lba, blocks, buffer, length);
            }
            if (!queue.submit(request))
            {
                failures++;
            }
        }

        @Override
        public void onComplete(final HostRequest request)
        {
            if (!request.isSuccess())
            {
                failures++;
            }
            commands++;
            if (WINDOW_BYTES / length == commands)
            {
                endWindow();
            }
            if (!windows.isOver())
            {
                submit(request, request.payload().address(0));
            }
        }

        private void endWindow()
        {
            commands = 0;
            windows.end(THREADS.getCurrentThreadAllocatedBytes() - bytesBefore);
            bytesBefore = THREADS.getCurrentThreadAllocatedBytes();
        }
    }
}
