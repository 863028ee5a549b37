package io.millrace.block.raid.format;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.Crc32c;
import java.util.UUID;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * An entry of the journal: what a write is going to store on members, before it does. A header of a page, then the
 * payload: the bytes of each strip, one behind the other. Little-endian; the UUID in the order of its text.
 * <pre>
 *      0   8  magic: "MILLJRNL"              56   8  row offset in the members' data
 *      8   4  version: 1                     64   4  row bytes
 *     12   4  CRC32C, this field as zero     68   4  strip count
 *     16  16  owner UUID                     72   4  payload bytes
 *     32   8  epoch                          76  52  reserved: zero
 *     40   8  sequence                      128  64 strips of 16 bytes:
 *     48   8  tail                                4 slot, 4 start, 4 length, 4 reserved
 * </pre>
 * A view that is wrapped around memory; one thread. Nothing is allocated after it is made.
 */
public final class JournalEntry
{
    /** Length of the header. */
    public static final int HEADER_BYTES = 4096;

    static final int MAGIC_OFFSET = 0;
    static final int MAGIC_LENGTH = Long.BYTES;
    static final int VERSION_OFFSET = MAGIC_OFFSET + MAGIC_LENGTH;
    static final int VERSION_LENGTH = Integer.BYTES;
    static final int CRC_OFFSET = VERSION_OFFSET + VERSION_LENGTH;
    static final int CRC_LENGTH = PageChecksum.CRC_LENGTH;
    static final int OWNER_UUID_OFFSET = CRC_OFFSET + CRC_LENGTH;
    static final int OWNER_UUID_LENGTH = StoredUuid.BYTES;
    static final int EPOCH_OFFSET = OWNER_UUID_OFFSET + OWNER_UUID_LENGTH;
    static final int EPOCH_LENGTH = Long.BYTES;
    static final int SEQUENCE_OFFSET = EPOCH_OFFSET + EPOCH_LENGTH;
    static final int SEQUENCE_LENGTH = Long.BYTES;
    static final int TAIL_OFFSET = SEQUENCE_OFFSET + SEQUENCE_LENGTH;
    static final int TAIL_LENGTH = Long.BYTES;
    static final int ROW_OFFSET_OFFSET = TAIL_OFFSET + TAIL_LENGTH;
    static final int ROW_OFFSET_LENGTH = Long.BYTES;
    static final int ROW_BYTES_OFFSET = ROW_OFFSET_OFFSET + ROW_OFFSET_LENGTH;
    static final int ROW_BYTES_LENGTH = Integer.BYTES;
    static final int STRIP_COUNT_OFFSET = ROW_BYTES_OFFSET + ROW_BYTES_LENGTH;
    static final int STRIP_COUNT_LENGTH = Integer.BYTES;
    static final int PAYLOAD_BYTES_OFFSET = STRIP_COUNT_OFFSET + STRIP_COUNT_LENGTH;
    static final int PAYLOAD_BYTES_LENGTH = Integer.BYTES;
    static final int RESERVED_1_OFFSET = PAYLOAD_BYTES_OFFSET + PAYLOAD_BYTES_LENGTH;
    static final int RESERVED_1_LENGTH = 52;
    static final int STRIPS_OFFSET = RESERVED_1_OFFSET + RESERVED_1_LENGTH;
    /** Length of one strip. */
    static final int STRIP_BYTES = 16;
    static final int STRIPS_LENGTH = RaidLevel.MEMBERS_MAX * STRIP_BYTES;
    static final int RESERVED_2_OFFSET = STRIPS_OFFSET + STRIPS_LENGTH;
    static final int RESERVED_2_LENGTH = HEADER_BYTES - RESERVED_2_OFFSET;

    /** "MILLJRNL", as a little-endian number. */
    private static final long MAGIC = 0x4C4E524A_4C4C494DL;
    private static final int VERSION = 1;

    private final UnsafeBuffer header = new UnsafeBuffer(0, 0);
    private long address;

    /** Fields of a strip; offsets from its first byte. */
    static final class StripLayout
    {
        static final int SLOT_OFFSET = 0;
        static final int SLOT_LENGTH = Integer.BYTES;
        static final int START_OFFSET = SLOT_OFFSET + SLOT_LENGTH;
        static final int START_LENGTH = Integer.BYTES;
        static final int LENGTH_OFFSET = START_OFFSET + START_LENGTH;
        static final int LENGTH_LENGTH = Integer.BYTES;
        static final int RESERVED_OFFSET = LENGTH_OFFSET + LENGTH_LENGTH;
        static final int RESERVED_LENGTH = 4;

        private StripLayout()
        {
        }
    }

    /**
     * A view that has to be wrapped around memory before use.
     */
    public JournalEntry()
    {
    }

    /**
     * Wraps this view around other memory, of any content.
     *
     * @param newAddress of the header; the payload is behind it.
     * @return this.
     */
    public JournalEntry wrap(final long newAddress)
    {
        address = newAddress;
        header.wrap(newAddress, HEADER_BYTES);
        return this;
    }

    /**
     * Makes an entry without strips. It is not valid before {@link #seal}.
     *
     * @param owner     UUID of the array, or of the journal device that it is stored on.
     * @param epoch     of the superblocks.
     * @param sequence  of the entry.
     * @param tail      lowest sequence whose write may be incomplete.
     * @param rowOffset of the first row, in bytes of a member's data.
     * @param rowBytes  count of the rows.
     * @return this.
     */
    public JournalEntry initialize(
        final UUID owner,
        final long epoch,
        final long sequence,
        final long tail,
        final long rowOffset,
        final int rowBytes)
    {
        header.setMemory(0, HEADER_BYTES, (byte)0);
        header.putLong(MAGIC_OFFSET, MAGIC, LITTLE_ENDIAN);
        header.putInt(VERSION_OFFSET, VERSION, LITTLE_ENDIAN);
        StoredUuid.put(header, OWNER_UUID_OFFSET, owner);
        header.putLong(EPOCH_OFFSET, epoch, LITTLE_ENDIAN);
        header.putLong(SEQUENCE_OFFSET, sequence, LITTLE_ENDIAN);
        header.putLong(TAIL_OFFSET, tail, LITTLE_ENDIAN);
        header.putLong(ROW_OFFSET_OFFSET, rowOffset, LITTLE_ENDIAN);
        header.putInt(ROW_BYTES_OFFSET, rowBytes, LITTLE_ENDIAN);
        return this;
    }

    /**
     * Adds a strip.
     *
     * @param slot   that is written.
     * @param start  first row that is written, from the entry's first row on.
     * @param length in bytes.
     * @return address of its part of the payload, to be filled before {@link #seal}.
     */
    public long add(final int slot, final int start, final int length)
    {
        final int strip = stripCount();
        final int payloadBytes = payloadBytes();
        header.putInt(stripOffset(strip) + StripLayout.SLOT_OFFSET, slot, LITTLE_ENDIAN);
        header.putInt(stripOffset(strip) + StripLayout.START_OFFSET, start, LITTLE_ENDIAN);
        header.putInt(stripOffset(strip) + StripLayout.LENGTH_OFFSET, length, LITTLE_ENDIAN);
        header.putInt(STRIP_COUNT_OFFSET, strip + 1, LITTLE_ENDIAN);
        header.putInt(PAYLOAD_BYTES_OFFSET, payloadBytes + length, LITTLE_ENDIAN);
        return address + HEADER_BYTES + payloadBytes;
    }

    /** Makes the entry valid as it is now, to be written. */
    public void seal()
    {
        header.putInt(CRC_OFFSET, checksum(), LITTLE_ENDIAN);
    }

    private int checksum()
    {
        header.putInt(CRC_OFFSET, 0, LITTLE_ENDIAN);
        return Crc32c.digest(address, bytes());
    }

    /**
     * {@return length of header and payload}
     */
    public int bytes()
    {
        return HEADER_BYTES + payloadBytes();
    }

    private int payloadBytes()
    {
        return header.getInt(PAYLOAD_BYTES_OFFSET, LITTLE_ENDIAN);
    }

    /**
     * {@return the sequence of the entry}
     */
    public long sequence()
    {
        return header.getLong(SEQUENCE_OFFSET, LITTLE_ENDIAN);
    }

    /**
     * {@return lowest sequence whose write may have been incomplete when this was made}
     */
    public long tail()
    {
        return header.getLong(TAIL_OFFSET, LITTLE_ENDIAN);
    }

    /**
     * {@return offset of the first row in the members' data}
     */
    public long rowOffset()
    {
        return header.getLong(ROW_OFFSET_OFFSET, LITTLE_ENDIAN);
    }

    /**
     * {@return count of strips}
     */
    public int stripCount()
    {
        return header.getInt(STRIP_COUNT_OFFSET, LITTLE_ENDIAN);
    }

    /**
     * {@return slot of a strip}
     *
     * @param strip from 0 on.
     */
    public int slot(final int strip)
    {
        return header.getInt(stripOffset(strip) + StripLayout.SLOT_OFFSET, LITTLE_ENDIAN);
    }

    /**
     * {@return first row of a strip that is written, from the entry's first row on}
     *
     * @param strip from 0 on.
     */
    public int start(final int strip)
    {
        return header.getInt(stripOffset(strip) + StripLayout.START_OFFSET, LITTLE_ENDIAN);
    }

    /**
     * {@return bytes of a strip that are written}
     *
     * @param strip from 0 on.
     */
    public int length(final int strip)
    {
        return header.getInt(stripOffset(strip) + StripLayout.LENGTH_OFFSET, LITTLE_ENDIAN);
    }

    private static int stripOffset(final int strip)
    {
        return STRIPS_OFFSET + strip * STRIP_BYTES;
    }

    /**
     * Whether a header is of an entry that may count, so that the payload is worth reading. Only the header is in
     * memory, and may be torn.
     *
     * @param array      that the superblocks are of.
     * @param placeBytes length of the place.
     * @return whether the entry is of the journal's epoch, and fits its place.
     */
    public boolean isOf(final Superblock array, final int placeBytes)
    {
        return MAGIC == header.getLong(MAGIC_OFFSET, LITTLE_ENDIAN) && payloadBytes() >= 0 &&
            payloadBytes() <= placeBytes - HEADER_BYTES &&
            StoredUuid.isEqual(header, OWNER_UUID_OFFSET, array.journal().owner(array.array())) &&
            array.journal().epoch() == header.getLong(EPOCH_OFFSET, LITTLE_ENDIAN);
    }

    /**
     * Whether an entry that was read from a place is whole and counts. Header and payload are in memory.
     *
     * @param array      that the superblocks are of.
     * @param place      that it was read from.
     * @param placeBytes length of the place.
     * @param placeCount count of places.
     * @return whether it may be replayed.
     */
    public boolean isValid(
        final Superblock array, final int place, final int placeBytes, final int placeCount)
    {
        if (!isOf(array, placeBytes))
        {
            return false;
        }
        final int stored = header.getInt(CRC_OFFSET, LITTLE_ENDIAN);
        return stored == checksum() &&
            VERSION == header.getInt(VERSION_OFFSET, LITTLE_ENDIAN) &&
            sequence() >= 0 && place == sequence() % placeCount &&
            tail() >= 0 && tail() <= sequence() &&
            areStripsValid(array);
    }

    private boolean areStripsValid(final Superblock array)
    {
        final int rowBytes = header.getInt(ROW_BYTES_OFFSET, LITTLE_ENDIAN);
        final int slots = array.slots().size();
        if (rowBytes <= 0 || rowBytes > array.stripBytes() || rowOffset() < 0 ||
            rowOffset() > array.memberBytes() - rowBytes || stripCount() < 1 || stripCount() > slots)
        {
            return false;
        }
        long sum = 0;
        for (int strip = 0; strip < stripCount(); strip++)
        {
            if (slot(strip) < 0 || slot(strip) >= slots || start(strip) < 0 || length(strip) <= 0 ||
                length(strip) > rowBytes - start(strip))
            {
                return false;
            }
            sum += length(strip);
        }
        return payloadBytes() == sum;
    }
}
