package io.millrace.control.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.message.Command;
import io.millrace.control.message.ControlException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.agrona.concurrent.IdleStrategy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many threads over one client: none of their commands waits for a wake-up, gets lost, or is executed twice. */
@Timeout(120)
class AsyncControlClientStressTest
{
    private static final int THREADS = 6;
    private final AsyncFixture fixture = AsyncFixture.ipc();

    @AfterEach
    void stop()
    {
        fixture.close();
    }

    /** Sleeps without a limit when nothing is outstanding: only a wake-up ends that. */
    private static final class SleepingWhenIdle implements IdleStrategy
    {
        private final AtomicReference<AsyncControlClient> client = new AtomicReference<>();

        @Override
        public void idle(final int workCount)
        {
            if (0 == workCount)
            {
                idle();
            }
        }

        @Override
        public void idle()
        {
            final AsyncControlClient self = client.get();
            if (null != self && 0 == self.outstandingCount())
            {
                LockSupport.park(this);
            }
            else
            {
                LockSupport.parkNanos(10_000);
            }
        }

        @Override
        public void reset()
        {
        }
    }

    private static <T> List<T> onThreads(final IntFunction<Callable<T>> task) throws Exception
    {
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS))
        {
            final List<Future<T>> results =
                IntStream.range(0, THREADS).mapToObj((i) -> threads.submit(task.apply(i))).toList();
            final List<T> values = new ArrayList<>();
            for (final Future<T> each : results)
            {
                values.add(each.get(AsyncFixture.WAIT_S, TimeUnit.SECONDS));
            }
            return values;
        }
    }


    @Test
    void shouldLoseNoWakeUp() throws Exception
    {
        final SleepingWhenIdle idle = new SleepingWhenIdle();
        final AsyncControlClient client = fixture.connect(fixture.context().idleStrategy(idle));
        idle.client.set(client);
        final int rounds = 1_000;
        onThreads((thread) -> () ->
        {
            for (int i = 0; i < rounds; i++)
            {
                client.submit(new Command.DeleteDevice(thread + "-" + i)).get(AsyncFixture.WAIT_S, TimeUnit.SECONDS);
            }
            return null;
        });
        assertEquals(THREADS * rounds, fixture.onPeer(() -> fixture.control().peer().carriedOut().size()));
    }

    @Test
    void shouldExecuteOnceWhatSucceededAndNeverWhatWasBeyondTheBound() throws Exception
    {
        final AsyncControlClient client = fixture.connect(fixture.context().outstandingMax(64));
        final List<List<CompletableFuture<Answer>>> futures = onThreads((thread) -> () ->
        {
            final List<CompletableFuture<Answer>> submitted = new ArrayList<>();
            for (int i = 0; i < 3_000; i++)
            {
                submitted.add(client.submit(new Command.DeleteDevice(thread + "-" + i)));
                assertTrue(client.outstandingCount() <= 64, "within the bound");
            }
            return submitted;
        });
        final Set<Command> succeeded = new HashSet<>();
        int beyond = 0;
        for (int thread = 0; thread < THREADS; thread++)
        {
            for (int i = 0; i < futures.get(thread).size(); i++)
            {
                final CompletableFuture<Answer> future = futures.get(thread).get(i);
                final Throwable failure = future.handle((_, e) -> e).get(AsyncFixture.WAIT_S, TimeUnit.SECONDS);
                if (null == failure)
                {
                    succeeded.add(new Command.DeleteDevice(thread + "-" + i));
                }
                else
                {
                    assertInstanceOf(ControlOverloadedException.class, failure);
                    beyond++;
                }
            }
        }
        final List<Command> executed = fixture.onPeer(() -> List.copyOf(fixture.control().peer().carriedOut()));
        assertEquals(succeeded, Set.copyOf(executed));
        assertEquals(succeeded.size(), executed.size(), "none twice");
        assertTrue(beyond > 0 && !succeeded.isEmpty(), () -> "reached the bound, and " + succeeded.size() + " went");
        assertEquals(0, client.outstandingCount());
    }

    @Test
    void shouldCompleteEveryFutureWhenClosedBetweenSubmissions() throws Exception
    {
        for (int round = 0; round < 20; round++)
        {
            final AsyncControlClient client = fixture.connect(fixture.context());
            final int closing = 50 + round * 37;
            final List<List<CompletableFuture<Answer>>> futures = onThreads((thread) -> () ->
            {
                final List<CompletableFuture<Answer>> submitted = new ArrayList<>();
                for (int i = 0; i < 1_000; i++)
                {
                    submitted.add(client.submit(new Command.DeleteDevice(thread + "-" + i)));
                    if (0 == thread && closing == i)
                    {
                        client.close();
                    }
                }
                return submitted;
            });
            for (final CompletableFuture<Answer> future : futures.stream().flatMap(List::stream).toList())
            {
                assertTrue(future.isDone(), "close() waits for the client's thread, which completes all");
                final Throwable failure = future.handle((_, e) -> e).join();
                assertTrue(null == failure || failure instanceof ControlException, () -> "" + failure);
            }
            assertEquals(0, client.outstandingCount());
        }
    }
}
