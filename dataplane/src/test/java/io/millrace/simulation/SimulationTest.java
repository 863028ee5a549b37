package io.millrace.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.reactor.SimulatedReactor;
import io.millrace.seed.TestSeeds;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs of hosts, targets and devices, each on one thread and made of one seed.
 */
class SimulationTest
{
    /** The same runs as long as the code is the same: what fails here is of the change that is tested. */
    private static final long FIRST_SEED = 1;
    private static final int RUNS = Integer.getInteger("millrace.simulations", 10_000);
    private static final int THREADS = Runtime.getRuntime().availableProcessors();
    /** Of the runs that are made twice. */
    private static final int REPLAYS = 40;

    @TempDir
    private Path directory;

    @Test
    void shouldRunTheSameForTheSameSeed() throws InterruptedException
    {
        final List<Trace> traces = new ArrayList<>();
        assertNull(onReactorThread(() ->
        {
            for (int i = 0; i < 2 * REPLAYS; i++)
            {
                traces.add(new Simulation(FIRST_SEED + i % REPLAYS, directory, false).run());
            }
        }));
        final Set<Long> sums = new HashSet<>();
        for (int i = 0; i < REPLAYS; i++)
        {
            assertEquals(traces.get(i).sum(), traces.get(REPLAYS + i).sum());
            assertEquals(traces.get(i).count(), traces.get(REPLAYS + i).count());
            sums.add(traces.get(i).sum());
        }
        assertEquals(REPLAYS, sums.size());
    }

    @Test
    void shouldFailTheSameWhenAFailedSeedIsRunAgain() throws InterruptedException
    {
        final AtomicReference<AssertionError> first = new AtomicReference<>();
        final AtomicReference<AssertionError> second = new AtomicReference<>();
        final List<Trace> traces = new ArrayList<>();
        assertNull(onReactorThread(() ->
        {
            for (final AtomicReference<AssertionError> failure : List.of(first, second))
            {
                final Simulation simulation = new Simulation(FIRST_SEED, directory, false);
                simulation.falsify();
                traces.add(simulation.trace());
                run(FIRST_SEED, simulation, failure);
            }
        }));
        assertTrue(first.get().getMessage().contains("-D" + TestSeeds.PROPERTY + '=' + FIRST_SEED));
        assertTrue(first.get().getMessage().contains("what happened before"));
        assertEquals(first.get().getMessage(), second.get().getMessage());
        assertEquals(traces.get(0).sum(), traces.get(1).sum());
        assertEquals(traces.get(0).count(), traces.get(1).count());
    }

    /** {@return what a task on a thread for simulated reactors has thrown; null for nothing} */
    private static Throwable onReactorThread(final Runnable task) throws InterruptedException
    {
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        final Thread thread = SimulatedReactor.thread(() ->
        {
            try
            {
                task.run();
            }
            catch (final Throwable t)
            {
                failure.set(t);
            }
        }, "simulation");
        thread.start();
        thread.join();
        return failure.get();
    }

    @Test
    void shouldKeepEveryPromiseWhateverHappens() throws InterruptedException
    {
        final boolean isRepeated = null != System.getProperty(TestSeeds.PROPERTY);
        final AtomicLong next = new AtomicLong(isRepeated ? TestSeeds.seed() : FIRST_SEED);
        final long end = next.get() + RUNS;
        final AtomicReference<AssertionError> failure = new AtomicReference<>();
        final List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++)
        {
            final Thread thread = SimulatedReactor.thread(() ->
            {
                for (long seed = next.getAndIncrement(); seed < end && null == failure.get();
                    seed = next.getAndIncrement())
                {
                    run(seed, new Simulation(seed, directory, isRepeated && seed == TestSeeds.seed()), failure);
                }
            }, "simulation-" + i);
            threads.add(thread);
            thread.start();
        }
        for (final Thread thread : threads)
        {
            thread.join();
        }
        if (null != failure.get())
        {
            throw failure.get();
        }
    }

    private static void run(
        final long seed, final Simulation simulation, final AtomicReference<AssertionError> failure)
    {
        try
        {
            simulation.run();
        }
        catch (final Throwable t)
        {
            failure.compareAndSet(null, new AssertionError(
                "simulation of seed " + seed + " failed, run it again with -D" + TestSeeds.PROPERTY + '=' + seed +
                ": " + t.getMessage(), t));
        }
    }
}
