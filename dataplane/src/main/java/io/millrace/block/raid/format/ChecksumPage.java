package io.millrace.block.raid.format;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.util.UUID;
import org.agrona.MutableDirectBuffer;

/**
 * A page of a member's {@linkplain ChecksumArea checksums}: a header that says whose page it is and that it is whole,
 * and {@link ChecksumArea#PAGE_ENTRIES} checksums. Little-endian; the UUID in the order of its text.
 * <pre>
 *      0   8  magic: "MILLSUMS"             32   8  number of the page
 *      8   4  version: 1                    40  24  reserved: zero
 *     12   4  CRC32C, this field as zero    64  4032  checksums
 *     16  16  member UUID
 * </pre>
 * A view that is wrapped around memory; one thread. Nothing is allocated after it is made.
 */
public final class ChecksumPage
{
    /** Length of a page. */
    public static final int BYTES = PageChecksum.PAGE_BYTES;
    /** Offset of the first checksum. */
    public static final int ENTRIES_OFFSET = 64;

    static final int MAGIC_OFFSET = 0;
    static final int MAGIC_LENGTH = Long.BYTES;
    static final int VERSION_OFFSET = MAGIC_OFFSET + MAGIC_LENGTH;
    static final int VERSION_LENGTH = Integer.BYTES;
    static final int CRC_OFFSET = VERSION_OFFSET + VERSION_LENGTH;
    static final int CRC_LENGTH = PageChecksum.CRC_LENGTH;
    static final int MEMBER_UUID_OFFSET = CRC_OFFSET + CRC_LENGTH;
    static final int MEMBER_UUID_LENGTH = StoredUuid.BYTES;
    static final int NUMBER_OFFSET = MEMBER_UUID_OFFSET + MEMBER_UUID_LENGTH;
    static final int NUMBER_LENGTH = Long.BYTES;
    static final int RESERVED_OFFSET = NUMBER_OFFSET + NUMBER_LENGTH;

    /** "MILLSUMS", as a little-endian number. */
    private static final long MAGIC = 0x534D5553_4C4C494DL;
    private static final int VERSION = 1;

    private final PageChecksum checksum = new PageChecksum();
    private MutableDirectBuffer buffer;
    private int index;

    /**
     * A view that has to be wrapped around memory before use.
     */
    public ChecksumPage()
    {
    }

    /**
     * Wraps this view around other memory, of any content.
     *
     * @param buffer with the page.
     * @param index  of the page's first byte; {@link #BYTES} of the buffer begin there.
     * @return this.
     */
    public ChecksumPage wrap(final MutableDirectBuffer buffer, final int index)
    {
        buffer.boundsCheck(index, BYTES);
        this.buffer = buffer;
        this.index = index;
        return this;
    }

    /**
     * Writes the header over the checksums that are there.
     *
     * @param member UUID of the member.
     * @param number of the page, from 0 on.
     * @return CRC of the page.
     */
    public int seal(final UUID member, final int number)
    {
        buffer.putLong(index + MAGIC_OFFSET, MAGIC, LITTLE_ENDIAN);
        buffer.putInt(index + VERSION_OFFSET, VERSION, LITTLE_ENDIAN);
        StoredUuid.put(buffer, index + MEMBER_UUID_OFFSET, member);
        buffer.putLong(index + NUMBER_OFFSET, number, LITTLE_ENDIAN);
        buffer.setMemory(index + RESERVED_OFFSET, ENTRIES_OFFSET - RESERVED_OFFSET, (byte)0);
        final int crc = checksum.compute(buffer, index);
        buffer.putInt(index + CRC_OFFSET, crc, LITTLE_ENDIAN);
        return crc;
    }

    /**
     * {@return whether it is whole, and the page that a member was written there}
     *
     * @param member UUID of the member.
     * @param number of the page, from 0 on.
     */
    public boolean isValid(final UUID member, final int number)
    {
        return MAGIC == buffer.getLong(index + MAGIC_OFFSET, LITTLE_ENDIAN) &&
            VERSION == buffer.getInt(index + VERSION_OFFSET, LITTLE_ENDIAN) &&
            StoredUuid.isEqual(buffer, index + MEMBER_UUID_OFFSET, member) &&
            number == buffer.getLong(index + NUMBER_OFFSET, LITTLE_ENDIAN) &&
            crc() == checksum.compute(buffer, index);
    }

    /**
     * {@return CRC that it has stored}
     */
    public int crc()
    {
        return buffer.getInt(index + CRC_OFFSET, LITTLE_ENDIAN);
    }
}
