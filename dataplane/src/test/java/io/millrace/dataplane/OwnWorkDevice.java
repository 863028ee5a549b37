package io.millrace.dataplane;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockGeometry;
import io.millrace.block.DeviceServices;
import io.millrace.block.DeviceStatus;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import io.millrace.block.memory.MemoryDevice;

/** A memory device with a status that a test sets, and work that it begins. */
final class OwnWorkDevice implements BlockDevice
{
    private final MemoryDevice inner;
    volatile DeviceStatus status = DeviceStatus.ONLINE;
    volatile DeviceServices services = DeviceServices.NONE;
    volatile boolean isClosed;
    /** Whether it has lent memory, without whose return it cannot be closed. */
    volatile boolean isMemoryLent;

    OwnWorkDevice(final String name)
    {
        inner = MemoryDevice.create(name, 256L * OperationsFixture.BLOCK, OperationsFixture.BLOCK);
    }

    void report(final DeviceStatus now)
    {
        status = now;
        services.onStatusChanged();
    }

    @Override
    public String name()
    {
        return inner.name();
    }

    @Override
    public BlockGeometry geometry()
    {
        return inner.geometry();
    }

    @Override
    public DeviceStatus status()
    {
        return status;
    }

    @Override
    public void start(final DeviceServices newServices)
    {
        services = newServices;
    }

    @Override
    public void open(final ReactorContext reactorContext, final OpenListener listener)
    {
        inner.open(reactorContext, listener);
    }

    @Override
    public void close()
    {
        if (isMemoryLent)
        {
            throw new IllegalStateException("waits for memory that it lent");
        }
        isClosed = true;
        inner.close();
    }
}
