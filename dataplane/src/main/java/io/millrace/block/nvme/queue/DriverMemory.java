package io.millrace.block.nvme.queue;

import io.millrace.memory.DmaMemory;
import io.millrace.pci.DmaMap;

/**
 * Memory of the driver's own that a controller may read and write: queues, lists of addresses, data of admin commands.
 * Mapped for the controller as a whole; parts are never given back alone. Made and closed on the controller's thread.
 */
public final class DriverMemory implements AutoCloseable
{
    private final DmaMap dma;
    private final DmaMemory memory;
    private final long firstIova;

    private DriverMemory(final DmaMap dma, final DmaMemory memory, final long firstIova)
    {
        this.dma = dma;
        this.memory = memory;
        this.firstIova = firstIova;
    }

    /**
     * Takes memory, zeroed.
     *
     * @param dma         of the controller.
     * @param lengthBytes wanted; rounded up.
     * @return the memory.
     * @throws io.millrace.bindings.NativeException when there is not so much.
     * @throws io.millrace.pci.PciException         when it cannot be mapped for the controller.
     */
    public static DriverMemory map(final DmaMap dma, final long lengthBytes)
    {
        final DmaMemory memory = DmaMemory.map(lengthBytes, true);
        try
        {
            return new DriverMemory(dma, memory, dma.map(memory.address(), memory.lengthBytes()));
        }
        catch (final RuntimeException e)
        {
            memory.close();
            throw e;
        }
    }

    /**
     * Allocates a part.
     *
     * @param lengthBytes    length in bytes.
     * @param alignmentBytes of its I/O virtual address; a power of two.
     * @return its address.
     * @throws ControllerFailure when the IOMMU gave addresses that are less aligned.
     */
    public long allocate(final long lengthBytes, final long alignmentBytes)
    {
        final long address = memory.allocate(lengthBytes, alignmentBytes);
        if (0 != (iova(address) & (alignmentBytes - 1)))
        {
            throw new ControllerFailure("was given I/O virtual address 0x" + Long.toHexString(iova(address)) +
                ", not aligned to its memory page of " + alignmentBytes + " bytes");
        }
        return address;
    }

    /**
     * {@return I/O virtual address for the controller}
     *
     * @param address within this memory.
     */
    public long iova(final long address)
    {
        return firstIova + (address - memory.address());
    }

    /**
     * Unmaps the memory from the controller, which has been stopped or has no queue that uses it.
     */
    @Override
    public void close()
    {
        dma.unmap(firstIova, memory.lengthBytes());
        memory.close();
    }

    /** Frees it when the function was closed before, which took every mapping away. */
    public void closeUnmapped()
    {
        memory.close();
    }
}
