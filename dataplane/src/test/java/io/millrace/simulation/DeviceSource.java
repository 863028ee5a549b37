package io.millrace.simulation;

import io.millrace.block.BlockDevice;
import io.millrace.memory.MemoryRegistry;

/**
 * Where a process has its device from.
 */
interface DeviceSource
{
    /**
     * Opens the device. Off the reactors.
     *
     * @param process  that opens it.
     * @param registry of the memory that payload lies in.
     * @return the device.
     */
    BlockDevice open(int process, MemoryRegistry registry);

    /** {@return whether the device has let go of everything} */
    boolean isIdle();

    /** The process has ended. Off the reactors. */
    void close();

    /** {@return one that is open, and stays so} */
    static DeviceSource of(final BlockDevice device)
    {
        return new DeviceSource()
        {
            @Override
            public BlockDevice open(final int process, final MemoryRegistry registry)
            {
                return device;
            }

            @Override
            public boolean isIdle()
            {
                return true;
            }

            @Override
            public void close()
            {
                // It is not the process's.
            }
        };
    }
}
