package io.millrace.block.fault;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockGeometry;
import io.millrace.block.DeviceStatus;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import io.millrace.memory.MemoryDomain;
import java.util.List;

/**
 * A device with a volatile write cache in front of another one, which its owner closes. For a {@link FaultDevice},
 * which emulates what this device does not do. Each block that a loss of power takes is taken whole; a write of several
 * blocks may lose some of them.
 */
final class WriteCacheDevice implements BlockDevice
{
    private final BlockDevice inner;
    private final WriteCache cache;

    WriteCacheDevice(final String name, final BlockDevice inner, final long capacityBytes)
    {
        this.inner = inner;
        cache = new WriteCache(name, capacityBytes, inner.geometry().blockSizeBytes());
    }

    BlockDevice inner()
    {
        return inner;
    }

    WriteCache cache()
    {
        return cache;
    }

    @Override
    public String name()
    {
        return inner.name();
    }

    @Override
    public BlockGeometry geometry()
    {
        final BlockGeometry geometry = inner.geometry();
        // What the device below does on its own, it would do without the blocks of the cache.
        return geometry.toBuilder().lendsReads(false).completesInline(false).volatileWriteCache(true)
            .supportsCompare(false).supportsVerify(false).supportsWriteZeroes(false).supportsCopy(false)
            .atomicWriteBytes(geometry.blockSizeBytes()).memoryDomains(MemoryDomain.HOST.bit()).build();
    }

    @Override
    public List<BlockDevice> members()
    {
        return List.of(inner);
    }

    @Override
    public DeviceStatus status()
    {
        return inner.status();
    }

    @Override
    public void open(final ReactorContext context, final OpenListener listener)
    {
        inner.open(context, new OpenListener()
        {
            @Override
            public void onOpened(final BlockChannel channel)
            {
                listener.onOpened(new WriteCacheChannel(WriteCacheDevice.this, cache, channel, context));
            }

            @Override
            public void onOpenFailed(final BlockDeviceException reason)
            {
                listener.onOpenFailed(reason);
            }
        });
    }

    @Override
    public void close()
    {
        cache.close();
    }
}
