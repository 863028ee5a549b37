package io.millrace.block.raid;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.CloseListener;
import io.millrace.block.ForwardingDevice;
import io.millrace.block.MemoryHold;
import io.millrace.block.MemoryQuarantine;
import io.millrace.block.ReactorContext;
import io.millrace.reactor.Reactor;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiPredicate;

/** A member whose requests to data wait as a test wants, then are done, or end with an error. */
final class HeldMember extends ForwardingDevice
{
    private static final BiPredicate<BlockOperation, Long> NONE = (operation, block) -> false;

    private final long dataBlock;
    private final AtomicInteger held = new AtomicInteger();
    private final Queue<Long> reads = new ConcurrentLinkedQueue<>();
    private final Queue<Long> forced = new ConcurrentLinkedQueue<>();
    private final Queue<Asked> asked = new ConcurrentLinkedQueue<>();
    private final Queue<MemoryHold> holds = new ConcurrentLinkedQueue<>();
    private final Queue<Long> kept = new ConcurrentLinkedQueue<>();
    private final Queue<Forwarding> channels = new ConcurrentLinkedQueue<>();
    private volatile BiPredicate<BlockOperation, Long> holding = NONE;
    private volatile boolean holdsMetadata;
    private volatile BlockStatus ended;
    private volatile boolean keepsMemory;
    private volatile boolean isFull;
    private volatile long unreadable = -1;

    /** A request from the first block of data on. */
    record Asked(BlockOperation operation, long block, int blocks, int segments)
    {
    }

    HeldMember(final BlockDevice inner)
    {
        super(inner, inner.geometry().toBuilder().lendsReads(false).build());
        dataBlock = RaidChannel.dataOffsetBytes() / geometry().blockSizeBytes();
    }

    /** From now on requests wait that a test names by operation and first block of the data. */
    void hold(final BiPredicate<BlockOperation, Long> which)
    {
        ended = null;
        holding = which;
    }

    /** From now on metadata waits, of blocks below 0, as data does. */
    void holdMetadata()
    {
        holdsMetadata = true;
    }

    /** What waits is done, and nothing waits any more. */
    void letGo()
    {
        isFull = false;
        ended = null;
        holding = NONE;
        channels.forEach(Forwarding::wake);
    }

    /** What waits ends so, and nothing waits any more. */
    void end(final BlockStatus status)
    {
        ended = status;
        holding = NONE;
        channels.forEach(Forwarding::wake);
    }

    /** What ends with an error, or is aborted, is still used by the drive. */
    void keepMemory()
    {
        keepsMemory = true;
    }

    /** It takes no more requests, as a drive does whose controller is being reset. */
    void full()
    {
        isFull = true;
    }

    /** Reads of a block of its data end with a media error from now on; -1: of none. */
    void unreadable(final long block)
    {
        unreadable = block;
    }

    Queue<MemoryHold> holds()
    {
        return holds;
    }

    /** {@return addresses of the memory of these holds} */
    Queue<Long> kept()
    {
        return kept;
    }

    /** {@return requests that wait} */
    int held()
    {
        return held.get();
    }

    /** {@return first blocks of all reads of data, in their order} */
    Queue<Long> reads()
    {
        return reads;
    }

    /** {@return requests from the first block of data on, in their order; of the superblock at the end, too} */
    Queue<Asked> asked()
    {
        return asked;
    }

    /** {@return first blocks of all requests to data that are to be stable} */
    Queue<Long> forced()
    {
        return forced;
    }

    @Override
    protected BlockChannel forward(final BlockChannel below, final ReactorContext context)
    {
        final Forwarding opened = new Forwarding(below, context.quarantine(), context.reactor());
        channels.add(opened);
        return opened;
    }

    private final class Forwarding extends Channel
    {
        private final MemoryQuarantine quarantine;
        private final Queue<BlockRequest> waiting = new ArrayDeque<>();
        private final Reactor reactor;
        private volatile boolean hasWaiting;

        private Forwarding(final BlockChannel below, final MemoryQuarantine quarantine, final Reactor reactor)
        {
            super(below);
            this.quarantine = quarantine;
            this.reactor = reactor;
        }

        /** As a completion does: no reactor that waits for another one's. */
        private void wake()
        {
            if (hasWaiting)
            {
                reactor.wake();
            }
        }

        @Override
        public boolean submit(final BlockRequest request)
        {
            final long block = request.lba() - dataBlock;
            if (isFull)
            {
                return false;
            }
            if (BlockOperation.READ == request.operation() && unreadable >= block &&
                unreadable < block + request.blocks())
            {
                request.complete(BlockStatus.MEDIA_ERROR);
                return true;
            }
            if ((block >= 0 || holdsMetadata) && holding.test(request.operation(), block))
            {
                note(request);
                held.incrementAndGet();
                waiting.add(request);
                hasWaiting = true;
                return true;
            }
            if (!below.submit(request))
            {
                return false;
            }
            note(request);
            return true;
        }

        private void note(final BlockRequest request)
        {
            if (request.lba() >= dataBlock)
            {
                asked.add(new Asked(request.operation(), request.lba() - dataBlock, request.blocks(),
                    request.segments().count()));
            }
            if (BlockOperation.READ == request.operation() && request.lba() >= dataBlock)
            {
                reads.add(request.lba() - dataBlock);
            }
            if (request.forceUnitAccess() && request.lba() >= dataBlock)
            {
                forced.add(request.lba() - dataBlock);
            }
        }

        @Override
        public int poll()
        {
            int count = 0;
            for (int left = waiting.size(); left > 0; left--)
            {
                final BlockRequest request = waiting.remove();
                if (holding.test(request.operation(), request.lba() - dataBlock))
                {
                    waiting.add(request);
                    continue;
                }
                final BlockStatus status = ended;
                if (null != status)
                {
                    held.decrementAndGet();
                    end(request, status);
                }
                else if (below.submit(request))
                {
                    held.decrementAndGet();
                }
                else
                {
                    waiting.add(request);
                }
                count++;
            }
            hasWaiting = !waiting.isEmpty();
            return count + below.poll();
        }

        private void end(final BlockRequest request, final BlockStatus status)
        {
            if (keepsMemory)
            {
                kept.add(request.segments().address(0));
                holds.add(quarantine.completeHeld(request, status));
            }
            else
            {
                request.complete(status);
            }
        }

        @Override
        public boolean canSleep()
        {
            for (final BlockRequest each : waiting)
            {
                if (!holding.test(each.operation(), each.lba() - dataBlock))
                {
                    return false;
                }
            }
            return below.canSleep();
        }

        @Override
        public int inFlight()
        {
            return waiting.size() + below.inFlight();
        }

        @Override
        public void close(final CloseListener listener)
        {
            while (!waiting.isEmpty())
            {
                held.decrementAndGet();
                end(waiting.remove(), BlockStatus.ABORTED);
            }
            super.close(listener);
        }
    }
}
