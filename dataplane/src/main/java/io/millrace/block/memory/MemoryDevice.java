package io.millrace.block.memory;

import io.millrace.bindings.NativeException;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockGeometry;
import io.millrace.block.GrowableDevice;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import io.millrace.block.StripeLocks;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryException;
import java.util.List;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;

/**
 * Blocks in a memory mapping of their own, zero at first. Lends its memory to reads and completes everything with
 * payload inline. Shared by any number of reactors; {@link StripeLocks} synchronizes them.
 */
public final class MemoryDevice implements GrowableDevice
{
    /** Addresses are cheap: of 128 TiB, ten thousand small devices reserve 10. */
    private static final long RESERVED_BYTES_MIN = 1L << 30;
    private static final long RESERVED_BYTES_MAX = 1L << 42;
    private static final int GROWTH_FACTOR = 16;

    private final String name;
    private volatile BlockGeometry geometry;
    private final DmaMemory memory;
    private final StripeLocks locks;

    private MemoryDevice(
        final String name, final BlockGeometry geometry, final DmaMemory memory, final StripeLocks locks)
    {
        this.name = name;
        this.geometry = geometry;
        this.memory = memory;
        this.locks = locks;
    }

    /**
     * Maps the memory of a device. Ordinary pages become resident as they are first written, hugepages at once.
     *
     * @param name           of the device.
     * @param sizeBytes      a positive multiple of the block size.
     * @param blockSizeBytes 512 or 4096.
     * @return the device.
     * @throws BlockDeviceException when sizes do not fit or there is not so much memory.
     */
    public static MemoryDevice create(final String name, final long sizeBytes, final int blockSizeBytes)
    {
        return create(name, sizeBytes, blockSizeBytes, SystemNanoClock.INSTANCE);
    }

    /**
     * Maps the memory of a device whose locks go by a clock.
     *
     * @param name           of the device.
     * @param sizeBytes      a positive multiple of the block size.
     * @param blockSizeBytes 512 or 4096.
     * @param clock          that the reactors of its channels have.
     * @return the device.
     * @throws BlockDeviceException when sizes do not fit or there is not so much memory.
     */
    public static MemoryDevice create(
        final String name, final long sizeBytes, final int blockSizeBytes, final NanoClock clock)
    {
        final long blockCount = BlockGeometry.blockCountOf(name, sizeBytes, blockSizeBytes);
        final StripeLocks locks = new StripeLocks(sizeBytes, clock);
        final BlockGeometry geometry = BlockGeometry.builder(blockSizeBytes, blockCount)
            .lendsReads(true)
            .completesInline(true)
            .supportsWriteZeroes(true)
            .supportsVerify(true)
            .supportsDeallocate(true)
            .deallocatedReadsZero(true)
            .supportsCopy(true)
            .supportsCompare(true)
            .build();
        try
        {
            return new MemoryDevice(
                name, geometry, DmaMemory.mapGrowable(sizeBytes, reservedBytes(sizeBytes)), locks);
        }
        catch (final NativeException | IllegalArgumentException e)
        {
            throw new BlockDeviceException("device " + name + ": size " + sizeBytes + " bytes cannot be mapped (" +
                e.getMessage() + "): give it a smaller size or the machine more memory", e);
        }
    }

    private static long reservedBytes(final long sizeBytes)
    {
        return sizeBytes > RESERVED_BYTES_MAX / GROWTH_FACTOR ? RESERVED_BYTES_MAX :
            Math.max(RESERVED_BYTES_MIN, GROWTH_FACTOR * sizeBytes);
    }

    @Override
    public String name()
    {
        return name;
    }

    @Override
    public BlockGeometry geometry()
    {
        return geometry;
    }

    /**
     * {@return what pages the blocks lie in}
     */
    public DmaMemory.Backing backing()
    {
        return memory.backing();
    }

    @Override
    public List<DmaMemory> lentMemory()
    {
        return List.of(memory);
    }

    @Override
    public void open(final ReactorContext context, final OpenListener listener)
    {
        listener.onOpened(new MemoryChannel(this, memory, locks));
    }

    @Override
    public void grow(final long sizeBytes)
    {
        final BlockGeometry grown = geometry.grown(name, sizeBytes);
        try
        {
            if (!memory.grow(sizeBytes))
            {
                throw new BlockDeviceException("device " + name + ": size " + sizeBytes + " bytes is above the " +
                    memory.reservedBytes() + " that its addresses were set aside for: make a new device");
            }
        }
        catch (final NativeException | MemoryException e)
        {
            throw new BlockDeviceException("device " + name + ": size " + sizeBytes + " bytes cannot be mapped (" +
                e.getMessage() + "): give it a smaller size or the machine more memory", e);
        }
        geometry = grown;
    }

    /**
     * Unmaps the memory.
     *
     * @throws IllegalStateException when some of it is still lent or in use; it stays mapped then.
     */
    @Override
    public void close()
    {
        final int held = locks.heldCount();
        if (0 != held)
        {
            throw new IllegalStateException("device " + name + ": " + held + " regions are still lent or in use");
        }
        memory.close();
    }
}
