package io.millrace.block.raid.format;

/**
 * How a journal is divided, of a member or on a device of its own: into equal places, one an entry. An entry has room
 * for a unit of rows of each strip of a stripe. The unit is the largest with which members have enough places, and not
 * larger than a strip. Immutable.
 *
 * @param rowUnitBytes most rows of an entry.
 * @param placeBytes   length of a place.
 * @param placeCount   of the places, from {@link MemberArea#JOURNAL_OFFSET_BYTES} on.
 */
public record JournalPlaces(int rowUnitBytes, int placeBytes, int placeCount)
{
    /** Places there are at least, unless the smallest unit of rows allows fewer. */
    public static final int COUNT_MIN = 8;
    /** Smallest unit of rows. */
    public static final int ROW_UNIT_BYTES_MIN = 4096;
    /** Largest unit of rows. */
    public static final int ROW_UNIT_BYTES_MAX = 65_536;
    /** Length of the journal that a device of its own has at least. */
    public static final int DEVICE_BYTES_MIN = 1 << 20;
    /** Most bytes that are used of a device. */
    public static final int DEVICE_BYTES_MAX = 64 << 20;

    /**
     * {@return the places of the members of an array with parity}
     *
     * @param memberCount of the array.
     * @param stripBytes  of the array.
     */
    public static JournalPlaces of(final int memberCount, final int stripBytes)
    {
        int unit = Math.min(ROW_UNIT_BYTES_MAX, stripBytes);
        while (unit > ROW_UNIT_BYTES_MIN && count(memberCount, unit) < COUNT_MIN)
        {
            unit >>= 1;
        }
        return new JournalPlaces(unit, bytes(memberCount, unit), count(memberCount, unit));
    }

    /**
     * {@return places of the same size on a device of its own}
     *
     * @param deviceBytes size of the device, which {@link #deviceBytes} is of.
     */
    public JournalPlaces onDevice(final long deviceBytes)
    {
        return withCount((int)(Math.min(DEVICE_BYTES_MAX, deviceBytes(deviceBytes)) / placeBytes));
    }

    /**
     * {@return places of the same size}
     *
     * @param count of them.
     */
    public JournalPlaces withCount(final int count)
    {
        return new JournalPlaces(rowUnitBytes, placeBytes, count);
    }

    /**
     * {@return length of the journal that a device of its own has room for; below {@link #DEVICE_BYTES_MIN}: it is too
     * small}
     *
     * @param deviceBytes size of the device.
     */
    public static long deviceBytes(final long deviceBytes)
    {
        return MemberArea.secondSuperblockOffset(deviceBytes) - MemberArea.JOURNAL_OFFSET_BYTES;
    }

    /**
     * {@return offset behind the last place}
     */
    public long endOffset()
    {
        return MemberArea.JOURNAL_OFFSET_BYTES + (long)placeCount * placeBytes;
    }

    private static int bytes(final int memberCount, final int unit)
    {
        return JournalEntry.HEADER_BYTES + memberCount * unit;
    }

    private static int count(final int memberCount, final int unit)
    {
        return MemberArea.JOURNAL_BYTES / bytes(memberCount, unit);
    }

    /**
     * {@return index of the place of an entry}
     *
     * @param sequence of the entry.
     */
    public int place(final long sequence)
    {
        return (int)(sequence % placeCount);
    }

    /**
     * {@return offset of a place on a member, or on the device}
     *
     * @param place from 0 to below the count.
     */
    public int offset(final int place)
    {
        return MemberArea.JOURNAL_OFFSET_BYTES + place * placeBytes;
    }
}
