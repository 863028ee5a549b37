package io.millrace.bench;

import io.millrace.block.BackgroundWork;
import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.DeviceServices;
import io.millrace.block.MemoryQuarantine;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import io.millrace.block.raid.CopyRates;
import io.millrace.block.raid.JournalMode;
import io.millrace.block.raid.RaidAssembly;
import io.millrace.block.raid.RaidConfig;
import io.millrace.block.raid.RaidDevice;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.BufferPool;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import io.millrace.memory.MemoryRole;
import io.millrace.reactor.Poller;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A reactor with buffers, and arrays on it whose own work runs there too.
 */
final class RaidRig implements DeviceServices, AutoCloseable
{
    /** Strips of all arrays. */
    static final int STRIP_BYTES = 64 << 10;
    private static final int BUFFERS_BYTES = 32 << 20;
    private static final int BUFFER_BYTES_MAX = 2 << 20;
    private static final int TIMEOUT_S = 60;

    private final Reactor reactor;
    private final DmaMemory memory = DmaMemory.map(BUFFERS_BYTES);
    private final BufferPool buffers = new BufferPool(memory.address(), BUFFERS_BYTES, BUFFER_BYTES_MAX);
    private final AtomicLong statusChanges = new AtomicLong();
    private final List<BackgroundWork> works = new ArrayList<>();
    private final List<CompletableFuture<Void>> ends = new ArrayList<>();

    /**
     * Starts the reactor.
     *
     * @param cpu of the reactor; -1: any.
     */
    RaidRig(final int cpu)
    {
        reactor = new Reactor(new ReactorConfig("raid-load", cpu, ReactorConfig.IdleMode.SLEEP, 0));
        reactor.start();
        call(() ->
        {
            reactor.addPoller(buffers);
            return null;
        });
    }

    /**
     * Has devices know the memory of the buffers.
     *
     * @param registry of these devices.
     */
    void announceBuffers(final MemoryRegistry registry)
    {
        registry.add(memory, MemoryRole.BUFFERS);
    }

    /**
     * {@return an array whose own work runs}
     *
     * @param level   of the array.
     * @param names   of its members, also of those that are missing.
     * @param spares  names of spares.
     * @param devices those that are there.
     * @param rates   of a rebuild.
     * @param checksums whether blocks have checksums.
     */
    RaidDevice array(
        final RaidLevel level,
        final List<String> names,
        final List<String> spares,
        final List<BlockDevice> devices,
        final CopyRates rates,
        final boolean checksums)
    {
        // Of RAID 1 without a member; others refuse nothing here.
        final boolean isForced = devices.size() < names.size() + spares.size();
        final RaidDevice array = RaidAssembly.assemble(
            new RaidConfig("array", level, STRIP_BYTES, names, spares, true, false, isForced, rates,
                JournalMode.DEGRADED, "", checksums), devices, null);
        array.start(this);
        return array;
    }

    /**
     * {@return an open channel on the reactor}
     *
     * @param device to open.
     */
    BlockChannel open(final BlockDevice device)
    {
        final CompletableFuture<BlockChannel> opened = new CompletableFuture<>();
        reactor.execute(() -> device.open(new ReactorContext(reactor, buffers, new MemoryQuarantine()),
            new OpenListener()
            {
                @Override
                public void onOpened(final BlockChannel channel)
                {
                    opened.complete(channel);
                }

                @Override
                public void onOpenFailed(final BlockDeviceException reason)
                {
                    opened.completeExceptionally(reason);
                }
            }));
        return get(opened);
    }

    /**
     * Closes a channel and waits for it.
     *
     * @param channel to close.
     */
    void close(final BlockChannel channel)
    {
        final CompletableFuture<Void> closed = new CompletableFuture<>();
        call(() ->
        {
            reactor.addPoller(channel);
            channel.close((gone) ->
            {
                reactor.removePoller(channel);
                closed.complete(null);
            });
            return null;
        });
        get(closed);
    }

    /** A step of the arrays' own work; on the reactor. */
    void work()
    {
        for (int i = 0; i < works.size(); i++)
        {
            works.get(i).poll();
        }
    }

    Reactor reactor()
    {
        return reactor;
    }

    /**
     * {@return the result of a command on the reactor}
     *
     * @param command to run.
     * @param <T>     of the result.
     */
    <T> T call(final Callable<T> command)
    {
        return get(reactor.call(command));
    }

    private static <T> T get(final CompletableFuture<T> future)
    {
        try
        {
            return future.get(TIMEOUT_S, TimeUnit.SECONDS);
        }
        catch (final Exception e)
        {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void onStatusChanged()
    {
        statusChanges.incrementAndGet();
    }

    /**
     * {@return how often the status of an array has changed; any thread}
     */
    long statusChanges()
    {
        return statusChanges.get();
    }

    @Override
    public boolean run(final BackgroundWork work)
    {
        final CompletableFuture<Void> end = new CompletableFuture<>();
        ends.add(end);
        call(() ->
        {
            work.start(new ReactorContext(reactor, buffers, new MemoryQuarantine()));
            works.add(work);
            reactor.addPoller(new Poller()
            {
                @Override
                public int poll()
                {
                    final int count = work.poll();
                    if (work.isDone())
                    {
                        reactor.removePoller(this);
                        end.complete(null);
                    }
                    return count;
                }

                @Override
                public boolean canSleep()
                {
                    return work.canSleep();
                }
            });
            return null;
        });
        return true;
    }

    /** Ends the work of all arrays, which stores that they are idle. */
    void stopWork()
    {
        call(() ->
        {
            works.forEach(BackgroundWork::stop);
            works.clear();
            return null;
        });
        ends.forEach(RaidRig::get);
        ends.clear();
    }

    @Override
    public void close()
    {
        stopWork();
        call(() ->
        {
            reactor.removePoller(buffers);
            return null;
        });
        reactor.close();
        memory.close();
    }
}
