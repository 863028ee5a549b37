package io.millrace.control.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.codec.Kind;
import io.millrace.control.message.Command;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class PendingCommandsTest
{
    private static final int THREADS = 4;
    private static final int COMMANDS = 200_000;

    /** However many threads add and complete at the same time, no more than the bound are accepted. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void shouldNeverAcceptMoreThanTheBoundFromSeveralThreads(final int bound) throws InterruptedException
    {
        final PendingCommands pending = new PendingCommands(bound);
        final AtomicInteger held = new AtomicInteger();
        final AtomicInteger most = new AtomicInteger();
        final Command command = new Command.List(Kind.DEVICE, "");
        final List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++)
        {
            threads.add(Thread.ofPlatform().start(() ->
            {
                for (int k = 0; k < COMMANDS; k++)
                {
                    final PendingCommand each =
                        new PendingCommand(pending, command, null, 0, new CompletableFuture<>());
                    pending.add(List.of(each));
                    if (!each.future().isDone())
                    {
                        most.accumulateAndGet(held.incrementAndGet(), Math::max);
                        held.decrementAndGet();
                        each.onAnswer(null);
                        each.run();
                    }
                }
            }));
        }
        while (threads.stream().anyMatch(Thread::isAlive))
        {
            pending.drain((batch) ->
            {
            });
        }
        for (final Thread each : threads)
        {
            each.join();
        }
        assertEquals(0, pending.count());
        assertTrue(most.get() <= bound, most + " at once of " + bound);
    }
}
