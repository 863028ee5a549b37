package io.millrace.remote;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockGeometry;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;

/** A remote device that closes its target after itself. */
record OwningDevice(RemoteDevice device, InnerTarget target) implements BlockDevice
{
    @Override
    public String name()
    {
        return device.name();
    }

    @Override
    public BlockGeometry geometry()
    {
        return device.geometry();
    }

    @Override
    public void open(final ReactorContext context, final OpenListener listener)
    {
        device.open(context, listener);
    }

    @Override
    public void close()
    {
        device.close();
        target.close();
    }
}
