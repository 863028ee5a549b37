package io.millrace.block.spdk;

/**
 * Where the bdev of a device comes from: who changes its size, and what becomes of it when the device is closed. Off
 * the reactors, but for {@link #bdevName()} and {@link #remedyWhenMissing()}, which any thread may ask for.
 */
public sealed interface BdevSource permits ExistingBdev, LogicalVolume, NvmeNamespace
{
    /**
     * {@return name or alias of the bdev}
     */
    String bdevName();

    /**
     * {@return what to do when SPDK has no such bdev, as the end of a sentence}
     */
    String remedyWhenMissing();

    /**
     * Makes the bdev larger.
     *
     * @param sizeBytes of the bdev.
     * @return false: it is made larger by SPDK's own methods, or by itself, before the device takes that in.
     * @throws io.millrace.block.BlockDeviceException if SPDK refuses.
     */
    boolean grow(long sizeBytes);

    /**
     * The device has closed the bdev, or could not open it. Called once.
     */
    void release();
}
