package io.millrace.dataplane.config;

import io.millrace.block.DeviceProperties;
import io.millrace.block.fault.FaultPlan;
import io.millrace.dataplane.device.DeviceFactory;
import io.millrace.dataplane.device.FileAccess;
import java.util.Map;
import java.util.Objects;

/**
 * A block device as declared. Immutable.
 *
 * @param name       that namespaces and other devices refer to it by; unique.
 * @param type       of the device, one of {@link io.millrace.dataplane.device.DeviceFactories}.
 * @param properties settings of the type.
 * @param files      where its file may lie, of a type that has one.
 */
public record DeviceConfig(String name, String type, DeviceProperties properties, FileAccess files)
{
    /** Setting of devices that stand by for all arrays. */
    public static final String SHARED_SPARE = "shared-spare";

    /**
     * Rejects null.
     */
    public DeviceConfig
    {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(properties, "properties");
        Objects.requireNonNull(files, "files");
    }

    /**
     * A device whose file may lie anywhere.
     *
     * @param name       of the device.
     * @param type       of the device.
     * @param properties settings of the type.
     */
    public DeviceConfig(final String name, final String type, final DeviceProperties properties)
    {
        this(name, type, properties, FileAccess.UNRESTRICTED);
    }

    /**
     * A device with some settings.
     *
     * @param name   of the device.
     * @param type   of the device.
     * @param values of the settings that do not have their defaults, as {@link DeviceProperties} takes them.
     * @return the device.
     */
    public static DeviceConfig of(final String name, final String type, final Map<String, ?> values)
    {
        return new DeviceConfig(name, type, DeviceProperties.of(values));
    }

    /**
     * A volume in memory; its content ends with the process.
     *
     * @param name      of the device.
     * @param sizeBytes a multiple of the block size.
     * @param blockSize 512 or 4096.
     * @return the device.
     */
    public static DeviceConfig memory(final String name, final long sizeBytes, final int blockSize)
    {
        return of(name, "memory", Map.of(DeviceFactory.SIZE, sizeBytes, DeviceFactory.BLOCK_SIZE, blockSize));
    }

    /**
     * Discards writes, reads as zeroes: to measure the cost of the path to a device.
     *
     * @param name      of the device.
     * @param sizeBytes a multiple of the block size.
     * @param blockSize 512 or 4096.
     * @return the device.
     */
    public static DeviceConfig discard(final String name, final long sizeBytes, final int blockSize)
    {
        return of(name, "discard", Map.of(DeviceFactory.SIZE, sizeBytes, DeviceFactory.BLOCK_SIZE, blockSize));
    }

    /**
     * Another device with injected faults: to rehearse failures.
     *
     * @param name of the device.
     * @param base name of the device that is wrapped, declared before; used by this device alone.
     * @param plan of faults.
     * @return the device.
     */
    public static DeviceConfig fault(final String name, final String base, final FaultPlan plan)
    {
        return new DeviceConfig(name, "fault", plan.properties(base));
    }

    /**
     * {@return whether it stands by for all arrays, or is a member of one that took it}
     */
    public boolean isSharedSpare()
    {
        return properties.flag(SHARED_SPARE, false);
    }

    /**
     * The device with another name.
     *
     * @param value its name.
     * @return a copy.
     */
    public DeviceConfig named(final String value)
    {
        return new DeviceConfig(value, type, properties, files);
    }

    /**
     * The device with other settings.
     *
     * @param value all settings.
     * @return a copy.
     */
    public DeviceConfig with(final DeviceProperties value)
    {
        return new DeviceConfig(name, type, value, files);
    }

    /**
     * The device with another place for its file.
     *
     * @param value where its file may lie.
     * @return a copy.
     */
    public DeviceConfig with(final FileAccess value)
    {
        return new DeviceConfig(name, type, properties, value);
    }
}
