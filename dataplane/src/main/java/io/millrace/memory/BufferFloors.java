package io.millrace.memory;

import java.util.Arrays;

/**
 * The part of a {@link BufferPool} that is guaranteed to groups that hold almost nothing: buffers of one size, of which
 * a {@link BufferGroup} has one at most. All have one size, so that they cannot fragment. Single-threaded; nothing is
 * allocated after construction.
 */
final class BufferFloors
{
    private static final byte FREE = -1;

    private final long address;
    private final int shift;
    /** Order of the buffer that is handed out, by slot; {@link #FREE} when none is. */
    private final byte[] orders;
    private final int[] freeSlots;
    private int freeCount;

    /**
     * All free.
     *
     * @param address     of the first.
     * @param lengthBytes of all.
     * @param bufferBytes of one; a power of two.
     */
    BufferFloors(final long address, final long lengthBytes, final int bufferBytes)
    {
        this.address = address;
        shift = Integer.numberOfTrailingZeros(bufferBytes);
        final int count = (int)(lengthBytes >>> shift);
        orders = new byte[count];
        Arrays.fill(orders, FREE);
        freeSlots = new int[count];
        for (int slot = count - 1; slot >= 0; slot--)
        {
            freeSlots[freeCount++] = slot;
        }
    }

    /**
     * {@return largest buffer in bytes}
     */
    int bufferBytes()
    {
        return 1 << shift;
    }

    /**
     * {@return length of all in bytes}
     */
    long lengthBytes()
    {
        return (long)orders.length << shift;
    }

    /**
     * {@return whether a group may have a buffer of them, and there is one}
     *
     * @param group that asks.
     */
    boolean admits(final BufferGroup group)
    {
        return !group.holdsFloor && group.heldBytes < bufferBytes() && 0 != freeCount;
    }

    /**
     * Takes a buffer.
     *
     * @param group that {@link #admits} it.
     * @param order of the buffer, which is not larger than one of these.
     * @return its address.
     */
    long take(final BufferGroup group, final int order)
    {
        final int slot = freeSlots[--freeCount];
        orders[slot] = (byte)order;
        group.holdsFloor = true;
        return address + ((long)slot << shift);
    }

    /**
     * {@return whether an address is one of these buffers'}
     *
     * @param bufferAddress to look at.
     */
    boolean contains(final long bufferAddress)
    {
        return bufferAddress >= address && bufferAddress - address < lengthBytes();
    }

    /**
     * Takes a buffer back.
     *
     * @param group         that has it.
     * @param bufferAddress address of the buffer, which is {@link #contains contained}.
     * @param order         that it was taken with.
     * @return false when no such buffer is handed out.
     */
    boolean giveBack(final BufferGroup group, final long bufferAddress, final int order)
    {
        final long offset = bufferAddress - address;
        final int slot = (int)(offset >>> shift);
        if (offset != (long)slot << shift || order != orders[slot] || !group.holdsFloor)
        {
            return false;
        }
        orders[slot] = FREE;
        freeSlots[freeCount++] = slot;
        group.holdsFloor = false;
        return true;
    }
}
