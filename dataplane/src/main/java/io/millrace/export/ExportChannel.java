package io.millrace.export;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.ChannelQueue;
import io.millrace.block.CloseListener;
import io.millrace.block.MemoryHold;
import io.millrace.block.MemoryQuarantine;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import io.millrace.memory.BufferPool;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.StatusMap;
import io.millrace.reactor.Poller;
import io.millrace.reactor.Reactor;
import io.millrace.spdk.SpdkExportChannel;
import io.millrace.spdk.SpdkReactor;
import java.util.function.Function;

/**
 * One reactor's channel to an exported device, opened with the first request. Requests wait while it opens, and those
 * that it refuses wait for it. A device that cannot be opened is tried again with a request, a second later at the
 * earliest; meanwhile requests end as those of a namespace that is not ready. The reactor's thread only.
 */
final class ExportChannel implements SpdkExportChannel, OpenListener, CloseListener, Poller
{
    private static final long REOPEN_AFTER_NS = 1_000_000_000;

    /** States. */
    private enum State
    {
        OPENING,
        OPEN,
        /** It could not be opened. */
        FAILED,
        CLOSING,
        CLOSED
    }

    private final BlockDevice device;
    private final SpdkReactor spdkReactor;
    private final ReactorContext context;
    private final ExportRequest[] requests = new ExportRequest[SpdkReactor.EXPORTED_MAX];
    private final ChannelQueue queue;
    private Runnable closeListener;
    private BlockChannel channel;
    private State state = State.OPENING;
    private long failedNs;

    /**
     * Begins to open the device.
     *
     * @param device      to open.
     * @param spdkReactor that requests come from.
     * @param buffers     of a reactor.
     */
    ExportChannel(
        final BlockDevice device,
        final SpdkReactor spdkReactor,
        final Function<Reactor, BufferPool> buffers)
    {
        this.device = device;
        this.spdkReactor = spdkReactor;
        context = new ReactorContext(
            spdkReactor.reactor(), buffers.apply(spdkReactor.reactor()), new MemoryQuarantine());
        queue = new ChannelQueue(device.geometry(), this::offer);
        device.open(context, this);
    }

    private Reactor reactor()
    {
        return context.reactor();
    }

    @Override
    public void onRequest(final int slot, final long io)
    {
        if (null == requests[slot])
        {
            requests[slot] = new ExportRequest(slot, this::onComplete);
        }
        final ExportRequest request = requests[slot];
        request.fill(io);
        if (State.FAILED == state && reactor().nowNs() - failedNs > REOPEN_AFTER_NS)
        {
            state = State.OPENING;
            device.open(context, this);
        }
        switch (state)
        {
            case OPEN -> submit(request.blockRequest());
            case OPENING -> queue.add(request.blockRequest());
            case FAILED, CLOSING, CLOSED -> end(request, NvmeStatus.NAMESPACE_NOT_READY);
        }
    }

    private void submit(final BlockRequest request)
    {
        if (queue.isBlocking() || !offer(request))
        {
            queue.add(request);
        }
    }

    private boolean offer(final BlockRequest request)
    {
        if (!device.geometry().accesses(request.segments()))
        {
            request.complete(BlockStatus.NOT_SUPPORTED);
            return true;
        }
        return channel.submit(request);
    }

    private void onComplete(final BlockRequest blockRequest)
    {
        final ExportRequest request = (ExportRequest)blockRequest.owner();
        final int status =
            BlockStatus.SUCCESS == blockRequest.status() ? NvmeStatus.SUCCESS : StatusMap.of(blockRequest);
        final MemoryHold hold = blockRequest.hold();
        if (null == hold)
        {
            end(request, status);
        }
        else
        {
            // The memory is SPDK's, which would give it to the next request.
            hold.whenReleased(() -> end(request, status));
        }
    }

    private void end(final ExportRequest request, final int status)
    {
        spdkReactor.complete(request.slot(), request.io(), NvmeStatus.code(status));
    }

    @Override
    public void onOpened(final BlockChannel opened)
    {
        channel = opened;
        if (State.CLOSING == state)
        {
            reactor().addPoller(this);
            channel.close(this);
            return;
        }
        state = State.OPEN;
        reactor().addPoller(this);
        queue.poll();
    }

    @Override
    public void onOpenFailed(final BlockDeviceException reason)
    {
        if (State.CLOSING == state)
        {
            leave();
            return;
        }
        state = State.FAILED;
        failedNs = reactor().nowNs();
        endQueued();
    }

    private void endQueued()
    {
        for (BlockRequest request = queue.removeFirst(); null != request; request = queue.removeFirst())
        {
            end((ExportRequest)request.owner(), NvmeStatus.NAMESPACE_NOT_READY);
        }
    }

    @Override
    public int poll()
    {
        return isInUse() ? channel.poll() + queue.poll() : queue.poll();
    }

    private boolean isInUse()
    {
        return null != channel && State.CLOSED != state && 0 != channel.inFlight();
    }

    @Override
    public boolean canSleep()
    {
        return 0 == queue.size() && (!isInUse() || channel.canSleep());
    }

    @Override
    public void close(final Runnable listener)
    {
        closeListener = listener;
        endQueued();
        switch (state)
        {
            case OPEN ->
            {
                state = State.CLOSING;
                channel.close(this);
            }
            case OPENING -> state = State.CLOSING;
            case FAILED -> leave();
            case CLOSING, CLOSED -> throw new IllegalStateException("device " + device.name() + " is " + state);
        }
    }

    @Override
    public void onClosed(final BlockChannel closedChannel)
    {
        leave();
    }

    private void leave()
    {
        state = State.CLOSED;
        reactor().removePoller(this);
        closeListener.run();
    }
}
