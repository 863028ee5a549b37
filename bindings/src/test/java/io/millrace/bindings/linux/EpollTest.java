package io.millrace.bindings.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeException;
import io.millrace.bindings.NativeMemory;
import java.lang.foreign.Arena;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EpollTest
{
    private static final int EVENTS_MAX = 4;

    private final Arena arena = Arena.ofShared();
    private final long events = arena.allocate(EVENTS_MAX * EpollEvent.SIZE_BYTES, 8).address();
    private final long counter = arena.allocate(8, 8).address();
    private final int epollFd = NativeException.check("epoll_create1", Epoll.create(Epoll.EPOLL_CLOEXEC));
    private final int first = NativeException.check("eventfd", Files.eventfd(0, Files.EFD_NONBLOCK));
    private final int second = NativeException.check("eventfd", Files.eventfd(0, Files.EFD_NONBLOCK));

    @AfterEach
    void close()
    {
        Files.close(epollFd);
        Files.close(first);
        Files.close(second);
        arena.close();
    }

    @Test
    void shouldReportWhichAreReadyWhenManyAreWatched()
    {
        watch(first, Epoll.EPOLLIN, 0x1111_2222_3333_4444L);
        watch(second, Epoll.EPOLLIN, 0x5555_6666_7777_8888L);
        assertEquals(0, Epoll.poll(epollFd, events, EVENTS_MAX));
        signal(first);
        signal(second);

        assertEquals(2, Epoll.poll(epollFd, events, EVENTS_MAX));
        for (int i = 0; i < 2; i++)
        {
            assertEquals(Epoll.EPOLLIN, EpollEvent.events(events + (long)i * EpollEvent.SIZE_BYTES));
        }
        assertEquals(0x1111_2222_3333_4444L ^ 0x5555_6666_7777_8888L,
            EpollEvent.data(events) ^ EpollEvent.data(events + EpollEvent.SIZE_BYTES));
    }

    @Test
    void shouldWaitForLessThanAMillisecond()
    {
        watch(first, Epoll.EPOLLIN, 7);
        final int ready = uninterrupted(() -> Epoll.waitForNs(epollFd, events, EVENTS_MAX, counter, 200_000));
        assertTrue(0 == ready || -Errno.ENOSYS == ready, () -> Errno.describe(-ready));
        signal(first);
        if (0 == ready)
        {
            assertEquals(1, Epoll.waitForNs(epollFd, events, EVENTS_MAX, counter, 3_600_000_000_001L));
            assertEquals(7, EpollEvent.data(events));
            assertEquals(-Errno.EBADF, Epoll.waitForNs(-1, events, EVENTS_MAX, counter, 1));
        }
    }

    @Test
    void shouldReportOnceWhenEdgeTriggered()
    {
        watch(first, Epoll.EPOLLIN | Epoll.EPOLLET, 1);
        signal(first);

        assertEquals(1, Epoll.poll(epollFd, events, EVENTS_MAX));
        assertEquals(0, Epoll.poll(epollFd, events, EVENTS_MAX));
    }

    @Test
    void shouldWatchForOtherEventsWhenModifiedAndNothingWhenRemoved()
    {
        watch(first, Epoll.EPOLLIN, 1);
        EpollEvent.set(events, Epoll.EPOLLOUT, 2);
        assertEquals(0, Epoll.control(epollFd, Epoll.EPOLL_CTL_MOD, first, events));
        assertEquals(1, Epoll.poll(epollFd, events, EVENTS_MAX));
        assertEquals(Epoll.EPOLLOUT, EpollEvent.events(events));
        assertEquals(2, EpollEvent.data(events));

        assertEquals(0, Epoll.control(epollFd, Epoll.EPOLL_CTL_DEL, first, 0));
        assertEquals(0, Epoll.poll(epollFd, events, EVENTS_MAX));
        assertEquals(-Errno.ENOENT, Epoll.control(epollFd, Epoll.EPOLL_CTL_DEL, first, 0));
    }

    @Test
    void shouldWaitUntilTimeIsUpWhenNothingHappens()
    {
        watch(first, Epoll.EPOLLIN, 1);
        final long startNs = System.nanoTime();

        assertEquals(0, uninterrupted(() -> Epoll.waitFor(epollFd, events, EVENTS_MAX, 20)));

        final long tookNs = System.nanoTime() - startNs;
        assertTrue(tookNs >= TimeUnit.MILLISECONDS.toNanos(19), () -> "took " + tookNs + " ns");
    }

    @Test
    void shouldWakeWhenAnotherThreadSignals() throws Exception
    {
        watch(first, Epoll.EPOLLIN, 7);
        final Thread thread = new Thread(() -> signal(first));
        thread.start();

        assertEquals(1, uninterrupted(() -> Epoll.waitFor(epollFd, events, EVENTS_MAX, 20_000)));
        assertEquals(7, EpollEvent.data(events));
        thread.join();
    }

    /** The JVM signals its threads at times, which ends a wait early. */
    private static int uninterrupted(final IntSupplier wait)
    {
        int ready;
        do
        {
            ready = wait.getAsInt();
        }
        while (-Errno.EINTR == ready);
        return ready;
    }

    private void watch(final int fd, final int wanted, final long data)
    {
        EpollEvent.set(events, wanted, data);
        assertEquals(0, Epoll.control(epollFd, Epoll.EPOLL_CTL_ADD, fd, events));
    }

    private void signal(final int fd)
    {
        NativeMemory.putLong(counter, 1L);
        assertEquals(8, Files.write(fd, counter, 8));
    }
}
