package io.millrace.dataplane.device;

import io.millrace.block.BlockDevice;
import io.millrace.block.DeviceProperties;
import io.millrace.block.discard.DiscardDevice;

/**
 * Devices that discard writes and read as zeroes.
 */
final class DiscardFactory implements DeviceFactory
{
    @Override
    public String type()
    {
        return "discard";
    }

    @Override
    public Problem problem(final DeviceProperties properties)
    {
        return DeviceFactory.sizeProblem(properties, true);
    }

    @Override
    public BlockDevice open(final String name, final DeviceProperties properties, final DeviceDependencies dependencies)
    {
        return DiscardDevice.create(
            name, properties.number(SIZE, 0), properties.integer(BLOCK_SIZE, BLOCK_SIZE_BYTES_DEFAULT));
    }
}
