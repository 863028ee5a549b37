package io.millrace.reactor;

import static io.millrace.reactor.ReactorTesting.await;
import static io.millrace.reactor.ReactorTesting.awaitSleep;
import static io.millrace.reactor.ReactorTesting.pass;
import static io.millrace.reactor.ReactorTesting.started;
import static io.millrace.testing.Requirement.requireCpus;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import com.sun.management.ThreadMXBean;
import io.millrace.reactor.NativeRing.NativeProducers;
import io.millrace.reactor.NativeRingTesting.NativeCode;
import io.millrace.seed.TestSeeds;
import io.millrace.testing.MeasuresTime;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Rings with threads of C at the other end, which sleep without a time-out: a wake-up that is lost is work that stays.
 */
@MeasuresTime
class NativeRingEchoTest
{
    private static final int PLACES = 256;
    private static final int DESCRIPTORS = 1_000_000;
    /** Reads of C that find nothing before it sleeps. */
    private static final int SPINS = 200;
    private static final long EAGER_NS = 20_000;
    /** Below the longest sleep of a reactor, which would hide a lost wake-up otherwise. */
    private static final long UNWOKEN_NS = TimeUnit.MILLISECONDS.toNanos(700);
    private static final long IDLE_NS = TimeUnit.MILLISECONDS.toNanos(300);
    private static final int CLOSED = -5;
    private static final ThreadMXBean THREADS = (ThreadMXBean)ManagementFactory.getThreadMXBean();

    @TempDir
    private static Path folder;
    private static NativeCode code;

    private final long seed = TestSeeds.seed();

    @BeforeAll
    static void compile() throws Exception
    {
        code = NativeRingTesting.nativeCode(folder);
    }

    @Test
    void shouldEchoAMillionInOrderWhileBothSidesSleepInBetween()
    {
        System.out.println("seed of the echo: " + seed);
        final ReactorConfig eager = new ReactorConfig("echo", -1, ReactorConfig.IdleMode.SLEEP, EAGER_NS);
        try (Reactor reactor = started(eager, ReactorErrorHandler.standard()))
        {
            final Sender sender = new Sender(reactor, seed);
            final NativeRing ring = new NativeRing(reactor, PLACES, NativeProducers.ONE, sender);
            final long echo = code.startEcho(ring, seed, SPINS, 64);
            sender.ring = ring;
            reactor.execute(() -> reactor.addPoller(sender));

            awaitWithoutLostWakeUp(reactor, ring, () -> DESCRIPTORS == sender.received, seed);
            assertEquals(0, sender.disorder, () -> "out of order, seed " + seed);
            assertTrue(code.sleeps(echo) > 100, () -> "C slept " + code.sleeps(echo) + " times, seed " + seed);
            assertTrue(reactor.dutyCycle().sleepCount() > 100, () -> "the reactor hardly slept, seed " + seed);
            System.out.println("sleeps: reactor " + reactor.dutyCycle().sleepCount() + ", C " + code.sleeps(echo));
            assertEquals(DESCRIPTORS, detach(ring, echo));
            ring.close();
        }
    }

    @Test
    void shouldTakeWhatManyThreadsOfNativeCodeWrite()
    {
        final int threads = 4;
        final int each = 100_000;
        final ReactorConfig eager = new ReactorConfig("flood", -1, ReactorConfig.IdleMode.SLEEP, 0);
        try (Reactor reactor = started(eager, ReactorErrorHandler.standard()))
        {
            final long[] next = new long[threads];
            final AtomicInteger disorder = new AtomicInteger();
            final AtomicInteger received = new AtomicInteger();
            final NativeRing ring = new NativeRing(reactor, PLACES, NativeProducers.MANY,
                (type, slot, address, length, word0, word1) ->
                {
                    if (next[slot]++ != word0)
                    {
                        disorder.incrementAndGet();
                    }
                    received.incrementAndGet();
                });
            final Thread flood = Thread.ofPlatform().start(() ->
                assertEquals(0, code.flood(ring, seed, threads, each)));
            awaitWithoutLostWakeUp(reactor, ring, () -> threads * each == received.get(), seed);
            assertEquals(0, disorder.get());
            await("all threads of C have ended", () -> !flood.isAlive());
            ring.close();
        }
    }

    @Test
    void shouldUseNearlyNoProcessorTimeOnEitherSideWhenIdle()
    {
        try (Reactor reactor = started("idle"))
        {
            final AtomicInteger received = new AtomicInteger();
            final NativeRing ring = new NativeRing(reactor, PLACES, NativeProducers.ONE,
                (type, slot, address, length, word0, word1) -> received.incrementAndGet());
            final long echo = code.startEcho(ring, seed, SPINS, 0);
            final long threadId = reactor.call(() ->
            {
                assertTrue(ring.offer(1, 0, 0, 0, 0, 0));
                return Thread.currentThread().threadId();
            }).join();
            await("the echo", () -> 1 == received.get());
            long usedNs = Long.MAX_VALUE;
            // A virtual machine may count what its host took away meanwhile, so the best of several counts; a side that
            // spins uses all of each.
            for (int round = 0; round < 5 && usedNs >= IDLE_NS / 50; round++)
            {
                awaitSleep(reactor);
                await("C sleeps", ring::isNativeSleeping);
                final long before = THREADS.getThreadCpuTime(threadId) + code.cpuNs(echo);
                pass(IDLE_NS);
                usedNs = THREADS.getThreadCpuTime(threadId) + code.cpuNs(echo) - before;
            }
            assertTrue(usedNs < IDLE_NS / 50, "used " + usedNs + " ns of " + IDLE_NS + " at best");
            assertEquals(1, detach(ring, echo));
            ring.close();
        }
    }

    @Test
    void shouldWakeNativeCodeToDetachAndLetNoneAttachAfterwards()
    {
        final Random random = TestSeeds.random();
        for (int turn = 0; turn < 50; turn++)
        {
            try (Reactor reactor = started("detach"))
            {
                final NativeRing ring = new NativeRing(reactor, PLACES, NativeProducers.ONE,
                    (type, slot, address, length, word0, word1) -> {});
                final long echo = code.startEcho(ring, seed, 0, 0);
                pass(random.nextInt(100_000));
                assertFalse(ring.isDetached());
                assertEquals(0, detach(ring, echo));
                assertEquals(CLOSED, code.startEcho(ring, seed, 0, 0));
                assertEquals(-1, code.startEcho(ring.address(), ring.lengthBytes() - 1, seed, 0, 0));
                ring.close();
            }
        }
    }

    @Test
    void shouldLeaveAThreadOfNativeCodeWhereItIsWhenExempt()
    {
        final BitSet all = Housekeeping.allowed();
        requireCpus(all.cardinality(), 2);
        final int cpu = all.nextSetBit(0);
        final BitSet others = (BitSet)all.clone();
        others.clear(cpu);
        try (Reactor reactor = started(ReactorConfig.of("exempt", cpu), ReactorErrorHandler.standard()))
        {
            final NativeRing ring = new NativeRing(reactor, PLACES, NativeProducers.ONE,
                (type, slot, address, length, word0, word1) -> {});
            final long echo = code.startEcho(ring, seed, SPINS, 0);
            final int tid = code.threadId(echo);
            final Housekeeping first = Housekeeping.begin(List.of(reactor));
            assertEquals(others, CpuAffinity.allowed(tid));
            assertTrue(Housekeeping.exempt(tid));
            assertEquals(all, CpuAffinity.allowed(tid));
            first.close();
            final Housekeeping second = Housekeeping.begin(List.of(reactor));
            assertEquals(all, CpuAffinity.allowed(tid));
            Housekeeping.endExemption(tid);
            assertEquals(others, CpuAffinity.allowed(tid));
            second.close();
            detach(ring, echo);
            ring.close();
        }
    }

    private static long detach(final NativeRing ring, final long echo)
    {
        ring.requestDetach();
        await("C detaches", ring::isDetached);
        return code.join(echo);
    }

    /**
     * Waits for what comes over the ring. However slow the machine is, a side whose flag is up with work before it, for
     * as long as this, was not woken.
     */
    private static void awaitWithoutLostWakeUp(
        final Reactor reactor, final NativeRing ring, final BooleanSupplier isDone, final long seed)
    {
        final long deadlineNs = System.nanoTime() + 6 * ReactorTesting.PATIENCE_NS;
        long javaSoundNs = System.nanoTime();
        long nativeSoundNs = javaSoundNs;
        while (!isDone.getAsBoolean())
        {
            final long nowNs = System.nanoTime();
            if (!reactor.isSleeping() || 0 == ring.waitingForJava())
            {
                javaSoundNs = nowNs;
            }
            if (!ring.isNativeSleeping() || 0 == ring.waitingForNative())
            {
                nativeSoundNs = nowNs;
            }
            if (nowNs - javaSoundNs > UNWOKEN_NS || nowNs - nativeSoundNs > UNWOKEN_NS || nowNs - deadlineNs > 0)
            {
                fail("not woken, or not in time: reactor asleep " + reactor.isSleeping() + " before " +
                    ring.waitingForJava() + ", C asleep " + ring.isNativeSleeping() + " before " +
                    ring.waitingForNative() + ", seed " + seed);
            }
            LockSupport.parkNanos(200_000);
        }
    }

    /** Sends in bursts with pauses of random length, and checks what comes back. */
    private static final class Sender implements Poller, LinkListener, TimerListener
    {
        private final Reactor reactor;
        private final Random random;
        private NativeRing ring;
        private int sent;
        private boolean isPaused;
        private int disorder;
        private volatile int received;

        private Sender(final Reactor reactor, final long seed)
        {
            this.reactor = reactor;
            this.random = TestSeeds.random();
        }

        @Override
        public int poll()
        {
            if (isPaused || DESCRIPTORS == sent)
            {
                return 0;
            }
            final int burst = 1 + random.nextInt(64);
            int written = 0;
            while (written < burst && sent < DESCRIPTORS &&
                ring.write(1 + (sent & 7), sent, 4096L * sent, 5, sent, ~sent))
            {
                sent++;
                written++;
            }
            if (written > 0)
            {
                ring.wake();
            }
            if (0 == random.nextInt(16))
            {
                isPaused = true;
                reactor.schedule(reactor.nowNs() + random.nextInt(300_000), this);
            }
            return written;
        }

        @Override
        public boolean canSleep()
        {
            // Full: what comes back wakes the reactor.
            return true;
        }

        @Override
        public void onTimer(final long nowNs)
        {
            isPaused = false;
        }

        @Override
        public void onMessage(
            final int type, final int slot, final long address, final int length, final long word0, final long word1)
        {
            final int expected = received;
            if (slot != expected || type != 1 + (expected & 7) || address != 4096L * expected || 5 != length ||
                word0 != expected || word1 != ~expected)
            {
                disorder++;
            }
            received = expected + 1;
        }
    }
}
