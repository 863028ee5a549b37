package io.millrace.block;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.memory.BufferPool;
import io.millrace.memory.DmaMemory;
import io.millrace.reactor.DrivenReactor;
import io.millrace.reactor.Poller;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import io.millrace.reactor.ReactorErrorHandler;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * A reactor with one channel to a device, for tests: sends requests from the test's thread, tries those that were
 * refused again in each cycle, and watches that each completes once and on the reactor's thread.
 */
public final class Initiator implements Poller, AutoCloseable
{
    /** Of the memory that emulated operations have. */
    public static final int BUFFERS_BYTES = 512 << 10;
    private static final long PATIENCE_S = 30;

    private final Reactor reactor;
    /** Null when the reactor has a thread. */
    private final DrivenReactor driven;
    /** Whose reactor it is. */
    private final Initiator host;
    private final List<Io> all = new ArrayList<>();
    private final ArrayDeque<Io> refused = new ArrayDeque<>();
    private final AtomicInteger refusals = new AtomicInteger();
    private volatile Throwable broken;
    private final MemoryQuarantine quarantine = new MemoryQuarantine();
    /** Null when the buffers are a test's. */
    private final DmaMemory memory;
    private final BufferPool buffers;
    private final EmulationBuffers emulationBuffers;
    private Emulation emulation;
    private BlockDevice device;
    private BlockChannel channel;
    private boolean isChannelOpen;
    private int closings;
    /** When the reactor was last allowed to sleep; its own clock reading, on its thread. */
    private long asleepNs;

    public Initiator(final String name, final BlockDevice device)
    {
        this(ReactorConfig.of(name, -1), device);
    }

    public Initiator(final ReactorConfig config, final BlockDevice device)
    {
        this(config, device, DmaMemory.map(BUFFERS_BYTES), 0, false);
    }

    /** One whose reactor runs on the test's thread, while that waits for what is to happen. */
    public static Initiator driven(final ReactorConfig config, final BlockDevice device)
    {
        return new Initiator(config, device, DmaMemory.map(BUFFERS_BYTES), 0, true);
    }

    /** With buffers for emulated operations in memory that the device knows, of {@link #BUFFERS_BYTES}. */
    public Initiator(final ReactorConfig config, final BlockDevice device, final long buffersAddress)
    {
        this(config, device, null, buffersAddress, false);
    }

    private Initiator(
        final ReactorConfig config,
        final BlockDevice device,
        final DmaMemory memory,
        final long buffersAddress,
        final boolean isDriven)
    {
        host = this;
        this.memory = memory;
        buffers = new BufferPool(null == memory ? buffersAddress : memory.address(), BUFFERS_BYTES, BUFFERS_BYTES / 2);
        emulationBuffers = new EmulationBuffers(buffers);
        driven = isDriven ? new DrivenReactor(config, new Errors()) : null;
        reactor = isDriven ? driven.reactor() : new Reactor(config, new Errors());
        if (!isDriven)
        {
            reactor.start();
        }
        try
        {
            open(device, get(open(device)));
        }
        catch (final AssertionError e)
        {
            reactor.close();
            throw e;
        }
        begin();
    }

    private Initiator(final Initiator host, final BlockDevice device)
    {
        this.host = host;
        reactor = host.reactor;
        driven = host.driven;
        memory = null;
        buffers = host.buffers;
        emulationBuffers = host.emulationBuffers;
        open(device, get(open(device)));
        begin();
    }

    /** Another one on the same reactor, with a channel of its own; to be closed before. */
    public Initiator beside(final BlockDevice device)
    {
        return new Initiator(host, device);
    }

    private void open(final BlockDevice opening, final BlockChannel opened)
    {
        device = opening;
        channel = opened;
        emulation = call(() -> new Emulation(opening, opened, emulationBuffers));
    }

    private void begin()
    {
        call(() ->
        {
            isChannelOpen = true;
            if (this == host)
            {
                reactor.addPoller(buffers);
            }
            reactor.addPoller(this);
            return null;
        });
    }

    /** Opens a channel of the reactor; the listener must be called once and on the reactor's thread. */
    public CompletableFuture<BlockChannel> open(final BlockDevice device)
    {
        final CompletableFuture<BlockChannel> opened = new CompletableFuture<>();
        final OpenListener listener = new OpenListener()
        {
            private boolean isCalled;

            @Override
            public void onOpened(final BlockChannel made)
            {
                check();
                opened.complete(made);
            }

            @Override
            public void onOpenFailed(final BlockDeviceException reason)
            {
                check();
                opened.completeExceptionally(reason);
            }

            private void check()
            {
                if (isCalled || !reactor.isOnThread())
                {
                    host.broken = new AssertionError("opened twice, or on thread " + Thread.currentThread());
                }
                isCalled = true;
            }
        };
        call(() ->
        {
            device.open(new ReactorContext(reactor, buffers, quarantine), listener);
            return null;
        });
        return opened;
    }

    /** Closes a channel of the reactor that has nothing in flight. */
    public CompletableFuture<Void> close(final BlockChannel opened)
    {
        final CompletableFuture<Void> closed = new CompletableFuture<>();
        call(() ->
        {
            opened.close((gone) ->
            {
                if (gone != opened || closed.isDone() || !reactor.isOnThread())
                {
                    host.broken = new AssertionError("closed twice, or on thread " + Thread.currentThread());
                }
                closed.complete(null);
            });
            return null;
        });
        return closed;
    }

    public MemoryQuarantine quarantine()
    {
        return quarantine;
    }

    /** One request and what became of it. */
    public static final class Io
    {
        final CompletableFuture<BlockStatus> result = new CompletableFuture<>();
        final BlockRequest request;
        private final Initiator initiator;
        private Consumer<Io> then;
        private int completions;
        private boolean wasOnThread;
        private long submittedNs;
        private volatile long sleptNs;

        Io(final Initiator initiator)
        {
            this.initiator = initiator;
            request = new BlockRequest(this, Io::onComplete);
        }

        public BlockRequest request()
        {
            return request;
        }

        public CompletableFuture<BlockStatus> result()
        {
            return result;
        }

        /** {@return nanoseconds between the last sleep, or the submission when that is later, and the completion} */
        public long sleptNs()
        {
            return sleptNs;
        }

        /** Runs on the reactor, within the completion. */
        public Io then(final Consumer<Io> action)
        {
            then = action;
            return this;
        }

        private static void onComplete(final BlockRequest request)
        {
            final Io io = (Io)request.owner();
            io.completions++;
            io.wasOnThread = io.initiator.reactor.isOnThread();
            io.sleptNs = System.nanoTime() - Math.max(io.submittedNs, io.initiator.asleepNs);
            if (null != io.then)
            {
                io.then.accept(io);
            }
            io.result.complete(request.status());
        }
    }

    public Reactor reactor()
    {
        return reactor;
    }

    /**
     * {@return the reactor's clock, by which devices measure: on a busy machine it may be far behind, so that what a
     * device waited for is shorter by {@link System#nanoTime()}}
     */
    public long nowNs()
    {
        return call(reactor::nowNs);
    }

    public BlockGeometry geometry()
    {
        return device.geometry();
    }

    /** The channel; to be touched on the reactor only. */
    public BlockChannel channel()
    {
        return channel;
    }

    public int refusals()
    {
        return refusals.get();
    }

    public Io io()
    {
        return new Io(this);
    }

    /** Submits in the given order within one command of the reactor. */
    public void send(final Io... ios)
    {
        send(List.of(ios));
    }

    public void send(final List<Io> ios)
    {
        call(() ->
        {
            for (final Io io : ios)
            {
                all.add(io);
                submit(io);
            }
            return null;
        });
    }

    /** Submits again within a completion, or for the first time; on the reactor. */
    public void resend(final Io io)
    {
        submit(io);
    }

    public BlockStatus run(
        final BlockOperation operation, final long lba, final int blocks, final boolean fua, final long... segments)
    {
        final Io io = io();
        fill(io.request, operation, lba, blocks, fua, segments);
        send(io);
        return await(io);
    }

    public BlockStatus copy(final long sourceLba, final long lba, final int blocks, final boolean fua)
    {
        final Io io = io();
        io.request.resetCopy(sourceLba, lba, blocks).forceUnitAccess(fua);
        send(io);
        return await(io);
    }

    /** Fills a request; segments are pairs of address and length. */
    public static void fill(
        final BlockRequest request,
        final BlockOperation operation,
        final long lba,
        final int blocks,
        final boolean fua,
        final long... segments)
    {
        request.reset(operation, lba, blocks).forceUnitAccess(fua);
        for (int i = 0; i < segments.length; i += 2)
        {
            request.addSegment(segments[i], (int)segments[i + 1]);
        }
    }

    public BlockStatus await(final Io io)
    {
        final BlockStatus status = get(io.result);
        assertNull(host.broken, () -> "reactor broke: " + host.broken);
        return status;
    }

    public <T> T call(final Callable<T> task)
    {
        return get(reactor.call(task));
    }

    /** Closes the channel, which must answer every request once and on its thread. */
    public void closeChannel()
    {
        get(beginClosing());
        for (final Io io : all)
        {
            assertEquals(1, io.completions, () -> "completions of " + io.request);
            assertTrue(io.wasOnThread, () -> "completed on another thread: " + io.request);
        }
        assertEquals(0, channel.inFlight());
        assertEquals(0, emulation.inFlight());
        call(() -> null);
        assertTrue(closings < 2, "closed twice");
        assertNull(host.broken, () -> "reactor broke: " + host.broken);
    }

    /** Begins to close the channel; done when it has closed. */
    public CompletableFuture<Void> beginClosing()
    {
        final CompletableFuture<Void> closed = new CompletableFuture<>();
        call(() ->
        {
            if (!isChannelOpen)
            {
                closed.complete(null);
                return null;
            }
            isChannelOpen = false;
            for (final Io io : refused)
            {
                io.completions++;
                io.wasOnThread = true;
                io.result.complete(BlockStatus.ABORTED);
            }
            refused.clear();
            emulation.close();
            channel.close((gone) ->
            {
                closings++;
                if (gone != channel || !reactor.isOnThread() || 0 != channel.inFlight())
                {
                    host.broken = new AssertionError(
                        "closed with " + channel.inFlight() + " in flight on thread " + Thread.currentThread());
                }
                closed.complete(null);
            });
            return null;
        });
        return closed;
    }

    @Override
    public int poll()
    {
        int work = 0;
        while (!refused.isEmpty() && emulation.submit(refused.peek().request))
        {
            refused.poll();
            work++;
        }
        // As its contract has it: at no other time.
        work += emulation.poll();
        return channel.inFlight() > 0 ? work + channel.poll() : work;
    }

    @Override
    public boolean canSleep()
    {
        asleepNs = System.nanoTime();
        return refused.isEmpty() && emulation.canSleep() && (0 == channel.inFlight() || channel.canSleep());
    }

    @Override
    public void close()
    {
        try
        {
            closeChannel();
        }
        finally
        {
            if (this == host)
            {
                reactor.close();
                if (null != memory)
                {
                    memory.close();
                }
            }
            else
            {
                call(() ->
                {
                    reactor.removePoller(this);
                    return null;
                });
            }
        }
    }

    private void submit(final Io io)
    {
        io.submittedNs = System.nanoTime();
        if (!refused.isEmpty() || !emulation.submit(io.request))
        {
            refusals.incrementAndGet();
            refused.add(io);
        }
    }

    public <T> T get(final CompletableFuture<T> future)
    {
        try
        {
            if (null != driven)
            {
                driven.drive(future::isDone, TimeUnit.SECONDS.toNanos(PATIENCE_S));
                return future.get(0, TimeUnit.SECONDS);
            }
            return future.get(PATIENCE_S, TimeUnit.SECONDS);
        }
        catch (final Exception e)
        {
            throw new AssertionError(
                "reactor " + reactor.config().name() + " did not answer; broken: " + host.broken, e);
        }
    }

    private final class Errors implements ReactorErrorHandler
    {
        @Override
        public void onCommandError(final Reactor source, final Runnable command, final Throwable error)
        {
            broken = error;
        }

        @Override
        public void onBrokenInvariant(final Reactor source, final Object failedSource, final Throwable error)
        {
            broken = error;
        }
    }
}
