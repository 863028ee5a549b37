package io.millrace.block.raid.format;

import io.millrace.block.BlockDeviceException;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.validation.ResourceValidation;
import java.util.List;
import java.util.UUID;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * What each member of an array stores about it: its geometry, its state, and the member of each slot. The superblocks
 * of all members are the same except for {@link #member()}; where they differ otherwise, the one with the highest
 * {@link #eventCount()} is authoritative. Immutable; any thread.
 *
 * @param array          UUID of the array.
 * @param name           of the array, valid as the name of a device.
 * @param level          of the array.
 * @param stripBytes     a power of two from {@link #STRIP_BYTES_MIN} to {@link #STRIP_BYTES_MAX}.
 * @param blockSizeBytes of the array and its members: 512 or 4096.
 * @param memberBytes    data on each member; a positive multiple of the strip, at most
 *                       {@link ResourceValidation#SIZE_BYTES_MAX}.
 * @param member         UUID of the device that has this superblock. In no slot: a spare.
 * @param eventCount     increases with each change of the superblock; not negative.
 * @param clean          whether no write was in progress when this was written.
 * @param updatedMs      when this was written, milliseconds since 1970 (UTC), for people; not negative.
 * @param scrubbedMs     when the last complete scrub ended, milliseconds since 1970 (UTC); 0: never; not negative.
 * @param slots          from {@link RaidLevel#membersMin()} to {@link RaidLevel#membersMax()}, by their position.
 * @param journal        which entries of the journal count.
 * @param reshape        how far the data is spread over one more member, or Q moved to the last one.
 * @param checksumOffset of the checksums of blocks on each member, in bytes of the device: behind the data; 0: none.
 * @param hasMismatches  whether a scrub has found rows that do not match, and none has found since that all match.
 * @param formerNames    names that the array had before it was renamed, the last one at the end; at most
 *                       {@link #FORMER_NAMES_MAX}, each once, and not its name.
 */
public record Superblock(
    UUID array,
    String name,
    RaidLevel level,
    int stripBytes,
    int blockSizeBytes,
    long memberBytes,
    UUID member,
    long eventCount,
    boolean clean,
    long updatedMs,
    long scrubbedMs,
    List<Slot> slots,
    JournalState journal,
    ReshapeState reshape,
    long checksumOffset,
    boolean hasMismatches,
    List<String> formerNames)
{
    /** Names that an array is known to have had: older ones are forgotten. */
    public static final int FORMER_NAMES_MAX = 16;
    /** Length of a superblock on a member. */
    public static final int BYTES = PageChecksum.PAGE_BYTES;
    /** Smallest strip. */
    public static final int STRIP_BYTES_MIN = ArrayLayout.STRIP_BYTES_MIN;
    /** Largest strip. */
    public static final int STRIP_BYTES_MAX = ArrayLayout.STRIP_BYTES_MAX;

    /**
     * Checks the values.
     *
     * @throws BlockDeviceException when one is out of its bounds.
     */
    public Superblock
    {
        checkUuid("array", array);
        checkUuid("member", member);
        checkName(name);
        formerNames = List.copyOf(formerNames);
        checkFormerNames(name, formerNames);
        if (null == level)
        {
            throw new BlockDeviceException("superblock: level is missing: use one of " + RaidLevel.labels());
        }
        checkSizes(stripBytes, blockSizeBytes, memberBytes);
        checkNotNegative("event-count", eventCount);
        checkNotNegative("updated", updatedMs);
        checkNotNegative("scrubbed", scrubbedMs);
        if (null == slots || slots.stream().anyMatch((each) -> null == each))
        {
            throw new BlockDeviceException("superblock: a slot is missing: use EMPTY where there is no member");
        }
        slots = List.copyOf(slots);
        if (slots.size() < level.membersMin() || slots.size() > level.membersMax())
        {
            throw new BlockDeviceException("superblock: " + level.title() + " of " + slots.size() +
                " members is outside " + level.membersMin() + " to " + level.membersMax() +
                (slots.size() < level.membersMin() ? ": add members or choose another level" : ": use fewer members"));
        }
        checkMembers(slots, memberBytes, eventCount);
        if (null == journal || 0 != journal.epoch() && (0 == level.parityCount() || journal.epoch() > eventCount))
        {
            throw new BlockDeviceException("superblock: journal " + journal + " does not fit " + level.title() +
                " at event count " + eventCount + ": use one of an array with parity that began before");
        }
        checkReshape(reshape, level, slots.size(), memberBytes / stripBytes, stripBytes);
        checkChecksums(checksumOffset, level, memberBytes);
    }

    /**
     * A superblock of an array that is not reshaped, has no checksums, is not known to have mismatches, and was never
     * renamed.
     *
     * @param array          UUID of the array.
     * @param name           of the array.
     * @param level          of the array.
     * @param stripBytes     of the array.
     * @param blockSizeBytes of the array.
     * @param memberBytes    data on each member.
     * @param member         UUID of the device that has this superblock.
     * @param eventCount     of the superblock.
     * @param clean          whether no write was in progress.
     * @param updatedMs      when this was written.
     * @param scrubbedMs     when the last complete scrub ended.
     * @param slots          by their position.
     * @param journal        which entries of the journal count.
     */
    public Superblock(
        final UUID array,
        final String name,
        final RaidLevel level,
        final int stripBytes,
        final int blockSizeBytes,
        final long memberBytes,
        final UUID member,
        final long eventCount,
        final boolean clean,
        final long updatedMs,
        final long scrubbedMs,
        final List<Slot> slots,
        final JournalState journal)
    {
        this(array, name, level, stripBytes, blockSizeBytes, memberBytes, member, eventCount, clean, updatedMs,
            scrubbedMs, slots, journal, ReshapeState.NONE, 0, false, List.of());
    }

    /**
     * A superblock of an array without a journal.
     *
     * @param array          UUID of the array.
     * @param name           of the array.
     * @param level          of the array.
     * @param stripBytes     of the array.
     * @param blockSizeBytes of the array.
     * @param memberBytes    data on each member.
     * @param member         UUID of the device that has this superblock.
     * @param eventCount     of the superblock.
     * @param clean          whether no write was in progress.
     * @param updatedMs      when this was written.
     * @param scrubbedMs     when the last complete scrub ended.
     * @param slots          by their position.
     */
    public Superblock(
        final UUID array,
        final String name,
        final RaidLevel level,
        final int stripBytes,
        final int blockSizeBytes,
        final long memberBytes,
        final UUID member,
        final long eventCount,
        final boolean clean,
        final long updatedMs,
        final long scrubbedMs,
        final List<Slot> slots)
    {
        this(array, name, level, stripBytes, blockSizeBytes, memberBytes, member, eventCount, clean, updatedMs,
            scrubbedMs, slots, JournalState.NONE);
    }

    private static void checkReshape(
        final ReshapeState reshape, final RaidLevel level, final int slotCount, final long stripes,
        final int stripBytes)
    {
        if (null == reshape || reshape.isActive() && (0 == level.parityCount() ||
            reshape.sliceStart() >= stripBytes || 0 != (reshape.sliceStart() & STRIP_BYTES_MIN - 1) ||
            !(reshape.previousCount() == slotCount ? isMovingQ(reshape, level, stripes) :
            isSpreading(reshape, level, slotCount, stripes))))
        {
            throw new BlockDeviceException("superblock: reshape " + reshape + " does not fit " + level.title() +
                " of " + slotCount + " members with " + stripes + " strips: use the other copy or another member");
        }
    }

    /** All stripes are moved by slices, each in its row. */
    private static boolean isMovingQ(final ReshapeState reshape, final RaidLevel level, final long stripes)
    {
        return RaidLevel.RAID6_Q_LAST == level && reshape.position() < stripes;
    }

    /** Rows are taken from a position on that is behind all that the head of the array has, or from its slices. */
    private static boolean isSpreading(
        final ReshapeState reshape, final RaidLevel level, final int slotCount, final long stripes)
    {
        return reshape.previousCount() == slotCount - 1 && reshape.previousCount() >= level.membersMin() &&
            reshape.position() <= stripes && (0 == reshape.position() || 0 == reshape.sliceStart() &&
            ReshapeState.Stage.MOVING == reshape.stage() &&
            reshape.position() >= Math.min(stripes, reshape.previousCount() - level.parityCount()));
    }

    /**
     * {@return whether Q of all stripes is being moved to the last slot}
     */
    public boolean isMovingQ()
    {
        return reshape.previousCount() == slots.size();
    }

    private static void checkUuid(final String name, final UUID uuid)
    {
        if (StoredUuid.isMissing(uuid))
        {
            throw new BlockDeviceException(
                "superblock: the UUID of the " + name + " is missing or nil: use a random one");
        }
    }

    private static void checkName(final String name)
    {
        final ResourceValidation.Problem problem = ResourceValidation.ofName(name);
        if (null != problem)
        {
            throw new BlockDeviceException("superblock: name " + name + " is " + problem.bound() + ": " +
                problem.remedy());
        }
    }

    private static void checkFormerNames(final String name, final List<String> formerNames)
    {
        formerNames.forEach(Superblock::checkName);
        if (formerNames.size() > FORMER_NAMES_MAX || formerNames.contains(name) ||
            formerNames.size() != formerNames.stream().distinct().count())
        {
            throw new BlockDeviceException("superblock: former names " + formerNames + " of " + name + " are not up " +
                "to " + FORMER_NAMES_MAX + " others, each once: leave some out");
        }
    }

    private static void checkNotNegative(final String name, final long value)
    {
        if (value < 0)
        {
            throw new BlockDeviceException("superblock: " + name + " " + value + " is below 0: count from 0");
        }
    }

    private static void checkSizes(final int stripBytes, final int blockSizeBytes, final long memberBytes)
    {
        if (stripBytes < STRIP_BYTES_MIN || stripBytes > STRIP_BYTES_MAX || 1 != Integer.bitCount(stripBytes))
        {
            throw new BlockDeviceException("superblock: strip-size " + stripBytes + " is not a power of two from " +
                STRIP_BYTES_MIN + " to " + STRIP_BYTES_MAX + ": choose one of these");
        }
        if (512 != blockSizeBytes && 4096 != blockSizeBytes)
        {
            throw new BlockDeviceException("superblock: block-size " + blockSizeBytes +
                " is not supported: use 512 or 4096");
        }
        if (memberBytes < stripBytes || memberBytes > ResourceValidation.SIZE_BYTES_MAX ||
            0 != (memberBytes & (stripBytes - 1)))
        {
            throw new BlockDeviceException("superblock: " + memberBytes +
                " bytes of data on each member is not a positive multiple of strip-size " + stripBytes + " up to " +
                ResourceValidation.SIZE_BYTES_MAX + ": round it down to one, or use members of another size");
        }
    }

    private static void checkChecksums(final long offset, final RaidLevel level, final long memberBytes)
    {
        if (0 != offset && (0 == level.parityCount() || offset != ChecksumArea.offset(memberBytes)))
        {
            throw new BlockDeviceException("superblock: checksums at " + offset + " of " + level.title() + " with " +
                memberBytes + " bytes of data on each member are not behind the data of an array with parity, at " +
                ChecksumArea.offset(memberBytes) + ": use that offset, or 0 for none");
        }
    }

    private static void checkMembers(final List<Slot> slots, final long memberBytes, final long eventCount)
    {
        for (int i = 0; i < slots.size(); i++)
        {
            final Slot slot = slots.get(i);
            if (slot.rebuiltBytes() > memberBytes)
            {
                throw new BlockDeviceException("superblock: " + slot.rebuiltBytes() + " rebuilt bytes of slot " + i +
                    " are more than the " + memberBytes + " bytes of data on each member: use no more than these");
            }
            if (slot.lostEvent() > eventCount)
            {
                throw new BlockDeviceException("superblock: lost event " + slot.lostEvent() + " of slot " + i +
                    " is later than event count " + eventCount + ": use an event before that");
            }
            if (slot.isActive() && i != slotOf(slots, slot.member()))
            {
                throw new BlockDeviceException("superblock: member " + slot.member() + " is in slots " +
                    slotOf(slots, slot.member()) + " and " + i + ": use another member for one of them");
            }
        }
    }

    /**
     * {@return slot of a member that is in sync or rebuilding; -1: none, such as of a spare or a member that failed}
     *
     * @param uuid of the member.
     */
    public int slotOf(final UUID uuid)
    {
        return slotOf(slots, uuid);
    }

    /**
     * {@return whether the write-intent bitmap has what the member of a slot lacks that was lost}
     */
    public boolean hasLostEvents()
    {
        return slots.stream().anyMatch((slot) -> 0 != slot.lostEvent());
    }

    /**
     * {@return whether the lost-block list of any member counts}
     */
    public boolean hasLostBlocks()
    {
        return slots.stream().anyMatch(Slot::hasLostBlocks);
    }

    private static int slotOf(final List<Slot> slots, final UUID uuid)
    {
        for (int i = 0; i < slots.size(); i++)
        {
            if (slots.get(i).isActive() && slots.get(i).member().equals(uuid))
            {
                return i;
            }
        }
        return -1;
    }

    /**
     * {@return the same superblock for another member}
     *
     * @param uuid of the other member.
     */
    public Superblock forMember(final UUID uuid)
    {
        return new Superblock(array, name, level, stripBytes, blockSizeBytes, memberBytes, uuid, eventCount, clean,
            updatedMs, scrubbedMs, slots, journal, reshape, checksumOffset, hasMismatches,
            formerNames);
    }

    /**
     * {@return the same superblock with another journal}
     *
     * @param other which entries count.
     */
    public Superblock with(final JournalState other)
    {
        return new Superblock(array, name, level, stripBytes, blockSizeBytes, memberBytes, member, eventCount, clean,
            updatedMs, scrubbedMs, slots, other, reshape, checksumOffset, hasMismatches,
            formerNames);
    }

    /**
     * {@return the same superblock of an array that has checksums, or none}
     *
     * @param offset of the checksums on each member; 0: there are none.
     */
    public Superblock withChecksums(final long offset)
    {
        return new Superblock(array, name, level, stripBytes, blockSizeBytes, memberBytes, member, eventCount, clean,
            updatedMs, scrubbedMs, slots, journal, reshape, offset, hasMismatches, formerNames);
    }

    /**
     * Writes the {@link #BYTES} of this superblock.
     *
     * @param buffer to write to.
     * @param index  of the first byte.
     */
    public void encode(final MutableDirectBuffer buffer, final int index)
    {
        SuperblockCodec.encode(this, buffer, index);
    }

    /**
     * Reads a superblock from {@link #BYTES} of any content.
     *
     * @param buffer to read from.
     * @param index  of the first byte.
     * @return the superblock; null: there is none of Millrace.
     * @throws InvalidSuperblockException when there is one that is damaged, or of a version or with a feature that this
     *                                    build does not know.
     */
    public static Superblock decode(final DirectBuffer buffer, final int index)
    {
        return SuperblockCodec.decode(buffer, index);
    }
}
