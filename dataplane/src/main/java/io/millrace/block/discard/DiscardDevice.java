package io.millrace.block.discard;

import io.millrace.bindings.NativeException;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockGeometry;
import io.millrace.block.GrowableDevice;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import io.millrace.memory.DmaMemory;
import java.util.List;

/**
 * Drops writes, reads zeroes. All reads are lent the same region of zeroes.
 */
public final class DiscardDevice implements GrowableDevice
{
    private final String name;
    private volatile BlockGeometry geometry;
    private final DmaMemory zeroes;

    private DiscardDevice(final String name, final BlockGeometry geometry, final DmaMemory zeroes)
    {
        this.name = name;
        this.geometry = geometry;
        this.zeroes = zeroes;
    }

    /**
     * Makes a device of any size; only a largest transfer's worth of memory is mapped.
     *
     * @param name           of the device.
     * @param sizeBytes      a positive multiple of the block size.
     * @param blockSizeBytes 512 or 4096.
     * @return the device.
     * @throws BlockDeviceException when sizes do not fit or memory cannot be mapped.
     */
    public static DiscardDevice create(final String name, final long sizeBytes, final int blockSizeBytes)
    {
        final long blockCount = BlockGeometry.blockCountOf(name, sizeBytes, blockSizeBytes);
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
            return new DiscardDevice(name, geometry, DmaMemory.map(geometry.maxTransferBytes()));
        }
        catch (final NativeException e)
        {
            throw new BlockDeviceException("device " + name + ": " + geometry.maxTransferBytes() +
                " bytes of zeroes cannot be mapped (" + e.getMessage() + "): give the machine more memory", e);
        }
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

    @Override
    public void grow(final long sizeBytes)
    {
        geometry = geometry.grown(name, sizeBytes);
    }

    @Override
    public List<DmaMemory> lentMemory()
    {
        return List.of(zeroes);
    }

    @Override
    public void open(final ReactorContext context, final OpenListener listener)
    {
        listener.onOpened(new DiscardChannel(zeroes.address(), geometry.blockShift()));
    }

    @Override
    public void close()
    {
        zeroes.close();
    }
}
