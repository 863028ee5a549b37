package io.millrace.block;

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
}
