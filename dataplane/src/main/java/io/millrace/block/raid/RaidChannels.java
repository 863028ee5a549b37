package io.millrace.block.raid;

import io.millrace.block.BlockDeviceException;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The channels that all reactors have to an array. A channel is added before it looks at the members, so whoever
 * changes these first and asks all channels afterwards misses none. Any thread; no call blocks.
 */
final class RaidChannels
{
    private final List<RaidChannel> channels = new CopyOnWriteArrayList<>();
    /** Channels whose reactors are woken when there is progress. */
    private final AtomicInteger armed = new AtomicInteger();
    private final AtomicLong closedBytes = new AtomicLong();
    /** Of channels that have closed. */
    private StripeWrites closedWrites = StripeWrites.NONE;

    /**
     * A channel is being opened.
     *
     * @param channel that has not looked at the members yet.
     */
    void add(final RaidChannel channel)
    {
        channels.add(channel);
    }

    /**
     * A channel has closed.
     *
     * @param channel without channels to members.
     */
    void remove(final RaidChannel channel)
    {
        closedBytes.addAndGet(channel.hostLoad().bytes());
        synchronized (this)
        {
            // At once, so that nobody counts what is in both, and a counter never goes back.
            closedWrites = closedWrites.plus(channel.writeCounts().writes());
            channels.remove(channel);
        }
    }

    /** A channel is going to be armed. */
    void onArmed()
    {
        armed.incrementAndGet();
    }

    /** A channel is armed no more. */
    void onDisarmed()
    {
        armed.decrementAndGet();
    }

    /**
     * What stripe requests of channels may wait for has come about: rows are unlocked, a view is published, regions of
     * the bitmap are set, gates are open, a place of the journal is free, a lost-block list is stored, or the array's
     * own work has ended. Costs a fence and a read while no reactor sleeps, or is about to, beside such a request.
     */
    void onProgress()
    {
        VarHandle.fullFence();
        if (0 != armed.get())
        {
            channels.forEach(RaidChannel::onProgress);
        }
    }

    /**
     * {@return how stripes were written for hosts so far}
     */
    synchronized StripeWrites writes()
    {
        StripeWrites writes = closedWrites;
        for (final RaidChannel each : channels)
        {
            writes = writes.plus(each.writeCounts().writes());
        }
        return writes;
    }

    /**
     * {@return bytes that hosts have read and written so far, as {@link HostLoad} counts them}
     */
    long hostBytes()
    {
        long bytes = closedBytes.get();
        for (final RaidChannel each : channels)
        {
            bytes += each.hostLoad().bytes();
        }
        return bytes;
    }

    /**
     * Opens a member's channel on each reactor.
     *
     * @param member that members of the array have by now.
     * @param onDone notified once, on any thread, with why a reactor could not open it; null: all have.
     */
    void open(final RaidMember member, final Consumer<BlockDeviceException> onDone)
    {
        final AtomicReference<BlockDeviceException> problem = new AtomicReference<>();
        onEach((channel, onEnd) -> channel.members().open(member, (reason) ->
        {
            problem.compareAndSet(null, reason);
            onEnd.run();
        }), () -> onDone.accept(problem.get()));
    }

    /**
     * Prepares all for another slot, which {@link RaidDevice#slotsMax} says by now.
     *
     * @param onDone notified once, on any thread, with why a reactor cannot have it; null: all can.
     */
    void grow(final Consumer<BlockDeviceException> onDone)
    {
        final AtomicReference<BlockDeviceException> problem = new AtomicReference<>();
        onEach((channel, onEnd) ->
        {
            try
            {
                channel.grow();
            }
            catch (final BlockDeviceException reason)
            {
                problem.compareAndSet(null, reason);
            }
            onEnd.run();
        }, () -> onDone.accept(problem.get()));
    }

    /**
     * Waits until no request of a host is under way in a window that views have by now.
     *
     * @param map    with the window.
     * @param onDone notified once, on any thread.
     */
    void drain(final StripMap map, final Runnable onDone)
    {
        onEach((channel, onEnd) -> channel.window().drain(map, onEnd), onDone);
    }

    /**
     * Closes a member's channel on each reactor, when no request uses it.
     *
     * @param member that neither members of the array nor its view have any more.
     * @param onDone notified once, on any thread, when no reactor has one.
     */
    void release(final RaidMember member, final Runnable onDone)
    {
        onEach((channel, onEnd) -> channel.members().release(member, onEnd), onDone);
    }

    private void onEach(final BiConsumer<RaidChannel, Runnable> action, final Runnable onDone)
    {
        final AtomicInteger left = new AtomicInteger(1);
        final Runnable onEnd = () ->
        {
            if (0 == left.decrementAndGet())
            {
                onDone.run();
            }
        };
        for (final RaidChannel each : channels)
        {
            left.incrementAndGet();
            try
            {
                each.reactor().execute(() -> action.accept(each, onEnd));
            }
            catch (final RejectedExecutionException ended)
            {
                // Its channels have gone with the reactor.
                onEnd.run();
            }
        }
        onEnd.run();
    }
}
