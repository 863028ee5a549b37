package io.millrace.block.nvme;

import io.millrace.block.nvme.queue.DriverMemory;
import io.millrace.pci.DmaMap;

/**
 * Memory of a channel's commands other than payload: zeroes and metadata to write, a sink for ignored data. Most
 * channels need none of it. Made and closed on the controller's thread, used by its channel in between.
 */
final class ChannelMemory
{
    /** Zeroes that a command writes at most where the drive does not offer Write Zeroes. */
    static final int ZEROES_BYTES = 128 << 10;
    /** Of what a command reads at most in place of Verify. */
    static final int SINK_BYTES = 128 << 10;
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
        final int pageBytes = 1 << limits.pageShift();
        final long metadataBytes = MetadataMode.SEPARATE == namespace.metadata() ?
            (long)limits.blocksMax() * namespace.info().metadataBytes() : 0;
        final long zeroesBytes = Math.max(metadataBytes, 0 == limits.zeroesBlocksMax() ? ZEROES_BYTES : 0);
        final long sinkBytes = Math.max(metadataBytes, 0 == limits.verifyBlocksMax() ? SINK_BYTES : 0);
        if (0 == zeroesBytes + sinkBytes)
        {
            return new ChannelMemory(null, 0, 0);
        }
        // A page more for each part, so that each can be aligned.
        final DriverMemory memory = DriverMemory.map(dma, zeroesBytes + sinkBytes + PARTS * (long)pageBytes);
        try
        {
            return new ChannelMemory(
                memory,
                0 == zeroesBytes ? 0 : memory.iova(memory.allocate(zeroesBytes, pageBytes)),
                0 == sinkBytes ? 0 : memory.iova(memory.allocate(sinkBytes, pageBytes)));
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
     * {@return zeroes to write; as many bytes as {@link #ZEROES_BYTES} or as the metadata of a command, whichever are
     * needed}
     */
    long zeroesIova()
    {
        return zeroesIova;
    }

    /**
     * {@return sink for data and metadata that are ignored; as many bytes as {@link #SINK_BYTES} or as the metadata of
     * a command, whichever are needed}
     */
    long sinkIova()
    {
        return sinkIova;
    }
}
