package io.millrace.spdk;

import io.millrace.bindings.generated.spdk.spdk_h;
import io.millrace.bindings.spdk.SpdkBdev;
import io.millrace.bindings.spdk.SpdkQueues;
import io.millrace.bindings.spdk.SpdkReactorCalls;
import io.millrace.reactor.Poller;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.TimerListener;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;

/**
 * An SPDK thread that a reactor polls, and the queues between both. On the reactor's thread only.
 * <p>
 * <b>Sleep.</b> SPDK polls, and wakes nobody. So the reactor stays awake while requests have been under way for a short
 * time, and sleeps an eighth of the time that the last one already took when they take longer. Without requests it
 * sleeps until the next timed poller of SPDK, {@link #IDLE_NS_MAX} at most; after a second of that up to
 * {@link #QUIET_NS_MAX}, with timed pollers late by up to {@link #LATE_NS_MAX}. So long a message of another SPDK
 * thread may wait. SPDK's application thread, where its front ends run, sleeps as {@link ServingActivity} says.
 */
public final class SpdkReactor implements Poller
{
    /** Most requests to exported devices at a time. */
    public static final int EXPORTED_MAX = spdk_h.MILLRACE_SPDK_EXPORTED_IOS_MAX();
    private static final int HOSTED = spdk_h.MILLRACE_SPDK_HOSTED();
    private static final int PLACES = spdk_h.MILLRACE_SPDK_PLACES();
    /** Places that events of bdevs ({@code MILLRACE_SPDK_EVENTS}) and ends of operations have for themselves. */
    private static final int PLACES_OF_EVENTS = 64;
    /** Places that resets have for themselves: requests that never end leave no others. */
    private static final int PLACES_OF_RESETS = 64;
    /** Places that no request of ours takes: of requests to exported devices, and what ends them. */
    private static final int PLACES_RESERVED = PLACES_OF_EVENTS + PLACES_OF_RESETS + EXPORTED_MAX;
    /** Polls of SPDK in one turn of the reactor, while requests that end have others submitted. */
    private static final int POLLS_MAX = 8;
    /** Not more polls when so much was done: other pollers wait. */
    private static final int WORK_MAX = 32;
    private static final long IDLE_NS_MAX = 10_000_000;
    private static final long QUIET_AFTER_NS = 1_000_000_000;
    private static final long QUIET_NS_MAX = 100_000_000;
    private static final long LATE_NS_MAX = 20_000_000;
    /** Of SPDK's application thread while others have requests, some of which it has a part in. */
    private static final long ACTIVE_NS_MAX = 200_000;
    /** Sleep of less costs more than it saves. */
    private static final long SLEEP_NS_MIN = 50_000;
    private static final long SLEEP_NS_MAX = 1_000_000;
    private static final int SLEEP_SHIFT = 3;
    private static final long NO_TIMER = -1;
    private static final int INDEX_BITS = 16;
    private static final int INDEX_MASK = (1 << INDEX_BITS) - 1;

    /** States of the SPDK thread. */
    private enum State
    {
        RUNNING,
        /** Asked to exit. */
        EXITING,
        ENDED
    }

    private final Reactor reactor;
    private final MemorySegment nativeReactor;
    private final SpdkQueues queues;
    private final SpdkQueues.Listener messageListener = this::onMessage;
    private final BooleanSupplier othersAreActive;
    private final ExportChannels exports;
    private final ServingActivity serving;
    private final TimerListener timerListener = this::onTimer;
    private final AtomicBoolean isActive = new AtomicBoolean();
    private SpdkBdevListener[] listeners = new SpdkBdevListener[8];
    /** Of the listeners: index, and above it the number of the opening. */
    private long[] tags = new long[listeners.length];
    private long openings;
    private SpdkOperation[] operations = new SpdkOperation[2];
    private int operationCount;
    /** Channels that need the SPDK thread, those included whose bdev was removed and is closed. */
    private int userCount;
    private int inFlight;
    private long lastProgressNs;
    private long timerId = NO_TIMER;
    private long timerDeadlineNs;
    private State state = State.RUNNING;
    private final List<Runnable> endListeners = new ArrayList<>();

    /** Notified of the end of an operation. */
    @FunctionalInterface
    interface SpdkOperation
    {
        /**
         * It has ended.
         *
         * @param result 0 or a negated errno.
         */
        void onDone(int result);
    }

    /**
     * Makes the SPDK thread. On the reactor's thread.
     *
     * @param reactor         that polls it.
     * @param othersAreActive whether other reactors have requests under way, in which this one may have a part.
     * @param exports         exported devices by their numbers.
     * @param serving         of SPDK's front ends on this SPDK thread.
     */
    SpdkReactor(
        final Reactor reactor,
        final BooleanSupplier othersAreActive,
        final IntFunction<SpdkExportSource> exports,
        final ServingActivity serving)
    {
        this.serving = serving;
        this.reactor = reactor;
        this.othersAreActive = othersAreActive;
        this.exports = new ExportChannels(exports);
        nativeReactor = SpdkReactorCalls.create("millrace-" + reactor.config().name());
        queues = new SpdkQueues(nativeReactor);
        lastProgressNs = reactor.nowNs();
        reactor.addPoller(this);
    }

    /**
     * {@return the reactor}
     */
    public Reactor reactor()
    {
        return reactor;
    }

    MemorySegment nativeReactor()
    {
        return nativeReactor;
    }

    /**
     * Opens a bdev.
     *
     * @param name     of the bdev.
     * @param writable whether for writing as well.
     * @param slots    how many requests at a time; 0: it is only looked at.
     * @param listener notified of it.
     * @return the bdev; closed by {@link #close(SpdkBdev, SpdkBdevListener)}.
     * @throws io.millrace.bindings.NativeException with the errno of SPDK.
     */
    public SpdkBdev open(final String name, final boolean writable, final int slots, final SpdkBdevListener listener)
    {
        int index = 0;
        while (index < listeners.length && null != listeners[index])
        {
            index++;
        }
        if (index == listeners.length)
        {
            listeners = Arrays.copyOf(listeners, 2 * index);
            tags = Arrays.copyOf(tags, 2 * index);
        }
        final long tag = ++openings << INDEX_BITS | index;
        final SpdkBdev bdev = SpdkBdev.open(nativeReactor, name, writable, slots, tag);
        listeners[index] = listener;
        tags[index] = tag;
        return bdev;
    }

    /**
     * Closes a bdev, which has no requests.
     *
     * @param bdev     to close.
     * @param listener that it was opened with.
     */
    public void close(final SpdkBdev bdev, final SpdkBdevListener listener)
    {
        for (int i = 0; i < listeners.length; i++)
        {
            if (listener == listeners[i])
            {
                listeners[i] = null;
            }
        }
        bdev.close();
    }

    /**
     * {@return whether it has requests under way, as of a moment ago; any thread}
     */
    boolean isActive()
    {
        return isActive.getOpaque();
    }

    void addUser()
    {
        userCount++;
    }

    /**
     * {@return whether there are users left}
     */
    boolean removeUser()
    {
        return --userCount > 0;
    }

    boolean hasUsers()
    {
        return userCount > 0;
    }

    /**
     * {@return whether there is a place for a request}
     */
    public boolean hasRoom()
    {
        return inFlight < PLACES - PLACES_RESERVED;
    }

    /**
     * Hands a request to SPDK with the next poll.
     *
     * @param type    {@code MILLRACE_SPDK_*}.
     * @param slot    of the request, of the bdev's.
     * @param address as the type has it.
     * @param length  as the type has it.
     * @param lba     first block.
     * @param bdev    address of the bdev.
     * @return false when there is no place now.
     */
    public boolean submit(
        final int type, final int slot, final long address, final int length, final long lba, final long bdev)
    {
        return hasRoom() && write(type, slot, address, length, lba, bdev);
    }

    /**
     * Has SPDK end what a bdev has under way.
     *
     * @param slot of the reset, of the bdev's.
     * @param bdev address of the bdev.
     * @return false when there is no place now.
     */
    public boolean reset(final int slot, final long bdev)
    {
        return inFlight < PLACES - PLACES_RESERVED + PLACES_OF_RESETS &&
            write(spdk_h.MILLRACE_SPDK_RESET(), slot, 0, 0, 0, bdev);
    }

    private boolean write(
        final int type, final int slot, final long address, final int length, final long lba, final long bdev)
    {
        if (!queues.add(type, slot, address, length, lba, bdev))
        {
            return false;
        }
        if (0 == inFlight++)
        {
            isActive.setOpaque(true);
            lastProgressNs = reactor.nowNs();
        }
        return true;
    }

    /**
     * {@return the number of an operation, for a call that ends with it}
     *
     * @param operation notified of its end.
     */
    int begin(final SpdkOperation operation)
    {
        int number = 0;
        while (null != operations[number])
        {
            number++;
            if (number == operations.length)
            {
                operations = Arrays.copyOf(operations, 2 * number);
            }
        }
        operations[number] = operation;
        operationCount++;
        return number;
    }

    private void onMessage(final int type, final int slot, final int length, final long word0, final long word1)
    {
        if (spdk_h.MILLRACE_SPDK_COMPLETION() == type)
        {
            if (0 == --inFlight)
            {
                isActive.setOpaque(false);
            }
            lastProgressNs = reactor.nowNs();
            listeners[(int)word1 & INDEX_MASK].onCompletion(slot, (int)word0, length);
        }
        else if (spdk_h.MILLRACE_SPDK_EXPORTED_IO() == type)
        {
            exports.get((int)word1, this).onRequest(slot, word0);
        }
        else if (spdk_h.MILLRACE_SPDK_DONE() == type)
        {
            final SpdkOperation operation = operations[slot];
            operations[slot] = null;
            operationCount--;
            lastProgressNs = reactor.nowNs();
            operation.onDone((int)word0);
        }
        else if (null != listeners[(int)word1 & INDEX_MASK] && tags[(int)word1 & INDEX_MASK] == word1)
        {
            onEvent(type, word0, listeners[(int)word1 & INDEX_MASK]);
        }
        // Else the bdev was closed meanwhile, and another may have been opened in its place.
    }

    /**
     * {@return exported devices that are open here}
     */
    ExportChannels exports()
    {
        return exports;
    }

    /**
     * Ends a request to an exported device, with the next poll.
     *
     * @param slot   of the request.
     * @param io     address of the request.
     * @param status status code type and status code of NVMe; 0 for success.
     */
    public void complete(final int slot, final long io, final int status)
    {
        if (!queues.add(spdk_h.MILLRACE_SPDK_EXPORTED_DONE(), slot, 0, 0, status, io))
        {
            throw new IllegalStateException("queue to SPDK of reactor " + reactor.config().name() +
                " has no place for the end of a request");
        }
    }

    private static void onEvent(final int type, final long word0, final SpdkBdevListener listener)
    {
        if (spdk_h.MILLRACE_SPDK_REMOVED() == type)
        {
            listener.onRemoved();
        }
        else if (spdk_h.MILLRACE_SPDK_REFUSED() == type)
        {
            listener.onRefused(0 != word0);
        }
        else
        {
            listener.onResized(word0);
        }
    }

    @Override
    public int poll()
    {
        // What was submitted by requests that ended within a poll, as most of fast bdevs, need not wait for a turn.
        int done = pollOnce(false);
        for (int polls = 1; polls < POLLS_MAX && done < WORK_MAX && queues.hasMessages(); polls++)
        {
            done += pollOnce(true);
        }
        if (State.EXITING == state && SpdkReactorCalls.hasEnded(nativeReactor))
        {
            onExited();
        }
        return done;
    }

    private int pollOnce(final boolean again)
    {
        final int done = SpdkReactorCalls.poll(nativeReactor, again);
        if (done >= HOSTED)
        {
            serving.onBusy(reactor.nowNs());
        }
        return done + queues.deliver(messageListener);
    }

    @Override
    public boolean canSleep()
    {
        if (operationCount > 0 || State.RUNNING != state || queues.hasMessages() || queues.hasAnswers())
        {
            return false;
        }
        if (serving.keepsAwake(reactor.nowNs()))
        {
            return false;
        }
        final long quietNs = reactor.nowNs() - lastProgressNs;
        final long sleepNs = inFlight > 0 ? Math.min(SLEEP_NS_MAX, quietNs >> SLEEP_SHIFT) : idleSleepNs(quietNs);
        if (sleepNs < SLEEP_NS_MIN)
        {
            return false;
        }
        return wakesBy(reactor.nowNs() + sleepNs);
    }

    private long idleSleepNs(final long quietNs)
    {
        final long dueNs = SpdkReactorCalls.idleNs(nativeReactor);
        return othersAreActive.getAsBoolean() ? Math.min(ACTIVE_NS_MAX, dueNs) :
            serving.isKnown() ? Math.min(serving.sleepNs(reactor.nowNs()), dueNs) :
            quietNs < QUIET_AFTER_NS ? Math.min(IDLE_NS_MAX, dueNs) :
            Math.min(QUIET_NS_MAX, Math.max(LATE_NS_MAX, dueNs));
    }

    /** A reactor knows how long to sleep before it asks, so a new timer is for when it asks again. */
    private boolean wakesBy(final long deadlineNs)
    {
        if (NO_TIMER != timerId)
        {
            if (timerDeadlineNs - deadlineNs <= 0)
            {
                return true;
            }
            reactor.cancel(timerId);
        }
        timerDeadlineNs = deadlineNs;
        timerId = reactor.schedule(deadlineNs, timerListener);
        return false;
    }

    /** The cycle that runs it polls SPDK as well. */
    private void onTimer(final long nowNs)
    {
        timerId = NO_TIMER;
    }

    /**
     * Ends the SPDK thread, on which no bdev is open and no operation is under way. May be called more than once.
     *
     * @param listener run when it has ended, maybe before this returns.
     */
    void exit(final Runnable listener)
    {
        if (State.ENDED == state)
        {
            listener.run();
            return;
        }
        endListeners.add(listener);
        if (State.RUNNING == state)
        {
            state = State.EXITING;
            SpdkReactorCalls.exit(nativeReactor);
        }
    }

    private void onExited()
    {
        state = State.ENDED;
        if (NO_TIMER != timerId)
        {
            reactor.cancel(timerId);
            timerId = NO_TIMER;
        }
        reactor.removePoller(this);
        SpdkReactorCalls.free(nativeReactor);
        endListeners.forEach(Runnable::run);
    }
}
