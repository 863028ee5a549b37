package io.millrace.block.file;

import io.millrace.block.DeviceProperties;
import java.nio.file.Path;
import java.util.Objects;

/**
 * Settings of a file device. Immutable.
 *
 * @param name           of the device.
 * @param path           of a regular file or block device.
 * @param sizeBytes      of the device; 0 takes what is there. A file is made or grown to it, never cut.
 * @param blockSizeBytes 512 or 4096.
 * @param readOnly       refuses writes, and lets other readers have the file too.
 * @param preallocate    takes the file's space when the device is opened, so that a full disk is found then; not used
 *                       for block devices.
 * @param queueDepth     most requests that each reactor's channel takes at once, 1 to {@link #QUEUE_DEPTH_MAX}.
 * @param polling        whether completions are polled from the drive instead of waiting for its interrupts.
 * @param bounds         where the path may lie, checked whenever it is opened.
 * @param records        of files that devices had: such a file is not made again when it is missing.
 */
public record FileDeviceConfig(
    String name,
    Path path,
    long sizeBytes,
    int blockSizeBytes,
    boolean readOnly,
    boolean preallocate,
    int queueDepth,
    Polling polling,
    FileBounds bounds,
    FileRecords records)
{
    /** Setting with the path. */
    public static final String PATH = "path";
    /** Default of {@link #queueDepth()}. */
    public static final int QUEUE_DEPTH_DEFAULT = 256;
    /** Bound of {@link #queueDepth()}. */
    public static final int QUEUE_DEPTH_MAX = 4096;

    /** Whether completions are polled from the drive ({@code IORING_SETUP_IOPOLL}). */
    public enum Polling
    {
        /** Where the device can. */
        AUTO,
        /** Yes; a device that cannot is refused. */
        ON,
        /** No. */
        OFF
    }

    /**
     * Refuses null.
     */
    public FileDeviceConfig
    {
        Objects.requireNonNull(bounds, "bounds");
        Objects.requireNonNull(records, "records");
    }

    /**
     * Settings of a device whose path may lie anywhere.
     *
     * @param name           as the record has it.
     * @param path           as the record has it.
     * @param sizeBytes      as the record has it.
     * @param blockSizeBytes as the record has it.
     * @param readOnly       as the record has it.
     * @param preallocate    as the record has it.
     * @param queueDepth     as the record has it.
     * @param polling        as the record has it.
     */
    public FileDeviceConfig(
        final String name,
        final Path path,
        final long sizeBytes,
        final int blockSizeBytes,
        final boolean readOnly,
        final boolean preallocate,
        final int queueDepth,
        final Polling polling)
    {
        this(name, path, sizeBytes, blockSizeBytes, readOnly, preallocate, queueDepth, polling,
            FileBounds.ANYWHERE, FileRecords.NONE);
    }

    /**
     * Settings of a device as declared.
     *
     * @param name       of the device.
     * @param properties of the device.
     * @return settings.
     * @throws io.millrace.block.BlockDeviceException if one is missing or no value of its setting.
     */
    public static FileDeviceConfig of(final String name, final DeviceProperties properties)
    {
        return new FileDeviceConfig(
            name,
            Path.of(properties.text(PATH)),
            properties.number("size", 0),
            properties.integer("block-size", 4096),
            properties.flag("read-only", false),
            properties.flag("preallocate", true),
            properties.integer("queue-depth", QUEUE_DEPTH_DEFAULT),
            properties.choice("polling", Polling.class, Polling.AUTO));
    }

    /**
     * Settings with their defaults: read and write, preallocated, depth 256, polling where the device can.
     *
     * @param name           of the device.
     * @param path           of a regular file or block device.
     * @param sizeBytes      of the device; 0 takes what is there.
     * @param blockSizeBytes 512 or 4096.
     * @return settings.
     */
    public static FileDeviceConfig of(
        final String name, final Path path, final long sizeBytes, final int blockSizeBytes)
    {
        return new FileDeviceConfig(
            name, path, sizeBytes, blockSizeBytes, false, true, QUEUE_DEPTH_DEFAULT, Polling.AUTO);
    }

    /**
     * Changes {@link #readOnly()}.
     *
     * @param value new value.
     * @return a copy.
     */
    public FileDeviceConfig withReadOnly(final boolean value)
    {
        return new FileDeviceConfig(
            name, path, sizeBytes, blockSizeBytes, value, preallocate, queueDepth, polling, bounds,
            records);
    }

    /**
     * Changes {@link #preallocate()}.
     *
     * @param value new value.
     * @return a copy.
     */
    public FileDeviceConfig withPreallocate(final boolean value)
    {
        return new FileDeviceConfig(
            name, path, sizeBytes, blockSizeBytes, readOnly, value, queueDepth, polling, bounds,
            records);
    }

    /**
     * Changes {@link #queueDepth()}.
     *
     * @param value new value.
     * @return a copy.
     */
    public FileDeviceConfig withQueueDepth(final int value)
    {
        return new FileDeviceConfig(
            name, path, sizeBytes, blockSizeBytes, readOnly, preallocate, value, polling, bounds,
            records);
    }

    /**
     * Changes {@link #polling()}.
     *
     * @param value new value.
     * @return a copy.
     */
    public FileDeviceConfig withPolling(final Polling value)
    {
        return new FileDeviceConfig(
            name, path, sizeBytes, blockSizeBytes, readOnly, preallocate, queueDepth, value,
            bounds, records);
    }

    /**
     * Changes {@link #bounds()}.
     *
     * @param value new value.
     * @return a copy.
     */
    public FileDeviceConfig withBounds(final FileBounds value)
    {
        return new FileDeviceConfig(
            name, path, sizeBytes, blockSizeBytes, readOnly, preallocate, queueDepth, polling, value,
            records);
    }

    /**
     * Changes {@link #records()}.
     *
     * @param value new value.
     * @return a copy.
     */
    public FileDeviceConfig withRecords(final FileRecords value)
    {
        return new FileDeviceConfig(
            name, path, sizeBytes, blockSizeBytes, readOnly, preallocate, queueDepth, polling, bounds,
            value);
    }
}
