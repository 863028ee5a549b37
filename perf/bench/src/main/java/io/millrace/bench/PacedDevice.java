package io.millrace.bench;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockGeometry;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.CloseListener;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.memory.DmaMemory;

/**
 * A memory device of limited bandwidth: requests are transferred one after the other, each takes some time besides its
 * bytes, and ends a latency after its transfer. It can be made to fail. The channels of one reactor.
 */
final class PacedDevice implements BlockDevice
{
    private static final double NS_PER_S = 1e9;

    private final MemoryDevice memory;
    private final DmaMemory bytes;
    private final BlockGeometry geometry;
    private final long bytesPerS;
    private final long requestNs;
    private final long latencyNs;
    private long transferredNs;
    private volatile boolean isFailing;

    /**
     * Maps memory.
     *
     * @param name      of the device.
     * @param sizeBytes of the device.
     * @param blockSize in bytes.
     * @param bytesPerS of transfers.
     * @param requestNs that each transfer takes besides.
     * @param latencyNs of a request, while which others are transferred.
     */
    PacedDevice(
        final String name,
        final long sizeBytes,
        final int blockSize,
        final long bytesPerS,
        final long requestNs,
        final long latencyNs)
    {
        memory = MemoryDevice.create(name, sizeBytes, blockSize);
        bytes = memory.lentMemory().getFirst();
        // Pages that a measurement is the first to touch hold the reactor up by more than transfers take.
        NativeMemory.fill(bytes.address(), sizeBytes, (byte)0);
        geometry = BlockGeometry.builder(blockSize, sizeBytes / blockSize).build();
        this.bytesPerS = bytesPerS;
        this.requestNs = requestNs;
        this.latencyNs = latencyNs;
    }

    /** All requests end with errors from now on. */
    void fail()
    {
        isFailing = true;
    }

    @Override
    public String name()
    {
        return memory.name();
    }

    @Override
    public BlockGeometry geometry()
    {
        return geometry;
    }

    @Override
    public void open(final ReactorContext context, final OpenListener listener)
    {
        listener.onOpened(new Channel());
    }

    @Override
    public void close()
    {
        memory.close();
    }

    private final class Channel implements BlockChannel
    {
        private static final int DEPTH_MAX = 256;

        private final long[] dueNs = new long[DEPTH_MAX];
        private final BlockRequest[] requests = new BlockRequest[DEPTH_MAX];
        private int head;
        private int count;

        @Override
        public boolean submit(final BlockRequest request)
        {
            if (DEPTH_MAX == count)
            {
                return false;
            }
            final long length = (long)request.blocks() << geometry.blockShift();
            transferredNs = Math.max(transferredNs, System.nanoTime()) + requestNs +
                (long)(length * NS_PER_S / bytesPerS);
            final int at = (head + count) % DEPTH_MAX;
            dueNs[at] = transferredNs + latencyNs;
            requests[at] = request;
            count++;
            return true;
        }

        @Override
        public int poll()
        {
            int done = 0;
            while (count > 0 && System.nanoTime() - dueNs[head] >= 0)
            {
                final BlockRequest request = requests[head];
                head = (head + 1) % DEPTH_MAX;
                count--;
                done++;
                transfer(request);
            }
            return done;
        }

        private void transfer(final BlockRequest request)
        {
            if (isFailing)
            {
                request.complete(BlockStatus.DEVICE_ERROR);
                return;
            }
            final long address = bytes.address() + (request.lba() << geometry.blockShift());
            final int length = request.blocks() << geometry.blockShift();
            switch (request.operation())
            {
                case READ -> request.segments().copyIn(0, address, length);
                case WRITE -> request.segments().copyOut(0, address, length);
                default ->
                {
                    // A flush has nothing to do.
                }
            }
            request.complete(BlockStatus.SUCCESS);
        }

        @Override
        public boolean canSleep()
        {
            return 0 == count;
        }

        @Override
        public int inFlight()
        {
            return count;
        }

        @Override
        public void close(final CloseListener listener)
        {
            while (count > 0)
            {
                final BlockRequest request = requests[head];
                head = (head + 1) % DEPTH_MAX;
                count--;
                request.complete(BlockStatus.ABORTED);
            }
            listener.onClosed(this);
        }
    }
}
