package io.millrace.control.message;

import io.millrace.control.codec.DeviceType;
import java.util.Objects;
import java.util.UUID;

/**
 * A block device to create. What a type does not use is ignored.
 *
 * @param name           of the device, unique.
 * @param type           what stores the blocks.
 * @param sizeBytes      a multiple of the block size; 0: as long as the file, the drive or the wrapped device is.
 * @param blockSizeBytes 512 or 4096; 0: the default.
 * @param queueDepth     requests at a file or drive at once; 0: the default.
 * @param readOnly       refuse writes to a file.
 * @param preallocate    take the space of a file at once.
 * @param seed           of the choices of a fault device.
 * @param target         absolute path of a file, name of the device that a fault device wraps, or PCI address and
 *                       namespace identifier of a drive with a slash in between; else empty.
 * @param settings       that only some types have.
 * @param incarnation    of a device whose content ends with it (memory, null): another for each that is created, so
 *                       that one that was deleted is not taken for the next of its name; {@link #NO_INCARNATION}: not
 *                       known.
 */
public record DeviceSpec(
    String name,
    DeviceType type,
    long sizeBytes,
    int blockSizeBytes,
    int queueDepth,
    boolean readOnly,
    boolean preallocate,
    long seed,
    String target,
    DeviceSettings settings,
    UUID incarnation)
{
    /** Of a device of which nobody has said which one it is; never taken for another than is expected. */
    public static final UUID NO_INCARNATION = new UUID(0, 0);

    /**
     * Rejects null.
     */
    public DeviceSpec
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
     * @param name           of the device, unique.
     * @param type           what stores the blocks.
     * @param sizeBytes      a multiple of the block size; 0: as long as the file, the drive or the wrapped device is.
     * @param blockSizeBytes 512 or 4096; 0: the default.
     * @param queueDepth     requests at a file or drive at once; 0: the default.
     * @param readOnly       refuse writes to a file.
     * @param preallocate    take the space of a file at once.
     * @param seed           of the choices of a fault device.
     * @param target         path, wrapped device, or PCI address and namespace identifier; else empty.
     * @param settings       that only some types have.
     */
    public DeviceSpec(
        final String name,
        final DeviceType type,
        final long sizeBytes,
        final int blockSizeBytes,
        final int queueDepth,
        final boolean readOnly,
        final boolean preallocate,
        final long seed,
        final String target,
        final DeviceSettings settings)
    {
        this(name, type, sizeBytes, blockSizeBytes, queueDepth, readOnly, preallocate, seed, target, settings,
            NO_INCARNATION);
    }

    /**
     * A device with default settings.
     *
     * @param name           of the device, unique.
     * @param type           what stores the blocks.
     * @param sizeBytes      a multiple of the block size; 0: as long as the file, the drive or the wrapped device is.
     * @param blockSizeBytes 512 or 4096; 0: the default.
     * @param queueDepth     requests at a file or drive at once; 0: the default.
     * @param readOnly       refuse writes to a file.
     * @param preallocate    take the space of a file at once.
     * @param seed           of the choices of a fault device.
     * @param target         path, wrapped device, or PCI address and namespace identifier; else empty.
     */
    public DeviceSpec(
        final String name,
        final DeviceType type,
        final long sizeBytes,
        final int blockSizeBytes,
        final int queueDepth,
        final boolean readOnly,
        final boolean preallocate,
        final long seed,
        final String target)
    {
        this(name, type, sizeBytes, blockSizeBytes, queueDepth, readOnly, preallocate, seed, target,
            DeviceSettings.DEFAULT);
    }

    /**
     * The device with other settings.
     *
     * @param value settings.
     * @return the device.
     */
    public DeviceSpec with(final DeviceSettings value)
    {
        return new DeviceSpec(name, type, sizeBytes, blockSizeBytes, queueDepth, readOnly, preallocate, seed, target,
            value, incarnation);
    }

    /**
     * The device as another incarnation.
     *
     * @param value its incarnation.
     * @return the device.
     */
    public DeviceSpec with(final UUID value)
    {
        return new DeviceSpec(name, type, sizeBytes, blockSizeBytes, queueDepth, readOnly, preallocate, seed, target,
            settings, value);
    }

    /**
     * {@return whether its content ends with it, so that its incarnations differ; files and drives keep theirs}
     */
    public boolean hasIncarnation()
    {
        return DeviceType.MEMORY == type || DeviceType.NULL_DEVICE == type;
    }

    /**
     * {@return whether another device of the same name is known to be another incarnation}
     *
     * @param other device.
     */
    public boolean isOtherIncarnation(final DeviceSpec other)
    {
        return hasIncarnation() && other.hasIncarnation() && !NO_INCARNATION.equals(incarnation) &&
            !NO_INCARNATION.equals(other.incarnation) && !incarnation.equals(other.incarnation);
    }

    /**
     * The device with another size.
     *
     * @param valueBytes its size; 0: as long as the file is.
     * @return the device.
     */
    public DeviceSpec withSize(final long valueBytes)
    {
        return new DeviceSpec(name, type, valueBytes, blockSizeBytes, queueDepth, readOnly, preallocate, seed, target,
            settings, incarnation);
    }

    /**
     * A volume in memory; its content ends with the process.
     *
     * @param name           of the device.
     * @param sizeBytes      a multiple of the block size.
     * @param blockSizeBytes 512 or 4096; 0: the default.
     * @return the device.
     */
    public static DeviceSpec memory(final String name, final long sizeBytes, final int blockSizeBytes)
    {
        return new DeviceSpec(name, DeviceType.MEMORY, sizeBytes, blockSizeBytes, 0, false, false, 0, "");
    }

    /**
     * Takes writes and forgets them, reads as zeroes.
     *
     * @param name           of the device.
     * @param sizeBytes      a multiple of the block size.
     * @param blockSizeBytes 512 or 4096; 0: the default.
     * @return the device.
     */
    public static DeviceSpec nullDevice(final String name, final long sizeBytes, final int blockSizeBytes)
    {
        return new DeviceSpec(name, DeviceType.NULL_DEVICE, sizeBytes, blockSizeBytes, 0, false, false, 0, "");
    }

    /**
     * A volume in a file or on a block device.
     *
     * @param name      of the device.
     * @param path      absolute.
     * @param sizeBytes a multiple of the block size; 0: as long as the file is.
     * @return the device, with default block size and queue depth.
     */
    public static DeviceSpec file(final String name, final String path, final long sizeBytes)
    {
        return new DeviceSpec(name, DeviceType.FILE, sizeBytes, 0, 0, false, false, 0, path);
    }

    /**
     * Another device with faults.
     *
     * @param name   of the device.
     * @param device that is wrapped.
     * @param seed   of the choices of its rules.
     * @return the device, without rules.
     */
    public static DeviceSpec fault(final String name, final String device, final long seed)
    {
        return new DeviceSpec(name, DeviceType.FAULT, 0, 0, 0, false, false, seed, device);
    }

    /**
     * A namespace of a drive that the data plane drives itself.
     *
     * @param name    of the device.
     * @param address of the drive's PCI function, such as {@code 0000:01:00.0}.
     * @param nsid    of the namespace, from 1.
     * @return the device, with the default queue depth.
     */
    public static DeviceSpec nvme(final String name, final String address, final int nsid)
    {
        return new DeviceSpec(name, DeviceType.NVME, 0, 0, 0, false, false, 0, address + '/' + nsid);
    }
}
