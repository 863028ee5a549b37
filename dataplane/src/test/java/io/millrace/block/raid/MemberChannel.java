package io.millrace.block.raid;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.CloseListener;
import io.millrace.block.MemoryHold;
import io.millrace.block.MemoryQuarantine;
import io.millrace.reactor.Reactor;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * One reactor's channel to a {@link MemberDisk}: a queue from which each poll hands some requests to the drive, in an
 * order that is drawn. Allocates per request.
 */
final class MemberChannel implements BlockChannel
{
    private static final int DEPTH = 128;
    /** One write of so many that do not force it is stored at once. */
    private static final int STORED_AT_ONCE = 4;

    private final MemberDisk disk;
    private final BlockChannel drive;
    private final Reactor reactor;
    private final List<Slot> queued = new ArrayList<>();
    private int inFlight;

    /** A request. */
    private final class Slot
    {
        private final BlockRequest request;
        private final BlockRequest below = new BlockRequest(this, (completed) -> onDriven(this));
        /** Whether its step has begun. */
        private boolean isStepped;
        /** Whether the drive has been asked for it; it may have refused. */
        private boolean isCounted;
        /** Blocks that a flush makes stable. */
        private Set<Long> flushed = Set.of();
        /** Of the torn write, those that the drive has. */
        private int parts;
        /** What it ends with when the drive has none of its parts; null while it does not end. */
        private BlockStatus status;

        private Slot(final BlockRequest request)
        {
            this.request = request;
        }
    }

    MemberChannel(final MemberDisk disk, final BlockChannel drive, final Reactor reactor)
    {
        this.disk = disk;
        this.drive = drive;
        this.reactor = reactor;
    }

    @Override
    public boolean submit(final BlockRequest request)
    {
        if (0 == request.blocks() && BlockOperation.FLUSH != request.operation())
        {
            // As a drive does, whose commands have the count less one.
            request.complete(BlockStatus.DEVICE_ERROR);
            return true;
        }
        if (DEPTH == inFlight)
        {
            return false;
        }
        inFlight++;
        queued.add(new Slot(request));
        return true;
    }

    @Override
    public int poll()
    {
        int begun = 0;
        // Nothing is drawn in a poll that can do nothing: how many of these there are depends on the time.
        if (!queued.isEmpty() && MemberState.HANGING != disk.state())
        {
            int left = 1 + disk.random().nextInt(queued.size());
            while (left > 0 && !queued.isEmpty() && begin(queued.get(disk.random().nextInt(queued.size()))))
            {
                left--;
                begun++;
            }
        }
        return begun + drive.poll();
    }

    private boolean begin(final Slot slot)
    {
        final BlockRequest request = slot.request;
        final BlockOperation operation = request.operation();
        if (!slot.isStepped && (BlockOperation.FLUSH == operation || operation.changesData()))
        {
            slot.isStepped = true;
            disk.supply().step();
        }
        if (disk.supply().isCut() || MemberState.FAILING == disk.state() || disk.refuses(operation))
        {
            end(slot, BlockStatus.DEVICE_ERROR);
            return true;
        }
        if (MemberState.HANGING == disk.state())
        {
            return false;
        }
        if (!slot.isCounted)
        {
            slot.isCounted = true;
            disk.count(operation);
        }
        if (disk.readsBadBlock(request))
        {
            end(slot, BlockStatus.MEDIA_ERROR);
            return true;
        }
        slot.flushed = BlockOperation.FLUSH == operation ? disk.unstableBlocks() : Set.of();
        // Before the call, since the completion may come within it.
        queued.remove(slot);
        fill(slot.below, request);
        if (!drive.submit(slot.below))
        {
            queued.add(slot);
            return false;
        }
        return true;
    }

    private void fill(final BlockRequest below, final BlockRequest request)
    {
        final boolean isForced = request.forceUnitAccess() ||
            BlockOperation.WRITE == request.operation() && 0 == disk.random().nextInt(STORED_AT_ONCE);
        if (BlockOperation.COPY == request.operation())
        {
            below.resetCopy(request.sourceLba(), request.lba(), request.blocks()).forceUnitAccess(isForced);
        }
        else
        {
            below.reset(request.operation(), request.lba(), request.blocks()).forceUnitAccess(isForced);
            below.segments().copyFrom(request.segments());
        }
    }

    private void onDriven(final Slot slot)
    {
        final BlockStatus status =
            disk.supply().isCut() ? BlockStatus.DEVICE_ERROR : slot.below.status();
        if (BlockStatus.SUCCESS == status && slot.request.operation().changesData())
        {
            disk.onWritten(slot.request.lba(), slot.request.blocks(), slot.below.forceUnitAccess());
        }
        if (BlockStatus.SUCCESS == status && BlockOperation.FLUSH == slot.request.operation())
        {
            disk.onFlushed(slot.flushed);
        }
        complete(slot, status, slot.below.hold());
    }

    /** Ends a request that the drive has not begun. */
    private void end(final Slot slot, final BlockStatus status)
    {
        queued.remove(slot);
        slot.status = status;
        endIfWhole(slot);
    }

    private void endIfWhole(final Slot slot)
    {
        if (null != slot.status && 0 == slot.parts)
        {
            complete(slot, slot.status, null);
        }
    }

    private void complete(final Slot slot, final BlockStatus status, final MemoryHold hold)
    {
        inFlight--;
        MemoryQuarantine.completeWith(slot.request, status, hold);
    }

    /**
     * Stores, as power is lost, none, all or some blocks of each request that the drive has not begun.
     *
     * @param random to draw from.
     */
    void tear(final Random random)
    {
        if (!reactor.isOnThread())
        {
            throw new IllegalStateException("power of " + disk.name() + " is cut on another thread than its reactor's");
        }
        // What the drive completes meanwhile may be followed by other requests.
        for (final Slot slot : List.copyOf(queued))
        {
            final BlockOperation operation = slot.request.operation();
            if (operation.changesData() && BlockOperation.COPY != operation)
            {
                final int chance = random.nextInt(3);
                for (int block = 0; block < slot.request.blocks(); block++)
                {
                    if (random.nextInt(2) < chance)
                    {
                        store(slot, block);
                    }
                }
            }
        }
    }

    private void store(final Slot slot, final int block)
    {
        final BlockRequest part = new BlockRequest(slot, (completed) ->
        {
            slot.parts--;
            endIfWhole(slot);
        });
        final BlockRequest request = slot.request;
        part.reset(request.operation(), request.lba() + block, 1);
        if (BlockOperation.WRITE == request.operation())
        {
            final int blockBytes = disk.geometry().blockSizeBytes();
            part.forceUnitAccess(true);
            request.segments().slice(block * blockBytes, blockBytes, part.segments());
        }
        slot.parts++;
        if (!drive.submit(part))
        {
            slot.parts--;
        }
    }

    @Override
    public boolean canSleep()
    {
        return queued.isEmpty() && drive.canSleep();
    }

    @Override
    public int inFlight()
    {
        // The write cache may write back when no request is left.
        return 0 == inFlight ? drive.inFlight() : inFlight;
    }

    @Override
    public void close(final CloseListener listener)
    {
        while (!queued.isEmpty())
        {
            end(queued.getFirst(), BlockStatus.ABORTED);
        }
        drive.close((closed) ->
        {
            disk.remove(this);
            listener.onClosed(this);
        });
    }
}
