package io.millrace.block.raid.format;

/**
 * Offsets in bytes of the parts of a member, the same on each device and for arrays of every level.
 * <pre>
 *            0   superblock, first copy
 *         4096   reserved
 *         8192   bitmap page 0
 *        12288   bitmap page 1
 *        16384   lost-block list, first copy
 *        20480   lost-block list, second copy
 *        24576   reserved
 *        32768   journal, of arrays with parity
 *      1048576   data: a multiple of the strip
 *              ... checksums of blocks, of arrays that have them
 *              ... unused: less than a strip, or more where members differ in size
 *   end - 4096   superblock, second copy; end is the size of the device rounded down to 4096
 * </pre>
 * The two copies of the superblock are far from each other, so that one survives a tool that overwrites the beginning
 * of a device, such as a partitioner.
 */
public final class MemberArea
{
    /** Offset of the superblock's first copy. */
    public static final int FIRST_SUPERBLOCK_BYTES = 0;
    /** Offset of the data. */
    public static final int DATA_OFFSET_BYTES = 1 << 20;
    /** Pages that the bitmap is written to alternately. */
    public static final int BITMAP_PAGE_COUNT = 2;

    /** Offset of the journal. */
    public static final int JOURNAL_OFFSET_BYTES = 32_768;
    /** Length of the journal. */
    public static final int JOURNAL_BYTES = DATA_OFFSET_BYTES - JOURNAL_OFFSET_BYTES;

    /** Copies of the lost-block list, one behind the other. */
    public static final int LOST_BLOCKS_COUNT = 2;

    static final int BITMAP_OFFSET_BYTES = 8192;
    static final int LOST_BLOCKS_OFFSET_BYTES = 16_384;

    private MemberArea()
    {
    }

    /**
     * {@return offset of a bitmap page}
     *
     * @param which page: 0 or 1.
     * @throws IllegalArgumentException for another.
     */
    public static long bitmapOffset(final int which)
    {
        if (which < 0 || which >= BITMAP_PAGE_COUNT)
        {
            throw new IllegalArgumentException("bitmap page " + which + " is not 0 or 1");
        }
        return BITMAP_OFFSET_BYTES + (long)which * BitmapPage.BYTES;
    }

    /**
     * {@return offset of a copy of the lost-block list}
     *
     * @param which copy: 0 or 1.
     * @throws IllegalArgumentException for another.
     */
    public static long lostBlocksOffset(final int which)
    {
        if (which < 0 || which >= LOST_BLOCKS_COUNT)
        {
            throw new IllegalArgumentException("copy " + which + " of the lost-block list is not 0 or 1");
        }
        return LOST_BLOCKS_OFFSET_BYTES + (long)which * LostBlocksPage.BYTES;
    }

    /**
     * {@return offset of the superblock's second copy; negative when the device is smaller than a superblock}
     *
     * @param deviceBytes size of the device.
     */
    public static long secondSuperblockOffset(final long deviceBytes)
    {
        return (deviceBytes & -Superblock.BYTES) - Superblock.BYTES;
    }

    /**
     * {@return bytes of data that fit on a device: a multiple of the strip; 0 when the device is too small}
     *
     * @param deviceBytes size of the device.
     * @param stripBytes  strip of the array; positive.
     */
    public static long dataBytes(final long deviceBytes, final int stripBytes)
    {
        final long available = secondSuperblockOffset(deviceBytes) - DATA_OFFSET_BYTES;
        return available < stripBytes ? 0 : available - available % stripBytes;
    }
}
