package io.millrace.reactor;

import static io.millrace.testing.Requirement.requireCpus;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeException;
import io.millrace.bindings.linux.SchedulingAttributes;
import io.millrace.bindings.linux.Threads;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

class HousekeepingTest
{
    private record Scheduling(BitSet cpus, int policy, int nice, long sliceNs)
    {
    }

    @Test
    void shouldKeepOtherThreadsOffTheCpusOfReactorsWhileOpen() throws Exception
    {
        final BitSet all = Housekeeping.allowed();
        requireCpus(all.cardinality(), 2);
        final int cpu = all.nextSetBit(0);
        final BitSet others = (BitSet)all.clone();
        others.clear(cpu);

        try (Reactor reactor = start(cpu))
        {
            final Housekeeping housekeeping = Housekeeping.begin(List.of(reactor));
            assertEquals(others, present().cpus());
            assertEquals(others, onNewThread(HousekeepingTest::present).cpus());
            assertEquals(SchedulingAttributes.SCHED_BATCH, onNewThread(HousekeepingTest::present).policy());
            assertEquals(BitSet.valueOf(new long[] {1L << cpu}), on(reactor, HousekeepingTest::present).cpus());
            assertEquals(all, Housekeeping.allowed());
            housekeeping.close();
        }

        assertEquals(all, present().cpus());
        assertEquals(SchedulingAttributes.SCHED_OTHER, present().policy());
    }

    @Test
    void shouldLeaveThreadsWhereTheyAreWhenReactorsHaveEveryCpu() throws Exception
    {
        final BitSet all = Housekeeping.allowed();
        final List<Reactor> reactors = all.stream().mapToObj(HousekeepingTest::start).toList();
        try (Housekeeping housekeeping = Housekeeping.begin(reactors))
        {
            assertNotNull(housekeeping);
            assertEquals(all, present().cpus());
            assertEquals(SchedulingAttributes.SCHED_BATCH, present().policy());
        }
        finally
        {
            reactors.forEach(Reactor::close);
        }
    }

    @Test
    void shouldHoldForAllThatAreOpen() throws Exception
    {
        final BitSet all = Housekeeping.allowed();
        requireCpus(all.cardinality(), 2);
        final BitSet others = (BitSet)all.clone();
        others.clear(all.nextSetBit(0));
        try (Reactor pinned = start(all.nextSetBit(0)); Reactor free = start(-1))
        {
            final Housekeeping first = Housekeeping.begin(List.of(pinned));
            final Housekeeping second = Housekeeping.begin(List.of(free));
            assertEquals(others, present().cpus());
            second.close();
            second.close();
            assertEquals(others, present().cpus());
            assertEquals(all, on(free, HousekeepingTest::present).cpus());
            first.close();
            assertEquals(all, present().cpus());
        }
    }

    @Test
    void shouldGiveReactorsTheShorterSlice() throws Exception
    {
        try (Reactor reactor = start(-1))
        {
            final Housekeeping housekeeping = Housekeeping.begin(List.of(reactor));
            final Scheduling ours = on(reactor, HousekeepingTest::present);
            assertEquals(SchedulingAttributes.SCHED_OTHER, ours.policy());
            final Scheduling theirs = present();
            // Kernels before 6.12 know no slices and answer 0 for both.
            assertTrue(0 == ours.sliceNs() && 0 == theirs.sliceNs() || ours.sliceNs() < theirs.sliceNs(),
                () -> ours + " " + theirs);
            housekeeping.close();
        }
    }

    @Test
    void shouldLowerTheWeightOfThreadsThatGiveWay() throws Exception
    {
        final Scheduling given = onNewThread(() ->
        {
            Housekeeping.lowerPriority();
            return onNewThread(HousekeepingTest::present);
        });
        assertEquals(SchedulingAttributes.SCHED_BATCH, given.policy());
        assertEquals(Math.max(5, present().nice()), given.nice());
    }

    @Test
    void shouldLeaveExemptThreadsWhereTheyAre() throws Exception
    {
        final BitSet all = Housekeeping.allowed();
        requireCpus(all.cardinality(), 2);
        final int cpu = all.nextSetBit(0);
        final BitSet others = (BitSet)all.clone();
        others.clear(cpu);
        final OtherThread before = new OtherThread();
        final OtherThread after = new OtherThread();
        final OtherThread placed = new OtherThread();
        try (Reactor reactor = start(cpu))
        {
            assertTrue(Housekeeping.exempt(before.tid()));
            final Housekeeping housekeeping = Housekeeping.begin(List.of(reactor));
            assertEquals(all, before.on(HousekeepingTest::present).cpus());
            assertEquals(SchedulingAttributes.SCHED_OTHER, before.on(HousekeepingTest::present).policy());
            assertEquals(all, before.on(() -> onNewThread(HousekeepingTest::present)).cpus());

            assertEquals(others, after.on(HousekeepingTest::present).cpus());
            assertTrue(Housekeeping.exempt(after.tid()));
            assertEquals(all, after.on(HousekeepingTest::present).cpus());
            assertEquals(SchedulingAttributes.SCHED_OTHER, after.on(HousekeepingTest::present).policy());

            // It shares the reactor's CPU by its own will.
            final BitSet own = BitSet.valueOf(new long[] {1L << cpu});
            assertEquals(0, CpuAffinity.allow(placed.tid(), own));
            assertTrue(Housekeeping.exempt(placed.tid()));
            assertEquals(own, placed.on(HousekeepingTest::present).cpus());
            Housekeeping.begin(List.of(reactor)).close();
            assertEquals(own, placed.on(HousekeepingTest::present).cpus());

            Housekeeping.endExemption(before.tid());
            assertEquals(others, before.on(HousekeepingTest::present).cpus());
            assertEquals(SchedulingAttributes.SCHED_BATCH, before.on(HousekeepingTest::present).policy());
            housekeeping.close();
            assertEquals(all, before.on(HousekeepingTest::present).cpus());
        }
        finally
        {
            Housekeeping.endExemption(after.tid());
            Housekeeping.endExemption(placed.tid());
            before.close();
            after.close();
            placed.close();
        }
    }

    @Test
    void shouldExemptNeitherReactorsNorThreadsThatAreNotThere() throws Exception
    {
        final OtherThread ended = new OtherThread();
        ended.close();
        ReactorTesting.await("the kernel has forgotten it", () -> !Housekeeping.exempt(ended.tid()));
        assertFalse(Housekeeping.exempt(Integer.MAX_VALUE));
        Housekeeping.endExemption(Integer.MAX_VALUE);
        try (Reactor reactor = start(-1))
        {
            final int tid = on(reactor, HousekeepingTest::threadId);
            assertFalse(Housekeeping.exempt(tid));
        }
    }

    private static int threadId() throws IOException
    {
        return Integer.parseInt(Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName().toString());
    }

    /** A thread that the test runs things on, as native code would have it. */
    private static final class OtherThread implements AutoCloseable
    {
        private final ExecutorService executor = Executors.newSingleThreadExecutor();
        private final int tid;

        private OtherThread() throws Exception
        {
            tid = on(HousekeepingTest::threadId);
        }

        private int tid()
        {
            return tid;
        }

        private <T> T on(final Callable<T> task) throws Exception
        {
            return executor.submit(task).get();
        }

        @Override
        public void close()
        {
            executor.close();
        }
    }

    private static Reactor start(final int cpu)
    {
        final Reactor reactor = new Reactor(ReactorConfig.of("housekeeping-" + cpu, cpu));
        reactor.start();
        return reactor;
    }

    private static Scheduling present()
    {
        try (Arena arena = Arena.ofConfined())
        {
            final long attributes = arena.allocate(SchedulingAttributes.SIZE_BYTES, Long.BYTES).address();
            NativeException.check("sched_getattr", Threads.schedGetattr(0, attributes));
            return new Scheduling(CpuAffinity.allowed(0), SchedulingAttributes.policy(attributes),
                SchedulingAttributes.nice(attributes), SchedulingAttributes.sliceNs(attributes));
        }
    }

    private static <T> T on(final Reactor reactor, final Callable<T> task)
    {
        return reactor.call(task).join();
    }

    private static <T> T onNewThread(final Callable<T> task) throws Exception
    {
        final FutureTask<T> future = new FutureTask<>(task);
        final Thread thread = Thread.ofPlatform().start(future);
        thread.join();
        return future.get();
    }
}
