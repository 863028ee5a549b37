package io.millrace.block.raid.format;

import java.util.zip.CRC32C;
import org.agrona.DirectBuffer;

/**
 * CRC32C over a page of a member area, with its own field as zero. One thread; allocates nothing after it is made:
 * the bitmap is sealed while writes wait for it.
 */
final class PageChecksum
{
    /** Length of superblocks and bitmap pages alike. */
    static final int PAGE_BYTES = 4096;
    /** Offset of the checksum in a page of any version. */
    static final int CRC_OFFSET = 12;
    static final int CRC_LENGTH = Integer.BYTES;

    private final CRC32C crc = new CRC32C();
    private final byte[] page = new byte[PAGE_BYTES];

    int compute(final DirectBuffer buffer, final int index)
    {
        buffer.getBytes(index, page);
        for (int i = CRC_OFFSET; i < CRC_OFFSET + CRC_LENGTH; i++)
        {
            page[i] = 0;
        }
        crc.reset();
        crc.update(page, 0, PAGE_BYTES);
        return (int)crc.getValue();
    }
}
