package io.millrace.block.raid.format;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.util.UUID;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * The lost-block list of a member: blocks of its data that a rebuild could not compute, and that nobody has written
 * since. A member has two copies, which are written one after the other; the valid one with the higher sequence counts.
 * They matter while the superblock says of the member's slot that it has such blocks. Little-endian; the UUID in the
 * order of its text.
 * <pre>
 *      0   8  magic: "MILLLOST"             40   4  block size bytes
 *      8   4  version: 1                    44   4  entry count
 *     12   4  CRC32C, this field as zero    48  16  reserved: zero
 *     16   8  sequence                      64  4032  504 entries of 8 bytes, zero from the entry count on
 *     24  16  array UUID
 * </pre>
 * An entry has the lost blocks of a unit of {@link #UNIT_BYTES} of the member's data: its number in the upper 56 bits,
 * and a bit for each block in the lower 8, the first block's the lowest. Entries ascend. So no block that is removed
 * makes a list longer. Stateless.
 */
public final class LostBlocksPage
{
    /** Length of a copy. */
    public static final int BYTES = PageChecksum.PAGE_BYTES;
    /** Most entries. */
    public static final int ENTRIES_MAX = 504;
    /** Data of a member that one entry is about. */
    public static final int UNIT_BYTES = 4096;
    /** Lower bits of an entry, one for each block of its unit. */
    public static final int MASK_BITS = 8;

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
    static final int BLOCK_SIZE_BYTES_OFFSET = ARRAY_UUID_OFFSET + ARRAY_UUID_LENGTH;
    static final int BLOCK_SIZE_BYTES_LENGTH = Integer.BYTES;
    static final int ENTRY_COUNT_OFFSET = BLOCK_SIZE_BYTES_OFFSET + BLOCK_SIZE_BYTES_LENGTH;
    static final int ENTRY_COUNT_LENGTH = Integer.BYTES;
    static final int RESERVED_OFFSET = ENTRY_COUNT_OFFSET + ENTRY_COUNT_LENGTH;
    static final int RESERVED_LENGTH = 16;
    static final int ENTRIES_OFFSET = RESERVED_OFFSET + RESERVED_LENGTH;
    static final int ENTRIES_LENGTH = ENTRIES_MAX * Long.BYTES;

    /** "MILLLOST", as a little-endian number. */
    private static final long MAGIC = 0x54534F4C_4C4C494DL;
    private static final int VERSION = 1;

    private LostBlocksPage()
    {
    }

    /**
     * Writes a copy.
     *
     * @param buffer         to write to.
     * @param index          of the first of {@link #BYTES}.
     * @param array          UUID of the array.
     * @param blockSizeBytes of the array.
     * @param sequence       higher than that of any copy of the member before; not negative.
     * @param entries        ascending, at most {@link #ENTRIES_MAX}.
     */
    public static void encode(
        final MutableDirectBuffer buffer,
        final int index,
        final UUID array,
        final int blockSizeBytes,
        final long sequence,
        final long[] entries)
    {
        if (entries.length > ENTRIES_MAX)
        {
            throw new IllegalArgumentException(entries.length + " entries are more than " + ENTRIES_MAX);
        }
        buffer.setMemory(index, BYTES, (byte)0);
        buffer.putLong(index + MAGIC_OFFSET, MAGIC, LITTLE_ENDIAN);
        buffer.putInt(index + VERSION_OFFSET, VERSION, LITTLE_ENDIAN);
        buffer.putLong(index + SEQUENCE_OFFSET, sequence, LITTLE_ENDIAN);
        StoredUuid.put(buffer, index + ARRAY_UUID_OFFSET, array);
        buffer.putInt(index + BLOCK_SIZE_BYTES_OFFSET, blockSizeBytes, LITTLE_ENDIAN);
        buffer.putInt(index + ENTRY_COUNT_OFFSET, entries.length, LITTLE_ENDIAN);
        for (int i = 0; i < entries.length; i++)
        {
            buffer.putLong(index + ENTRIES_OFFSET + i * Long.BYTES, entries[i], LITTLE_ENDIAN);
        }
        buffer.putInt(index + CRC_OFFSET, new PageChecksum().compute(buffer, index), LITTLE_ENDIAN);
    }

    /**
     * {@return whether a copy that was read from a member is undamaged and fits its array; when not, the other may}
     *
     * @param buffer     of any content.
     * @param index      of the first of {@link #BYTES}.
     * @param superblock of the array.
     */
    public static boolean isValid(final DirectBuffer buffer, final int index, final Superblock superblock)
    {
        final int blockBytes = buffer.getInt(index + BLOCK_SIZE_BYTES_OFFSET, LITTLE_ENDIAN);
        return MAGIC == buffer.getLong(index + MAGIC_OFFSET, LITTLE_ENDIAN) &&
            buffer.getInt(index + CRC_OFFSET, LITTLE_ENDIAN) == new PageChecksum().compute(buffer, index) &&
            VERSION == buffer.getInt(index + VERSION_OFFSET, LITTLE_ENDIAN) &&
            sequence(buffer, index) >= 0 &&
            StoredUuid.isEqual(buffer, index + ARRAY_UUID_OFFSET, superblock.array()) &&
            superblock.blockSizeBytes() == blockBytes &&
            isZero(buffer, index + RESERVED_OFFSET, RESERVED_LENGTH) &&
            hasValidEntries(buffer, index, superblock.memberBytes(), UNIT_BYTES / blockBytes);
    }

    private static boolean hasValidEntries(
        final DirectBuffer buffer, final int index, final long memberBytes, final int blocksOfUnit)
    {
        final int count = buffer.getInt(index + ENTRY_COUNT_OFFSET, LITTLE_ENDIAN);
        if (count < 0 || count > ENTRIES_MAX)
        {
            return false;
        }
        long last = -1;
        for (int i = 0; i < count; i++)
        {
            final long entry = entry(buffer, index, i);
            final long unit = entry >>> MASK_BITS;
            final int mask = (int)(entry & (1 << MASK_BITS) - 1);
            if (unit <= last || unit >= memberBytes / UNIT_BYTES || 0 == mask || 0 != mask >>> blocksOfUnit)
            {
                return false;
            }
            last = unit;
        }
        return isZero(buffer, index + ENTRIES_OFFSET + count * Long.BYTES, (ENTRIES_MAX - count) * Long.BYTES);
    }

    private static long entry(final DirectBuffer buffer, final int index, final int which)
    {
        return buffer.getLong(index + ENTRIES_OFFSET + which * Long.BYTES, LITTLE_ENDIAN);
    }

    /**
     * {@return sequence of a copy}
     *
     * @param buffer with a valid copy.
     * @param index  of its first byte.
     */
    public static long sequence(final DirectBuffer buffer, final int index)
    {
        return buffer.getLong(index + SEQUENCE_OFFSET, LITTLE_ENDIAN);
    }

    /**
     * {@return entries of a copy, ascending}
     *
     * @param buffer with a valid copy.
     * @param index  of its first byte.
     */
    public static long[] entries(final DirectBuffer buffer, final int index)
    {
        final long[] entries = new long[buffer.getInt(index + ENTRY_COUNT_OFFSET, LITTLE_ENDIAN)];
        for (int i = 0; i < entries.length; i++)
        {
            entries[i] = entry(buffer, index, i);
        }
        return entries;
    }

    private static boolean isZero(final DirectBuffer buffer, final int from, final int lengthBytes)
    {
        for (int i = from; i < from + lengthBytes; i++)
        {
            if (0 != buffer.getByte(i))
            {
                return false;
            }
        }
        return true;
    }
}
