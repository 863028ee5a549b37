package io.millrace.control.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.codec.Code;
import io.millrace.control.codec.Kind;
import io.millrace.control.codec.Transport;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandId;
import io.millrace.control.message.ControlEvent;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.DeviceInfo;
import io.millrace.control.message.HostInfo;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.message.Resource;
import io.millrace.control.message.Samples;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.agrona.concurrent.IdleStrategy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class AsyncControlClientTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:volume";
    private static final long SEED = 4420;
    private AsyncFixture fixture = AsyncFixture.ipc();

    @AfterEach
    void stop()
    {
        fixture.close();
    }

    private static <T> T get(final CompletableFuture<T> future) throws Exception
    {
        return future.get(AsyncFixture.WAIT_S, TimeUnit.SECONDS);
    }

    private static <T extends Throwable> T failure(final Class<T> type, final CompletableFuture<?> future)
    {
        return assertInstanceOf(type, assertThrows(ExecutionException.class, () -> get(future)).getCause());
    }

    private static Command delete(final String name)
    {
        return new Command.DeleteDevice(name);
    }

    /** A callback that holds the thread of its client, once that is there. */
    private static final class Holding implements Runnable
    {
        private final CountDownLatch held = new CountDownLatch(1);
        private final CountDownLatch released = new CountDownLatch(1);

        @Override
        public void run()
        {
            held.countDown();
            boolean isReleased = false;
            while (!isReleased)
            {
                try
                {
                    released.await();
                    isReleased = true;
                }
                catch (final InterruptedException _)
                {
                    Thread.onSpinWait();
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ipc", "udp"})
    void shouldAnswerEveryCommandAndListEveryResource(final String medium) throws Exception
    {
        if ("udp".equals(medium))
        {
            fixture.close();
            fixture = AsyncFixture.udp();
        }
        final AsyncControlClient client = fixture.connect(fixture.context());
        assertTrue(client.isConnected());
        assertEquals("peer", client.session().dataPlaneName());
        final Samples samples = new Samples(SEED);
        for (final Command command : samples.commands())
        {
            final Answer answer = get(client.submit(command));
            assertEquals(command.changes(), !CommandId.NONE.equals(answer.commandId()));
            assertEquals(command, fixture.onPeer(() -> fixture.control().peer().carriedOut().getLast()));
        }
        for (final Resource resource : samples.resources())
        {
            fixture.peer(() -> fixture.control().peer().show(resource.kind(), resource));
            assertEquals(List.of(resource), get(client.list(resource.getClass())), "seed " + SEED);
        }
        final Answer listener = get(client.submit(
            new Command.AddListener(new ListenerSpec(Transport.TCP, "127.0.0.1", 0, false))));
        assertEquals(TestPeer.PORT, listener.value());
        assertEquals("Resource is of no kind: list one, such as DeviceInfo",
            assertThrows(IllegalArgumentException.class, () -> client.list(Resource.class)).getMessage());
    }

    @Test
    void shouldFailWithWhatTheDataPlaneAnswers() throws Exception
    {
        fixture.peer(() -> fixture.control().peer().reply(Code.IN_USE, "namespace 1 shows mem0"));
        final AsyncControlClient client = fixture.connect(fixture.context());
        final ControlException error = failure(ControlException.class, client.submit(delete("mem0")));
        assertEquals(Code.IN_USE, error.code());
        assertEquals("namespace 1 shows mem0", error.getMessage());
        fixture.peer(() -> fixture.control().peer().reply(Code.OK, "stored, and executed later"));
        assertEquals("stored, and executed later", get(client.submit(delete("mem0"))).text());
        failure(IllegalArgumentException.class, client.submit(delete("a\nb")));
        fixture.peer(() -> fixture.control().peer().show(Kind.DEVICE, new HostInfo(NQN, "host")));
        assertEquals(Code.MALFORMED, failure(ControlException.class,
            client.list(DeviceInfo.class)).code());
        assertEquals(0, client.outstandingCount());
    }

    @Test
    void shouldFailAtOnceBeyondTheBound() throws Exception
    {
        fixture.peer(() -> fixture.control().peer().mute(true));
        final AsyncControlClient client = fixture.add(AsyncControlClient.open(fixture.context().outstandingMax(3)));
        final List<CompletableFuture<Answer>> within = client.submit(List.of(delete("a"), delete("b")));
        final CompletableFuture<Answer> beyond = client.submit(List.of(delete("c"), delete("d"))).getLast();
        assertTrue(beyond.isDone(), "at once");
        final ControlOverloadedException error = failure(ControlOverloadedException.class, beyond);
        assertEquals(Code.OVERLOADED, error.code());
        assertEquals("2 more commands would exceed outstandingMax = 3: wait for answers before you submit more, or " +
            "raise outstandingMax", error.getMessage());
        final CompletableFuture<Answer> third = client.submit(delete("e"));
        assertEquals(3, client.outstandingCount());
        fixture.peer(() -> fixture.control().peer().mute(false));
        for (final CompletableFuture<Answer> each : within)
        {
            get(each);
        }
        get(third);
        assertEquals(0, client.outstandingCount());
        assertEquals(List.of(delete("a"), delete("b"), delete("e")),
            fixture.onPeer(() -> List.copyOf(fixture.control().peer().carriedOut())));
    }

    @Test
    void shouldGiveEachCommandItsTime() throws Exception
    {
        final AsyncControlClient client = fixture.connect(fixture.context());
        fixture.peer(() -> fixture.control().peer().mute(true));
        final CompletableFuture<Answer> slow = client.submit(delete("slow"));
        final CommandId commandId = CommandId.random();
        assertNotEquals(commandId, CommandId.random());
        final ControlTimeoutException error = failure(ControlTimeoutException.class,
            client.submit(delete("fast"), commandId, TimeUnit.MILLISECONDS.toNanos(50)));
        assertEquals(Code.NULL_VAL, error.code());
        assertFalse(slow.isDone());
        fixture.peer(() -> fixture.control().peer().mute(false));
        get(client.submit(delete("fast"), commandId, TimeUnit.SECONDS.toNanos(AsyncFixture.WAIT_S)));
        assertEquals(1, fixture.onPeer(() -> fixture.control().peer().carriedOut().stream()
            .filter(delete("fast")::equals).count()), "executed once");
        assertThrows(ControlSettingException.class, () -> client.submit(delete("a"), commandId, 0));
        assertThrows(NullPointerException.class, () -> client.submit((Command)null));
    }

    @Test
    void shouldSendAgainWhatWasNotAnsweredBeforeASessionWasLost() throws Exception
    {
        final AsyncControlClient client = fixture.connect(fixture.context());
        final UUID before = client.session().dataPlaneId();
        fixture.peer(() -> fixture.control().peer().loseAnswers(20));
        final List<CompletableFuture<Answer>> futures =
            IntStream.range(0, 20).mapToObj((i) -> client.submit(delete("mem" + i))).toList();
        AsyncFixture.await(() -> 20 == fixture.onPeer(() -> fixture.control().peer().headers().size()));
        fixture.peer(() -> fixture.control().peer().dropSessions());
        for (final CompletableFuture<Answer> each : futures)
        {
            get(each);
        }
        assertEquals(20, fixture.onPeer(() -> fixture.control().peer().carriedOut().size()));
        fixture.peer(() ->
        {
            fixture.control().stopPeer();
            fixture.control().stopDriver();
        });
        AsyncFixture.await(() -> !client.isConnected() && !client.lastError().isEmpty());
        final CompletableFuture<Answer> waiting = client.submit(delete("later"));
        fixture.peer(() ->
        {
            fixture.control().startDriver();
            fixture.control().startPeer();
        });
        get(waiting);
        assertNotEquals(before, client.session().dataPlaneId());
        assertEquals("", client.lastError());
    }

    @Test
    void shouldNotSendWhatWasCancelledBeforeItCouldBeSent() throws Exception
    {
        final AsyncControlClient client = fixture.connect(fixture.context());
        final Holding holding = new Holding();
        final CompletableFuture<Void> first =
            fixture.withoutAnswers(() -> client.submit(delete("first")).thenRun(holding));
        holding.held.await();
        final CompletableFuture<Answer> cancelled = client.submit(delete("cancelled"));
        final CompletableFuture<Answer> last = client.submit(delete("last"));
        assertTrue(cancelled.cancel(false));
        holding.released.countDown();
        get(last);
        get(first);
        assertEquals(List.of(delete("first"), delete("last")),
            fixture.onPeer(() -> List.copyOf(fixture.control().peer().carriedOut())));
        assertEquals(0, client.outstandingCount());
    }

    @Test
    void shouldRefuseToWaitForItselfOnItsThread() throws Exception
    {
        final AsyncControlClient client = fixture.connect(fixture.context());
        final CompletableFuture<String> tried = fixture.withoutAnswers(() -> client.submit(delete("a")).thenApply((_) ->
        {
            final CompletableFuture<Void> dependent = client.submit(delete("b")).thenRun(() ->
            {
            });
            assertThrows(IllegalStateException.class, dependent::get);
            assertThrows(IllegalStateException.class, () -> dependent.get(1, TimeUnit.SECONDS));
            return assertThrows(IllegalStateException.class, dependent::join).getMessage();
        }));
        assertEquals("a callback on the thread of the client waits for that thread: use thenCompose, or set " +
            "callbackExecutor", get(tried));
        assertEquals(0L, get(client.submit(delete("c")).thenCompose((_) -> client.submit(delete("d")))).value());
    }

    @Test
    void shouldCompleteOnTheExecutorSoThatCallbacksMayWait() throws Exception
    {
        try (ExecutorService executor = Executors.newFixedThreadPool(2))
        {
            final AsyncControlClient client = fixture.connect(fixture.context().callbackExecutor(executor));
            final List<Integer> sizes = new ArrayList<>();
            fixture.peer(() -> fixture.control().peer().show(Kind.HOST, new HostInfo(NQN, "host")));
            get(fixture.withoutAnswers(() -> client.submit(delete("a"))
                .thenRun(() -> sizes.add(client.list(HostInfo.class, NQN).join().size()))));
            assertEquals(List.of(1), sizes);
        }
    }

    @Test
    void shouldCompleteOnItsThreadWhenTheExecutorRejects() throws Exception
    {
        final ConcurrentLinkedQueue<Throwable> errors = new ConcurrentLinkedQueue<>();
        final ExecutorService executor = Executors.newSingleThreadExecutor();
        final AsyncControlClient client = fixture.connect(
            fixture.context().callbackExecutor(executor).onError(errors::add));
        executor.shutdown();
        get(client.submit(delete("a")));
        assertInstanceOf(RejectedExecutionException.class, errors.peek());
    }

    /** Throws, or does not return, at events with these names. */
    private static final class Misbehaving extends RecordingListener
    {
        private final Holding holding = new Holding();

        @Override
        public void onEvent(final ControlEvent event)
        {
            super.onEvent(event);
            if ("throw".equals(event.name()))
            {
                throw new IllegalStateException("of the test");
            }
            if ("hold".equals(event.name()))
            {
                holding.run();
            }
        }
    }

    @Test
    void shouldReportWhatTheListenerThrowsAndGoOn() throws Exception
    {
        final Misbehaving notes = new Misbehaving();
        final ConcurrentLinkedQueue<Throwable> errors = new ConcurrentLinkedQueue<>();
        final AsyncControlClient client = fixture.connect(fixture.context().listener(notes).onError(errors::add));
        fixture.peer(() ->
        {
            fixture.control().peer().event("throw");
            fixture.control().peer().event("b");
        });
        AsyncFixture.await(() -> notes.lines.contains("event b"));
        fixture.peer(() -> fixture.control().peer().dropSessions());
        AsyncFixture.await(() -> notes.lines.contains("lost -1"));
        assertEquals(List.of("connected", "event throw", "event b", "disconnected", "connected", "lost -1"),
            notes.lines);
        assertEquals("of the test", errors.peek().getMessage());
        get(client.submit(delete("a")));
    }

    @Test
    void shouldBoundEventsForAListenerThatDoesNotReturnAndTellHowManyWereLost() throws Exception
    {
        final Misbehaving notes = new Misbehaving();
        try (ExecutorService executor = Executors.newFixedThreadPool(2))
        {
            final AsyncControlClient client = fixture.connect(
                fixture.context().listener(notes).callbackExecutor(executor).eventsMax(10));
            fixture.peer(() -> fixture.control().peer().event("hold"));
            notes.holding.held.await();
            fixture.peer(() -> IntStream.range(0, 25).forEach((i) -> fixture.control().peer().event("e" + i)));
            // Answers come after the events that were sent before.
            get(client.submit(delete("a")));
            notes.holding.released.countDown();
            AsyncFixture.await(() -> 13 == notes.lines.size());
            final List<String> expected = new ArrayList<>(List.of("connected", "event hold"));
            IntStream.range(0, 10).forEach((i) -> expected.add("event e" + i));
            expected.add("lost 15");
            assertEquals(expected, notes.lines);
            client.close();
        }
    }

    @Test
    void shouldFailWhatIsOutstandingAndWhatComesLaterWhenClosed() throws Exception
    {
        final AsyncControlClient client = fixture.connect(fixture.context());
        fixture.peer(() -> fixture.control().peer().mute(true));
        final CompletableFuture<Answer> outstanding = client.submit(delete("a"));
        client.close();
        assertTrue(outstanding.isDone());
        assertEquals("the client is closed: what was sent may still be executed",
            failure(ControlException.class, outstanding).getMessage());
        final CompletableFuture<Answer> later = client.submit(delete("b"));
        assertTrue(later.isDone());
        failure(ControlException.class, later);
        client.close();
        assertFalse(client.isConnected());
        assertEquals(0, client.outstandingCount());
        AsyncFixture.await(() -> 0 == fixture.onPeer(() -> fixture.control().peer().sessionCount()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"client", "executor"})
    void shouldCloseInACallback(final String where) throws Exception
    {
        try (ExecutorService executor = Executors.newSingleThreadExecutor())
        {
            final ControlClientContext context = fixture.context();
            final AsyncControlClient client = fixture.connect(
                "client".equals(where) ? context : context.callbackExecutor(executor));
            fixture.peer(() -> fixture.control().peer().loseAnswers(1));
            final CompletableFuture<Answer> unanswered = client.submit(delete("a"));
            get(fixture.withoutAnswers(() -> client.submit(delete("b")).thenRun(client::close)));
            failure(ControlException.class, unanswered);
        }
    }

    @Test
    void shouldCloseWhileACallbackHoldsItsThread() throws Exception
    {
        final AsyncControlClient client = fixture.connect(fixture.context());
        final Holding holding = new Holding();
        final CompletableFuture<Void> first =
            fixture.withoutAnswers(() -> client.submit(delete("first")).thenRun(holding));
        holding.held.await();
        final CompletableFuture<Answer> waiting = client.submit(delete("waiting"));
        Thread.currentThread().interrupt();
        client.close();
        assertTrue(Thread.interrupted(), "the interrupt is kept");
        failure(ControlException.class, waiting);
        assertFalse(first.isDone());
        holding.released.countDown();
        get(first);
    }

    @Test
    void shouldSayWhyNoSessionCouldBeOpened()
    {
        fixture.peer(() -> fixture.control().stopPeer());
        final ControlTimeoutException error = assertThrows(ControlTimeoutException.class,
            () -> AsyncControlClient.connect(fixture.context().connectTimeoutNs(TimeUnit.MILLISECONDS.toNanos(300))));
        assertTrue(error.getMessage().contains("no data plane listens on aeron:ipc"), error.getMessage());
    }

    @Test
    void shouldEndWithAReasonWhenItsThreadFails()
    {
        final AtomicReference<Throwable> reported = new AtomicReference<>();
        final IllegalStateException broken = new IllegalStateException("of the test");
        final AsyncControlClient client = fixture.add(AsyncControlClient.open(fixture.context()
            .onError(reported::set)
            .idleStrategy(new IdleStrategy()
            {
                @Override
                public void idle(final int workCount)
                {
                    throw broken;
                }

                @Override
                public void idle()
                {
                    throw broken;
                }

                @Override
                public void reset()
                {
                }
            })));
        final CompletableFuture<Answer> future = client.submit(delete("a"));
        assertEquals("the client's thread failed: " + broken + ": connect another client",
            failure(ControlException.class, future).getMessage());
        assertSame(broken, reported.get());
    }

    /** While nothing happens but keep-alives. */
    @Test
    void shouldLeaveTheProcessorToOthersWhileItIsIdle()
    {
        final AtomicReference<Thread> thread = new AtomicReference<>();
        fixture.connect(fixture.context()
            .livenessTimeoutNs(TimeUnit.MILLISECONDS.toNanos(600))
            .threadFactory((task) ->
            {
                thread.set(Thread.ofPlatform().daemon().unstarted(task));
                return thread.get();
            }));
        final var threads = ManagementFactory.getThreadMXBean();
        final int before = fixture.onPeer(() -> fixture.control().peer().keepAliveCount());
        final long startNs = System.nanoTime();
        final long startCpuNs = threads.getThreadCpuTime(thread.get().threadId());
        AsyncFixture.await(() -> fixture.onPeer(() -> fixture.control().peer().keepAliveCount()) >= before + 5);
        final double share = (double)(threads.getThreadCpuTime(thread.get().threadId()) - startCpuNs) /
            (System.nanoTime() - startNs);
        System.out.printf("an idle client takes %.1f %% of a CPU%n", 100 * share);
        assertTrue(share < 0.5, () -> "share of a CPU: " + share);
    }
}
