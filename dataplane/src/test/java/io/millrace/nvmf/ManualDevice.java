package io.millrace.nvmf;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockGeometry;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.reactor.Reactor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * A device with a queue of bounded length that completes requests when and how a test says, and remembers what was
 * asked. One reactor at a time; touched on that reactor only.
 */
final class ManualDevice implements BlockDevice
{
    static final int MAX_TRANSFER_BYTES = 1 << 20;

    private final BlockGeometry geometry;
    private final int capacity;
    private final Deque<BlockRequest> queue = new ArrayDeque<>();
    private final List<String> asked = new ArrayList<>();
    private BlockStatus automatic;
    private int openChannels;

    ManualDevice(final BlockGeometry geometry, final int capacity)
    {
        this.geometry = geometry;
        this.capacity = capacity;
    }

    /** With a volatile cache and every ability but Copy. */
    static ManualDevice create(final int capacity)
    {
        return new ManualDevice(new BlockGeometry(
            512, 1L << 32, MAX_TRANSFER_BYTES, 512, false, false, true, true, true, true, true, false, false),
            capacity);
    }

    /** Copies too. */
    static ManualDevice createCopying(final int capacity)
    {
        return new ManualDevice(new BlockGeometry(
            512, 1L << 32, MAX_TRANSFER_BYTES, 512, false, false, true, true, true, true, true, false, true), capacity);
    }

    /** Completes everything at once with a status from now on; null waits again. */
    void automatic(final BlockStatus status)
    {
        automatic = status;
    }

    List<String> asked()
    {
        return asked;
    }

    int waiting()
    {
        return queue.size();
    }

    int openChannels()
    {
        return openChannels;
    }

    BlockRequest first()
    {
        return queue.peek();
    }

    void completeFirst(final BlockStatus status)
    {
        queue.remove().complete(status);
    }

    @Override
    public String name()
    {
        return "manual";
    }

    @Override
    public BlockGeometry geometry()
    {
        return geometry;
    }

    @Override
    public BlockChannel open(final Reactor reactor)
    {
        openChannels++;
        return new Channel();
    }

    @Override
    public void close()
    {
    }

    private final class Channel implements BlockChannel
    {
        @Override
        public boolean submit(final BlockRequest request)
        {
            if (queue.size() >= capacity)
            {
                return false;
            }
            asked.add(request.operation() + (BlockOperation.COPY == request.operation() ?
                " " + request.sourceLba() + " to" : "") + " " + request.lba() + "+" + request.blocks() +
                (request.forceUnitAccess() ? " FUA" : ""));
            if (null != automatic)
            {
                request.complete(automatic);
            }
            else
            {
                queue.add(request);
            }
            return true;
        }

        @Override
        public int inFlight()
        {
            return queue.size();
        }

        @Override
        public int poll()
        {
            return 0;
        }

        @Override
        public void close()
        {
            openChannels--;
            while (!queue.isEmpty())
            {
                completeFirst(BlockStatus.ABORTED);
            }
        }
    }
}
