package io.millrace.block;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.bindings.NativeMemory;
import io.millrace.memory.BufferGroup;
import io.millrace.memory.BufferPool;
import io.millrace.memory.BufferShare;
import io.millrace.memory.DmaMemory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/**
 * An {@link Emulation} with buffers of a pool, above a channel of bounded length that a test completes by hand.
 */
final class ManualEmulation implements AutoCloseable
{
    static final int BLOCK = 512;
    static final int BUFFER_BYTES = 128 << 10;
    static final int BUFFER_BLOCKS = BUFFER_BYTES / BLOCK;
    private static final int PAYLOAD_BYTES = 1 << 20;

    private final DmaMemory memory;
    private final long payload;
    private final BufferPool pool;
    private final EmulationBuffers buffers;
    private final BufferShare[] hosts = new BufferShare[16];
    private final List<List<Long>> hostBuffers = new ArrayList<>();
    private final BlockGeometry geometry;
    /** Parts that the channel has. */
    final Queue<BlockRequest> submitted = new ArrayDeque<>();
    final List<BlockRequest> completed = new ArrayList<>();
    final Emulation emulation;
    int capacity = Integer.MAX_VALUE;
    /** Of the channel, which completes everything at once with it; null: completed by the test. */
    BlockStatus inline;
    int inlineParts;

    /**
     * With 16 buffers and floors.
     *
     * @param emulated whether the device has none of the operations.
     */
    ManualEmulation(final boolean emulated)
    {
        this(emulated ? plain() : able());
    }

    ManualEmulation(final BlockGeometry geometry)
    {
        this(geometry, 16, true);
    }

    ManualEmulation(final BlockGeometry geometry, final int bufferCount, final boolean hasFloors)
    {
        this.geometry = geometry;
        final int poolBytes = bufferCount * BUFFER_BYTES;
        memory = DmaMemory.map(poolBytes + PAYLOAD_BYTES);
        payload = memory.address() + poolBytes;
        pool = hasFloors ? BufferPool.withFloors(memory.address(), poolBytes, BUFFER_BYTES) :
            new BufferPool(memory.address(), poolBytes, BUFFER_BYTES);
        buffers = new EmulationBuffers(pool);
        emulation = another();
    }

    /** Of a device that has none of the operations. */
    static BlockGeometry plain()
    {
        return BlockGeometry.builder(BLOCK, 1 << 20).build();
    }

    static BlockGeometry able()
    {
        return plain().toBuilder().supportsCompare(true).supportsVerify(true).supportsWriteZeroes(true).build();
    }

    /** Of another channel of the reactor, with the same buffers. */
    Emulation another()
    {
        return another(geometry, buffers);
    }

    /** As {@link #another()}, of a device of another geometry. */
    Emulation another(final BlockGeometry other)
    {
        return another(other, buffers);
    }

    Emulation another(final BlockGeometry other, final EmulationBuffers otherBuffers)
    {
        return new Emulation(new ManualDevice(other), new Channel(), otherBuffers);
    }

    private record ManualDevice(BlockGeometry geometry) implements BlockDevice
    {
        @Override
        public String name()
        {
            return "manual";
        }

        @Override
        public void open(final ReactorContext context, final OpenListener listener)
        {
            listener.onOpenFailed(new BlockDeviceException("is not opened"));
        }

        @Override
        public void close()
        {
            // Has nothing.
        }
    }

    private final class Channel implements BlockChannel
    {
        @Override
        public boolean submit(final BlockRequest request)
        {
            if (null != inline)
            {
                inlineParts++;
                request.complete(inline);
                return true;
            }
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

    BufferPool pool()
    {
        return pool;
    }

    EmulationBuffers buffers()
    {
        return buffers;
    }

    BlockRequest request(final BlockOperation operation, final long lba, final int blocks)
    {
        return new BlockRequest(null, completed::add).reset(operation, lba, blocks);
    }

    /** Of blocks that all hold the number of their LBA, which fit into 1 MiB. */
    BlockRequest compare(final long lba, final int blocks)
    {
        for (int i = 0; i < blocks; i++)
        {
            NativeMemory.fill(payload + (long)i * BLOCK, BLOCK, (byte)(lba + i));
        }
        return request(BlockOperation.COMPARE, lba, blocks)
            .addSegment(payload, BLOCK).addSegment(payload + BLOCK, (blocks - 1) * BLOCK);
    }

    /** Answers the oldest read with what its blocks hold. */
    BlockRequest answer()
    {
        final BlockRequest read = submitted.remove();
        assertEquals(BlockOperation.READ, read.operation());
        for (int i = 0; i < read.blocks(); i++)
        {
            NativeMemory.fill(read.segments().address(0) + (long)i * BLOCK, BLOCK, (byte)(read.lba() + i));
        }
        return read;
    }

    /** Fills what nobody uses, so that a buffer of zeroes is one that was filled with them. */
    void dirtyPool()
    {
        assertEquals(0, pool.usedBytes());
        NativeMemory.fill(memory.address(), payload - memory.address(), (byte)0x5A);
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
