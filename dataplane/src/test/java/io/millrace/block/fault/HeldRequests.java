package io.millrace.block.fault;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.CloseListener;
import io.millrace.block.ForwardingDevice;
import io.millrace.block.ReactorContext;
import java.util.ArrayDeque;

/**
 * Passes requests on to a device that completes inline. While it holds reads, they complete later than they were done;
 * while it holds writes, the first one is done later than it was submitted.
 */
final class HeldRequests extends ForwardingDevice
{
    private volatile BlockOperation held;
    private volatile boolean hasWrite;
    private volatile boolean hasOverlap;
    private volatile int passedCount;

    HeldRequests(final BlockDevice inner)
    {
        super(inner, inner.geometry().toBuilder().lendsReads(false).completesInline(false).build());
    }

    void hold(final BlockOperation operation)
    {
        held = operation;
    }

    void release()
    {
        held = null;
    }

    /** {@return whether a write was submitted since it holds} */
    boolean hasWrite()
    {
        return hasWrite;
    }

    /** {@return count of writes that were submitted while one was held} */
    int passedCount()
    {
        return passedCount;
    }

    /** {@return whether one of them overlaps the held one} */
    boolean hasOverlap()
    {
        return hasOverlap;
    }

    @Override
    public String name()
    {
        return "held";
    }

    @Override
    public void close()
    {
        // The other device is its owner's.
    }

    @Override
    protected BlockChannel forward(final BlockChannel below, final ReactorContext context)
    {
        return new Forwarding(below);
    }

    private final class Forwarding extends Channel
    {
        private final ArrayDeque<BlockRequest> heldReads = new ArrayDeque<>();
        private BlockRequest heldWrite;

        private Forwarding(final BlockChannel below)
        {
            super(below);
        }

        @Override
        public boolean submit(final BlockRequest request)
        {
            if (BlockOperation.WRITE == held && !hasWrite && BlockOperation.WRITE == request.operation())
            {
                hasWrite = true;
                heldWrite = request;
                return true;
            }
            if (null != heldWrite && BlockOperation.WRITE == request.operation())
            {
                // Before the count, which a test waits for. An empty one is not right either.
                hasOverlap |= request.lba() < heldWrite.lba() + heldWrite.blocks() &&
                    heldWrite.lba() < request.lba() + Math.max(1, request.blocks());
                passedCount++;
            }
            if (BlockOperation.READ != request.operation())
            {
                return below.submit(request);
            }
            final BlockRequest own = new BlockRequest(null, (done) ->
            {
            });
            own.reset(BlockOperation.READ, request.lba(), request.blocks());
            own.segments().copyFrom(request.segments());
            if (!below.submit(own))
            {
                return false;
            }
            heldReads.add(request);
            return true;
        }

        @Override
        public int poll()
        {
            int ended = 0;
            if (BlockOperation.WRITE != held && null != heldWrite)
            {
                final BlockRequest write = heldWrite;
                heldWrite = null;
                ended += below.submit(write) ? 1 : 0;
            }
            for (int left = BlockOperation.READ == held ? 0 : heldReads.size(); left > 0; left--)
            {
                heldReads.poll().complete(BlockStatus.SUCCESS);
                ended++;
            }
            return ended + below.poll();
        }

        @Override
        public boolean canSleep()
        {
            return heldReads.isEmpty() && null == heldWrite && below.canSleep();
        }

        @Override
        public int inFlight()
        {
            return heldReads.size() + (null == heldWrite ? 0 : 1) + below.inFlight();
        }

        @Override
        public void close(final CloseListener listener)
        {
            while (!heldReads.isEmpty())
            {
                heldReads.poll().complete(BlockStatus.ABORTED);
            }
            super.close(listener);
        }
    }
}
