package io.millrace.block.raid.format;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.util.UUID;
import org.agrona.MutableDirectBuffer;

/**
 * A write-intent bitmap: one bit for each region of the members' data, set while the region may differ between members.
 * Members have two pages that are written alternately; the valid page with the higher sequence is current, so that a
 * page torn by a power failure leaves the one before. Little-endian; the UUID in the order of its text; the bit of
 * region {@code r} is bit {@code r % 8} of byte {@code r / 8}. Bits after the last region are zero.
 * <pre>
 *      0   8  magic: "MILLBITS"             40   8  region bytes
 *      8   4  version: 1                    48   4  region count
 *     12   4  CRC32C, this field as zero    52  12  reserved: zero
 *     16   8  sequence                      64  4032  bits
 *     24  16  array UUID
 * </pre>
 * A view that is wrapped around memory; one thread. Nothing is allocated after it is made.
 */
public final class BitmapPage
{
    /** Length of a page. */
    public static final int BYTES = PageChecksum.PAGE_BYTES;
    /** Most regions. */
    public static final int BITS_MAX = 32_256;
    /**
     * Smallest region in bytes. Never smaller than the largest strip ({@link Superblock#STRIP_BYTES_MAX}): both are
     * powers of two and count from the first byte of data, so that a request for one stripe lies in one region.
     */
    public static final int REGION_BYTES_MIN = 1 << 20;

    static final int MAGIC_OFFSET = 0;
    static final int MAGIC_LENGTH = Long.BYTES;
    static final int VERSION_OFFSET = MAGIC_OFFSET + MAGIC_LENGTH;
    static final int VERSION_LENGTH = Integer.BYTES;
    static final int CRC_OFFSET = VERSION_OFFSET + VERSION_LENGTH;
    static final int CRC_LENGTH = PageChecksum.CRC_LENGTH;
    static final int SEQUENCE_OFFSET = CRC_OFFSET + CRC_LENGTH;
    static final int SEQUENCE_LENGTH = Long.BYTES;
    static final int ARRAY_UUID_OFFSET = SEQUENCE_OFFSET + SEQUENCE_LENGTH;
    static final int ARRAY_UUID_LENGTH = StoredUuid.BYTES;
    static final int REGION_BYTES_OFFSET = ARRAY_UUID_OFFSET + ARRAY_UUID_LENGTH;
    static final int REGION_BYTES_LENGTH = Long.BYTES;
    static final int REGION_COUNT_OFFSET = REGION_BYTES_OFFSET + REGION_BYTES_LENGTH;
    static final int REGION_COUNT_LENGTH = Integer.BYTES;
    static final int RESERVED_OFFSET = REGION_COUNT_OFFSET + REGION_COUNT_LENGTH;
    static final int RESERVED_LENGTH = 12;
    static final int BITS_OFFSET = RESERVED_OFFSET + RESERVED_LENGTH;
    static final int BITS_LENGTH = BITS_MAX / Byte.SIZE;

    /** "MILLBITS", as a little-endian number. */
    private static final long MAGIC = 0x53544942_4C4C494DL;
    private static final int VERSION = 1;

    private final PageChecksum checksum = new PageChecksum();
    private MutableDirectBuffer buffer;
    private int index;

    /**
     * A view that has to be wrapped around memory before use.
     */
    public BitmapPage()
    {
    }

    /**
     * {@return size of a region: the smallest power of two from {@link #REGION_BYTES_MIN} on with which
     * {@link #BITS_MAX} regions cover the data of a member}
     *
     * @param memberBytes data on each member, as its superblock has it.
     */
    public static long regionBytes(final long memberBytes)
    {
        long regionBytes = REGION_BYTES_MIN;
        while (count(memberBytes, regionBytes) > BITS_MAX)
        {
            regionBytes <<= 1;
        }
        return regionBytes;
    }

    /**
     * {@return number of regions; the last may be smaller}
     *
     * @param memberBytes data on each member, as its superblock has it.
     */
    public static int regionCount(final long memberBytes)
    {
        return (int)count(memberBytes, regionBytes(memberBytes));
    }

    private static long count(final long memberBytes, final long regionBytes)
    {
        return memberBytes / regionBytes + (0 == memberBytes % regionBytes ? 0 : 1);
    }

    /**
     * Wraps this view around other memory, of any content.
     *
     * @param buffer with the page.
     * @param index  of the page's first byte; {@link #BYTES} of the buffer begin there.
     * @return this.
     */
    public BitmapPage wrap(final MutableDirectBuffer buffer, final int index)
    {
        buffer.boundsCheck(index, BYTES);
        this.buffer = buffer;
        this.index = index;
        return this;
    }

    /**
     * Makes a page without set bits. It is not valid before {@link #seal}.
     *
     * @param array       UUID of the array.
     * @param regionBytes as {@link #regionBytes(long)} has it.
     * @param regionCount as {@link #regionCount(long)} has it.
     * @return this.
     */
    public BitmapPage initialize(final UUID array, final long regionBytes, final int regionCount)
    {
        if (regionCount < 1 || regionCount > BITS_MAX)
        {
            throw new IllegalArgumentException("region count " + regionCount + " is outside 1 to " + BITS_MAX);
        }
        buffer.setMemory(index, BYTES, (byte)0);
        buffer.putLong(index + MAGIC_OFFSET, MAGIC, LITTLE_ENDIAN);
        buffer.putInt(index + VERSION_OFFSET, VERSION, LITTLE_ENDIAN);
        StoredUuid.put(buffer, index + ARRAY_UUID_OFFSET, array);
        buffer.putLong(index + REGION_BYTES_OFFSET, regionBytes, LITTLE_ENDIAN);
        buffer.putInt(index + REGION_COUNT_OFFSET, regionCount, LITTLE_ENDIAN);
        return this;
    }

    /**
     * {@return the sequence that the page was sealed with}
     */
    public long sequence()
    {
        return buffer.getLong(index + SEQUENCE_OFFSET, LITTLE_ENDIAN);
    }

    /**
     * Sets the bit of a region.
     *
     * @param region from 0 to below the region count.
     */
    public void set(final int region)
    {
        final int at = byteIndex(region);
        buffer.putByte(at, (byte)(buffer.getByte(at) | 1 << (region & 7)));
    }

    /**
     * Clears the bit of a region.
     *
     * @param region from 0 to below the region count.
     */
    public void clear(final int region)
    {
        final int at = byteIndex(region);
        buffer.putByte(at, (byte)(buffer.getByte(at) & ~(1 << (region & 7))));
    }

    /**
     * {@return whether the bit of a region is set}
     *
     * @param region from 0 to below the region count.
     */
    public boolean isSet(final int region)
    {
        return 0 != (buffer.getByte(byteIndex(region)) & 1 << (region & 7));
    }

    /**
     * Makes the page valid as it is now, to be written. A later change makes it invalid until it is sealed again.
     *
     * @param sequence higher than that of the page written before; not negative.
     */
    public void seal(final long sequence)
    {
        if (sequence < 0)
        {
            throw new IllegalArgumentException("sequence " + sequence + " is below 0");
        }
        buffer.putLong(index + SEQUENCE_OFFSET, sequence, LITTLE_ENDIAN);
        buffer.putInt(index + CRC_OFFSET, checksum.compute(buffer, index), LITTLE_ENDIAN);
    }

    /**
     * Whether a page that was read from a member is undamaged and belongs to an array. When not, the other page may.
     *
     * @param array       UUID of the array.
     * @param memberBytes data on each member, as its superblock has it.
     * @return whether the bits may be used.
     */
    public boolean isValid(final UUID array, final long memberBytes)
    {
        return MAGIC == buffer.getLong(index + MAGIC_OFFSET, LITTLE_ENDIAN) &&
            buffer.getInt(index + CRC_OFFSET, LITTLE_ENDIAN) == checksum.compute(buffer, index) &&
            VERSION == buffer.getInt(index + VERSION_OFFSET, LITTLE_ENDIAN) &&
            sequence() >= 0 &&
            StoredUuid.isEqual(buffer, index + ARRAY_UUID_OFFSET, array) &&
            regionBytes(memberBytes) == buffer.getLong(index + REGION_BYTES_OFFSET, LITTLE_ENDIAN) &&
            regionCount(memberBytes) == buffer.getInt(index + REGION_COUNT_OFFSET, LITTLE_ENDIAN) &&
            isZero(RESERVED_OFFSET, RESERVED_LENGTH) &&
            isZeroAfter(regionCount(memberBytes));
    }

    private boolean isZeroAfter(final int regionCount)
    {
        final int wholeBytes = regionCount / Byte.SIZE;
        final int restBits = regionCount % Byte.SIZE;
        final int firstUnused = wholeBytes + (0 == restBits ? 0 : 1);
        return (0 == restBits || 0 == (buffer.getByte(index + BITS_OFFSET + wholeBytes) & 0xFF) >>> restBits) &&
            isZero(BITS_OFFSET + firstUnused, BITS_LENGTH - firstUnused);
    }

    private boolean isZero(final int offset, final int lengthBytes)
    {
        for (int i = index + offset; i < index + offset + lengthBytes; i++)
        {
            if (0 != buffer.getByte(i))
            {
                return false;
            }
        }
        return true;
    }

    private int byteIndex(final int region)
    {
        final int regionCount = Math.min(BITS_MAX, buffer.getInt(index + REGION_COUNT_OFFSET, LITTLE_ENDIAN));
        if (region < 0 || region >= regionCount)
        {
            throw new IndexOutOfBoundsException("region " + region + " is outside 0 to " + (regionCount - 1));
        }
        return index + BITS_OFFSET + (region >>> 3);
    }
}
