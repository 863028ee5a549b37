package io.millrace.reactor;

import static io.millrace.reactor.ReactorTesting.await;
import static io.millrace.reactor.ReactorTesting.started;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ReactorTest
{
    private final ReactorTesting.Errors errors = new ReactorTesting.Errors();

    @Test
    void shouldRunOnItsOwnNamedThread()
    {
        try (Reactor reactor = started("named"))
        {
            assertEquals("millrace-named", reactor.call(() -> Thread.currentThread().getName()).join());
            assertTrue(reactor.call(reactor::isOnThread).join());
            assertFalse(reactor.isOnThread());
        }
    }

    @Test
    void shouldBePinnedWhenStartReturns()
    {
        final int cpu = Housekeeping.allowed().nextSetBit(0);
        try (Reactor reactor = started(ReactorConfig.of("pinned", cpu), errors))
        {
            final BitSet expected = new BitSet();
            expected.set(cpu);
            assertEquals(expected, reactor.call(() -> CpuAffinity.allowed(0)).join());
        }
    }

    @Test
    void shouldNameCpuAndAllowedOnesWhenRefused()
    {
        final Reactor reactor = new Reactor(ReactorConfig.of("far", CpuAffinity.CPU_COUNT_MAX - 1), errors);
        final String message = assertThrows(ReactorException.class, reactor::start).getMessage();
        assertTrue(message.contains("cpu " + (CpuAffinity.CPU_COUNT_MAX - 1)), message);
        assertTrue(message.contains(CpuAffinity.format(Housekeeping.allowed())), message);
        assertThrows(RejectedExecutionException.class, () -> reactor.execute(() -> {}));
        reactor.close();
    }

    @Test
    void shouldRefuseSettingsOutOfBounds()
    {
        assertThrows(IllegalArgumentException.class, () -> ReactorConfig.of(" ", 0));
        assertThrows(IllegalArgumentException.class, () -> ReactorConfig.of("a", -2));
        assertThrows(IllegalArgumentException.class, () -> ReactorConfig.of("a", CpuAffinity.CPU_COUNT_MAX));
        assertThrows(IllegalArgumentException.class,
            () -> new ReactorConfig("a", 0, ReactorConfig.IdleMode.SLEEP, -1));
    }

    @Test
    void shouldWriteCpuSetsAsTheKernelDoes()
    {
        final BitSet cpus = new BitSet();
        assertEquals("", CpuAffinity.format(cpus));
        cpus.set(0, 4);
        cpus.set(8);
        cpus.set(10, 12);
        assertEquals("0-3,8,10-11", CpuAffinity.format(cpus));
    }

    @Test
    void shouldHandBackWhatATaskReturnsOrThrows()
    {
        try (Reactor reactor = started("calls"))
        {
            assertEquals(42, reactor.call(() -> 42).join());
            final Exception thrown = new Exception("task");
            assertSame(thrown, assertThrows(CompletionException.class, () -> reactor.call(() ->
            {
                throw thrown;
            }).join()).getCause());
        }
    }

    @Test
    void shouldGoOnWhenACommandThrows()
    {
        try (Reactor reactor = started(ReactorConfig.of("commands", -1), errors))
        {
            final RuntimeException thrown = new RuntimeException("command");
            reactor.execute(() ->
            {
                throw thrown;
            });
            reactor.execute(() ->
            {
                throw new AssertionError("another");
            });
            assertEquals(1, reactor.call(() -> 1).join());
            assertEquals(2, errors.ofCommands.size());
            assertSame(thrown, errors.ofCommands.peek());
        }
    }

    @Test
    void shouldEndAndNameThePollerWhenItThrows()
    {
        final IllegalStateException thrown = new IllegalStateException("poller");
        final Poller breaking = () ->
        {
            throw thrown;
        };
        assertBreaks(thrown, breaking, (reactor) -> reactor.addPoller(breaking));
    }

    @Test
    void shouldEndAndNameTheListenerWhenItThrows()
    {
        final IllegalStateException thrown = new IllegalStateException("timer");
        final TimerListener breaking = (now) ->
        {
            throw thrown;
        };
        assertBreaks(thrown, breaking, (reactor) -> reactor.schedule(reactor.nowNs(), breaking));
    }

    private void assertBreaks(
        final Throwable thrown, final Object source, final java.util.function.Consumer<Reactor> breaker)
    {
        try (Reactor reactor = started(ReactorConfig.of("breaks", -1), errors))
        {
            reactor.execute(() -> breaker.accept(reactor));
            await("reactor ends", () -> null != errors.broken);
            assertSame(thrown, errors.broken);
            assertSame(source, errors.brokenSource);
            final CompletableFuture<Integer> late = reactor.call(() -> 1);
            await("call is answered", late::isDone);
            assertInstanceOf(RejectedExecutionException.class, late.exceptionNow());
        }
    }

    @Test
    void shouldRunOutstandingCommandsWhenClosed()
    {
        final Reactor reactor = started("closing");
        final AtomicInteger ran = new AtomicInteger();
        reactor.execute(() ->
        {
            // More than a cycle takes, queued while this one runs.
            for (int i = 0; i < 100; i++)
            {
                reactor.execute(ran::incrementAndGet);
            }
        });
        reactor.call(() -> 1).join();
        reactor.close();
        reactor.close();
        assertEquals(100, ran.get());
        assertThrows(RejectedExecutionException.class, () -> reactor.execute(() -> {}));
        assertInstanceOf(RejectedExecutionException.class, reactor.call(() -> 1).exceptionNow());
        assertThrows(IllegalStateException.class, reactor::start);
    }

    @Test
    void shouldFailCommandsWhenClosedBeforeItStarted()
    {
        final Reactor reactor = new Reactor(ReactorConfig.of("never", -1), errors);
        final CompletableFuture<Integer> future = reactor.call(() -> 1);
        reactor.execute(() -> {});
        reactor.close();
        assertInstanceOf(RejectedExecutionException.class, future.exceptionNow());
        assertInstanceOf(RejectedExecutionException.class, errors.ofCommands.peek());
    }

    @Test
    void shouldRefuseOtherThreads()
    {
        try (Reactor reactor = started("owned"))
        {
            assertThrows(IllegalStateException.class, () -> reactor.addPoller(() -> 0));
            assertThrows(IllegalStateException.class, () -> reactor.schedule(0, (now) -> {}));
            assertThrows(IllegalStateException.class, () -> reactor.deregister(1));
        }
    }

    @Test
    void shouldRefuseToBeClosedOnItsOwnThread()
    {
        final Reactor reactor = started("itself");
        final CompletableFuture<Void> closing = reactor.call(() ->
        {
            reactor.close();
            return null;
        });
        await("refused", closing::isDone);
        assertInstanceOf(IllegalStateException.class, closing.exceptionNow());
        reactor.close();
    }

    @Test
    void shouldBeSetUpBeforeItStartsAndTakenDownAfterItEnded()
    {
        final Reactor reactor = new Reactor(ReactorConfig.of("setup", -1), errors);
        final AtomicLong polls = new AtomicLong();
        final Poller poller = () -> (int)(polls.incrementAndGet() & 1);
        reactor.addPoller(poller);
        final CompletableFuture<Long> expired = new CompletableFuture<>();
        reactor.schedule(reactor.nowNs(), expired::complete);
        reactor.start();
        expired.join();
        assertTrue(polls.get() > 0);
        reactor.close();
        reactor.removePoller(poller);
        reactor.deregister(0);
        reactor.cancel(1);
    }

    @Test
    void shouldNotRunAPollerThatWasRemovedInTheSameCycle()
    {
        try (Reactor reactor = started("removal"))
        {
            final List<String> ran = new ArrayList<>();
            final Poller third = () -> ran.add("third") ? 1 : 0;
            final Poller[] second = new Poller[1];
            second[0] = () ->
            {
                ran.add("second");
                reactor.removePoller(third);
                reactor.removePoller(second[0]);
                reactor.addPoller(() -> ran.add("fourth") && ran.size() < 6 ? 1 : 0);
                return 1;
            };
            reactor.call(() ->
            {
                reactor.addPoller(() -> ran.add("first") ? 1 : 0);
                reactor.addPoller(second[0]);
                reactor.addPoller(third);
                return null;
            }).join();
            final List<String> seen = new ArrayList<>();
            await("three cycles", () ->
            {
                seen.clear();
                seen.addAll(reactor.call(() -> List.copyOf(ran)).join());
                return seen.size() >= 6;
            });
            assertEquals(List.of("first", "second", "fourth", "first", "fourth", "first"), seen.subList(0, 6));
        }
    }

    @Test
    void shouldRefuseAPollerThatIsThereAlready()
    {
        try (Reactor reactor = new Reactor(ReactorConfig.of("twice", -1)))
        {
            final Poller poller = () -> 0;
            reactor.addPoller(poller);
            assertThrows(IllegalStateException.class, () -> reactor.addPoller(poller));
            reactor.removePoller(poller);
            reactor.addPoller(poller);
        }
    }

    @Test
    void shouldGiveEveryoneATurnWhenCommandsAndTimersNeverEnd()
    {
        try (Reactor reactor = started("fair"))
        {
            final AtomicLong commands = new AtomicLong();
            final AtomicLong timers = new AtomicLong();
            final AtomicLong polls = new AtomicLong();
            final Runnable[] again = new Runnable[1];
            again[0] = () ->
            {
                commands.incrementAndGet();
                reactor.execute(again[0]);
            };
            final TimerListener[] rearm = new TimerListener[1];
            rearm[0] = (now) ->
            {
                timers.incrementAndGet();
                reactor.schedule(now, rearm[0]);
            };
            reactor.execute(() ->
            {
                reactor.addPoller(() -> (int)Math.min(1, polls.incrementAndGet()));
                reactor.schedule(reactor.nowNs(), rearm[0]);
                again[0].run();
            });
            await("all have turns", () -> polls.get() > 1_000 && timers.get() > 1_000 && commands.get() > 1_000);
            reactor.execute(() -> again[0] = () -> {});
            assertEquals(1, reactor.call(() -> 1).join());
        }
    }

    @Test
    void shouldCountCyclesAndTheLongest()
    {
        try (Reactor reactor = started("duty"))
        {
            reactor.execute(() -> ReactorTesting.pass(3_000_000));
            reactor.call(() -> 1).join();
            final DutyCycle duty = reactor.dutyCycle();
            await("the long cycle is counted", () -> duty.longestCycleNs() >= 3_000_000);
            assertTrue(duty.busyNs() >= 3_000_000, "busy " + duty.busyNs());
            assertTrue(duty.cycles() > 0);
            await("idle again", () -> duty.idleNs() > 0);
            duty.resetLongestCycle();
            assertTrue(duty.longestCycleNs() < duty.busyNs() + duty.idleNs());
        }
    }
}
