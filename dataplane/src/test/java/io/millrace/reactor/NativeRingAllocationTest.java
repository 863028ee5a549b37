package io.millrace.reactor;

import com.sun.management.ThreadMXBean;
import io.millrace.bindings.NativeMemory;
import io.millrace.nvmf.initiator.Waits;
import io.millrace.reactor.NativeRing.NativeProducers;
import io.millrace.testing.AllocationWindows;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class NativeRingAllocationTest
{
    private static final int CYCLES_PER_WINDOW = 10_000;
    private static final int WINDOWS_MIN = 2_000;
    /** Ends a test that hangs. */
    private static final long LIMIT_S = 600;
    private static final ThreadMXBean THREADS = (ThreadMXBean)ManagementFactory.getThreadMXBean();

    @ParameterizedTest
    @EnumSource
    void shouldAllocateNothingPerDescriptorWhenWarm(final NativeProducers producers)
    {
        try (Reactor reactor = ReactorTesting.started("warm"))
        {
            final Load load = new Load();
            load.ring = new NativeRing(reactor, 64, producers, load);
            load.peer = new NativePeer(load.ring, producers);
            reactor.call(() ->
            {
                reactor.addPoller(load);
                return null;
            }).join();
            Waits.until("a window without allocation", LIMIT_S, load.windows::isOver);
            load.windows.assertClean(CYCLES_PER_WINDOW + " cycles");
            load.ring.close();
        }
    }

    private static final class Load implements Poller, LinkListener
    {
        private final LinkListener echo = this::echo;
        private final AllocationWindows windows = new AllocationWindows(1, WINDOWS_MIN);
        private NativeRing ring;
        private NativePeer peer;
        private int cycle;
        private int received;
        private long windowStartBytes;

        @Override
        public int poll()
        {
            // As if native code slept each time, so that signals count.
            NativeMemory.putIntRelease(ring.address() + NativeRingLayout.NATIVE_SLEEPING_OFFSET, cycle & 1);
            ring.offer(1, cycle, 0, 0, 0, 0);
            peer.read(echo, 4);
            if (++cycle >= CYCLES_PER_WINDOW)
            {
                final long nowBytes = THREADS.getCurrentThreadAllocatedBytes();
                windows.end(received >= CYCLES_PER_WINDOW / 2 ? nowBytes - windowStartBytes : -1);
                windowStartBytes = THREADS.getCurrentThreadAllocatedBytes();
                cycle = 0;
                received = 0;
            }
            return 1;
        }

        @Override
        public void onMessage(
            final int type, final int slot, final long address, final int length, final long word0, final long word1)
        {
            received++;
        }

        private void echo(
            final int type, final int slot, final long address, final int length, final long word0, final long word1)
        {
            peer.write(type, slot, address, length, word0, word1);
        }
    }
}
