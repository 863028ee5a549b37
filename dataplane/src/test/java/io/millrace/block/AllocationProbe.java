package io.millrace.block;

import com.sun.management.ThreadMXBean;
import io.millrace.reactor.Poller;
import io.millrace.testing.AllocationWindows;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CompletableFuture;

/**
 * Drives a channel in a closed loop on its reactor and measures what that thread allocates.
 */
public final class AllocationProbe implements Poller
{
    private static final ThreadMXBean THREADS = (ThreadMXBean)ManagementFactory.getThreadMXBean();
    private static final int DEPTH = 16;
    private static final int REQUESTS_PER_ROUND = 2000;
    private static final int CLEAN_ROUNDS = 3;
    private static final int ROUNDS_MIN = 400;
    private static final int STRIPES_BYTES = 256 << 10;
    private static final BlockOperation[] MIX = {
        BlockOperation.READ, BlockOperation.WRITE, BlockOperation.READ, BlockOperation.WRITE,
        BlockOperation.COMPARE, BlockOperation.WRITE_ZEROES, BlockOperation.READ, BlockOperation.FLUSH,
        BlockOperation.VERIFY};

    private final Initiator initiator;
    private final BlockGeometry geometry;
    private final long address;
    private final BlockRequest[] idle = new BlockRequest[DEPTH];
    private int idleCount = DEPTH;
    private int sent;
    private long roundBytes;
    private long bytesBefore;
    private CompletableFuture<Void> over;

    public AllocationProbe(final Initiator initiator, final long address, final BlockGeometry geometry)
    {
        this.initiator = initiator;
        this.address = address;
        this.geometry = geometry;
        for (int i = 0; i < DEPTH; i++)
        {
            idle[i] = new BlockRequest(null, this::onComplete);
        }
    }

    /** Rounds until some allocate nothing. */
    public void assertAllocatesNothingWhenWarm()
    {
        final AllocationWindows rounds = new AllocationWindows(CLEAN_ROUNDS, ROUNDS_MIN);
        while (!rounds.isOver())
        {
            initiator.get(run());
            rounds.end(roundBytes);
        }
        rounds.assertClean(REQUESTS_PER_ROUND + " requests");
    }

    @Override
    public int poll()
    {
        if (sent == REQUESTS_PER_ROUND && idleCount == DEPTH)
        {
            roundBytes = THREADS.getCurrentThreadAllocatedBytes() - bytesBefore;
            initiator.reactor().removePoller(this);
            over.complete(null);
            return 1;
        }
        int work = initiator.channel().poll();
        while (idleCount > 0 && sent < REQUESTS_PER_ROUND && send(idle[idleCount - 1]))
        {
            work++;
        }
        return work;
    }

    /** A round is cycles of the reactor, since other pollers of it may have a part in a device. */
    private CompletableFuture<Void> run()
    {
        over = new CompletableFuture<>();
        initiator.call(() ->
        {
            sent = 0;
            initiator.reactor().addPoller(this);
            bytesBefore = THREADS.getCurrentThreadAllocatedBytes();
            return null;
        });
        return over;
    }

    private boolean send(final BlockRequest request)
    {
        final BlockOperation operation = operation(MIX[sent % MIX.length]);
        final boolean hasPayload = BlockOperation.WRITE_ZEROES != operation && BlockOperation.VERIFY != operation;
        final int block = geometry.blockSizeBytes();
        if (BlockOperation.FLUSH == operation)
        {
            request.reset(operation, 0, 0);
        }
        else
        {
            // Every other one of zeroes is as long as stripes of arrays.
            final boolean isLong = BlockOperation.WRITE_ZEROES == operation && 0 == sent % 2;
            request.reset(operation, isLong ? 0 : sent % 64 * 8L, isLong ? STRIPES_BYTES / block : 2);
            if (BlockOperation.READ == operation && geometry.lendsReads())
            {
                request.lendable(true);
            }
            else if (hasPayload && 0 == sent % 3)
            {
                request.addSegment(address, block).addSegment(address + 8192, block);
            }
            else if (hasPayload)
            {
                request.addSegment(address, 2 * block);
            }
        }
        idleCount--;
        if (initiator.channel().submit(request))
        {
            sent++;
            return true;
        }
        idle[idleCount++] = request;
        return false;
    }

    private BlockOperation operation(final BlockOperation wanted)
    {
        return BlockOperation.VERIFY == wanted && !geometry.supportsVerify() ? BlockOperation.READ : wanted;
    }

    private void onComplete(final BlockRequest request)
    {
        if (request.lent())
        {
            initiator.channel().releaseLoan(request);
        }
        idle[idleCount++] = request;
    }
}
