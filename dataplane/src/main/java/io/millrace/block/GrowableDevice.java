package io.millrace.block;

/**
 * A block device that can become larger while channels use it. Nothing but the block count of its geometry changes.
 */
public interface GrowableDevice extends BlockDevice
{
    /**
     * Makes the device larger. When it returns, requests to the new blocks may be submitted on every channel, and
     * {@link #geometry()} includes them. Off the reactors; one call at a time.
     *
     * @param sizeBytes new size: a multiple of the block size, not below the present one.
     * @throws BlockDeviceException when it cannot grow; the device is unchanged then.
     */
    void grow(long sizeBytes);

    /**
     * {@return size in bytes that it may {@link #grow} to because what it stores its blocks in has become larger by
     * itself; its present size when it has not. A change is reported as one of {@link #status()}. Any thread}
     */
    default long availableBytes()
    {
        return geometry().sizeBytes();
    }
}
