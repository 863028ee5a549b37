package io.millrace.memory;

/**
 * The region of a {@link BufferPool}: what is shared comes first, floors are behind it.
 *
 * @param address          of the region; a multiple of the largest buffer's size.
 * @param lengthBytes      of the region; a multiple of the largest buffer's size and the floors, below 8 TiB.
 * @param bufferBytesMax   largest buffer; a power of two from {@link BufferPool#BUFFER_BYTES_MIN} to 1 GiB.
 * @param floorBytes       part of the region that is for floors; a multiple of their size.
 * @param floorBufferBytes size of each floor; a power of two, up to the largest buffer.
 */
public record BufferLayout(long address, long lengthBytes, int bufferBytesMax, long floorBytes, int floorBufferBytes)
{
    private static final int BUFFER_SHIFT_MIN = Integer.numberOfTrailingZeros(BufferPool.BUFFER_BYTES_MIN);
    /** One in so many bytes of a pool is for floors. */
    private static final int FLOOR_PART = 8;
    /** A pool with fewer of the largest buffers has no floors. */
    private static final int FLOOR_TRANSFERS_MIN = 4;

    /**
     * Checks that they fit.
     *
     * @throws IllegalArgumentException when one does not.
     */
    public BufferLayout
    {
        if (bufferBytesMax < BufferPool.BUFFER_BYTES_MIN || 1 != Integer.bitCount(bufferBytesMax))
        {
            throw new IllegalArgumentException("largest buffer: " + bufferBytesMax +
                " bytes is not a power of two from " + BufferPool.BUFFER_BYTES_MIN + " to " + (1 << 30));
        }
        if (address <= 0 || 0 != (address & (bufferBytesMax - 1)))
        {
            throw new IllegalArgumentException("buffer pool: address 0x" + Long.toHexString(address) +
                " is not a multiple of the largest buffer, " + bufferBytesMax + " bytes");
        }
        if (lengthBytes <= 0 || 0 != (lengthBytes - floorBytes & (bufferBytesMax - 1)) ||
            lengthBytes >>> BUFFER_SHIFT_MIN > Integer.MAX_VALUE)
        {
            throw new IllegalArgumentException("buffer pool: " + lengthBytes +
                " bytes is not a multiple of the largest buffer, " + bufferBytesMax + " bytes, between that and 8 TiB");
        }
        if (floorBytes < 0 || floorBytes >= lengthBytes || 0 != (floorBytes & (floorBufferBytes - 1)) ||
            floorBufferBytes < BufferPool.BUFFER_BYTES_MIN || floorBufferBytes > bufferBytesMax ||
            1 != Integer.bitCount(floorBufferBytes))
        {
            throw new IllegalArgumentException("buffer pool: floors of " + floorBytes + " bytes in buffers of " +
                floorBufferBytes + " bytes are not part of " + lengthBytes + " bytes in buffers of " + bufferBytesMax);
        }
    }

    /**
     * {@return a region with an eighth of it, or one largest buffer if that is more, for floors; without floors when it
     * has less than four largest buffers}
     *
     * @param address        of the region.
     * @param lengthBytes    of the region.
     * @param bufferBytesMax largest buffer.
     */
    static BufferLayout withFloors(final long address, final long lengthBytes, final int bufferBytesMax)
    {
        final long floorBytes = lengthBytes < (long)FLOOR_TRANSFERS_MIN * bufferBytesMax ? 0 :
            Math.max(bufferBytesMax, lengthBytes / FLOOR_PART & -(long)bufferBytesMax);
        return new BufferLayout(address, lengthBytes, bufferBytesMax, floorBytes,
            Math.min(BufferPool.FLOOR_BUFFER_BYTES_MAX, bufferBytesMax));
    }

    /**
     * {@return length of the shared part in bytes}
     */
    long sharedBytes()
    {
        return lengthBytes - floorBytes;
    }
}
