package io.millrace.block.nvme.queue;

import io.millrace.memory.AddressRanges;
import io.millrace.memory.MemoryListener;
import io.millrace.memory.MemoryRegion;
import io.millrace.memory.MemoryRole;
import io.millrace.pci.DmaMap;
import java.util.function.Consumer;

/**
 * The memory that payload lies in, mapped for a controller as it is announced; any thread translates. A controller that
 * cannot reach buffers is of no use, so it refuses regions of them that cannot be mapped. It does without memory that
 * devices lend: requests with such payload fail, which a note says once. Memory whose owner gives pages back is not
 * mapped, since mapping would bring in and pin all of it, nor is device memory.
 */
public final class PayloadMemory implements MemoryListener
{
    /** Result for memory that the controller cannot access. No mapping begins at the last address. */
    public static final long NOT_MAPPED = -1;

    /**
     * States of the mappings.
     * <pre>
     *   OPEN - CLOSED
     *        - ABANDONED - CLOSED
     * </pre>
     */
    private enum State
    {
        /** The function has the mappings. */
        OPEN,
        /** It was not possible to stop the controller: what is mapped for it has to stay. */
        ABANDONED,
        /** The function was given back, which took every mapping away. */
        CLOSED
    }

    private final String name;
    private final DmaMap dma;
    private final Consumer<String> onNote;
    private State state = State.OPEN;
    private String lentRefusal = "";
    /** With I/O virtual addresses of their first bytes. */
    private volatile AddressRanges ranges = AddressRanges.NONE;

    /**
     * Has no memory yet.
     *
     * @param name   of the controller, for messages.
     * @param dma    of the controller.
     * @param onNote notified of memory that it does without, in words that follow its name; any thread.
     */
    public PayloadMemory(final String name, final DmaMap dma, final Consumer<String> onNote)
    {
        this.name = name;
        this.dma = dma;
        this.onNote = onNote;
    }

    @Override
    public String name()
    {
        return name;
    }

    @Override
    public void onMapped(final MemoryRegion region)
    {
        add(region, region.address(), region.lengthBytes());
    }

    @Override
    public void onGrown(final MemoryRegion region, final long addedAddress, final long addedBytes)
    {
        add(region, addedAddress, addedBytes);
    }

    @Override
    public void onGrowthRevoked(final MemoryRegion region, final long addedAddress, final long addedBytes)
    {
        remove(addedAddress, addedBytes);
    }

    @Override
    public void onUnmapped(final MemoryRegion region)
    {
        if (region.isHostAddressable())
        {
            remove(region.address(), region.reservedBytes());
        }
    }

    private synchronized void add(final MemoryRegion region, final long address, final long lengthBytes)
    {
        if (State.OPEN != state || !region.isHostAddressable() || !region.hasStablePages())
        {
            return;
        }
        final AddressRanges before = ranges;
        try
        {
            AddressRanges added = before;
            for (long done = 0; done < lengthBytes; done += dma.rangeBytesMax())
            {
                final long pieceBytes = Math.min(lengthBytes - done, dma.rangeBytesMax());
                added = added.with(address + done, pieceBytes, dma.map(address + done, pieceBytes));
                ranges = added;
            }
        }
        catch (final RuntimeException e)
        {
            remove(address, lengthBytes);
            if (MemoryRole.BUFFERS == region.role())
            {
                throw e;
            }
            if (lentRefusal.isEmpty())
            {
                lentRefusal = e.getMessage();
                onNote.accept("cannot access memory that another device lends, so that commands with payload in it " +
                    "fail: " + lentRefusal);
            }
        }
    }

    /** Those mapped are forgotten one by one, so that it can be called again when one is refused. */
    private synchronized void remove(final long address, final long lengthBytes)
    {
        if (State.ABANDONED == state)
        {
            throw new IllegalStateException("the controller could not be stopped and may still access memory");
        }
        final AddressRanges before = ranges;
        for (int i = 0; i < before.count(); i++)
        {
            final long start = before.start(i);
            if (start >= address && start - address < lengthBytes)
            {
                final long mappedBytes = before.end(i) - start;
                if (State.OPEN == state)
                {
                    dma.unmap(before.value(i), mappedBytes);
                }
                ranges = ranges.without(start, mappedBytes);
            }
        }
    }

    /**
     * {@return I/O virtual address of a range, or {@link #NOT_MAPPED} when not all of it was mapped in one piece}
     *
     * @param address     of its first byte.
     * @param lengthBytes length in bytes; positive.
     */
    public long iova(final long address, final long lengthBytes)
    {
        final AddressRanges present = ranges;
        final int index = present.find(address, lengthBytes);
        return AddressRanges.NOT_FOUND == index ? NOT_MAPPED :
            present.value(index) + (address - present.start(index));
    }

    /**
     * {@return the ranges that are mapped, with I/O virtual addresses of their first bytes}
     */
    AddressRanges ranges()
    {
        return ranges;
    }

    /** The controller was stopped and its function is given back now, with every mapping. */
    public synchronized void close()
    {
        state = State.CLOSED;
    }

    /**
     * {@return whether the function was given back}
     */
    public synchronized boolean isClosed()
    {
        return State.CLOSED == state;
    }

    /** The controller may still access memory, for no one knows how long: none of it may go. */
    public synchronized void abandon()
    {
        if (State.OPEN == state)
        {
            state = State.ABANDONED;
        }
    }
}
