package io.millrace.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.manager.metrics.CycleWatch;
import io.millrace.manager.metrics.Probes.Answer;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ManagerProbesTest
{
    private final AtomicLong cycles = new AtomicLong();
    private final AtomicLong nowNs = new AtomicLong(Long.MAX_VALUE - 7);

    @Test
    void shouldBeReadyWhileOneDataPlaneIsConnected()
    {
        assertEquals(new Answer(true, "ready"), new ManagerProbes(cycles::get, 2, List::of).ready());
        assertEquals(new Answer(true, "ready; not connected: b"),
            new ManagerProbes(cycles::get, 2, () -> List.of("b")).ready());
        assertEquals(new Answer(false, "no data plane is connected: a, b (another manager is active)"),
            new ManagerProbes(cycles::get, 2, () -> List.of("a", "b (another manager is active)")).ready());
    }

    @Test
    void shouldNoticeALoopThatDoesNotTurn()
    {
        final CycleWatch watch = new CycleWatch(cycles::get, nowNs::get);
        assertEquals(0, watch.stalledSeconds());
        nowNs.addAndGet(CycleWatch.STALL_NS - 1);
        assertEquals(0, watch.stalledSeconds());
        nowNs.incrementAndGet();
        assertEquals(5, watch.stalledSeconds());
        cycles.incrementAndGet();
        assertEquals(0, watch.stalledSeconds());
        nowNs.addAndGet(CycleWatch.STALL_NS);
        assertEquals(5, watch.stalledSeconds());
    }
}
