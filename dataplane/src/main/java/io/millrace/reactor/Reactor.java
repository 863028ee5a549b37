package io.millrace.reactor;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeException;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.linux.Epoll;
import io.millrace.bindings.linux.EpollEvent;
import io.millrace.bindings.linux.Files;
import java.lang.foreign.Arena;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.DeadlineTimerWheel;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.collections.Long2ObjectHashMap;
import org.jctools.queues.MpscUnboundedArrayQueue;

/**
 * One pinned thread that runs pollers in turn. {@link #execute}, {@link #call}, {@link #start} and {@link #close} may be
 * called from any thread, everything else on the reactor's own.
 */
public final class Reactor implements AutoCloseable
{
    private static final int EVENTS_PER_WAIT = 256;
    private static final int COMMANDS_PER_CYCLE = 16;
    private static final int TIMERS_PER_CYCLE = 64;
    private static final int SLEEP_MS_MAX = 100;
    private static final long TIMER_TICK_NS = 1 << 20;

    private final ReactorConfig config;
    private final Arena arena = Arena.ofShared();
    private final MpscUnboundedArrayQueue<Runnable> commands = new MpscUnboundedArrayQueue<>(256);
    private final Int2ObjectHashMap<ReadinessListener> listeners = new Int2ObjectHashMap<>();
    private final Long2ObjectHashMap<TimerListener> timerListeners = new Long2ObjectHashMap<>();
    private final DeadlineTimerWheel timers;
    private final int epollFd;
    private final int wakeFd;
    private final long scratchAddress;
    private final long eventsAddress;
    private final Thread thread;
    private Poller[] pollers = {};
    private long nowNs = System.nanoTime();
    private long lastWorkNs = nowNs;
    private volatile boolean sleeping;
    private volatile boolean closing;

    /**
     * Makes a reactor that does not run yet.
     *
     * @param config of it.
     */
    public Reactor(final ReactorConfig config)
    {
        this.config = config;
        timers = new DeadlineTimerWheel(TimeUnit.NANOSECONDS, nowNs, TIMER_TICK_NS, 1024);
        scratchAddress = arena.allocate(64, 64).address();
        eventsAddress = arena.allocate((long)EVENTS_PER_WAIT * EpollEvent.SIZE_BYTES, 64).address();
        epollFd = NativeException.check("epoll_create1", Epoll.create(Epoll.EPOLL_CLOEXEC));
        wakeFd = NativeException.check("eventfd", Files.eventfd(0, Files.EFD_CLOEXEC | Files.EFD_NONBLOCK));
        register(wakeFd, Epoll.EPOLLIN, (events) -> Files.read(wakeFd, scratchAddress, 8));
        thread = Thread.ofPlatform().name("millrace-" + config.name()).unstarted(this::run);
    }

    /**
     * {@return settings it was made with}
     */
    public ReactorConfig config()
    {
        return config;
    }

    /**
     * Starts the thread.
     */
    public void start()
    {
        thread.start();
    }

    /**
     * {@return whether the caller is the reactor's thread}
     */
    public boolean isOnThread()
    {
        return Thread.currentThread() == thread;
    }

    /**
     * {@return the clock of this cycle, in the manner of {@link System#nanoTime()}}
     */
    public long nowNs()
    {
        return nowNs;
    }

    /**
     * Runs a command on the reactor soon. Any thread; control path only.
     *
     * @param command to run.
     */
    public void execute(final Runnable command)
    {
        commands.add(command);
        wake();
    }

    /**
     * Runs a task on the reactor and hands back its result. Any thread; control path only.
     *
     * @param task to run.
     * @param <T>  of its result.
     * @return done with the result, or with what the task threw.
     */
    public <T> CompletableFuture<T> call(final Callable<T> task)
    {
        final CompletableFuture<T> future = new CompletableFuture<>();
        execute(() ->
        {
            try
            {
                future.complete(task.call());
            }
            catch (final Exception e)
            {
                future.completeExceptionally(e);
            }
        });
        return future;
    }

    /**
     * Adds a poller to the end of the cycle.
     *
     * @param poller to run from the next cycle on.
     */
    public void addPoller(final Poller poller)
    {
        final Poller[] grown = java.util.Arrays.copyOf(pollers, pollers.length + 1);
        grown[pollers.length] = poller;
        pollers = grown;
    }

    /**
     * Takes a poller out.
     *
     * @param poller that was added.
     */
    public void removePoller(final Poller poller)
    {
        pollers = java.util.Arrays.stream(pollers).filter((p) -> p != poller).toArray(Poller[]::new);
    }

    /**
     * Watches a descriptor, level-triggered.
     *
     * @param fd       descriptor.
     * @param events   {@code EPOLL*} bits.
     * @param listener told when it is ready.
     */
    public void register(final int fd, final int events, final ReadinessListener listener)
    {
        EpollEvent.set(scratchAddress, events, fd);
        NativeException.check("epoll_ctl", Epoll.control(epollFd, Epoll.EPOLL_CTL_ADD, fd, scratchAddress));
        listeners.put(fd, listener);
    }

    /**
     * Changes what a watched descriptor is watched for.
     *
     * @param fd     descriptor.
     * @param events {@code EPOLL*} bits; 0 pauses.
     */
    public void modify(final int fd, final int events)
    {
        EpollEvent.set(scratchAddress, events, fd);
        NativeException.check("epoll_ctl", Epoll.control(epollFd, Epoll.EPOLL_CTL_MOD, fd, scratchAddress));
    }

    /**
     * Stops watching a descriptor; call before closing it.
     *
     * @param fd descriptor.
     */
    public void deregister(final int fd)
    {
        listeners.remove(fd);
        Epoll.control(epollFd, Epoll.EPOLL_CTL_DEL, fd, scratchAddress);
    }

    /**
     * Starts a timer; its resolution is about 1 ms.
     *
     * @param deadlineNs on the clock of {@link #nowNs()}.
     * @param listener   told once when it has passed.
     * @return id to cancel it with.
     */
    public long schedule(final long deadlineNs, final TimerListener listener)
    {
        final long id = timers.scheduleTimer(deadlineNs);
        timerListeners.put(id, listener);
        return id;
    }

    /**
     * Cancels a timer.
     *
     * @param timerId from {@link #schedule}.
     * @return false when it had expired.
     */
    public boolean cancel(final long timerId)
    {
        timerListeners.remove(timerId);
        return timers.cancelTimer(timerId);
    }

    /**
     * Wakes the reactor when it sleeps; costs one volatile read when it does not. Any thread.
     */
    public void wake()
    {
        if (sleeping)
        {
            final long one = WakeValue.ADDRESS;
            Files.write(wakeFd, one, 8);
        }
    }

    /**
     * Stops the thread after its present cycle and frees what the reactor owns. Any thread but its own.
     */
    @Override
    public void close()
    {
        closing = true;
        wake();
        while (thread.isAlive())
        {
            LockSupport.parkNanos(100_000);
            wake();
        }
        Files.close(wakeFd);
        Files.close(epollFd);
        arena.close();
    }

    private void run()
    {
        while (!closing)
        {
            cycle();
        }
    }

    private void cycle()
    {
        nowNs = System.nanoTime();
        int work = 0;
        final Poller[] current = pollers;
        for (final Poller poller : current)
        {
            work += poller.poll();
        }
        work += commands.drain(Runnable::run, COMMANDS_PER_CYCLE);
        work += timers.poll(nowNs, this::onTimer, TIMERS_PER_CYCLE);
        work += dispatch(Epoll.poll(epollFd, eventsAddress, EVENTS_PER_WAIT));
        if (work > 0)
        {
            lastWorkNs = nowNs;
        }
        else if (ReactorConfig.IdleMode.SLEEP == config.idle() && nowNs - lastWorkNs > config.spinNs())
        {
            sleep(current);
        }
        else
        {
            Thread.onSpinWait();
        }
    }

    private void sleep(final Poller[] current)
    {
        for (final Poller poller : current)
        {
            if (!poller.canSleep())
            {
                return;
            }
        }
        sleeping = true;
        if (commands.isEmpty() && !closing)
        {
            final int ready = Epoll.waitFor(epollFd, eventsAddress, EVENTS_PER_WAIT,
                0 == timers.timerCount() ? SLEEP_MS_MAX : 1);
            sleeping = false;
            nowNs = System.nanoTime();
            if (dispatch(ready) > 0)
            {
                lastWorkNs = nowNs;
            }
        }
        sleeping = false;
    }

    private int dispatch(final int ready)
    {
        if (ready < 0 && -Errno.EINTR != ready)
        {
            throw new NativeException("epoll_wait", -ready);
        }
        for (int i = 0; i < ready; i++)
        {
            final long event = eventsAddress + (long)i * EpollEvent.SIZE_BYTES;
            final ReadinessListener listener = listeners.get((int)EpollEvent.data(event));
            if (null != listener)
            {
                listener.onReady(EpollEvent.events(event));
            }
        }
        return Math.max(0, ready);
    }

    private boolean onTimer(final TimeUnit unit, final long now, final long timerId)
    {
        final TimerListener listener = timerListeners.remove(timerId);
        if (null != listener)
        {
            listener.onTimer(now);
        }
        return true;
    }

    private static final class WakeValue
    {
        private static final long ADDRESS = Arena.global().allocate(8, 8).address();

        static
        {
            NativeMemory.putLong(ADDRESS, 1);
        }
    }
}
