package io.millrace.block;

/**
 * A device that closes what lies below it after itself, for tests.
 *
 * @param device  closed first.
 * @param release closes the rest.
 */
public record OwningDevice(BlockDevice device, Runnable release) implements BlockDevice
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
        release.run();
    }
}
