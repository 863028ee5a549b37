package io.millrace.reactor;

import io.millrace.bindings.NativeException;
import io.millrace.bindings.linux.Epoll;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;

/**
 * One pinned thread that runs pollers in turn. {@link #execute}, {@link #call}, {@link #wake}, {@link #start},
 * {@link #close}, {@link #config} and {@link #dutyCycle} may be called from any thread; everything else on the
 * reactor's own thread, or by the thread that sets it up before it starts, or closes it after it has ended.
 * <p>
 * A cycle reads the clock once, runs every poller, a bounded number of commands and of expired timers, and asks for
 * ready descriptors. A reactor without work spins for a while and then sleeps in the kernel:
 * <pre>
 *     reactor                         any other thread
 *     sleeping = true                 enqueue
 *     -- full fence --                -- full fence --
 *     anything queued? then no sleep  sleeping? then signal the event descriptor
 *     wait for descriptors
 * </pre>
 * Of two that cross, at least one sees the other's store, so no wake-up is lost, and a busy reactor costs its
 * producers no system call. The flag is a word in native memory, so that native code is a producer like any other.
 */
public final class Reactor implements AutoCloseable
{
    /** Commands are the control path: a few a cycle, so that a burst of them does not delay I/O. */
    private static final int COMMANDS_PER_CYCLE = 16;
    private static final int TIMERS_PER_CYCLE = 64;
    /**
     * How long a reactor leaves its descriptors alone after it found none ready, at least. A check costs about 300 ns
     * in the kernel. Descriptors of a reactor without work wait for this interval at most.
     */
    private static final long READINESS_INTERVAL_MIN_NS = 2_000;
    /**
     * The same at most, for a reactor that has had work within this time: each check that finds nothing doubles the
     * interval up to this, since its pollers ask the sockets with traffic by themselves. Checks between two commands
     * of a host that waits for each would else take longer than the commands.
     */
    private static final long READINESS_INTERVAL_MAX_NS = 20_000;
    /** Bounds how old the counters of a sleeping reactor get. */
    private static final long SLEEP_NS_MAX = 1_000_000_000;

    private enum State
    {
        /** Made; the thread has not begun. */
        NEW,
        /** The thread runs cycles. */
        RUNNING,
        /** The thread is asked to end, or is ending. */
        CLOSING,
        /** The thread has ended, or never began. */
        ENDED,
        /** All native resources are released. */
        CLOSED
    }

    private final ReactorConfig config;
    private final ReactorErrorHandler errorHandler;
    private final DutyCycle dutyCycle = new DutyCycle();
    private final PollerList pollers = new PollerList();
    private final TimerQueue timers = new TimerQueue();
    private final Kernel kernel;
    private final ReadinessSet readiness;
    private final CommandQueue commands;
    private final ReactorThread thread;
    private final CompletableFuture<Void> started = new CompletableFuture<>();
    private final Object lifecycle = new Object();
    private final WakeSignal wakeSignal;
    private final SleepingFlag sleeping;

    private long nowNs;
    private long lastWorkNs;
    private long readinessDueNs;
    private long readinessIntervalNs;
    private boolean lastCycleBusy;
    /** Of a reactor that is driven, while it is; each thread finds itself here or not. */
    private Thread driver;

    private volatile State state = State.NEW;

    /**
     * Makes a reactor that does not run yet, with the standard error handler.
     *
     * @param config configuration.
     * @throws NativeException when the kernel gives it no descriptors.
     */
    public Reactor(final ReactorConfig config)
    {
        this(config, ReactorErrorHandler.standard());
    }

    /**
     * Makes a reactor that does not run yet.
     *
     * @param config       configuration.
     * @param errorHandler notified of errors on its thread.
     * @throws NativeException when the kernel gives it no descriptors.
     */
    public Reactor(final ReactorConfig config, final ReactorErrorHandler errorHandler)
    {
        this(config, errorHandler, LinuxKernel.INSTANCE);
    }

    /**
     * Makes a reactor that does not run yet, on a kernel of a test's choice.
     *
     * @param kernel that it, and what runs on it, calls.
     */
    Reactor(final ReactorConfig config, final ReactorErrorHandler errorHandler, final Kernel kernel)
    {
        this.config = config;
        this.errorHandler = errorHandler;
        this.kernel = kernel;
        nowNs = kernel.nanoTime();
        lastWorkNs = nowNs;
        readinessDueNs = nowNs;
        commands = new CommandQueue(this, errorHandler);
        wakeSignal = new WakeSignal(kernel);
        sleeping = wakeSignal.flag();
        try
        {
            readiness = new ReadinessSet(kernel);
        }
        catch (final NativeException e)
        {
            wakeSignal.close();
            throw e;
        }
        // Edge-triggered: each signal is reported once although the counter is never read.
        readiness.register(wakeSignal.fd(), Epoll.EPOLLIN | Epoll.EPOLLET, Reactor::onWake);
        thread = new ReactorThread(this::run, "millrace-" + config.name());
    }

    /**
     * {@return settings it was made with}
     */
    public ReactorConfig config()
    {
        return config;
    }

    /**
     * {@return what it, and what runs on it, calls of the operating system}
     */
    public Kernel kernel()
    {
        return kernel;
    }

    /**
     * {@return its time and cycle counters}
     */
    public DutyCycle dutyCycle()
    {
        return dutyCycle;
    }

    /**
     * Starts the thread and waits until it is pinned and runs. A reactor that cannot start is closed.
     *
     * @throws ReactorException      when the CPU is refused.
     * @throws IllegalStateException when it was started or closed before.
     */
    public void start()
    {
        checkMayBlock("the start of a reactor");
        synchronized (lifecycle)
        {
            enter();
            thread.start();
        }
        try
        {
            started.join();
        }
        catch (final CompletionException e)
        {
            close();
            if (e.getCause() instanceof final ReactorException refused)
            {
                throw refused;
            }
            throw new ReactorException("reactor " + config.name() + " cannot start: " + e.getCause(), e.getCause());
        }
    }

    /** Allows cycles. */
    void enter()
    {
        if (State.NEW != state)
        {
            throw new IllegalStateException("reactor " + config.name() + " cannot start: it is " + state);
        }
        state = State.RUNNING;
    }

    /**
     * Sets the thread whose cycles are the reactor's; by that thread alone.
     *
     * @param thread null for none.
     */
    void driver(final Thread thread)
    {
        driver = thread;
    }

    /**
     * {@return whether the caller is the reactor's thread}
     */
    public boolean isOnThread()
    {
        return ReactorThread.current() == this || Thread.currentThread() == driver;
    }

    /**
     * Throws when the caller is a reactor's thread. Whatever waits for another thread, sleeps or closes what may take
     * long calls this first: on a reactor it would hold up all I/O there, and two reactors could wait for each other.
     *
     * @param what would be waited for, for the message.
     * @throws IllegalStateException on a thread of any reactor.
     */
    public static void checkMayBlock(final String what)
    {
        if (null != ReactorThread.current())
        {
            throw new IllegalStateException(
                what + " on " + Thread.currentThread().getName() + ": a reactor's thread must not block");
        }
    }

    /**
     * {@return whether the thread has ended, so that nothing runs on it any more; any thread}
     */
    public boolean hasEnded()
    {
        return state.compareTo(State.ENDED) >= 0;
    }

    /**
     * {@return the clock of this cycle, in the manner of {@link System#nanoTime()}}
     */
    public long nowNs()
    {
        return nowNs;
    }

    /**
     * {@return the time at this moment, on the clock of {@link #nowNs()}; it is read again, which costs some 20 ns: for
     * measurements of what happened within a cycle, once for many}
     */
    public long clockNs()
    {
        return kernel.nanoTime();
    }

    /**
     * Runs a command on the reactor soon; before the reactor starts, when it has started. Any thread; control path
     * only.
     *
     * @param command to run.
     * @throws RejectedExecutionException when the reactor has ended.
     */
    public void execute(final Runnable command)
    {
        if (!commands.add(command))
        {
            throw new RejectedExecutionException("reactor " + config.name() + " has ended");
        }
        wake();
    }

    /**
     * Runs a task on the reactor and hands back its result. Any thread but the reactor's, if it waits for the result;
     * control path only.
     *
     * @param task to run.
     * @param <T>  of its result.
     * @return done with the result, or with what the task threw, or with {@link RejectedExecutionException} when the
     *     reactor ended before it ran.
     */
    public <T> CompletableFuture<T> call(final Callable<T> task)
    {
        final CommandQueue.Call<T> call = new CommandQueue.Call<>(task);
        if (commands.add(call))
        {
            wake();
        }
        else
        {
            call.result().completeExceptionally(
                new RejectedExecutionException("reactor " + config.name() + " has ended"));
        }
        return call.result();
    }

    /**
     * Adds a poller to the end of the cycle.
     *
     * @param poller to run; not added yet.
     */
    public void addPoller(final Poller poller)
    {
        checkThread();
        pollers.add(poller);
    }

    /**
     * Removes a poller immediately: it does not run in the rest of this cycle.
     *
     * @param poller that was added; another one is left alone.
     */
    public void removePoller(final Poller poller)
    {
        checkThread();
        pollers.remove(poller);
    }

    /**
     * Watches a descriptor, level-triggered unless the events say otherwise.
     *
     * @param fd       descriptor.
     * @param events   {@code EPOLL*} bits.
     * @param listener notified when it is ready.
     * @throws NativeException when the kernel refuses.
     */
    public void register(final int fd, final int events, final ReadinessListener listener)
    {
        checkThread();
        if (State.CLOSED == state)
        {
            throw new IllegalStateException("reactor " + config.name() + " is closed");
        }
        readiness.register(fd, events, listener);
    }

    /**
     * Changes what a watched descriptor is watched for.
     *
     * @param fd     descriptor.
     * @param events {@code EPOLL*} bits; 0 pauses.
     * @throws NativeException when the kernel refuses.
     */
    public void modify(final int fd, final int events)
    {
        checkThread();
        if (State.CLOSED != state)
        {
            readiness.modify(fd, events);
        }
    }

    /**
     * Stops watching a descriptor, at once; call before closing it. One that is not watched is left alone.
     *
     * @param fd descriptor.
     */
    public void deregister(final int fd)
    {
        checkThread();
        if (State.CLOSED != state)
        {
            readiness.deregister(fd);
        }
    }

    /**
     * Starts a timer. It expires in the first cycle after its deadline. A reactor that sleeps less than 10 ms until
     * then wakes up some 50 µs late for it, else up to 1 ms, as always before Linux 5.11.
     *
     * @param deadlineNs on the clock of {@link #nowNs()}.
     * @param listener   notified once when it has passed.
     * @return id to cancel it with; not negative.
     */
    public long schedule(final long deadlineNs, final TimerListener listener)
    {
        checkThread();
        return timers.schedule(deadlineNs, listener);
    }

    /**
     * Cancels a timer.
     *
     * @param timerId from {@link #schedule}.
     * @return false when it had expired.
     */
    public boolean cancel(final long timerId)
    {
        checkThread();
        return timers.cancel(timerId);
    }

    /**
     * Wakes the reactor when it sleeps; costs a fence and a read when it does not. Any thread; call after the work is
     * where a poller of the reactor will find it.
     */
    public void wake()
    {
        wakeSignal.send();
    }

    /**
     * {@return what producers look at and signal; any thread}
     */
    WakeSignal wakeSignal()
    {
        return wakeSignal;
    }

    boolean isSleeping()
    {
        return sleeping.isUp();
    }

    /**
     * Ends the thread after its present cycle and what commands are outstanding, waits for that and frees what the
     * reactor owns. A second call does nothing. Any thread but its own.
     */
    @Override
    public void close()
    {
        if (isOnThread())
        {
            throw new IllegalStateException("reactor " + config.name() + " cannot close itself on its own thread");
        }
        synchronized (lifecycle)
        {
            switch (state)
            {
                case NEW ->
                {
                    commands.stop();
                    commands.failAll("reactor " + config.name() + " was closed before it started");
                    state = State.ENDED;
                }
                case RUNNING -> state = State.CLOSING;
                default ->
                {
                }
            }
            wake();
            thread.joinUninterruptibly();
            if (State.CLOSED != state)
            {
                state = State.CLOSED;
                wakeSignal.close();
                readiness.close();
            }
        }
    }

    /** Fails commands that have not run, and refuses others. */
    void rejectCommands()
    {
        commands.stop();
        commands.failAll("reactor " + config.name() + " has ended");
    }

    private void run()
    {
        ReactorThread.run(this);
        try
        {
            if (config.cpu() >= 0)
            {
                CpuAffinity.pin(config.name(), config.cpu());
            }
            Housekeeping.enterReactor();
            started.complete(null);
            nowNs = kernel.nanoTime();
            while (State.RUNNING == state)
            {
                final long timeoutNs = cycle();
                if (timeoutNs > 0)
                {
                    sleep(timeoutNs);
                }
            }
            commands.stop();
            commands.run(Integer.MAX_VALUE);
        }
        catch (final Throwable t)
        {
            // Without memory left nothing may be allocated on the way to the handler, and completing a future
            // allocates.
            if (started.isDone() || !started.completeExceptionally(t))
            {
                errorHandler.onBrokenInvariant(this, failed(), t);
            }
        }
        finally
        {
            Housekeeping.leaveReactor();
            sleeping.lower();
            rejectCommands();
            state = State.ENDED;
        }
    }

    /**
     * Runs one cycle.
     *
     * @return 0, or how long to wait for descriptors now: the sleeping flag is up, and {@link #sleep} has to follow.
     */
    long cycle()
    {
        final long cycleStartNs = kernel.nanoTime();
        dutyCycle.onCycle(cycleStartNs - nowNs, lastCycleBusy);
        nowNs = cycleStartNs;
        int work = pollers.poll();
        work += commands.run(COMMANDS_PER_CYCLE);
        work += timers.expire(nowNs, TIMERS_PER_CYCLE);
        // The first descriptor is the reactor's own, for waking it.
        if (readiness.size() > 1 && cycleStartNs - readinessDueNs >= 0)
        {
            final int ready = readiness.dispatch(readiness.poll());
            work += ready;
            readinessIntervalNs = ready > 0 ? 0 : nextReadinessIntervalNs(work > 0);
            readinessDueNs = cycleStartNs + readinessIntervalNs;
        }
        lastCycleBusy = work > 0;
        if (work > 0)
        {
            lastWorkNs = cycleStartNs;
        }
        else if (ReactorConfig.IdleMode.SLEEP == config.idle() && cycleStartNs - lastWorkNs >= config.spinNs())
        {
            return prepareSleep();
        }
        else
        {
            Thread.onSpinWait();
        }
        return 0;
    }

    private long nextReadinessIntervalNs(final boolean hasWork)
    {
        final boolean hadWork = hasWork || nowNs - lastWorkNs < READINESS_INTERVAL_MAX_NS;
        return hadWork ? Math.clamp(2 * readinessIntervalNs, READINESS_INTERVAL_MIN_NS, READINESS_INTERVAL_MAX_NS) :
            READINESS_INTERVAL_MIN_NS;
    }

    private long prepareSleep()
    {
        final long timeoutNs =
            timers.isEmpty() ? SLEEP_NS_MAX : Math.min(SLEEP_NS_MAX, timers.nextDeadlineNs() - nowNs);
        if (timeoutNs <= 0)
        {
            return 0;
        }
        sleeping.raise();
        VarHandle.fullFence();
        if (State.RUNNING == state && canSleep())
        {
            return timeoutNs;
        }
        sleeping.lower();
        return 0;
    }

    /**
     * {@return whether nothing is to be done before a descriptor is ready or a timer expires}
     */
    boolean canSleep()
    {
        return commands.isEmpty() && pollers.canSleep();
    }

    /**
     * Waits for descriptors and calls their listeners.
     *
     * @param timeoutNs from {@link #cycle}.
     */
    void sleep(final long timeoutNs)
    {
        final int ready = readiness.waitFor(timeoutNs);
        sleeping.lower();
        final long wokenNs = kernel.nanoTime();
        dutyCycle.onSleep(wokenNs - nowNs);
        nowNs = wokenNs;
        lastCycleBusy = readiness.dispatch(ready) > 0;
        if (lastCycleBusy)
        {
            lastWorkNs = wokenNs;
        }
    }

    /**
     * {@return the poller or listener that threw, or the reactor itself}
     */
    private Object failed()
    {
        if (null != pollers.failed())
        {
            return pollers.failed();
        }
        if (null != timers.failed())
        {
            return timers.failed();
        }
        return null == readiness.failed() ? this : readiness.failed();
    }

    private void checkThread()
    {
        if (!isOnThread())
        {
            final State present = state;
            if (State.RUNNING == present || State.CLOSING == present)
            {
                throw new IllegalStateException("reactor " + config.name() + " is used on thread " +
                    Thread.currentThread().getName() + ": use execute or call");
            }
        }
    }

    private static void onWake(final int events)
    {
        // The pollers and the command queue find the work.
    }
}
