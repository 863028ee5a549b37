package io.millrace.block.raid;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.MemoryQuarantine;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import io.millrace.memory.BufferPool;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import io.millrace.memory.MemoryRole;
import io.millrace.reactor.DrivenReactor;
import io.millrace.reactor.Poller;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import io.millrace.reactor.ReactorErrorHandler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Reads, writes and flushes of devices that are not in use yet, one at a time, on a reactor of its own that the
 * caller drives. Set-up only; the caller waits, at most {@link #TIMEOUT_S} for each.
 */
final class MemberIo implements AutoCloseable
{
    /** Longest read or write. */
    static final int LENGTH_MAX = 256 << 10;
    private static final int TIMEOUT_S = 30;
    /** What a channel may need of its own for a flush. */
    private static final int BUFFERS_BYTES = 1 << 20;

    private final DrivenReactor driven = new DrivenReactor(
        new ReactorConfig("raid-setup", -1, ReactorConfig.IdleMode.SLEEP, 0), ReactorErrorHandler.standard());
    private final Reactor reactor = driven.reactor();
    private final MemoryRegistry registry;
    private DmaMemory memory;
    /** At the beginning of the memory; as one request is under way, nobody waits for a buffer. */
    private BufferPool buffers;
    /** Of what is read and written, behind the buffers. */
    private long address;
    private boolean isHeld;

    /**
     * Makes the reactor.
     *
     * @param registry memory registry of the data plane; null without one.
     */
    MemberIo(final MemoryRegistry registry)
    {
        this.registry = registry;
        mapMemory();
    }

    private void mapMemory()
    {
        memory = DmaMemory.map(BUFFERS_BYTES + LENGTH_MAX);
        if (null != registry)
        {
            registry.add(memory, MemoryRole.BUFFERS);
        }
        buffers = new BufferPool(memory.address(), BUFFERS_BYTES, BUFFERS_BYTES / 2);
        address = memory.address() + BUFFERS_BYTES;
    }

    /** A device while it is open. */
    final class Member implements AutoCloseable, Poller
    {
        private final BlockDevice device;
        private final BlockChannel channel;
        private final BlockRequest request = new BlockRequest(null, this::onComplete);
        private CompletableFuture<BlockStatus> done;
        private boolean isRefused;
        /** Whether it did not answer in time. */
        private boolean isDead;

        private Member(final BlockDevice device, final BlockChannel channel)
        {
            this.device = device;
            this.channel = channel;
        }

        /**
         * Reads bytes.
         *
         * @param offset on the device, a multiple of its block size.
         * @param length at most {@link #LENGTH_MAX}, a multiple of its block size.
         * @return them.
         * @throws BlockDeviceException when they cannot be read.
         */
        byte[] read(final long offset, final int length)
        {
            final byte[] bytes = new byte[length];
            for (int done = 0; done < length;)
            {
                final int part = part(length - done);
                run(BlockOperation.READ, offset + done, part);
                NativeMemory.asByteBuffer(address, part).get(bytes, done, part);
                done += part;
            }
            return bytes;
        }

        /**
         * Writes bytes, stable when this returns.
         *
         * @param offset on the device, a multiple of its block size.
         * @param bytes  at most {@link #LENGTH_MAX}, a multiple of its block size.
         * @throws BlockDeviceException when they cannot be written.
         */
        void write(final long offset, final byte[] bytes)
        {
            write(offset, bytes, BlockStatus.SUCCESS);
        }

        /**
         * Writes bytes, stable when this returns, unless no space is left for them below the device.
         *
         * @param offset on the device, a multiple of its block size.
         * @param bytes  at most {@link #LENGTH_MAX}, a multiple of its block size.
         * @throws BlockDeviceException when they cannot be written for another reason.
         */
        void writeIfSpace(final long offset, final byte[] bytes)
        {
            write(offset, bytes, BlockStatus.CAPACITY_EXCEEDED);
        }

        private void write(final long offset, final byte[] bytes, final BlockStatus tolerated)
        {
            for (int done = 0; done < bytes.length;)
            {
                final int part = part(bytes.length - done);
                NativeMemory.asByteBuffer(address, part).put(bytes, done, part);
                run(BlockOperation.WRITE, offset + done, part, tolerated);
                done += part;
            }
        }

        /**
         * Makes stable what was written before, also by others.
         *
         * @throws BlockDeviceException when it cannot.
         */
        void flush()
        {
            run(BlockOperation.FLUSH, 0, 0);
        }

        private int part(final int leftBytes)
        {
            return Math.min(leftBytes, device.geometry().maxTransferBytes());
        }

        private void run(final BlockOperation operation, final long offset, final int length)
        {
            run(operation, offset, length, BlockStatus.SUCCESS);
        }

        private void run(
            final BlockOperation operation, final long offset, final int length, final BlockStatus tolerated)
        {
            if (isDead)
            {
                throw new BlockDeviceException("device " + device.name() + " has not answered: check it, and the " +
                    "path to it");
            }
            final int shift = device.geometry().blockShift();
            final CompletableFuture<BlockStatus> completed = new CompletableFuture<>();
            await(reactor.call(() ->
            {
                done = completed;
                request.reset(operation, offset >>> shift, length >>> shift)
                    .forceUnitAccess(BlockOperation.WRITE == operation);
                if (0 != length)
                {
                    request.addSegment(address, length);
                }
                isRefused = !channel.submit(request);
                return null;
            }));
            final BlockStatus status = await(completed);
            if (BlockStatus.SUCCESS != status && tolerated != status)
            {
                throw new BlockDeviceException("device " + device.name() + ": " + operation + " of " + length +
                    " bytes at " + offset + " ended with " + status + ": check it, and the path to it");
            }
        }

        private <T> T await(final CompletableFuture<T> future)
        {
            return awaitAnswer(device, future, () ->
            {
                // The device may still use the memory, and the request.
                isHeld = true;
                isDead = true;
            });
        }

        private void onComplete(final BlockRequest completed)
        {
            isHeld |= null != completed.hold();
            done.complete(completed.status());
        }

        @Override
        public int poll()
        {
            if (isRefused)
            {
                isRefused = !channel.submit(request);
            }
            return 0 == channel.inFlight() ? 0 : channel.poll();
        }

        @Override
        public boolean canSleep()
        {
            return !isRefused && (0 == channel.inFlight() || channel.canSleep());
        }

        @Override
        public void close()
        {
            final CompletableFuture<Void> closed = new CompletableFuture<>();
            await(reactor.call(() ->
            {
                channel.close((gone) ->
                {
                    reactor.removePoller(this);
                    closed.complete(null);
                });
                return null;
            }));
            await(closed);
        }
    }

    /**
     * Opens a device.
     *
     * @param device to open.
     * @return to be closed before this.
     * @throws BlockDeviceException when it cannot be opened.
     */
    Member open(final BlockDevice device)
    {
        if (isHeld)
        {
            // What a device may still write to is left to it.
            mapMemory();
            isHeld = false;
        }
        final ReactorContext context = new ReactorContext(reactor, buffers, new MemoryQuarantine());
        final CompletableFuture<Member> opened = new CompletableFuture<>();
        reactor.execute(() -> device.open(context, new OpenListener()
        {
            @Override
            public void onOpened(final BlockChannel channel)
            {
                final Member member = new Member(device, channel);
                reactor.addPoller(member);
                if (!opened.complete(member))
                {
                    channel.close((closed) -> reactor.removePoller(member));
                }
            }

            @Override
            public void onOpenFailed(final BlockDeviceException reason)
            {
                opened.completeExceptionally(reason);
            }
        }));
        return awaitAnswer(device, opened, () -> opened.cancel(false));
    }

    /**
     * Writes bytes of a device that is not open, stable when this returns.
     *
     * @param device to write.
     * @param offset on the device, a multiple of its block size.
     * @param bytes  at most {@link #LENGTH_MAX}, a multiple of its block size.
     * @throws BlockDeviceException when they cannot be written.
     */
    void write(final BlockDevice device, final long offset, final byte[] bytes)
    {
        try (Member open = open(device))
        {
            open.write(offset, bytes);
        }
    }

    private <T> T awaitAnswer(
        final BlockDevice device, final CompletableFuture<T> future, final Runnable onTimeout)
    {
        Reactor.checkMayBlock("the assembly of an array");
        try
        {
            if (!driven.drive(future::isDone, TimeUnit.SECONDS.toNanos(TIMEOUT_S)))
            {
                onTimeout.run();
                throw new BlockDeviceException("device " + device.name() + " did not answer within " + TIMEOUT_S +
                    " s: check it, and the path to it");
            }
            return future.get();
        }
        catch (final ExecutionException e)
        {
            throw new BlockDeviceException("device " + device.name() + ": " + e.getCause().getMessage(), e);
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
            throw new BlockDeviceException("device " + device.name() + ": interrupted", e);
        }
    }

    @Override
    public void close()
    {
        driven.close();
        if (!isHeld)
        {
            memory.close();
        }
    }
}
