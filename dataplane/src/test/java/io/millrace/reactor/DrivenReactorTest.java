package io.millrace.reactor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.linux.Epoll;
import io.millrace.bindings.linux.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class DrivenReactorTest
{
    private static final long LONG_NS = ReactorTesting.PATIENCE_NS;

    private final ReactorTesting.Errors errors = new ReactorTesting.Errors();

    private DrivenReactor driven()
    {
        return new DrivenReactor(new ReactorConfig("driven", -1, ReactorConfig.IdleMode.SLEEP, 0), errors);
    }

    @Test
    void shouldRunCommandsOnTheThreadThatWaitsForThem() throws InterruptedException
    {
        try (DrivenReactor driven = driven())
        {
            final Reactor reactor = driven.reactor();
            assertFalse(reactor.isOnThread());
            final CompletableFuture<Thread> ran = reactor.call(() ->
            {
                assertTrue(reactor.isOnThread());
                return Thread.currentThread();
            });
            assertFalse(ran.isDone());
            assertTrue(driven.drive(ran::isDone, LONG_NS));
            assertSame(Thread.currentThread(), ran.join());
            // Then it is everyone's to give commands to, and nobody's to touch.
            assertFalse(reactor.isOnThread());
            assertThrows(IllegalStateException.class, () -> reactor.addPoller(() -> 0));
        }
        assertTrue(errors.ofCommands.isEmpty());
    }

    @Test
    void shouldRunPollersTimersAndListenersWhileItIsDriven() throws InterruptedException
    {
        final int fd = ReactorTesting.eventDescriptor(true);
        try (DrivenReactor driven = driven())
        {
            final Reactor reactor = driven.reactor();
            final List<String> seen = new ArrayList<>();
            final AtomicInteger polls = new AtomicInteger();
            reactor.execute(() ->
            {
                reactor.addPoller(() ->
                {
                    polls.incrementAndGet();
                    return 0;
                });
                reactor.schedule(reactor.nowNs() + TimeUnit.MILLISECONDS.toNanos(2), (nowNs) -> seen.add("timer"));
                reactor.register(fd, Epoll.EPOLLIN, (events) ->
                {
                    ReactorTesting.drain(fd);
                    seen.add("ready");
                });
            });
            assertEquals(0, polls.get());
            assertTrue(driven.drive(() -> seen.size() == 2, LONG_NS));
            assertEquals(List.of("ready", "timer"), seen);
            final int before = polls.get();
            assertTrue(before > 0);
            assertFalse(driven.drive(() -> false, 1));
            assertTrue(polls.get() > before);
        }
        finally
        {
            Files.close(fd);
        }
    }

    @Test
    void shouldWakeUpForTheCommandOfAnotherThread() throws InterruptedException
    {
        try (DrivenReactor driven = driven())
        {
            final AtomicInteger ran = new AtomicInteger();
            final Thread other = Thread.ofPlatform().start(() ->
            {
                ReactorTesting.awaitSleep(driven.reactor());
                driven.reactor().execute(ran::incrementAndGet);
            });
            assertTrue(driven.drive(() -> 1 == ran.get(), LONG_NS));
            other.join();
        }
    }

    @Test
    void shouldNotSleepWhenAPollerHasDoneItWithoutCounting() throws InterruptedException
    {
        try (DrivenReactor driven = driven())
        {
            final AtomicInteger polls = new AtomicInteger();
            driven.reactor().execute(() -> driven.reactor().addPoller(() ->
            {
                polls.incrementAndGet();
                return 0;
            }));
            assertTrue(driven.drive(() -> polls.get() > 0, LONG_NS));
            long leastNs = Long.MAX_VALUE;
            for (int i = 0; i < 5; i++)
            {
                final long beganNs = System.nanoTime();
                final int before = polls.get();
                assertTrue(driven.drive(() -> polls.get() > before, LONG_NS));
                leastNs = Math.min(leastNs, System.nanoTime() - beganNs);
            }
            assertTrue(leastNs < TimeUnit.MILLISECONDS.toNanos(800), leastNs + " ns");
        }
    }

    @Test
    void shouldReturnAfterTheLimitAndGoOnLater() throws InterruptedException
    {
        try (DrivenReactor driven = driven())
        {
            final long limitNs = TimeUnit.MILLISECONDS.toNanos(20);
            long leastNs = Long.MAX_VALUE;
            for (int i = 0; i < 5; i++)
            {
                final long beganNs = System.nanoTime();
                assertFalse(driven.drive(() -> false, limitNs));
                leastNs = Math.min(leastNs, System.nanoTime() - beganNs);
            }
            // A reactor that has nothing to do sleeps for a second.
            assertTrue(leastNs >= limitNs && leastNs < TimeUnit.MILLISECONDS.toNanos(800), leastNs + " ns");
            assertTrue(driven.drive(driven.reactor().call(() -> 1)::isDone, LONG_NS));
        }
    }

    @Test
    void shouldEndTheWaitOfAnInterruptedThread()
    {
        try (DrivenReactor driven = driven())
        {
            Thread.currentThread().interrupt();
            assertThrows(InterruptedException.class, () -> driven.drive(() -> false, LONG_NS));
            assertFalse(Thread.interrupted());
            assertFalse(driven.reactor().isOnThread());
        }
    }

    @Test
    void shouldThrowWhatAPollerThrows()
    {
        try (DrivenReactor driven = driven())
        {
            driven.reactor().execute(() -> driven.reactor().addPoller(() ->
            {
                throw new IllegalStateException("broken");
            }));
            assertEquals("broken",
                assertThrows(IllegalStateException.class, () -> driven.drive(() -> false, LONG_NS)).getMessage());
        }
    }

    @Test
    void shouldFailWhatNobodyDroveAtItsEnd()
    {
        final DrivenReactor driven = driven();
        final CompletableFuture<Integer> left = driven.reactor().call(() -> 1);
        driven.close();
        driven.close();
        assertInstanceOf(RejectedExecutionException.class,
            assertThrows(CompletionException.class, left::join).getCause());
        assertTrue(driven.reactor().hasEnded());
        assertThrows(RejectedExecutionException.class, () -> driven.reactor().execute(() -> {}));
    }

    @Test
    void shouldNotRunOnAThreadThatMustNotBlockNorOnACpuOfItsOwn()
    {
        try (DrivenReactor driven = driven(); Reactor other = ReactorTesting.started("other"))
        {
            assertInstanceOf(IllegalStateException.class, assertThrows(CompletionException.class,
                () -> other.call(() -> driven.drive(() -> true, LONG_NS)).join()).getCause());
            assertThrows(IllegalStateException.class, driven.reactor()::start);
        }
        final String message = assertThrows(IllegalArgumentException.class,
            () -> new DrivenReactor(ReactorConfig.of("pinned", 0), errors)).getMessage();
        assertTrue(message.contains("pinned") && message.contains("CPU 0"), message);
    }
}
