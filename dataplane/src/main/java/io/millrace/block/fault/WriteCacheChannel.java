package io.millrace.block.fault;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.ChannelQueue;
import io.millrace.block.CloseListener;
import io.millrace.block.MemoryHold;
import io.millrace.block.MemoryQuarantine;
import io.millrace.block.ReactorContext;
import io.millrace.reactor.Reactor;
import java.util.ArrayDeque;

/**
 * One reactor's channel to a {@link WriteCacheDevice}. Writes without FUA complete when they are in the cache, where
 * there is room; all others, and deallocations, go to the device below at once and replace what the cache has of them.
 * A flush writes back what was written before it and flushes the device below. A read is of the device below, with the
 * blocks of the cache put over it.
 */
final class WriteCacheChannel implements BlockChannel
{
    /** How long the last channel writes back when it is closed; what is left stays in the cache. */
    static final long CLOSE_NS_MAX = 10_000_000_000L;
    private static final int SLOT_COUNT = 256;

    private final WriteCacheDevice device;
    private final WriteCache cache;
    private final BlockChannel below;
    private final Reactor reactor;
    private final WriteBack writeBack;
    private final ChannelQueue queue;
    /** Flushes that wait for blocks to be written back, in the order they came. */
    private final ArrayDeque<Slot> flushes = new ArrayDeque<>();
    private Slot free;
    private int inFlight;
    private CloseListener closeListener;
    private long closeDeadlineNs;
    private boolean isClosingBelow;

    /** A request on its way. */
    private static final class Slot
    {
        private final WriteCacheChannel channel;
        private final BlockRequest request;
        private final CacheRange range = new CacheRange(0);
        private BlockRequest submitted;
        private long version;
        private Slot next;

        Slot(final WriteCacheChannel channel)
        {
            this.channel = channel;
            request = new BlockRequest(this, WriteCacheChannel::onComplete);
        }
    }

    WriteCacheChannel(
        final WriteCacheDevice device, final WriteCache cache, final BlockChannel below, final ReactorContext context)
    {
        this.device = device;
        this.cache = cache;
        this.below = below;
        reactor = context.reactor();
        writeBack = new WriteBack(cache, below, context.buffers(), device.inner().geometry().blockSizeBytes(),
            device.inner().geometry().maxTransferBytes(), this::onWriteBackFailed);
        queue = new ChannelQueue(device.geometry(), WriteCacheChannel::start);
        for (int i = 0; i < SLOT_COUNT; i++)
        {
            final Slot slot = new Slot(this);
            slot.next = free;
            free = slot;
        }
        cache.addChannel();
    }

    @Override
    public boolean submit(final BlockRequest request)
    {
        final Slot slot = free;
        if (null == slot)
        {
            return false;
        }
        free = slot.next;
        inFlight++;
        slot.submitted = request;
        slot.range.lba = request.lba();
        slot.range.blocks = request.blocks();
        enqueue(slot);
        return true;
    }

    private void enqueue(final Slot slot)
    {
        final BlockRequest request = slot.submitted;
        slot.request.reset(request.operation(), request.lba(), request.blocks())
            .forceUnitAccess(request.forceUnitAccess());
        slot.request.segments().copyFrom(request.segments());
        queue.submit(slot.request);
    }

    /** Begins a request, unless the device below or one that overlaps refuses it. */
    private static boolean start(final BlockRequest request)
    {
        final Slot slot = (Slot)request.owner();
        return switch (request.operation())
        {
            case READ -> slot.channel.read(slot);
            case WRITE -> slot.channel.write(slot);
            case DEALLOCATE -> slot.channel.writeBelow(slot);
            case FLUSH -> slot.channel.flush(slot);
            default -> slot.channel.refuse(slot);
        };
    }

    private boolean read(final Slot slot)
    {
        cache.beginRead(slot.range);
        if (below.submit(slot.request))
        {
            return true;
        }
        cache.endRead(slot.range, null);
        return false;
    }

    private boolean write(final Slot slot)
    {
        final BlockRequest request = slot.request;
        if (!request.forceUnitAccess() && !device.inner().geometry().readOnly() &&
            cache.put(request.lba(), request.blocks(), request.segments()))
        {
            finish(slot, BlockStatus.SUCCESS, null);
            return true;
        }
        return writeBelow(slot);
    }

    private boolean writeBelow(final Slot slot)
    {
        if (!cache.beginWrite(slot.range))
        {
            return false;
        }
        if (below.submit(slot.request))
        {
            return true;
        }
        cache.endWrite(slot.range, false);
        return false;
    }

    private boolean flush(final Slot slot)
    {
        if (!writeBack.isPossible())
        {
            finish(slot, BlockStatus.DEVICE_ERROR, null);
            return true;
        }
        slot.version = cache.version();
        flushes.add(slot);
        writeBack.begin(slot.version);
        return true;
    }

    /** The geometry says so. */
    private boolean refuse(final Slot slot)
    {
        finish(slot, BlockStatus.NOT_SUPPORTED, null);
        return true;
    }

    @Override
    public int poll()
    {
        final int work = queue.poll() + writeBack.poll() + flushBelow() + below.poll();
        closeBelowWhenDone();
        return work;
    }

    private int flushBelow()
    {
        int sent = 0;
        while (hasFlush())
        {
            final Slot slot = flushes.poll();
            if (!below.submit(slot.request))
            {
                flushes.addFirst(slot);
                return sent;
            }
            sent++;
        }
        return sent;
    }

    /** Whether the device below has what a flush promises, but for the flush. */
    private boolean hasFlush()
    {
        return !flushes.isEmpty() && cache.isClean(flushes.peek().version);
    }

    @Override
    public boolean canSleep()
    {
        return 0 == queue.size() && writeBack.canSleep() && !hasFlush() && below.canSleep();
    }

    @Override
    public int inFlight()
    {
        return inFlight + (null != closeListener || !writeBack.isIdle() ? 1 : 0);
    }

    @Override
    public void close(final CloseListener listener)
    {
        closeListener = listener;
        closeDeadlineNs = reactor.nowNs() + CLOSE_NS_MAX;
        for (BlockRequest left = queue.removeFirst(); null != left; left = queue.removeFirst())
        {
            finish((Slot)left.owner(), BlockStatus.ABORTED, null);
        }
        while (!flushes.isEmpty())
        {
            finish(flushes.poll(), BlockStatus.ABORTED, null);
        }
        if (cache.removeChannel() && writeBack.isPossible())
        {
            writeBack.begin(cache.version());
        }
        else
        {
            writeBack.stop();
        }
        closeBelowWhenDone();
    }

    private void closeBelowWhenDone()
    {
        if (null == closeListener || isClosingBelow || !writeBack.isIdle() && reactor.nowNs() < closeDeadlineNs)
        {
            return;
        }
        isClosingBelow = true;
        writeBack.stop();
        below.close((closed) ->
        {
            final CloseListener listener = closeListener;
            closeListener = null;
            listener.onClosed(this);
        });
    }

    private void onWriteBackFailed(final BlockRequest failed)
    {
        // Another flush may come within a completion.
        for (int left = flushes.size(); left > 0; left--)
        {
            final Slot slot = flushes.poll();
            slot.submitted.failedAs(failed, device.inner());
            finish(slot, failed.status(), null);
        }
    }

    private void onComplete(final Slot slot, final BlockStatus status)
    {
        final boolean isDone = BlockStatus.SUCCESS == status;
        if (BlockOperation.READ == slot.request.operation())
        {
            if (!cache.endRead(slot.range, isDone ? slot.request.segments() : null))
            {
                enqueue(slot);
                return;
            }
        }
        else if (BlockOperation.FLUSH != slot.request.operation())
        {
            cache.endWrite(slot.range, isDone);
        }
        if (!isDone)
        {
            slot.submitted.failedAs(slot.request, device.inner());
        }
        finish(slot, status, slot.request.hold());
    }

    private void finish(final Slot slot, final BlockStatus status, final MemoryHold hold)
    {
        final BlockRequest request = slot.submitted;
        slot.submitted = null;
        slot.next = free;
        free = slot;
        inFlight--;
        MemoryQuarantine.completeWith(request, status, hold);
    }

    private static void onComplete(final BlockRequest request)
    {
        final Slot slot = (Slot)request.owner();
        slot.channel.onComplete(slot, request.status());
    }
}
