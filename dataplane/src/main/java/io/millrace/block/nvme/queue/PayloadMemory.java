package io.millrace.block.nvme.queue;

import io.millrace.memory.DmaMemory;
import io.millrace.pci.DmaMap;
import java.util.List;

/**
 * The regions that I/O buffers come from, mapped for the controller once, as a whole: translation is a comparison and
 * an addition. Immutable but for {@link #unmap}; any thread translates.
 */
public final class PayloadMemory
{
    /** Result for memory that the controller cannot access. No mapping begins at the last address. */
    public static final long NOT_MAPPED = -1;

    private final DmaMap dma;
    private final long[] starts;
    private final long[] lengths;
    private final long[] iovas;

    private PayloadMemory(final DmaMap dma, final long[] starts, final long[] lengths, final long[] iovas)
    {
        this.dma = dma;
        this.starts = starts;
        this.lengths = lengths;
        this.iovas = iovas;
    }

    /**
     * Maps all regions, or none.
     *
     * @param dma     of the controller.
     * @param regions of memory; they must not grow.
     * @return what is mapped.
     * @throws io.millrace.pci.PciException when one cannot be mapped.
     */
    public static PayloadMemory map(final DmaMap dma, final List<DmaMemory> regions)
    {
        final int count = regions.size();
        final long[] starts = new long[count];
        final long[] lengths = new long[count];
        final long[] iovas = new long[count];
        for (int i = 0; i < count; i++)
        {
            starts[i] = regions.get(i).address();
            lengths[i] = regions.get(i).lengthBytes();
            try
            {
                iovas[i] = dma.map(starts[i], lengths[i]);
            }
            catch (final RuntimeException e)
            {
                for (int mapped = 0; mapped < i; mapped++)
                {
                    dma.unmap(iovas[mapped], lengths[mapped]);
                }
                throw e;
            }
        }
        return new PayloadMemory(dma, starts, lengths, iovas);
    }

    /**
     * {@return I/O virtual address of a range, or {@link #NOT_MAPPED} when not all of it lies in one region}
     *
     * @param address     of its first byte.
     * @param lengthBytes length in bytes; positive.
     */
    public long iova(final long address, final long lengthBytes)
    {
        for (int i = 0; i < starts.length; i++)
        {
            final long offset = address - starts[i];
            if (offset >= 0 && offset <= lengths[i] - lengthBytes)
            {
                return iovas[i] + offset;
            }
        }
        return NOT_MAPPED;
    }

    /** Unmaps all regions from the controller, which has been stopped. */
    public void unmap()
    {
        for (int i = 0; i < starts.length; i++)
        {
            dma.unmap(iovas[i], lengths[i]);
        }
    }
}
