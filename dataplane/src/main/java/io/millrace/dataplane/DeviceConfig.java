package io.millrace.dataplane;

import io.millrace.block.fault.FaultPlan;
import io.millrace.block.file.FileDeviceConfig;
import io.millrace.block.nvme.NvmeDeviceConfig;

/**
 * A block device as declared. Immutable.
 */
public sealed interface DeviceConfig
{
    /** Block size when none is given: 4096, what file systems and drives use inside. */
    int BLOCK_SIZE_DEFAULT = 4096;

    /**
     * {@return name that namespaces and other devices refer to it by; unique}
     */
    String name();

    /**
     * {@return description of the device, for messages: type and, where there is one, path}
     */
    String description();

    /**
     * A volume in memory; its content ends with the process.
     *
     * @param name      of the device.
     * @param sizeBytes a multiple of the block size.
     * @param blockSize 512 or 4096.
     */
    record Memory(String name, long sizeBytes, int blockSize) implements DeviceConfig
    {
        @Override
        public String description()
        {
            return "memory";
        }
    }

    /**
     * Drops writes, reads as zeroes: to measure the cost of the path to a device.
     *
     * @param name      of the device.
     * @param sizeBytes a multiple of the block size.
     * @param blockSize 512 or 4096.
     */
    record Null(String name, long sizeBytes, int blockSize) implements DeviceConfig
    {
        @Override
        public String description()
        {
            return "null";
        }
    }

    /**
     * A volume in a regular file or on a block device.
     *
     * @param settings of the device; {@link DataPlane} adds the arena to the memory that is registered.
     */
    record File(FileDeviceConfig settings) implements DeviceConfig
    {
        @Override
        public String description()
        {
            return "file " + settings.path();
        }

        @Override
        public String name()
        {
            return settings.name();
        }
    }

    /**
     * A namespace of an NVMe drive that this process drives itself, through VFIO.
     *
     * @param settings      of the device.
     * @param unsafeNoIommu whether the drive may be used without an IOMMU that restricts its access to memory.
     */
    record Nvme(NvmeDeviceConfig settings, boolean unsafeNoIommu) implements DeviceConfig
    {
        @Override
        public String description()
        {
            return "nvme " + location();
        }

        @Override
        public String name()
        {
            return settings.name();
        }

        /**
         * {@return address and namespace identifier, unique among devices}
         */
        public String location()
        {
            return settings.address() + '/' + settings.nsid();
        }
    }

    /**
     * Another device with injected faults: to rehearse failures.
     *
     * @param name   of the device.
     * @param device name of the device that is wrapped, declared before; used by this device alone.
     * @param plan   of faults.
     */
    record Fault(String name, String device, FaultPlan plan) implements DeviceConfig
    {
        @Override
        public String description()
        {
            return "fault over " + device;
        }
    }
}
