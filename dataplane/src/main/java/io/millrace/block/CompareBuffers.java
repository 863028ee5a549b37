package io.millrace.block;

import io.millrace.bindings.NativeMemory;

/**
 * Buffers into which a channel reads the data that it compares, a piece at a time. Single-threaded.
 */
public final class CompareBuffers
{
    /** Size of one. */
    public static final int BUFFER_BYTES = 128 << 10;
    /** How many there are. */
    public static final int BUFFER_COUNT = 8;

    private final long[] free = new long[BUFFER_COUNT];
    private int freeCount;

    /**
     * Takes memory.
     *
     * @param baseAddress of {@link #BUFFER_COUNT} buffers.
     */
    public CompareBuffers(final long baseAddress)
    {
        while (freeCount < BUFFER_COUNT)
        {
            free[freeCount] = baseAddress + (long)freeCount * BUFFER_BYTES;
            freeCount++;
        }
    }

    /**
     * {@return whether no buffer is left to {@link #acquire}}
     */
    public boolean isExhausted()
    {
        return 0 == freeCount;
    }

    /**
     * {@return address of a buffer; there must be one}
     */
    public long acquire()
    {
        return free[--freeCount];
    }

    /**
     * Takes a buffer back.
     *
     * @param address start address.
     */
    public void release(final long address)
    {
        free[freeCount++] = address;
    }

    /**
     * Compares a piece of a request's segments.
     *
     * @param request     with segments.
     * @param skipBytes   of the segments that lie before the piece.
     * @param address     to compare the piece with.
     * @param lengthBytes of the piece.
     * @return whether they are the same.
     */
    public static boolean isEqual(
        final BlockRequest request, final long skipBytes, final long address, final int lengthBytes)
    {
        long skip = skipBytes;
        int compared = 0;
        for (int i = 0; compared < lengthBytes; i++)
        {
            final int segmentLength = request.segmentLength(i);
            if (skip >= segmentLength)
            {
                skip -= segmentLength;
                continue;
            }
            final int length = (int)Math.min(segmentLength - skip, lengthBytes - compared);
            if (-1 != NativeMemory.mismatch(address + compared, request.segmentAddress(i) + skip, length))
            {
                return false;
            }
            compared += length;
            skip = 0;
        }
        return true;
    }
}
