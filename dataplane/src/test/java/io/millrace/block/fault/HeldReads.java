package io.millrace.block.fault;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockGeometry;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.CloseListener;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import java.util.ArrayDeque;

/** Passes requests on to a device that completes inline; reads it may complete later than they were done. */
final class HeldReads implements BlockDevice
{
    private final BlockDevice inner;
    private volatile boolean isHolding;

    HeldReads(final BlockDevice inner)
    {
        this.inner = inner;
    }

    void hold()
    {
        isHolding = true;
    }

    void release()
    {
        isHolding = false;
    }

    @Override
    public String name()
    {
        return "held";
    }

    @Override
    public BlockGeometry geometry()
    {
        return inner.geometry().toBuilder().lendsReads(false).completesInline(false).build();
    }

    @Override
    public void open(final ReactorContext context, final OpenListener listener)
    {
        inner.open(context, new OpenListener()
        {
            @Override
            public void onOpened(final BlockChannel channel)
            {
                listener.onOpened(new Channel(channel));
            }

            @Override
            public void onOpenFailed(final BlockDeviceException reason)
            {
                listener.onOpenFailed(reason);
            }
        });
    }

    @Override
    public void close()
    {
        // The other device is its owner's.
    }

    /** Of one reactor. */
    private final class Channel implements BlockChannel
    {
        private final BlockChannel below;
        private final ArrayDeque<BlockRequest> held = new ArrayDeque<>();

        private Channel(final BlockChannel below)
        {
            this.below = below;
        }

        @Override
        public boolean submit(final BlockRequest request)
        {
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
            held.add(request);
            return true;
        }

        @Override
        public int poll()
        {
            int ended = 0;
            for (int left = isHolding ? 0 : held.size(); left > 0; left--)
            {
                held.poll().complete(BlockStatus.SUCCESS);
                ended++;
            }
            return ended + below.poll();
        }

        @Override
        public boolean canSleep()
        {
            return held.isEmpty() && below.canSleep();
        }

        @Override
        public int inFlight()
        {
            return held.size() + below.inFlight();
        }

        @Override
        public void close(final CloseListener listener)
        {
            while (!held.isEmpty())
            {
                held.poll().complete(BlockStatus.ABORTED);
            }
            below.close((closed) -> listener.onClosed(this));
        }
    }
}
