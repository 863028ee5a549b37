package io.millrace.simulation;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockGeometry;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.CloseListener;
import io.millrace.block.FailureCause;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import io.millrace.memory.Segments;
import io.millrace.reactor.Reactor;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A drive with a volatile cache: it executes requests when it likes, in any order, each as a whole, and keeps what was
 * written in a cache that the loss of power empties, except for what it happened to have written back. It outlives the
 * processes that use it.
 */
final class Drive implements BlockDevice
{
    private static final int IN_FLIGHT_MAX = 12;

    /** What is in the cache of a drive: a write, newer than those before it. */
    private record Write(int lba, byte[] data, boolean isDurable)
    {
    }

    private final Draw draw;
    private final DriveTiming timing;
    private final BlockGeometry geometry;
    private final int blockBytes;
    private final byte[] present;
    private final byte[] durable;
    private final List<Write> cache = new ArrayList<>();
    private final UnsafeBuffer memory = new UnsafeBuffer(0, 0);
    private int lifetime;

    Drive(final Draw draw, final DriveTiming timing, final int blockBytes, final int blocks, final byte[] initial)
    {
        this.draw = draw;
        this.timing = timing;
        this.blockBytes = blockBytes;
        present = new byte[blockBytes * blocks];
        durable = new byte[blockBytes * blocks];
        for (int i = 0; i < blocks; i++)
        {
            System.arraycopy(initial, 0, durable, i * blockBytes, blockBytes);
        }
        System.arraycopy(durable, 0, present, 0, present.length);
        geometry = BlockGeometry.builder(blockBytes, blocks)
            .volatileWriteCache(true)
            .supportsCompare(false)
            .supportsWriteZeroes(draw.oneIn(2))
            .supportsDeallocate(draw.oneIn(2))
            .deallocatedReadsZero(draw.oneIn(2))
            .build();
    }

    /** Every request that is not executed is lost, and of the cache what was not written back. */
    void losePower()
    {
        lifetime++;
        for (final Write write : cache)
        {
            if (write.isDurable || draw.oneIn(2))
            {
                System.arraycopy(write.data, 0, durable, write.lba * blockBytes, write.data.length);
            }
        }
        cache.clear();
        System.arraycopy(durable, 0, present, 0, present.length);
    }

    private byte[] data(final BlockRequest request)
    {
        final byte[] data = new byte[request.blocks() * blockBytes];
        int offset = 0;
        final Segments segments = request.segments();
        for (int i = 0; i < segments.count(); i++)
        {
            memory.wrap(segments.address(i), segments.lengthBytes(i));
            memory.getBytes(0, data, offset, segments.lengthBytes(i));
            offset += segments.lengthBytes(i);
        }
        return data;
    }

    private void write(final BlockRequest request, final byte[] data)
    {
        System.arraycopy(data, 0, present, (int)request.lba() * blockBytes, data.length);
        cache.add(new Write((int)request.lba(), data, request.forceUnitAccess()));
    }

    private void read(final BlockRequest request)
    {
        int offset = (int)request.lba() * blockBytes;
        final Segments segments = request.segments();
        for (int i = 0; i < segments.count(); i++)
        {
            memory.wrap(segments.address(i), segments.lengthBytes(i));
            memory.putBytes(0, present, offset, segments.lengthBytes(i));
            offset += segments.lengthBytes(i);
        }
    }

    private void flush()
    {
        cache.clear();
        System.arraycopy(present, 0, durable, 0, present.length);
    }

    @Override
    public String name()
    {
        return "drive";
    }

    @Override
    public BlockGeometry geometry()
    {
        return geometry;
    }

    @Override
    public void open(final ReactorContext context, final OpenListener listener)
    {
        listener.onOpened(new Channel(context.reactor()));
    }

    @Override
    public void close()
    {
        // Outlives its users.
    }

    private final class Channel implements BlockChannel
    {
        private final Reactor reactor;
        private final int openedIn = lifetime;
        private int inFlight;
        private CloseListener closing;

        private Channel(final Reactor reactor)
        {
            this.reactor = reactor;
        }

        @Override
        public boolean submit(final BlockRequest request)
        {
            if (inFlight == IN_FLIGHT_MAX)
            {
                return false;
            }
            inFlight++;
            reactor.schedule(reactor.nowNs() + timing.delayNs(), (nowNs) -> execute(request, nowNs));
            return true;
        }

        private void execute(final BlockRequest request, final long nowNs)
        {
            if (openedIn != lifetime)
            {
                request.failed(FailureCause.CANCELLED, 0);
                end(request, BlockStatus.ABORTED);
                return;
            }
            final long dueNs = timing.dueNs(nowNs);
            if (nowNs < dueNs && null == closing)
            {
                reactor.schedule(dueNs, (laterNs) -> execute(request, laterNs));
                return;
            }
            switch (request.operation())
            {
                case READ -> read(request);
                case WRITE -> write(request, data(request));
                case WRITE_ZEROES, DEALLOCATE -> write(request, new byte[request.blocks() * blockBytes]);
                case FLUSH -> flush();
                default ->
                {
                    end(request, BlockStatus.NOT_SUPPORTED);
                    return;
                }
            }
            if (draw.oneIn(3))
            {
                // Executed, and answered later.
                reactor.schedule(nowNs + timing.delayNs(), (laterNs) -> end(request, BlockStatus.SUCCESS));
                return;
            }
            end(request, BlockStatus.SUCCESS);
        }

        private void end(final BlockRequest request, final BlockStatus status)
        {
            inFlight--;
            request.complete(status);
            endClose();
        }

        private void endClose()
        {
            if (null != closing && 0 == inFlight)
            {
                final CloseListener listener = closing;
                closing = null;
                listener.onClosed(this);
            }
        }

        @Override
        public int poll()
        {
            return 0;
        }

        @Override
        public boolean canSleep()
        {
            return true;
        }

        @Override
        public int inFlight()
        {
            return inFlight;
        }

        @Override
        public void close(final CloseListener listener)
        {
            closing = listener;
            endClose();
        }
    }
}
