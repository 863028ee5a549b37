package io.millrace.control.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.agrona.concurrent.SleepingMillisIdleStrategy;
import org.junit.jupiter.api.Test;

class ServiceThreadTest
{
    private final AtomicInteger rounds = new AtomicInteger();
    private final AtomicInteger restarts = new AtomicInteger();
    private final AtomicInteger ends = new AtomicInteger();
    private final CountDownLatch worked = new CountDownLatch(1);
    private final CountDownLatch lost = new CountDownLatch(1);
    private final Queue<String> errors = new ConcurrentLinkedQueue<>();
    private final AtomicLong nowNs = new AtomicLong();
    private long pauseMs = 1;
    /** Of each call that fails. */
    private long failingNs;
    /** Between the calls. */
    private long idleNs;

    private ServiceThread thread(final int failures, final Throwable failure, final Consumer<String> onError)
    {
        return new ServiceThread(
            () ->
            {
                if (rounds.incrementAndGet() <= failures)
                {
                    nowNs.addAndGet(failingNs);
                    ServiceThreadTest.<RuntimeException>raise(failure);
                }
                worked.countDown();
                return 0;
            },
            this::restart, ends::incrementAndGet, new SleepingMillisIdleStrategy(1), onError,
            lost::countDown, TimeUnit.MILLISECONDS.toNanos(pauseMs), nowNs::get);
    }

    private void restart()
    {
        restarts.incrementAndGet();
        nowNs.addAndGet(idleNs);
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void raise(final Throwable failure) throws T
    {
        throw (T)failure;
    }

    private static void await(final CountDownLatch latch) throws InterruptedException
    {
        assertTrue(latch.await(10, TimeUnit.SECONDS));
    }

    @Test
    void shouldGoOnAfterAnyFailure() throws InterruptedException
    {
        try (ServiceThread thread = thread(3, new OutOfMemoryError("test"), errors::add))
        {
            thread.start();
            await(worked);
        }
        assertEquals(3, restarts.get());
        assertEquals(3, errors.size());
        assertTrue(errors.peek().contains("OutOfMemoryError: test"), errors::toString);
        assertEquals(1, ends.get());
        assertEquals(1, lost.getCount());
    }

    @Test
    void shouldGoOnThoughNobodyCanBeTold() throws InterruptedException
    {
        final Consumer<String> failing = (_) ->
        {
            throw new OutOfMemoryError("no line");
        };
        try (ServiceThread thread = thread(1, new IllegalStateException("test"), failing))
        {
            thread.start();
            await(worked);
        }
        assertEquals(1, restarts.get());
    }

    /** Others can fill what control directories are in for as long as they like: hosts are served meanwhile. */
    @Test
    void shouldNotGiveUpWhileThereIsNoSpace() throws InterruptedException
    {
        final int failures = 2 * ServiceThread.FAILURES_MAX;
        try (ServiceThread thread = thread(failures,
            new IllegalStateException(new InternalError("a fault occurred in an unsafe memory access")), errors::add))
        {
            thread.start();
            await(worked);
        }
        assertEquals(failures, restarts.get());
        assertEquals(1, lost.getCount());
        assertTrue(errors.peek().contains("has no space"), errors::toString);
    }

    @Test
    void shouldEndThoughItWaitsForSpace() throws InterruptedException
    {
        pauseMs = TimeUnit.HOURS.toMillis(1);
        final CountDownLatch told = new CountDownLatch(1);
        final ServiceThread thread = thread(1, new InternalError("test"), (_) -> told.countDown());
        thread.start();
        await(told);
        thread.close();
        assertEquals(1, ends.get());
    }

    @Test
    void shouldGoOnWhenItFailsNowAndThen() throws InterruptedException
    {
        final int failures = 2 * ServiceThread.FAILURES_MAX;
        idleNs = ServiceThread.WINDOW_NS / (ServiceThread.FAILURES_MAX - 2);
        try (ServiceThread thread = thread(failures, new IllegalStateException("test"), errors::add))
        {
            thread.start();
            await(worked);
        }
        assertEquals(failures, restarts.get());
        assertEquals(1, lost.getCount());
    }

    /** As when the media driver does not answer, which takes ten seconds each time. */
    @Test
    void shouldGiveUpThoughEachFailureTakesLong() throws InterruptedException
    {
        failingNs = ServiceThread.WINDOW_NS;
        idleNs = TimeUnit.MILLISECONDS.toNanos(100);
        try (ServiceThread thread = thread(Integer.MAX_VALUE, new IllegalStateException("test"), errors::add))
        {
            thread.start();
            await(lost);
        }
        assertEquals(ServiceThread.FAILURES_MAX, rounds.get());
    }

    @Test
    void shouldGiveUpWhenItFailsOverAndOver() throws InterruptedException
    {
        try (ServiceThread thread = thread(Integer.MAX_VALUE, new StackOverflowError("test"), errors::add))
        {
            thread.start();
            await(lost);
        }
        assertEquals(ServiceThread.FAILURES_MAX, rounds.get());
        assertEquals(ServiceThread.FAILURES_MAX - 1, restarts.get());
        assertEquals(0, ends.get());
        assertTrue(errors.stream().reduce((_, last) -> last).orElseThrow().contains("giving up"), errors::toString);
    }
}
