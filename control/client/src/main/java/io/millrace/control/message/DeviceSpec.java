package io.millrace.control.message;

import io.millrace.control.device.DeviceContent;
import io.millrace.control.device.DeviceType;
import io.millrace.control.device.DeviceTypes;
import io.millrace.control.setting.Units;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;

/**
 * A block device to create. Its settings are those of its type, see {@link DeviceTypes}. Immutable.
 *
 * @param name        of the device, unique.
 * @param type        of the device.
 * @param properties  texts by key of setting; a setting that is missing has its default.
 * @param incarnation of a device whose content ends with it (memory, discard): another for each that is created, so
 *                    that one that was deleted is not taken for the next of its name; {@link #NO_INCARNATION}: not
 *                    known.
 */
public record DeviceSpec(String name, String type, Map<String, String> properties, UUID incarnation)
{
    /** Of a device of which nobody has said which one it is; never taken for another than is expected. */
    public static final UUID NO_INCARNATION = new UUID(0, 0);
    /** Setting with the size, of types that can grow. */
    public static final String SIZE = "size";
    /** Setting with the bytes of a block. */
    public static final String BLOCK_SIZE = "block-size";
    /** Setting of devices that stand by for all arrays. */
    public static final String SHARED_SPARE = "shared-spare";

    /**
     * Copies the map; rejects null.
     */
    public DeviceSpec
    {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(type, "type");
        properties = Collections.unmodifiableMap(new TreeMap<>(properties));
        Objects.requireNonNull(incarnation, "incarnation");
    }

    /**
     * A device of no known incarnation.
     *
     * @param name       of the device, unique.
     * @param type       of the device.
     * @param properties texts by key of setting.
     */
    public DeviceSpec(final String name, final String type, final Map<String, String> properties)
    {
        this(name, type, properties, NO_INCARNATION);
    }

    /**
     * The device as another incarnation.
     *
     * @param value its incarnation.
     * @return the device.
     */
    public DeviceSpec with(final UUID value)
    {
        return new DeviceSpec(name, type, properties, value);
    }

    /**
     * The device with another value of a setting.
     *
     * @param key   of the setting.
     * @param value text; empty: the default.
     * @return the device.
     */
    public DeviceSpec with(final String key, final String value)
    {
        return with(Map.of(key, value));
    }

    /**
     * The device with other values of some settings.
     *
     * @param changes texts by key of setting; an empty text restores the default.
     * @return the device.
     */
    public DeviceSpec with(final Map<String, String> changes)
    {
        final Map<String, String> changed = new TreeMap<>(properties);
        changed.putAll(changes);
        changed.values().removeIf(String::isEmpty);
        return new DeviceSpec(name, type, changed, incarnation);
    }

    /**
     * The device with another size.
     *
     * @param valueBytes its size; 0: none, it is as long as what it opens.
     * @return the device.
     */
    public DeviceSpec withSize(final long valueBytes)
    {
        return with(SIZE, 0 == valueBytes ? "" : Units.size(valueBytes));
    }

    /**
     * {@return whether it stands by for all arrays, or is a member of one that took it}
     */
    public boolean isSharedSpare()
    {
        return "true".equals(properties.get(SHARED_SPARE));
    }

    /**
     * {@return the size that is given; 0: none}
     */
    public long sizeBytes()
    {
        return number(SIZE);
    }

    /**
     * {@return the bytes of a block; 0: the type has none}
     */
    public int blockSizeBytes()
    {
        return (int)number(BLOCK_SIZE);
    }

    private long number(final String key)
    {
        final DeviceType known = DeviceTypes.find(type);
        final Object value = null == known || null == known.find(key) ? null : known.find(key).get(properties);
        return null == value ? 0 : (Long)value;
    }

    /**
     * {@return names of the devices below it; none when its type is unknown}
     */
    public List<String> bases()
    {
        final DeviceType known = DeviceTypes.find(type);
        return null == known ? List.of() : known.bases(properties);
    }

    /**
     * {@return the path of its file or block device; empty: it has none}
     */
    public String path()
    {
        return properties.getOrDefault("path", "");
    }

    /**
     * {@return what its data is kept in: the path of its file or block device, or its logical volume; empty: neither}
     */
    public String place()
    {
        return path().isEmpty() ? properties.getOrDefault("lvol", "") : path();
    }

    /**
     * {@return whether its data is lost when it is deleted}
     */
    public boolean losesData()
    {
        final DeviceType known = DeviceTypes.find(type);
        return null != known && DeviceContent.VOLATILE == known.content() ||
            "true".equals(properties.get("delete-data"));
    }

    /**
     * {@return what it has for itself, such as {@code path /srv/vol0.img}; empty: nothing, or its type is unknown}
     */
    public String location()
    {
        final DeviceType known = DeviceTypes.find(type);
        return null == known ? "" : known.location(properties);
    }

    /**
     * {@return whether its content ends with it, so that its incarnations differ; files and drives keep theirs}
     */
    public boolean hasIncarnation()
    {
        final DeviceType known = DeviceTypes.find(type);
        return null != known && known.hasIncarnation();
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
     * A volume in memory; its content ends with the process.
     *
     * @param name           of the device.
     * @param sizeBytes      a multiple of the block size.
     * @param blockSizeBytes 512 or 4096; 0: the default.
     * @return the device.
     */
    public static DeviceSpec memory(final String name, final long sizeBytes, final int blockSizeBytes)
    {
        return new DeviceSpec(name, "memory", Map.of()).withSize(sizeBytes)
            .with(BLOCK_SIZE, 0 == blockSizeBytes ? "" : Integer.toString(blockSizeBytes));
    }

    /**
     * Discards writes, reads as zeroes.
     *
     * @param name           of the device.
     * @param sizeBytes      a multiple of the block size.
     * @param blockSizeBytes 512 or 4096; 0: the default.
     * @return the device.
     */
    public static DeviceSpec discard(final String name, final long sizeBytes, final int blockSizeBytes)
    {
        return new DeviceSpec(name, "discard", memory(name, sizeBytes, blockSizeBytes).properties());
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
        return new DeviceSpec(name, "file", Map.of("path", path)).withSize(sizeBytes);
    }

    /**
     * Another device with faults.
     *
     * @param name of the device.
     * @param base name of the device below it.
     * @param seed of the choices of its rules.
     * @return the device, without rules.
     */
    public static DeviceSpec fault(final String name, final String base, final long seed)
    {
        return new DeviceSpec(name, "fault", Map.of("base", base))
            .with("seed", 0 == seed ? "" : Long.toString(seed));
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
        return new DeviceSpec(name, "nvme", Map.of("address", address, "nsid", Integer.toString(nsid)));
    }
}
