package io.millrace.block.spdk;

import io.millrace.bindings.NativeMemory;
import io.millrace.memory.Segments;
import java.lang.foreign.Arena;

/**
 * An array of {@code struct iovec} for each slot of a channel, in native memory.
 */
final class SegmentVectors implements AutoCloseable
{
    private static final int VECTOR_BYTES = 16;
    private static final int LENGTH_OFFSET = 8;
    private static final long SLOT_BYTES = (long)Segments.COUNT_MAX * VECTOR_BYTES;

    private final Arena arena = Arena.ofConfined();
    private final long address;

    SegmentVectors(final int slots)
    {
        address = arena.allocate(slots * SLOT_BYTES, VECTOR_BYTES).address();
    }

    /**
     * Writes the array of a slot.
     *
     * @param slot     whose request is not under way.
     * @param segments of the request.
     * @return address of the array.
     */
    long write(final int slot, final Segments segments)
    {
        final long array = address + slot * SLOT_BYTES;
        for (int i = 0; i < segments.count(); i++)
        {
            NativeMemory.putLong(array + (long)i * VECTOR_BYTES, segments.address(i));
            NativeMemory.putLong(array + (long)i * VECTOR_BYTES + LENGTH_OFFSET, segments.lengthBytes(i));
        }
        return array;
    }

    @Override
    public void close()
    {
        arena.close();
    }
}
