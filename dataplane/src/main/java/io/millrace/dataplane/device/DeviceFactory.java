package io.millrace.dataplane.device;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.DeviceProperties;
import io.millrace.validation.ResourceValidation;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Makes the devices of one type. Belongs to one data plane, whose lock is held by every call; off the reactors. Methods
 * throw {@link BlockDeviceException} with a sentence that names setting, value, bound and remedy.
 */
public interface DeviceFactory
{
    /** Setting with the size, of the types that have one. */
    String SIZE = "size";
    /** Setting with the bytes of a block, of the types that have one. */
    String BLOCK_SIZE = "block-size";
    /** Bytes of a block when none are given: what file systems and drives use inside. */
    int BLOCK_SIZE_BYTES_DEFAULT = 4096;

    /**
     * What is wrong with a setting.
     *
     * @param key    of the setting.
     * @param value  that it has.
     * @param bound  that the value exceeds, as the end of a sentence that begins with the value and "is".
     * @param remedy what to do instead.
     */
    record Problem(String key, Object value, String bound, String remedy)
    {
    }

    /**
     * {@return the type, as it is declared}
     */
    String type();

    /**
     * {@return what a device is and where its blocks are, for messages, such as {@code file /srv/vol0.img}}
     *
     * @param properties of the device.
     */
    default String description(final DeviceProperties properties)
    {
        return type();
    }

    /**
     * {@return the {@link #description(DeviceProperties) description} of an open device, which may be other than its
     * settings say; any thread, control path}
     *
     * @param properties of the device.
     * @param device     that was opened with them.
     */
    default String description(final DeviceProperties properties, final BlockDevice device)
    {
        return description(properties);
    }

    /**
     * {@return names of the devices below a device, which no other device or namespace may use}
     *
     * @param properties of the device.
     */
    default List<String> bases(final DeviceProperties properties)
    {
        return List.of();
    }

    /**
     * {@return whether a device may be opened while some of its {@link #bases} are missing: {@link #open} is given the
     * others then, and decides}
     *
     * @param properties of the device.
     */
    default boolean toleratesMissingBases(final DeviceProperties properties)
    {
        return false;
    }

    /**
     * {@return whether a device may be made of devices that it does not name, of those which nothing uses: it is
     * created behind all that could be such devices}
     */
    default boolean mayUseUnnamed()
    {
        return false;
    }

    /**
     * {@return what a device has for itself, which no other device may have, as a noun: {@code path /srv/vol0.img};
     * empty: nothing}
     *
     * @param properties of the device.
     */
    default String location(final DeviceProperties properties)
    {
        return "";
    }

    /**
     * {@return what is wrong with the settings, as far as it can be known without the device; null: nothing}
     *
     * @param properties of the device.
     */
    default Problem problem(final DeviceProperties properties)
    {
        return null;
    }

    /**
     * Makes a device. May block, to open a file or drive.
     *
     * @param name         of the device.
     * @param properties   of the device.
     * @param dependencies what it may use.
     * @return the device.
     * @throws BlockDeviceException if the device is unavailable.
     */
    BlockDevice open(String name, DeviceProperties properties, DeviceDependencies dependencies);

    /**
     * Applies settings while the device serves. May block.
     *
     * @param device       that {@link #open} made.
     * @param was          properties of the device so far.
     * @param properties   of the device, with those that changed.
     * @param dependencies what it may use, with those of the {@link #bases} that are new.
     * @return done when every reactor applies them; null: the type has no settings that are applied.
     * @throws BlockDeviceException if a setting is invalid; the device is unchanged then.
     */
    default CompletableFuture<Void> apply(
        final BlockDevice device,
        final DeviceProperties was,
        final DeviceProperties properties,
        final DeviceDependencies dependencies)
    {
        return null;
    }

    /**
     * {@return notes for the operator about a device, a sentence each}
     *
     * @param device that {@link #open} made.
     */
    default List<String> notes(final BlockDevice device)
    {
        return List.of();
    }

    /**
     * Forgets a device that was deleted for good, after it was closed.
     *
     * @param name         of the device.
     * @param properties   of the device.
     * @param dependencies what it used.
     * @throws BlockDeviceException if data was to be deleted with it, and is not.
     */
    default void onDeleted(final String name, final DeviceProperties properties, final DeviceDependencies dependencies)
    {
    }

    /**
     * {@return the problem of a size that is given; null when it is valid}
     *
     * @param properties of a device with size and block size.
     * @param isNeeded   whether a device without a size is refused.
     */
    static Problem sizeProblem(final DeviceProperties properties, final boolean isNeeded)
    {
        final long sizeBytes = properties.number(SIZE, 0);
        final int blockSizeBytes = properties.integer(BLOCK_SIZE, BLOCK_SIZE_BYTES_DEFAULT);
        final ResourceValidation.Problem block = ResourceValidation.ofBlockSize(blockSizeBytes);
        if (null != block)
        {
            return new Problem(BLOCK_SIZE, blockSizeBytes, block.bound(), block.remedy());
        }
        final ResourceValidation.Problem size = 0 == sizeBytes && !isNeeded ? null :
            ResourceValidation.ofSize(sizeBytes, blockSizeBytes);
        return null == size ? null : new Problem(SIZE, sizeBytes, size.bound(), size.remedy());
    }
}
