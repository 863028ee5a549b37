package io.millrace.control.message;

import io.millrace.control.codec.DeviceType;
import java.util.Objects;

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
    DeviceSettings settings)
    implements Resource
{
    /**
     * Refuses null.
     */
    public DeviceInfo
    {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(target, "target");
        Objects.requireNonNull(settings, "settings");
    }

    /**
     * {@return the device as it would be created}
     */
    public DeviceSpec spec()
    {
        return new DeviceSpec(name, type, sizeBytes, blockSizeBytes, queueDepth, readOnly, preallocate, seed, target,
            settings);
    }
}
