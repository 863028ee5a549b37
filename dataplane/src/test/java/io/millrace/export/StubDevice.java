package io.millrace.export;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockGeometry;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.CloseListener;
import io.millrace.block.MemoryHold;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.reactor.Reactor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * A memory device whose opens, requests and closes a test holds back, refuses or fails, for tests. What is set applies
 * to what comes later; any thread. Breaches of a channel's contract are in {@link #broken}.
 */
final class StubDevice implements BlockDevice
{
    private static final long PATIENCE_S = 30;

    volatile boolean holdsOpens;
    volatile boolean failsOpens;
    volatile boolean refuses;
    volatile boolean holdsRequests;
    volatile boolean holdsCloses;
    /** Requests end with their memory still in use. */
    volatile boolean holdsMemory;
    volatile BlockStatus outcome = BlockStatus.SUCCESS;
    volatile String broken;
    final AtomicInteger opens = new AtomicInteger();
    final AtomicInteger flushes = new AtomicInteger();
    final AtomicInteger forced = new AtomicInteger();
    final AtomicInteger inFlightMax = new AtomicInteger();
    /** Operations and first blocks, in the order in which channels took them. */
    final Queue<String> taken = new ConcurrentLinkedQueue<>();
    final List<Channel> channels = new CopyOnWriteArrayList<>();
    private final Queue<Opening> openings = new ConcurrentLinkedQueue<>();
    private final MemoryDevice memory;
    private volatile BlockGeometry geometry;

    /** Who waits for a channel. */
    private record Opening(ReactorContext context, OpenListener listener)
    {
    }

    StubDevice(final String name, final BlockGeometry geometry)
    {
        this.geometry = geometry;
        memory = MemoryDevice.create(name, 2 * geometry.sizeBytes(), geometry.blockSizeBytes());
    }

    static BlockGeometry.Builder geometry(final long sizeBytes)
    {
        return BlockGeometry.builder(4096, sizeBytes / 4096).supportsWriteZeroes(true).supportsDeallocate(true);
    }

    /** To twice the size at most. */
    void grow(final long sizeBytes)
    {
        geometry = geometry.grown(name(), sizeBytes);
    }

    @Override
    public String name()
    {
        return memory.name();
    }

    @Override
    public BlockGeometry geometry()
    {
        return geometry;
    }

    @Override
    public void open(final ReactorContext context, final OpenListener listener)
    {
        opens.incrementAndGet();
        final Opening opening = new Opening(context, listener);
        if (holdsOpens)
        {
            openings.add(opening);
        }
        else
        {
            finish(opening);
        }
    }

    private void finish(final Opening opening)
    {
        if (failsOpens)
        {
            opening.listener().onOpenFailed(new BlockDeviceException("device " + name() + ": not now"));
            return;
        }
        memory.open(opening.context(), new OpenListener()
        {
            @Override
            public void onOpened(final BlockChannel below)
            {
                final Channel channel = new Channel(opening.context(), below);
                channels.add(channel);
                opening.listener().onOpened(channel);
            }

            @Override
            public void onOpenFailed(final BlockDeviceException reason)
            {
                throw reason;
            }
        });
    }

    int openingCount()
    {
        return openings.size();
    }

    /** Ends the opens that were held back, on their reactors. */
    void finishOpens()
    {
        holdsOpens = false;
        for (Opening each = openings.poll(); null != each; each = openings.poll())
        {
            final Opening opening = each;
            onReactor(opening.context().reactor(), () -> finish(opening));
        }
    }

    /** Does something with each channel, on its reactor; those whose reactors have ended are left out. */
    void onChannels(final Consumer<Channel> action)
    {
        for (final Channel channel : channels)
        {
            if (!channel.isClosed)
            {
                onReactor(channel.context.reactor(), () -> action.accept(channel));
            }
        }
    }

    private static void onReactor(final Reactor reactor, final Runnable action)
    {
        try
        {
            reactor.call(() ->
            {
                action.run();
                return null;
            }).get(PATIENCE_S, TimeUnit.SECONDS);
        }
        catch (final Exception e)
        {
            throw new AssertionError("reactor " + reactor.config().name(), e);
        }
    }

    /** Ends requests that were held back, and holds back no more. */
    void finishRequests()
    {
        holdsRequests = false;
        onChannels((channel) -> channel.finish(Integer.MAX_VALUE));
    }

    void finishCloses()
    {
        holdsCloses = false;
        onChannels(Channel::finishClose);
    }

    void releaseMemory()
    {
        holdsMemory = false;
        onChannels(Channel::release);
    }

    long openChannels()
    {
        return channels.stream().filter((channel) -> !channel.isClosed).count();
    }

    @Override
    public void close()
    {
        if (0 != openChannels())
        {
            broken = "closed with " + openChannels() + " channels";
        }
        memory.close();
    }

    /** One reactor's. */
    final class Channel implements BlockChannel
    {
        final ReactorContext context;
        volatile boolean isClosed;
        private final BlockChannel below;
        private final ArrayDeque<BlockRequest> held = new ArrayDeque<>();
        private final List<MemoryHold> holds = new ArrayList<>();
        private CloseListener closeListener;

        private Channel(final ReactorContext context, final BlockChannel below)
        {
            this.context = context;
            this.below = below;
        }

        @Override
        public boolean submit(final BlockRequest request)
        {
            if (null != closeListener || !context.reactor().isOnThread())
            {
                broken = "submitted to a channel that closes, or on thread " + Thread.currentThread();
            }
            if (refuses)
            {
                return false;
            }
            check(request);
            taken.add(request.operation() + " " + request.lba());
            held.add(request);
            inFlightMax.accumulateAndGet(held.size(), Math::max);
            if (!holdsRequests)
            {
                finish(Integer.MAX_VALUE);
            }
            return true;
        }

        private void check(final BlockRequest request)
        {
            for (int i = 0; i < request.segments().count(); i++)
            {
                if (0 != request.segments().address(i) % geometry.memoryAlignmentBytes())
                {
                    broken = request + " is not aligned";
                }
            }
            if (BlockOperation.FLUSH == request.operation())
            {
                flushes.incrementAndGet();
            }
            else if (geometry.readOnly() && BlockOperation.READ != request.operation() ||
                !geometry.contains(request.lba(), request.blocks()))
            {
                broken = request + " was not checked";
            }
            if (request.forceUnitAccess())
            {
                forced.incrementAndGet();
            }
        }

        void finish(final int max)
        {
            for (int left = Math.min(max, held.size()); left > 0; left--)
            {
                final BlockRequest request = held.poll();
                if (holdsMemory)
                {
                    holds.add(context.quarantine().completeHeld(request, BlockStatus.ABORTED));
                }
                else if (BlockStatus.SUCCESS != outcome)
                {
                    request.complete(outcome);
                }
                else if (!below.submit(request))
                {
                    held.addFirst(request);
                    return;
                }
            }
        }

        private void release()
        {
            holds.forEach(MemoryHold::release);
            holds.clear();
        }

        @Override
        public int inFlight()
        {
            return held.size() + below.inFlight();
        }

        @Override
        public int poll()
        {
            if (!holdsRequests)
            {
                finish(Integer.MAX_VALUE);
            }
            return below.inFlight() > 0 ? below.poll() : 0;
        }

        @Override
        public boolean canSleep()
        {
            return holdsRequests && (0 == below.inFlight() || below.canSleep());
        }

        @Override
        public void close(final CloseListener listener)
        {
            if (!held.isEmpty() || null != closeListener)
            {
                broken = "closed twice, or with requests";
            }
            closeListener = listener;
            if (!holdsCloses)
            {
                finishClose();
            }
        }

        private void finishClose()
        {
            if (null != closeListener && !isClosed)
            {
                below.close((closed) ->
                {
                    isClosed = true;
                    closeListener.onClosed(this);
                });
            }
        }
    }
}
