package io.millrace.dataplane.device;

import io.millrace.block.BlockDevice;
import io.millrace.block.DeviceProperties;
import io.millrace.block.memory.MemoryDevice;

/**
 * Volumes in memory, whose content ends with the process.
 */
final class MemoryFactory implements DeviceFactory
{
    @Override
    public String type()
    {
        return "memory";
    }

    @Override
    public Problem problem(final DeviceProperties properties)
    {
        return DeviceFactory.sizeProblem(properties, true);
    }

    @Override
    public BlockDevice open(final String name, final DeviceProperties properties, final DeviceDependencies dependencies)
    {
        return MemoryDevice.create(
            name, properties.number(SIZE, 0), properties.integer(BLOCK_SIZE, BLOCK_SIZE_BYTES_DEFAULT));
    }
}
