package io.millrace.bench;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockGeometry;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.memory.DmaMemory;
import io.millrace.reactor.Reactor;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Random I/O on a channel: so many requests that are submitted again as soon as they complete. On its reactor's thread.
 */
final class RandomIo
{
    private static final double NS_PER_US = 1_000;

    private final BlockChannel channel;
    private final Reactor reactor;
    private final BlockOperation operation;
    private final int lengthBytes;
    private final int blocks;
    private final long places;
    private final int timedMask;
    private final SplittableRandom random = new SplittableRandom(7);
    private final LatencyBuckets latencies = new LatencyBuckets();
    private boolean isEnding;
    private boolean isMeasuring;
    private int outstanding;
    private int submitted;
    private long count;

    /**
     * Makes it, and has the channel polled.
     *
     * @param reactor     of the channel.
     * @param channel     open.
     * @param geometry    of the device.
     * @param operation   a read or a write.
     * @param lengthBytes of each request.
     * @param timedOf     a power of two: one of so many requests is timed, since to read the clock costs what a fast
     *                    device does.
     */
    RandomIo(
        final Reactor reactor,
        final BlockChannel channel,
        final BlockGeometry geometry,
        final BlockOperation operation,
        final int lengthBytes,
        final int timedOf)
    {
        this.reactor = reactor;
        this.operation = operation;
        this.lengthBytes = lengthBytes;
        blocks = lengthBytes / geometry.blockSizeBytes();
        places = geometry.blockCount() / blocks;
        timedMask = timedOf - 1;
        this.channel = channel;
        reactor.addPoller(channel);
    }

    /** One of the requests that are always outstanding. */
    private static final class Slot
    {
        private final RandomIo load;
        private final BlockRequest request;
        private final long address;
        private final int lengthBytes;
        private long startNs;
        private boolean isTimed;

        Slot(final RandomIo load, final long address, final int lengthBytes)
        {
            this.load = load;
            this.address = address;
            this.lengthBytes = lengthBytes;
            request = new BlockRequest(this, Slot::onComplete);
        }

        private static void onComplete(final BlockRequest request)
        {
            final Slot slot = (Slot)request.owner();
            if (BlockStatus.SUCCESS != request.status())
            {
                throw new IllegalStateException("ended with " + request.status() + ": " + request);
            }
            slot.load.onComplete(slot);
        }

        private void submit()
        {
            isTimed = 0 == (load.submitted++ & load.timedMask);
            if (isTimed)
            {
                startNs = load.reactor.clockNs();
            }
            request.reset(load.operation, load.random.nextLong(load.places) * load.blocks, load.blocks)
                .addSegment(address, lengthBytes);
            if (!load.channel.submit(request))
            {
                throw new IllegalStateException("the channel is full");
            }
        }
    }

    private void onComplete(final Slot slot)
    {
        if (isMeasuring)
        {
            count++;
            if (slot.isTimed)
            {
                latencies.add(reactor.clockNs() - slot.startNs);
            }
        }
        if (isEnding)
        {
            outstanding--;
        }
        else
        {
            slot.submit();
        }
    }

    /**
     * Submits the first requests.
     *
     * @param memory of their payload.
     * @param depth  how many.
     * @return null.
     */
    Void begin(final DmaMemory memory, final int depth)
    {
        outstanding = depth;
        for (int i = 0; i < depth; i++)
        {
            new Slot(this, memory.address() + (long)i * lengthBytes, lengthBytes).submit();
        }
        return null;
    }

    /**
     * Begins to count.
     *
     * @return the time.
     */
    Long measure()
    {
        isMeasuring = true;
        return reactor.clockNs();
    }

    /**
     * Ends to count, and to submit.
     *
     * @return the time.
     */
    Long stop()
    {
        isMeasuring = false;
        isEnding = true;
        return reactor.clockNs();
    }

    /**
     * {@return whether all requests have ended after {@link #stop}}
     */
    Boolean isDone()
    {
        return 0 == outstanding;
    }

    /**
     * {@return done when the channel has closed}
     */
    CompletableFuture<Void> close()
    {
        final CompletableFuture<Void> closed = new CompletableFuture<>();
        // A channel may end its own work while it closes.
        channel.close((gone) ->
        {
            reactor.removePoller(channel);
            closed.complete(null);
        });
        return closed;
    }

    /**
     * Prints {@code IOPS MIB_PER_SECOND AVERAGE_US P50_US P99_US CPU_US}.
     *
     * @param tookNs time of the measurement.
     * @param busyNs CPU time in it.
     */
    void report(final long tookNs, final long busyNs)
    {
        final double iops = count * (double)TimeUnit.SECONDS.toNanos(1) / tookNs;
        System.out.printf("%.0f %.1f %.2f %.2f %.2f %.2f%n", iops, iops * lengthBytes / (1 << 20),
            latencies.averageNs() / NS_PER_US, latencies.percentileNs(50) / NS_PER_US,
            latencies.percentileNs(99) / NS_PER_US, busyNs / NS_PER_US / count);
        System.out.flush();
    }
}
