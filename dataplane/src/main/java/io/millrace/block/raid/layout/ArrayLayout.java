package io.millrace.block.raid.layout;

import io.millrace.block.BlockDeviceException;

/**
 * Which strip of which slot holds what: the mapping between the strips of an array and those of its members. Offsets on
 * a member count from the beginning of its data. Immutable; any thread; queries allocate nothing and check nothing, as
 * their caller has checked its range against {@link #dataBytes()}.
 * <p>
 * <b>Levels 0, 1 and 10</b> map each strip of the array by its number, which is its offset shifted by
 * {@link #stripShift()}: copy {@code c} of strip {@code s} has the position {@code s * copyCount + c}; its slot is the
 * position modulo the member count, and its strip there is the quotient. So level 1 is the case that each slot has a
 * copy of everything, and level 10 is Linux md's layout {@code near=2}, for an odd count of members too:
 * <pre>
 *              level 0             level 1             level 10
 *   slot       0   1   2           0   1   2           0   1   2
 *   strip 0    A   B   C           A   A   A           A   A   B
 *   strip 1    D   E   F           B   B   B           B   C   C
 * </pre>
 * <b>Levels 5 and 6</b> have in stripe {@code s} strip {@code s} of every slot. They rotate parity as md's layout
 * {@code left-symmetric} does, the default of mdadm: P moves one slot to the left each stripe, Q follows it, and the
 * data begins behind, so that consecutive strips of the array lie on consecutive slots:
 * <pre>
 *              level 5                 level 6
 *   slot       0   1   2   3           0   1   2   3   4
 *   stripe 0   A   B   C   P           Q   A   B   C   P
 *   stripe 1   E   F   P   D           D   E   F   P   Q
 *   stripe 2   I   P   G   H           H   I   P   Q   G
 * </pre>
 * <b>Level 6 with Q last</b> has data and P as level 5 has them in one slot less, and Q in the last slot: md's layout
 * {@code left-symmetric-6}. Its Q takes the data in the order of the slots ({@link #firstOfQ}), as md's does.
 * <pre>
 *   slot       0   1   2   3
 *   stripe 0   A   B   P   Q
 *   stripe 1   D   P   C   Q
 *   stripe 2   P   E   F   Q
 * </pre>
 * <b>Erasure codes</b> rotate their strips of parity in the same way: the first is where P is, the others follow it,
 * and the data begins behind.
 */
public final class ArrayLayout
{
    /** Smallest strip in bytes. */
    public static final int STRIP_BYTES_MIN = 4 << 10;
    /** Largest strip in bytes. */
    public static final int STRIP_BYTES_MAX = 1 << 20;

    private final RaidLevel level;
    private final int memberCount;
    private final int parityCount;
    private final int rotatingParityCount;
    /** Slots that the data, and parity that rotates, lie in. */
    private final int rotatingCount;
    private final int dataCount;
    private final int copyCount;
    private final int stripShift;
    private final long memberBytes;
    private final long memberStrips;
    /** Strips of the array, copies and parity not counted. */
    private final long dataStrips;

    private ArrayLayout(
        final RaidLevel level,
        final int memberCount,
        final int stripShift,
        final long memberBytes,
        final long dataStrips)
    {
        this.level = level;
        this.memberCount = memberCount;
        parityCount = level.parityCount();
        rotatingParityCount = level.rotatingParityCount();
        rotatingCount = memberCount - parityCount + rotatingParityCount;
        dataCount = 0 == parityCount ? 1 : memberCount - parityCount;
        copyCount = level.copyCount(memberCount);
        this.stripShift = stripShift;
        this.memberBytes = memberBytes;
        memberStrips = memberBytes >>> stripShift;
        this.dataStrips = dataStrips;
    }

    /**
     * The layout of an array.
     *
     * @param level       of the array.
     * @param memberCount slots; from {@link RaidLevel#membersMin()} to {@link RaidLevel#membersMax()}.
     * @param stripBytes  a power of two from {@link #STRIP_BYTES_MIN} to {@link #STRIP_BYTES_MAX}.
     * @param memberBytes of data on each member; a positive multiple of the strip.
     * @return the layout.
     * @throws BlockDeviceException when a value is out of its bounds, or the array would have more than
     *                              {@link Long#MAX_VALUE} bytes.
     */
    public static ArrayLayout of(
        final RaidLevel level, final int memberCount, final int stripBytes, final long memberBytes)
    {
        if (memberCount < level.membersMin() || memberCount > level.membersMax())
        {
            throw new BlockDeviceException("array: " + level.title() + " of " + memberCount +
                " members is outside " + level.membersMin() + " to " + level.membersMax() +
                (memberCount < level.membersMin() ? ": add members or choose another level" : ": name fewer members"));
        }
        if (stripBytes < STRIP_BYTES_MIN || stripBytes > STRIP_BYTES_MAX || 1 != Integer.bitCount(stripBytes))
        {
            throw new BlockDeviceException("array: strip-size " + stripBytes + " is not a power of two from " +
                STRIP_BYTES_MIN + " to " + STRIP_BYTES_MAX + ": choose one of these");
        }
        if (memberBytes < stripBytes || 0 != (memberBytes & (stripBytes - 1)))
        {
            throw new BlockDeviceException("array: " + memberBytes +
                " bytes of data on each member is not a positive multiple of strip-size " + stripBytes +
                ": round it down to one, or choose a smaller strip-size");
        }
        final int stripShift = Integer.numberOfTrailingZeros(stripBytes);
        final long strips = dataStrips(level, memberCount, memberBytes >>> stripShift);
        if (strips > Long.MAX_VALUE >>> stripShift)
        {
            throw new BlockDeviceException("array: " + level.title() + " of " + memberCount + " members with " +
                memberBytes + " bytes of data on each has more than " + Long.MAX_VALUE +
                " bytes: use fewer or smaller members");
        }
        return new ArrayLayout(level, memberCount, stripShift, memberBytes, strips);
    }

    /** A strip has 12 bits of an offset at least, so these fit. */
    private static long dataStrips(final RaidLevel level, final int memberCount, final long memberStrips)
    {
        return switch (level)
        {
            case RAID1 -> memberStrips;
            case RAID10 -> memberCount * memberStrips >>> 1;
            default -> (memberCount - level.parityCount()) * memberStrips;
        };
    }

    /**
     * {@return capacity of the array in bytes}
     */
    public long dataBytes()
    {
        return dataStrips << stripShift;
    }

    /**
     * {@return level of the array}
     */
    public RaidLevel level()
    {
        return level;
    }

    /**
     * {@return count of slots}
     */
    public int memberCount()
    {
        return memberCount;
    }

    /**
     * {@return bytes of a strip}
     */
    public int stripBytes()
    {
        return 1 << stripShift;
    }

    /**
     * {@return logarithm of the bytes of a strip to base 2}
     */
    public int stripShift()
    {
        return stripShift;
    }

    /**
     * {@return bytes of data on each member, copies and parity included}
     */
    public long memberBytes()
    {
        return memberBytes;
    }

    /**
     * {@return strips of data a stripe; 1 for levels without parity}
     */
    public int dataCount()
    {
        return dataCount;
    }

    /**
     * {@return strips of parity a stripe}
     */
    public int parityCount()
    {
        return parityCount;
    }

    /**
     * {@return slots that the data, and the parity that rotates, lie in; the others have parity alone}
     */
    public int rotatingCount()
    {
        return rotatingCount;
    }

    /**
     * {@return members that hold each strip, parity not counted}
     */
    public int copyCount()
    {
        return copyCount;
    }

    /**
     * {@return strips of each member, which for levels with parity is the count of stripes}
     */
    public long stripes()
    {
        return memberStrips;
    }

    /**
     * Levels 0, 1 and 10: the slot of a copy.
     *
     * @param strip of the array, below its capacity.
     * @param copy  from 0, below {@link #copyCount()}.
     * @return slot.
     */
    public int slot(final long strip, final int copy)
    {
        return RaidLevel.RAID1 == level ? copy : remainder(strip * copyCount + copy, memberCount);
    }

    /**
     * Levels 0, 1 and 10: the strip of a copy on its member.
     *
     * @param strip of the array, below its capacity.
     * @param copy  from 0, below {@link #copyCount()}.
     * @return number of the strip on the member in {@link #slot}.
     */
    public long memberStrip(final long strip, final int copy)
    {
        return RaidLevel.RAID1 == level ? strip : quotient(strip * copyCount + copy, memberCount);
    }

    /**
     * Levels 0, 1 and 10: the slot of the first copy, from its strip there; no division.
     *
     * @param strip       of the array, below its capacity.
     * @param memberStrip number of the strip on the member of the first copy, as {@link #memberStrip} has it.
     * @return slot.
     */
    public int firstSlot(final long strip, final long memberStrip)
    {
        return (int)(strip * copyCount - memberStrip * memberCount);
    }

    /**
     * Levels 0, 1 and 10: the slot of a copy, from that of the first; no division.
     *
     * @param firstSlot of the first copy.
     * @param copy      from 0, below {@link #copyCount()}.
     * @return slot.
     */
    public int slotBehind(final int firstSlot, final int copy)
    {
        return wrapped(firstSlot + copy);
    }

    /**
     * Levels 0, 1 and 10: the strip of a copy on its member, from that of the first; no division. A copy behind the
     * last slot is in the next row.
     *
     * @param firstSlot   of the first copy.
     * @param memberStrip of the first copy.
     * @param copy        from 0, below {@link #copyCount()}.
     * @return number of the strip on the member in {@link #slotBehind}.
     */
    public long memberStripBehind(final int firstSlot, final long memberStrip, final int copy)
    {
        return firstSlot + copy < memberCount ? memberStrip : memberStrip + 1;
    }

    /**
     * Levels 0, 1 and 10: what a member holds.
     *
     * @param slot        of the member.
     * @param memberStrip from 0, below {@link #stripes()}.
     * @return number of the strip of the array; -1 beyond its capacity.
     */
    public long strip(final int slot, final long memberStrip)
    {
        if (RaidLevel.RAID1 == level)
        {
            return memberStrip < dataStrips ? memberStrip : -1;
        }
        // One copy or two.
        final long strip = (memberStrip * memberCount + slot) >>> (copyCount - 1);
        return strip < dataStrips ? strip : -1;
    }

    /**
     * Levels with parity: the stripe of an offset.
     *
     * @param offset on the array, below its capacity.
     * @return number of the stripe.
     */
    public long stripeOf(final long offset)
    {
        return quotient(offset >>> stripShift, dataCount);
    }

    /**
     * Levels with parity: the slot of the first strip of parity.
     *
     * @param stripe from 0, below {@link #stripes()}.
     * @return slot.
     */
    public int parityP(final long stripe)
    {
        return rotatingCount - 1 - remainder(stripe, rotatingCount);
    }

    /**
     * Levels with parity: the slot of a strip of parity.
     *
     * @param stripe from 0, below {@link #stripes()}.
     * @param index  of the strip within the parity of the stripe, below {@link #parityCount()}: 0 is P, 1 is Q.
     * @return slot.
     */
    public int paritySlot(final long stripe, final int index)
    {
        return index < rotatingParityCount ? wrapped(parityP(stripe) + index) :
            rotatingCount + index - rotatingParityCount;
    }

    /**
     * Level 6: which data strip of a stripe Q takes first, times 1; the next times 2, and behind the last comes 0.
     *
     * @param slotOfP slot of the first strip of parity of the stripe.
     * @return index of the strip within the data of the stripe.
     */
    public int firstOfQ(final int slotOfP)
    {
        // The data begins behind P, and as many strips as P has slots before it lie before P: from slot 0 on.
        return rotatingParityCount == parityCount ? 0 : (dataCount - slotOfP) % dataCount;
    }

    /**
     * Levels with parity: the slot of a data strip.
     *
     * @param stripe from 0, below {@link #stripes()}.
     * @param index  of the strip within the data of the stripe, below {@link #dataCount()}.
     * @return slot.
     */
    public int dataSlot(final long stripe, final int index)
    {
        return wrapped(parityP(stripe) + rotatingParityCount + index);
    }

    /**
     * Levels with parity: which data strip of a stripe a slot holds.
     *
     * @param stripe from 0, below {@link #stripes()}.
     * @param slot   of the member.
     * @return index of the strip within the data of the stripe; -1 when the slot holds parity.
     */
    public int dataIndex(final long stripe, final int slot)
    {
        if (slot >= rotatingCount)
        {
            return -1;
        }
        final int behindP = wrapped(slot - parityP(stripe) + rotatingCount);
        return behindP < rotatingParityCount ? -1 : behindP - rotatingParityCount;
    }

    /** Of less than twice the slots that rotate, which are all of levels without parity. */
    private int wrapped(final int slot)
    {
        return slot < rotatingCount ? slot : slot - rotatingCount;
    }

    /** Division of 64 bits takes several times as long as of 32 on many processors; few arrays have so many strips. */
    private static long quotient(final long position, final int divisor)
    {
        return 0 == position >>> 31 ? (int)position / divisor : position / divisor;
    }

    private static int remainder(final long position, final int divisor)
    {
        return 0 == position >>> 31 ? (int)position % divisor : (int)(position % divisor);
    }

    @Override
    public String toString()
    {
        return level.title(memberCount) + " of " + memberCount + " members, strips of " + stripBytes() + " bytes, " +
            memberBytes + " bytes of data on each member";
    }
}
