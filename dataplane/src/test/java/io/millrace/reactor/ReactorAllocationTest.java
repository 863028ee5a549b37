package io.millrace.reactor;

import com.sun.management.ThreadMXBean;
import io.millrace.bindings.linux.Epoll;
import io.millrace.bindings.linux.Files;
import io.millrace.nvmf.initiator.Waits;
import io.millrace.testing.AllocationWindows;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

class ReactorAllocationTest
{
    private static final int CYCLES_PER_WINDOW = 10_000;
    private static final int WINDOWS_MIN = 2_000;
    /** Ends a test that hangs. */
    private static final long LIMIT_S = 600;
    private static final ThreadMXBean THREADS = (ThreadMXBean)ManagementFactory.getThreadMXBean();

    @Test
    void shouldAllocateNothingPerCycleWhenWarm()
    {
        try (Reactor reactor = ReactorTesting.started("warm"))
        {
            final Load load = new Load(reactor);
            final int fd = ReactorTesting.eventDescriptor(true);
            reactor.call(() ->
            {
                reactor.register(fd, Epoll.EPOLLIN, load);
                reactor.schedule(reactor.nowNs(), load);
                reactor.addPoller(load);
                load.link = new ReactorLink(reactor, 64, load);
                return null;
            }).join();
            Waits.until("a window without allocation", LIMIT_S, load.windows::isOver);
            load.windows.assertClean(CYCLES_PER_WINDOW + " cycles");
            reactor.call(() ->
            {
                reactor.deregister(fd);
                return Files.close(fd);
            }).join();
        }
    }

    private static final class Load implements Poller, TimerListener, ReadinessListener, LinkListener
    {
        private final Reactor reactor;
        private final AllocationWindows windows = new AllocationWindows(1, WINDOWS_MIN);
        private ReactorLink link;
        private long timerId;
        private int cycle;
        private int pollWork;
        private int timerWork;
        private int readyWork;
        private int linkWork;
        private long windowStartBytes;

        private Load(final Reactor reactor)
        {
            this.reactor = reactor;
        }

        @Override
        public int poll()
        {
            link.offer(1, cycle, 0, 0, 0, 0);
            reactor.cancel(timerId);
            timerId = reactor.schedule(reactor.nowNs() + 1_000_000_000L, this);
            pollWork++;
            if (++cycle >= CYCLES_PER_WINDOW)
            {
                final long nowBytes = THREADS.getCurrentThreadAllocatedBytes();
                final boolean all = timerWork > 0 && readyWork > 0 && linkWork >= CYCLES_PER_WINDOW / 2;
                windows.end(all ? nowBytes - windowStartBytes : -1);
                windowStartBytes = THREADS.getCurrentThreadAllocatedBytes();
                cycle = 0;
                timerWork = 0;
                readyWork = 0;
                linkWork = 0;
            }
            return 1;
        }

        @Override
        public void onTimer(final long nowNs)
        {
            timerWork++;
            reactor.schedule(nowNs, this);
        }

        @Override
        public void onReady(final int events)
        {
            readyWork++;
        }

        @Override
        public void onMessage(
            final int type, final int slot, final long address, final int length, final long word0, final long word1)
        {
            linkWork++;
        }
    }
}
