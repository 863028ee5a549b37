package io.millrace.block.nvme;

import io.millrace.block.nvme.queue.DriverMemory;
import io.millrace.pci.DmaMap;

/**
 * Memory of a channel's commands for metadata in memory of their own: zeroes to write, a sink for what is read. Most
 * channels need none of it. Made and closed on the controller's thread, used by its channel in between.
 */
final class ChannelMemory
{
    private static final int PARTS = 2;

    private final DriverMemory memory;
    private final long zeroesIova;
    private final long sinkIova;

    private ChannelMemory(final DriverMemory memory, final long zeroesIova, final long sinkIova)
    {
        this.memory = memory;
        this.zeroesIova = zeroesIova;
        this.sinkIova = sinkIova;
    }

    /**
     * Takes the memory that a channel needs, if any.
     *
     * @param dma       of the controller.
     * @param limits    of the channel's commands.
     * @param namespace of the channel's commands.
     * @return the memory.
     * @throws io.millrace.bindings.NativeException when there is not so much.
     * @throws io.millrace.pci.PciException         when it cannot be mapped for the controller.
     */
    static ChannelMemory map(final DmaMap dma, final TransferLimits limits, final DriveNamespace namespace)
    {
        if (MetadataMode.SEPARATE != namespace.metadata())
        {
            return new ChannelMemory(null, 0, 0);
        }
        final int pageBytes = 1 << limits.pageShift();
        final long metadataBytes = (long)limits.blocksMax() * namespace.info().metadataBytes();
        // A page more for each part, so that each can be aligned.
        final DriverMemory memory = DriverMemory.map(dma, PARTS * (metadataBytes + pageBytes));
        try
        {
            return new ChannelMemory(
                memory,
                memory.iova(memory.allocate(metadataBytes, pageBytes)),
                memory.iova(memory.allocate(metadataBytes, pageBytes)));
        }
        catch (final RuntimeException e)
        {
            memory.close();
            throw e;
        }
    }

    /**
     * {@return the memory itself, null when the channel needs none}
     */
    DriverMemory memory()
    {
        return memory;
    }

    /**
     * {@return zeroes to write, as many bytes as the metadata of a command}
     */
    long zeroesIova()
    {
        return zeroesIova;
    }

    /**
     * {@return sink for metadata that are read and ignored, as many bytes as the metadata of a command}
     */
    long sinkIova()
    {
        return sinkIova;
    }
}
