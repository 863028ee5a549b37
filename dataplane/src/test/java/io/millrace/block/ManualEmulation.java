package io.millrace.block;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.memory.BufferGroup;
import io.millrace.memory.BufferPool;
import io.millrace.memory.BufferShare;
import io.millrace.memory.DmaMemory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/**
 * An {@link Emulation} with buffers of a pool with floors, above a channel of bounded length that a test completes by
 * hand.
 */
final class ManualEmulation implements AutoCloseable, BlockDevice
{
    static final int BLOCK = 512;
    static final int BUFFER_BYTES = 128 << 10;
    static final int BUFFER_BLOCKS = BUFFER_BYTES / BLOCK;
    private static final int POOL_BYTES = 16 * BUFFER_BYTES;

    private final DmaMemory memory = DmaMemory.map(POOL_BYTES);
    private final BufferPool pool = BufferPool.withFloors(memory.address(), POOL_BYTES, BUFFER_BYTES);
    private final EmulationBuffers buffers = new EmulationBuffers(pool);
    private final BufferShare[] hosts = new BufferShare[16];
    private final List<List<Long>> hostBuffers = new ArrayList<>();
    private final BlockGeometry geometry;
    /** Parts that the channel has. */
    final Queue<BlockRequest> submitted = new ArrayDeque<>();
    final List<BlockRequest> completed = new ArrayList<>();
    final Emulation emulation;
    int capacity = Integer.MAX_VALUE;

    /**
     * @param emulated whether the device has none of the operations.
     */
    ManualEmulation(final boolean emulated)
    {
        this(BlockGeometry.builder(BLOCK, 1 << 20).supportsCompare(!emulated).supportsVerify(!emulated)
            .supportsWriteZeroes(!emulated).build());
    }

    ManualEmulation(final BlockGeometry geometry)
    {
        this.geometry = geometry;
        emulation = another();
    }

    /** Of another channel of the reactor, with the same buffers. */
    Emulation another()
    {
        return new Emulation(this, new Channel(), buffers);
    }

    private final class Channel implements BlockChannel
    {
        @Override
        public boolean submit(final BlockRequest request)
        {
            return submitted.size() < capacity && submitted.add(request);
        }

        @Override
        public int inFlight()
        {
            return submitted.size();
        }

        @Override
        public int poll()
        {
            return 0;
        }

        @Override
        public void close(final CloseListener listener)
        {
            listener.onClosed(this);
        }
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
    public void open(final ReactorContext context, final OpenListener listener)
    {
        listener.onOpenFailed(new BlockDeviceException("is not opened"));
    }

    BufferPool pool()
    {
        return pool;
    }

    BlockRequest request(final BlockOperation operation, final long lba, final int blocks)
    {
        return new BlockRequest(null, completed::add).reset(operation, lba, blocks);
    }

    /** Hosts take what the pool gives them: only floors are left. */
    void takeSharedBuffers()
    {
        for (int i = 0; i < hosts.length; i++)
        {
            hosts[i] = pool.newShare(new BufferGroup());
            final List<Long> taken = new ArrayList<>();
            for (long each = pool.acquire(hosts[i], 4096); 0 != each; each = pool.acquire(hosts[i], 4096))
            {
                taken.add(each);
            }
            hostBuffers.add(taken);
        }
    }

    /** One host gives small buffers back until so much is free. */
    void releaseUntilFree(final long bytes)
    {
        while (pool.freeBytes() < bytes)
        {
            pool.release(hosts[0], hostBuffers.getFirst().removeFirst(), 4096);
        }
    }

    void releaseSharedBuffers()
    {
        for (int i = 0; i < hostBuffers.size(); i++)
        {
            final BufferShare host = hosts[i];
            hostBuffers.get(i).forEach((address) -> pool.release(host, address, 4096));
        }
        hostBuffers.clear();
    }

    void completeFirst(final BlockStatus status)
    {
        submitted.remove().complete(status);
    }

    void completeAll()
    {
        while (!submitted.isEmpty())
        {
            completeFirst(BlockStatus.SUCCESS);
            emulation.poll();
        }
    }

    /** Status of the one request that is complete, which is forgotten. */
    BlockStatus outcome()
    {
        assertEquals(1, completed.size());
        return completed.removeFirst().status();
    }

    @Override
    public void close()
    {
        releaseSharedBuffers();
        buffers.close();
        final long usedBytes = pool.usedBytes();
        memory.close();
        assertEquals(0, emulation.inFlight());
        assertEquals(0, usedBytes);
    }
}
