package io.millrace.dataplane.device;

import io.millrace.block.BlockDevice;
import io.millrace.block.DeviceProperties;
import io.millrace.block.delay.DelayDevice;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Devices over another one that delay requests.
 */
final class DelayFactory implements DeviceFactory
{
    @Override
    public String type()
    {
        return "delay";
    }

    @Override
    public String description(final DeviceProperties properties)
    {
        return "delay over " + properties.text(DelayDevice.BASE);
    }

    @Override
    public List<String> bases(final DeviceProperties properties)
    {
        return List.of(properties.text(DelayDevice.BASE));
    }

    @Override
    public BlockDevice open(final String name, final DeviceProperties properties, final DeviceDependencies dependencies)
    {
        return DelayDevice.over(name, dependencies.bases().getFirst(), properties);
    }

    @Override
    public CompletableFuture<Void> apply(
        final BlockDevice device,
        final DeviceProperties was,
        final DeviceProperties properties,
        final DeviceDependencies dependencies)
    {
        ((DelayDevice)device).apply(properties);
        return CompletableFuture.completedFuture(null);
    }
}
