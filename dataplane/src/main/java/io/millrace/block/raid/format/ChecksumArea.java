package io.millrace.block.raid.format;

/**
 * Checksums of a member's blocks, behind its data: for each block of the data, in their order, CRC32C (Castagnoli) of
 * its bytes as a little-endian 32-bit value. {@link #UNKNOWN} says that a block has none. A block whose CRC32C is 0 or
 * 1 has that plus 2. They are in {@linkplain ChecksumPage pages}, which are written one at a time; what the last has
 * behind the checksum of the last block is unspecified.
 */
public final class ChecksumArea
{
    /** Bytes that are written at a time. */
    public static final int PAGE_BYTES = ChecksumPage.BYTES;
    /** Checksums of a page. */
    public static final int PAGE_ENTRIES = (PAGE_BYTES - ChecksumPage.ENTRIES_OFFSET) / Integer.BYTES;
    /** Instead of the checksum of a block that has none. 1 means the same. */
    public static final int UNKNOWN = 0;

    /** Values that are no checksums. */
    private static final int RESERVED_COUNT = 2;

    private ChecksumArea()
    {
    }

    /**
     * {@return the checksum of a block as it is stored}
     *
     * @param crc CRC32C of the block.
     */
    public static int entry(final int crc)
    {
        return isKnown(crc) ? crc : crc + RESERVED_COUNT;
    }

    /**
     * {@return whether a stored value is a checksum}
     *
     * @param entry as it is stored.
     */
    public static boolean isKnown(final int entry)
    {
        return 0 != (entry & -RESERVED_COUNT);
    }

    /**
     * {@return offset of the checksums on a member}
     *
     * @param memberBytes data bytes of a member.
     */
    public static long offset(final long memberBytes)
    {
        return MemberArea.DATA_OFFSET_BYTES + memberBytes;
    }

    /**
     * {@return pages that checksums of a member need}
     *
     * @param memberBytes data bytes of a member.
     * @param blockBytes  size of a block.
     */
    public static int pageCount(final long memberBytes, final int blockBytes)
    {
        final long pageData = (long)PAGE_ENTRIES * blockBytes;
        return Math.toIntExact((memberBytes + pageData - 1) / pageData);
    }

    /**
     * {@return bytes of data that fit on a device beside their checksums: a multiple of the strip; 0 when the device is
     * too small}
     *
     * @param deviceBytes size of the device.
     * @param stripBytes  strip of the array; positive.
     * @param blockBytes  size of a block.
     */
    public static long dataBytes(final long deviceBytes, final int stripBytes, final int blockBytes)
    {
        final long available =
            MemberArea.secondSuperblockOffset(deviceBytes) - MemberArea.DATA_OFFSET_BYTES;
        long bytes = MemberArea.dataBytes(deviceBytes, stripBytes);
        // Nearly as much as fits, or a little more or less.
        bytes -= (long)pageCount(bytes, blockBytes) * PAGE_BYTES / stripBytes * stripBytes;
        while (bytes > 0 && !fits(bytes, blockBytes, available))
        {
            bytes -= stripBytes;
        }
        while (fits(bytes + stripBytes, blockBytes, available))
        {
            bytes += stripBytes;
        }
        return bytes;
    }

    private static boolean fits(final long bytes, final int blockBytes, final long available)
    {
        return bytes + (long)pageCount(bytes, blockBytes) * PAGE_BYTES <= available;
    }
}
