package io.millrace.nvmf;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockGeometry;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.CloseListener;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import io.millrace.reactor.Reactor;
import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A device that completes nothing within {@code submit}, lends nothing, and holds everything back while the test says
 * so.
 */
public final class LaterDevice implements BlockDevice
{
    private static final int COMPLETIONS_PER_POLL = 4;

    private final Arena arena = Arena.ofShared();
    private final BlockGeometry geometry;
    private final long address;
    private final AtomicInteger held = new AtomicInteger();
    private volatile boolean holding;
    private volatile long failingLba = Long.MAX_VALUE;
    private volatile long openNs;
    private volatile long closeNs;
    private volatile int depth = Integer.MAX_VALUE;
    private volatile boolean isChannelClosed;
    private final AtomicInteger forced = new AtomicInteger();
    private final AtomicInteger submitted = new AtomicInteger();
    private Runnable onSubmit;

    public LaterDevice(final int blockBytes, final long sizeBytes)
    {
        geometry = BlockGeometry.builder(blockBytes, sizeBytes / blockBytes).supportsCompare(true).build();
        address = arena.allocate(sizeBytes, 4096).address();
    }

    public void hold(final boolean hold)
    {
        holding = hold;
    }

    /**
     * The next request completes all that are held while it is submitted, once something has been run.
     */
    public void onSubmit(final Runnable task)
    {
        onSubmit = task;
    }

    /**
     * What touches this block or one behind it fails.
     */
    public void failFrom(final long lba)
    {
        failingLba = lba;
    }

    public int held()
    {
        return held.get();
    }

    /**
     * How many requests there were.
     */
    public int submitted()
    {
        return submitted.get();
    }

    /**
     * How many of them were to be on stable storage when they complete.
     */
    public int forced()
    {
        return forced.get();
    }

    @Override
    public String name()
    {
        return "later";
    }

    @Override
    public BlockGeometry geometry()
    {
        return geometry;
    }

    @Override
    public void open(final ReactorContext context, final OpenListener listener)
    {
        if (0 == openNs)
        {
            listener.onOpened(new LaterChannel(context.reactor()));
        }
        else
        {
            context.reactor().schedule(
                context.reactor().nowNs() + openNs, (nowNs) -> listener.onOpened(new LaterChannel(context.reactor())));
        }
    }

    /** How long it takes to open on a reactor from now on. */
    public LaterDevice opensWithin(final long timeNs)
    {
        openNs = timeNs;
        return this;
    }

    /** How many requests it has at once on a reactor; it refuses more. */
    public LaterDevice depth(final int requestsMax)
    {
        depth = requestsMax;
        return this;
    }

    /** How long it takes to close on a reactor. */
    public LaterDevice closesWithin(final long timeNs)
    {
        closeNs = timeNs;
        return this;
    }

    /**
     * Whether a channel that took its time has closed.
     */
    public boolean isChannelClosed()
    {
        return isChannelClosed;
    }

    @Override
    public void close()
    {
        arena.close();
    }

    private final class LaterChannel implements BlockChannel
    {
        private final ArrayDeque<BlockRequest> requests = new ArrayDeque<>();
        private final Reactor reactor;

        private LaterChannel(final Reactor reactor)
        {
            this.reactor = reactor;
        }

        @Override
        public boolean submit(final BlockRequest request)
        {
            if (requests.size() >= depth)
            {
                return false;
            }
            if (null != onSubmit)
            {
                onSubmit.run();
                onSubmit = null;
                completeAll();
            }
            requests.add(request);
            held.incrementAndGet();
            submitted.incrementAndGet();
            forced.addAndGet(request.forceUnitAccess() ? 1 : 0);
            return true;
        }

        @Override
        public int inFlight()
        {
            return requests.size();
        }

        @Override
        public int poll()
        {
            int work = 0;
            while (!holding && !requests.isEmpty() && work < COMPLETIONS_PER_POLL)
            {
                complete(requests.poll());
                work++;
            }
            return work;
        }

        @Override
        public boolean canSleep()
        {
            return requests.isEmpty();
        }

        @Override
        public void close(final CloseListener listener)
        {
            completeAll();
            if (0 == closeNs)
            {
                listener.onClosed(this);
                return;
            }
            reactor.schedule(reactor.nowNs() + closeNs, (nowNs) ->
            {
                isChannelClosed = true;
                listener.onClosed(this);
            });
        }

        private void completeAll()
        {
            while (!requests.isEmpty())
            {
                complete(requests.poll());
            }
        }

        private void complete(final BlockRequest request)
        {
            held.decrementAndGet();
            long position = address + request.lba() * geometry.blockSizeBytes();
            boolean isSame = true;
            for (int i = 0; i < request.segments().count(); i++)
            {
                if (BlockOperation.READ == request.operation())
                {
                    NativeMemory.copy(position, request.segments().address(i), request.segments().lengthBytes(i));
                }
                else if (BlockOperation.WRITE == request.operation())
                {
                    NativeMemory.copy(request.segments().address(i), position, request.segments().lengthBytes(i));
                }
                else if (BlockOperation.COMPARE == request.operation())
                {
                    isSame &= isSame(position, request.segments().address(i), request.segments().lengthBytes(i));
                }
                position += request.segments().lengthBytes(i);
            }
            request.complete(request.lba() + request.blocks() > failingLba ?
                BlockStatus.MEDIA_ERROR : isSame ? BlockStatus.SUCCESS : BlockStatus.COMPARE_FAILURE);
        }

        private static boolean isSame(final long first, final long second, final int lengthBytes)
        {
            return 0 == new UnsafeBuffer(first, lengthBytes).compareTo(new UnsafeBuffer(second, lengthBytes));
        }
    }
}
