package io.millrace.control.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.message.Command;
import io.millrace.control.message.CommandId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.constraints.Size;

/** Whatever happens to client and peer: each future completes once, and says what became of its command. */
class AsyncControlClientPropertyTest
{
    private static final int OUTSTANDING_MAX = 24;

    /** What happens next. */
    enum Step
    {
        SUBMIT, SUBMIT_BATCH, SUBMIT_WITH_SHORT_TIME, CANCEL, COMPLETE_OTHERWISE,
        LOSE_ANSWERS, DROP_SESSIONS, MUTE, UNMUTE, AWAIT
    }

    private static final class Submitted
    {
        private final Command command;
        private final CompletableFuture<Answer> future;
        private final AtomicInteger completions = new AtomicInteger();
        private boolean isOverloaded;
        private boolean isSuccessful;

        Submitted(final Command command, final CompletableFuture<Answer> future)
        {
            this.command = command;
            this.future = future;
            future.whenComplete((answer, failure) ->
            {
                isOverloaded = failure instanceof ControlOverloadedException;
                isSuccessful = null != answer && null != answer.commandId();
                completions.incrementAndGet();
            });
        }
    }

    private final List<Submitted> submitted = new ArrayList<>();
    private AsyncFixture fixture;
    private AsyncControlClient client;

    private Command next()
    {
        return new Command.DeleteDevice("mem" + submitted.size());
    }

    private void step(final Step step) throws Exception
    {
        switch (step)
        {
            case SUBMIT ->
            {
                final Command command = next();
                submitted.add(new Submitted(command, client.submit(command)));
            }
            case SUBMIT_BATCH ->
            {
                final List<Command> commands = new ArrayList<>();
                for (int i = 0; i < 5; i++)
                {
                    commands.add(new Command.DeleteDevice("mem" + (submitted.size() + i)));
                }
                final List<CompletableFuture<Answer>> futures = client.submit(commands);
                for (int i = 0; i < 5; i++)
                {
                    submitted.add(new Submitted(commands.get(i), futures.get(i)));
                }
            }
            case SUBMIT_WITH_SHORT_TIME ->
            {
                final Command command = next();
                submitted.add(new Submitted(
                    command, client.submit(command, CommandId.random(), TimeUnit.MILLISECONDS.toNanos(2))));
            }
            case CANCEL ->
            {
                if (!submitted.isEmpty())
                {
                    submitted.getLast().future.cancel(true);
                }
            }
            case COMPLETE_OTHERWISE ->
            {
                if (!submitted.isEmpty())
                {
                    submitted.getLast().future.complete(new Answer(CommandId.NONE, 0, "", List.of()));
                }
            }
            case LOSE_ANSWERS -> fixture.peer(() -> fixture.control().peer().loseAnswers(3));
            case DROP_SESSIONS -> fixture.peer(() -> fixture.control().peer().dropSessions());
            case MUTE -> fixture.peer(() -> fixture.control().peer().mute(true));
            case UNMUTE -> fixture.peer(() -> fixture.control().peer().mute(false));
            case AWAIT -> fixture.onPeer(() -> 0);
        }
    }

    @Property(tries = 25, shrinking = ShrinkingMode.OFF)
    void shouldCompleteEachFutureOnce(
        @ForAll @Size(min = 20, max = 200) final List<Step> steps,
        @ForAll final boolean isOnExecutor,
        @ForAll final boolean isClosedAtOnce) throws Exception
    {
        submitted.clear();
        final ExecutorService executor = Executors.newFixedThreadPool(2);
        fixture = AsyncFixture.ipc();
        try
        {
            final ControlClientContext context = fixture.context()
                .outstandingMax(OUTSTANDING_MAX)
                .livenessTimeoutNs(TimeUnit.MILLISECONDS.toNanos(100))
                .reconnectDelayNs(TimeUnit.MILLISECONDS.toNanos(1));
            client = fixture.add(
                AsyncControlClient.open(isOnExecutor ? context.callbackExecutor(executor) : context));
            for (final Step step : steps)
            {
                step(step);
                assertTrue(client.outstandingCount() >= 0 && client.outstandingCount() <= OUTSTANDING_MAX);
            }
            if (!isClosedAtOnce)
            {
                settle();
            }
            client.close();
            AsyncFixture.await(() -> submitted.stream().allMatch((each) -> 1 == each.completions.get()));
            assertEquals(0, client.outstandingCount());
            verify();
        }
        finally
        {
            fixture.close();
            executor.shutdownNow();
        }
    }

    /** The peer answers again, and the last of its lost answers is asked for in another session. */
    private void settle() throws Exception
    {
        fixture.peer(() ->
        {
            fixture.control().peer().mute(false);
            fixture.control().peer().loseAnswers(0);
            fixture.control().peer().dropSessions();
        });
        AsyncFixture.await(() -> 0 == client.outstandingCount());
        // No place leaked: as many as the bound go at once.
        for (int i = 0; i < OUTSTANDING_MAX; i++)
        {
            step(Step.SUBMIT);
        }
        for (final Submitted each : submitted.subList(submitted.size() - OUTSTANDING_MAX, submitted.size()))
        {
            each.future.get(AsyncFixture.WAIT_S, TimeUnit.SECONDS);
        }
    }

    private void verify()
    {
        final List<Command> executed = fixture.onPeer(() -> List.copyOf(fixture.control().peer().carriedOut()));
        final List<Command> inOrder =
            submitted.stream().map((each) -> each.command).filter(executed::contains).toList();
        assertEquals(inOrder, executed, "each once, in the order of submission");
        for (final Submitted each : submitted)
        {
            assertEquals(1, each.completions.get());
            if (each.isOverloaded)
            {
                assertFalse(executed.contains(each.command), () -> each.command + " was not sent");
            }
            else if (each.isSuccessful && !CommandId.NONE.equals(each.future.join().commandId()))
            {
                assertTrue(executed.contains(each.command), () -> each.command + " succeeded");
            }
        }
        assertEquals(executed.size(), new HashSet<>(executed).size());
    }
}
