package io.millrace.control.message;

import io.millrace.control.codec.DeviceType;
import java.util.Objects;
import java.util.UUID;

/**
 * A block device of a data plane.
 *
 * @param name           of the device.
 * @param type           what stores the blocks.
 * @param sizeBytes      now.
 * @param blockSizeBytes of a block.
 * @param queueDepth     as created.
 * @param readOnly       as created.
 * @param preallocate    as created.
 * @param seed           as created.
 * @param users          namespaces and devices that depend on it; {@link Resource#UNKNOWN} from an older data
 *                       plane.
 * @param target         path of a file, name of the device that a fault device wraps, or PCI address and namespace
 *                       identifier of a drive with a slash in between; else empty.
 * @param settings       as created; {@link DeviceSettings#UNKNOWN} from an older data plane.
 * @param incarnation    as created; {@link DeviceSpec#NO_INCARNATION}: not known.
 */
public record DeviceInfo(
    String name,
    DeviceType type,
    long sizeBytes,
    int blockSizeBytes,
    int queueDepth,
    boolean readOnly,
    boolean preallocate,
    long seed,
    int users,
    String target,
    DeviceSettings settings,
    UUID incarnation)
    implements Resource
{
    /**
     * Rejects null.
     */
    public DeviceInfo
    {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(target, "target");
        Objects.requireNonNull(settings, "settings");
        Objects.requireNonNull(incarnation, "incarnation");
    }

    /**
     * A device of no known incarnation.
     *
     * @param name           of the device.
     * @param type           what stores the blocks.
     * @param sizeBytes      now.
     * @param blockSizeBytes of a block.
     * @param queueDepth     as created.
     * @param readOnly       as created.
     * @param preallocate    as created.
     * @param seed           as created.
     * @param users          namespaces and devices that depend on it.
     * @param target         path, wrapped device, or PCI address and namespace identifier; else empty.
     * @param settings       as created.
     */
    public DeviceInfo(
        final String name,
        final DeviceType type,
        final long sizeBytes,
        final int blockSizeBytes,
        final int queueDepth,
        final boolean readOnly,
        final boolean preallocate,
        final long seed,
        final int users,
        final String target,
        final DeviceSettings settings)
    {
        this(name, type, sizeBytes, blockSizeBytes, queueDepth, readOnly, preallocate, seed, users, target, settings,
            DeviceSpec.NO_INCARNATION);
    }

    /**
     * The device as another incarnation.
     *
     * @param value its incarnation.
     * @return the device.
     */
    public DeviceInfo with(final UUID value)
    {
        return new DeviceInfo(name, type, sizeBytes, blockSizeBytes, queueDepth, readOnly, preallocate, seed, users,
            target, settings, value);
    }

    /**
     * {@return the device as it would be created}
     */
    public DeviceSpec spec()
    {
        return new DeviceSpec(name, type, sizeBytes, blockSizeBytes, queueDepth, readOnly, preallocate, seed, target,
            settings, incarnation);
    }
}
