package io.millrace.reactor;

import static io.millrace.reactor.ReactorTesting.await;
import static io.millrace.reactor.ReactorTesting.awaitSleep;
import static io.millrace.reactor.ReactorTesting.awaitWoken;
import static io.millrace.reactor.ReactorTesting.pass;
import static io.millrace.reactor.ReactorTesting.started;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.millrace.bindings.linux.Epoll;
import io.millrace.bindings.linux.Files;
import io.millrace.testing.MeasuresTime;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

@MeasuresTime
class ReactorIdleTest
{
    private static final ThreadMXBean THREADS = (ThreadMXBean)ManagementFactory.getThreadMXBean();
    private static final long IDLE_NS = TimeUnit.MILLISECONDS.toNanos(300);
    private static final int WAKES = 50;

    @Test
    void shouldUseNearlyNoProcessorTimeWhenIdle()
    {
        try (Reactor reactor = started("idle"))
        {
            assertIdleIsCheap(reactor);
        }
    }

    @Test
    void shouldUseNearlyNoProcessorTimeWithManyTimersArmedAndDescriptorsOpen()
    {
        try (Reactor reactor = started("armed"))
        {
            final int fd = ReactorTesting.eventDescriptor(false);
            reactor.call(() ->
            {
                reactor.register(fd, Epoll.EPOLLIN, (events) -> {});
                for (int i = 0; i < 1_000; i++)
                {
                    reactor.schedule(reactor.nowNs() + TimeUnit.SECONDS.toNanos(10) + i * 1_000_000L, (now) -> {});
                }
                return null;
            }).join();
            assertIdleIsCheap(reactor);
            reactor.call(() ->
            {
                reactor.deregister(fd);
                return Files.close(fd);
            }).join();
        }
    }

    private static void assertIdleIsCheap(final Reactor reactor)
    {
        final long threadId = reactor.call(() -> Thread.currentThread().threadId()).join();
        long usedNs = Long.MAX_VALUE;
        // A virtual machine may count what its host took away meanwhile, so the best of several counts; a reactor that
        // spins uses all of each.
        for (int round = 0; round < 5 && usedNs >= IDLE_NS / 50; round++)
        {
            awaitSleep(reactor);
            final long before = THREADS.getThreadCpuTime(threadId);
            pass(IDLE_NS);
            usedNs = THREADS.getThreadCpuTime(threadId) - before;
        }
        assertTrue(usedNs < IDLE_NS / 50, "used " + usedNs + " ns of " + IDLE_NS + " at best");
    }

    @Test
    void shouldWakeForACommandWhenAsleep()
    {
        try (Reactor reactor = started("wakes"))
        {
            // A command that comes while the reactor makes ready for sleep keeps it awake: that is no sleep, and more
            // commands are needed.
            for (int i = 0; i < WAKES || reactor.dutyCycle().sleepCount() < WAKES; i++)
            {
                assertTrue(i < 100 * WAKES, "it hardly sleeps");
                awaitSleep(reactor);
                awaitWoken(reactor, reactor.call(() -> null)::isDone);
            }
        }
    }

    @Test
    void shouldNeverLoseAWakeUpWhenProducersRaceWithSleep() throws InterruptedException
    {
        final ReactorConfig eager = new ReactorConfig("races", -1, ReactorConfig.IdleMode.SLEEP, 0);
        try (Reactor reactor = started(eager, ReactorErrorHandler.standard()))
        {
            final AtomicInteger woken = new AtomicInteger();
            final Runnable producer = () ->
            {
                for (int i = 0; i < 4_000; i++)
                {
                    awaitWoken(reactor, reactor.call(() -> null)::isDone);
                    woken.incrementAndGet();
                }
            };
            final Thread other = Thread.ofPlatform().start(producer);
            producer.run();
            other.join();
            assertEquals(2 * 4_000, woken.get());
            assertTrue(reactor.dutyCycle().sleepCount() > 0);
        }
    }

    @Test
    void shouldNotSleepWhenAPollerWouldMissWork()
    {
        try (Reactor reactor = started("awake"))
        {
            final AtomicBoolean sleepy = new AtomicBoolean();
            reactor.call(() ->
            {
                reactor.addPoller(new Poller()
                {
                    @Override
                    public int poll()
                    {
                        return 0;
                    }

                    @Override
                    public boolean canSleep()
                    {
                        return sleepy.get();
                    }
                });
                return null;
            }).join();
            final DutyCycle duty = reactor.dutyCycle();
            final long sleeps = duty.sleepCount();
            final long cycles = duty.cycles();
            await("spins", () -> duty.cycles() > cycles + 10_000);
            assertEquals(sleeps, duty.sleepCount());
            sleepy.set(true);
            awaitSleep(reactor);
        }
    }

    @Test
    void shouldNeverSleepInBusySpinMode()
    {
        final ReactorConfig spinning = new ReactorConfig("spins", -1, ReactorConfig.IdleMode.BUSY_SPIN, 0);
        try (Reactor reactor = started(spinning, ReactorErrorHandler.standard()))
        {
            await("spins", () -> reactor.dutyCycle().cycles() > 10_000);
            assertEquals(0, reactor.dutyCycle().sleepCount());
        }
    }

    @Test
    void shouldFireTimersInOrderOutOfLongSleep()
    {
        try (Reactor reactor = started("timers"))
        {
            final List<Integer> fired = new ArrayList<>();
            final int[] early = new int[1];
            final int[] delaysMs = {40, 10, 160, 80, 20};
            reactor.call(() ->
            {
                for (final int delayMs : delaysMs)
                {
                    final long deadlineNs = reactor.nowNs() + TimeUnit.MILLISECONDS.toNanos(delayMs);
                    reactor.schedule(deadlineNs, (now) ->
                    {
                        fired.add(delayMs);
                        early[0] += now - deadlineNs < 0 ? 1 : 0;
                    });
                }
                return null;
            }).join();
            await("all fire", () -> delaysMs.length == reactor.call(fired::size).join());
            assertEquals(List.of(10, 20, 40, 80, 160), fired);
            assertEquals(0, early[0]);
        }
    }

    @Test
    void shouldSleepUntilTheTimerAndNotMuchLonger()
    {
        try (Reactor reactor = started("punctual"))
        {
            final long[] lateNs = {Long.MAX_VALUE};
            // The machine may be busy, so the best of several counts; a reactor that slept on would be 700 ms late.
            for (int round = 0; round < 500 && lateNs[0] > 2_000_000; round++)
            {
                final AtomicBoolean fired = new AtomicBoolean();
                reactor.execute(() ->
                {
                    final long deadlineNs = reactor.nowNs() + 5_000_000;
                    reactor.schedule(deadlineNs, (now) ->
                    {
                        lateNs[0] = Math.min(lateNs[0], System.nanoTime() - deadlineNs);
                        fired.set(true);
                    });
                });
                await("fires", fired::get);
            }
            assertTrue(lateNs[0] <= 2_000_000, "late by " + lateNs[0] + " ns at best");
        }
    }
}
