package io.millrace.block.file;

import io.millrace.block.BlockDevice;
import io.millrace.memory.MemoryRegistry;
import java.nio.file.Path;
import java.util.random.RandomGenerator;

/**
 * A file with a volatile cache for a simulation, and devices on it, one after the other: the real ones over rings of a
 * model.
 */
public final class SimulatedFile
{
    private static final CloseTimeouts TIMEOUTS = new CloseTimeouts(50_000_000L, 200_000_000L, 10_000_000L);
    private static final int QUEUE_DEPTH = 8;

    private final FileDeviceConfig config;
    private final ModelFile file;
    private final boolean isBuffered;

    /**
     * Makes a file of zeroes.
     *
     * @param path       of a file of that size, which keeps its place and is never written.
     * @param sizeBytes  multiple of the block size.
     * @param blockBytes of its blocks.
     * @param isBuffered whether a page cache is above it: no sync of a device succeeds after one that failed.
     * @param random     source of all chances.
     */
    public SimulatedFile(
        final Path path,
        final long sizeBytes,
        final int blockBytes,
        final boolean isBuffered,
        final RandomGenerator random)
    {
        this.isBuffered = isBuffered;
        config = FileDeviceConfig.of("file", path, sizeBytes, blockBytes).withPreallocate(false)
            .withPolling(FileDeviceConfig.Polling.OFF).withQueueDepth(QUEUE_DEPTH);
        file = new ModelFile(sizeBytes, blockBytes, random);
        if (isBuffered)
        {
            file.buffered();
        }
    }

    /**
     * Changes how it departs from an ideal one.
     *
     * @param faults from now on.
     * @return faults before.
     */
    public ModelFaults faults(final ModelFaults faults)
    {
        final ModelFaults before = file.faults();
        file.faults(faults);
        return before;
    }

    /**
     * Sets who is notified when a sync fails, so that no later one makes stable what it should have.
     *
     * @param listener notified.
     */
    public void onLostSync(final Runnable listener)
    {
        file.onLostSync(listener);
    }

    /**
     * Writes a block, which is stable.
     *
     * @param offset  in bytes.
     * @param content of the block.
     */
    public void fill(final long offset, final byte[] content)
    {
        file.write(offset, content, content.length);
        file.syncRange(offset, content.length);
    }

    /**
     * Opens a device on what the file holds.
     *
     * @param schedule       of its rings.
     * @param registry       of the memory that payload lies in.
     * @param polledBytesMax longest transfer whose completion is polled for; 0 for none.
     * @param zeroes         whether ranges can be zeroed.
     * @return the device.
     */
    public BlockDevice open(
        final ModelSchedule schedule, final MemoryRegistry registry, final int polledBytesMax, final boolean zeroes)
    {
        file.schedule(schedule);
        final FileDevice device = FileDevice.open(config, registry, (found) -> new FileCapabilities(
            !isBuffered,
            isBuffered ? 0 : polledBytesMax,
            zeroes ? ZeroStrategy.ZERO_RANGE : ZeroStrategy.NONE,
            zeroes ? DeallocateStrategy.PUNCH_HOLE : DeallocateStrategy.NONE),
            new RingFactory(file::ring, schedule::makeRing));
        device.closeTimeouts(TIMEOUTS);
        return device;
    }

    /** {@return whether no channel is open, nor waits for what the drive has not answered} */
    public boolean isIdle()
    {
        return 0 == file.openRings();
    }

    /** What was not made stable may be lost. Devices that are open get no more answers than errors. */
    public void losePower()
    {
        file.losePower();
    }
}
