package io.millrace.block.raid.format;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.millrace.block.BlockDeviceException;
import io.millrace.block.raid.format.SuperblockLayout.SlotLayout;
import io.millrace.block.raid.layout.RaidLevel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Encodes superblocks, and decodes them from bytes of any content. Each superblock has exactly one encoding.
 */
final class SuperblockCodec
{
    private static final String REMEDY = "use the other copy or another member";

    private SuperblockCodec()
    {
    }

    static void encode(final Superblock superblock, final MutableDirectBuffer buffer, final int index)
    {
        buffer.boundsCheck(index, Superblock.BYTES);
        buffer.setMemory(index, Superblock.BYTES, (byte)0);
        buffer.putLong(index + SuperblockLayout.MAGIC_OFFSET, SuperblockLayout.MAGIC, LITTLE_ENDIAN);
        buffer.putInt(index + SuperblockLayout.VERSION_OFFSET, SuperblockLayout.VERSION, LITTLE_ENDIAN);
        StoredUuid.put(buffer, index + SuperblockLayout.ARRAY_UUID_OFFSET, superblock.array());
        StoredUuid.put(buffer, index + SuperblockLayout.MEMBER_UUID_OFFSET, superblock.member());
        buffer.putLong(index + SuperblockLayout.EVENT_COUNT_OFFSET, superblock.eventCount(), LITTLE_ENDIAN);
        buffer.putLong(index + SuperblockLayout.UPDATED_MS_OFFSET, superblock.updatedMs(), LITTLE_ENDIAN);
        buffer.putInt(index + SuperblockLayout.LEVEL_OFFSET, superblock.level().code(), LITTLE_ENDIAN);
        buffer.putInt(
            index + SuperblockLayout.PARITY_STRIPS_OFFSET, superblock.level().parityStrips(), LITTLE_ENDIAN);
        buffer.putInt(index + SuperblockLayout.LAYOUT_OFFSET, superblock.level().layoutCode(), LITTLE_ENDIAN);
        buffer.putInt(index + SuperblockLayout.MEMBER_COUNT_OFFSET, superblock.slots().size(), LITTLE_ENDIAN);
        buffer.putInt(index + SuperblockLayout.STRIP_BYTES_OFFSET, superblock.stripBytes(), LITTLE_ENDIAN);
        buffer.putInt(index + SuperblockLayout.BLOCK_SIZE_BYTES_OFFSET, superblock.blockSizeBytes(), LITTLE_ENDIAN);
        buffer.putLong(index + SuperblockLayout.MEMBER_BYTES_OFFSET, superblock.memberBytes(), LITTLE_ENDIAN);
        buffer.putInt(index + SuperblockLayout.STATE_OFFSET,
            superblock.clean() ? SuperblockLayout.STATE_CLEAN : SuperblockLayout.STATE_ACTIVE, LITTLE_ENDIAN);
        buffer.putLong(index + SuperblockLayout.SCRUBBED_MS_OFFSET, superblock.scrubbedMs(), LITTLE_ENDIAN);
        final byte[] name = superblock.name().getBytes(StandardCharsets.US_ASCII);
        buffer.putInt(index + SuperblockLayout.NAME_BYTES_OFFSET, name.length, LITTLE_ENDIAN);
        buffer.putBytes(index + SuperblockLayout.NAME_OFFSET, name);
        for (int i = 0; i < superblock.slots().size(); i++)
        {
            final Slot slot = superblock.slots().get(i);
            final int slotIndex = index + SuperblockLayout.slotOffset(i);
            StoredUuid.put(buffer, slotIndex + SlotLayout.MEMBER_UUID_OFFSET, slot.member());
            buffer.putInt(slotIndex + SlotLayout.STATE_OFFSET, slot.state().code(), LITTLE_ENDIAN);
            buffer.putInt(slotIndex + SlotLayout.LOST_BLOCKS_OFFSET, slot.hasLostBlocks() ? 1 : 0, LITTLE_ENDIAN);
            buffer.putLong(slotIndex + SlotLayout.REBUILT_BYTES_OFFSET, slot.rebuiltBytes(), LITTLE_ENDIAN);
            buffer.putLong(index + SuperblockLayout.lostEventOffset(i), slot.lostEvent(), LITTLE_ENDIAN);
        }
        buffer.putLong(index + SuperblockLayout.FEATURES_OFFSET,
            (0 == superblock.journal().epoch() ? 0 : SuperblockLayout.FEATURE_JOURNAL) |
            (superblock.hasLostEvents() ? SuperblockLayout.FEATURE_LOST_EVENTS : 0) |
            (superblock.hasLostBlocks() ? SuperblockLayout.FEATURE_LOST_BLOCKS : 0) |
            (superblock.reshape().isActive() ? SuperblockLayout.FEATURE_RESHAPE : 0) |
            (superblock.level().isErasureCode() ? SuperblockLayout.FEATURE_ERASURE_CODE : 0) |
            (0 == superblock.level().layoutCode() ? 0 : SuperblockLayout.FEATURE_LAYOUT) |
            (null == superblock.journal().device() ? 0 : SuperblockLayout.FEATURE_JOURNAL_DEVICE) |
            (0 == superblock.checksumOffset() ? 0 : SuperblockLayout.FEATURE_CHECKSUMS) |
            (superblock.isMovingQ() ? SuperblockLayout.FEATURE_MOVING_Q : 0) |
            (superblock.hasMismatches() ? SuperblockLayout.FEATURE_MISMATCHES : 0) |
            (superblock.formerNames().isEmpty() ? 0 : SuperblockLayout.FEATURE_FORMER_NAMES), LITTLE_ENDIAN);
        FormerNames.put(superblock.formerNames(), buffer, index);
        buffer.putLong(index + SuperblockLayout.CHECKSUM_OFFSET_OFFSET, superblock.checksumOffset(), LITTLE_ENDIAN);
        buffer.putInt(
            index + SuperblockLayout.PREVIOUS_COUNT_OFFSET, superblock.reshape().previousCount(), LITTLE_ENDIAN);
        buffer.putInt(
            index + SuperblockLayout.RESHAPE_STAGE_OFFSET, superblock.reshape().stage().code(), LITTLE_ENDIAN);
        buffer.putLong(
            index + SuperblockLayout.RESHAPE_POSITION_OFFSET, superblock.reshape().position(), LITTLE_ENDIAN);
        buffer.putInt(index + SuperblockLayout.SLICE_START_OFFSET, superblock.reshape().sliceStart(), LITTLE_ENDIAN);
        if (0 != superblock.journal().epoch())
        {
            buffer.putLong(index + SuperblockLayout.JOURNAL_EPOCH_OFFSET, superblock.journal().epoch(), LITTLE_ENDIAN);
            buffer.putInt(index + SuperblockLayout.JOURNAL_MATCHED_OFFSET, superblock.journal().isMatched() ? 1 : 0,
                LITTLE_ENDIAN);
            buffer.putInt(
                index + SuperblockLayout.JOURNAL_PLACES_OFFSET, superblock.journal().placeCount(), LITTLE_ENDIAN);
            StoredUuid.put(buffer, index + SuperblockLayout.JOURNAL_UUID_OFFSET, superblock.journal().device());
        }
        buffer.putInt(index + SuperblockLayout.CRC_OFFSET, new PageChecksum().compute(buffer, index), LITTLE_ENDIAN);
    }

    static Superblock decode(final DirectBuffer buffer, final int index)
    {
        buffer.boundsCheck(index, Superblock.BYTES);
        if (SuperblockLayout.MAGIC != buffer.getLong(index + SuperblockLayout.MAGIC_OFFSET, LITTLE_ENDIAN))
        {
            return null;
        }
        checkReadable(buffer, index);
        final int memberCount = buffer.getInt(index + SuperblockLayout.MEMBER_COUNT_OFFSET, LITTLE_ENDIAN);
        if (memberCount < 1 || memberCount > RaidLevel.MEMBERS_MAX)
        {
            throw invalid("member count " + memberCount + " is outside 1 to " + RaidLevel.MEMBERS_MAX);
        }
        checkZero(buffer, index, SuperblockLayout.RESERVED_1_OFFSET, SuperblockLayout.RESERVED_1_LENGTH);
        checkZero(buffer, index, SuperblockLayout.RESERVED_2_OFFSET, SuperblockLayout.RESERVED_2_LENGTH);
        final int slotsEnd = SuperblockLayout.slotOffset(memberCount);
        checkZero(buffer, index, slotsEnd, SuperblockLayout.LOST_EVENTS_OFFSET - slotsEnd);
        final int eventsEnd = SuperblockLayout.lostEventOffset(memberCount);
        checkZero(buffer, index, eventsEnd, SuperblockLayout.PREVIOUS_COUNT_OFFSET - eventsEnd);
        checkZero(buffer, index, SuperblockLayout.RESERVED_3_OFFSET, SuperblockLayout.RESERVED_3_LENGTH);
        try
        {
            final Superblock decoded = new Superblock(
                StoredUuid.get(buffer, index + SuperblockLayout.ARRAY_UUID_OFFSET),
                name(buffer, index),
                level(buffer, index),
                buffer.getInt(index + SuperblockLayout.STRIP_BYTES_OFFSET, LITTLE_ENDIAN),
                buffer.getInt(index + SuperblockLayout.BLOCK_SIZE_BYTES_OFFSET, LITTLE_ENDIAN),
                buffer.getLong(index + SuperblockLayout.MEMBER_BYTES_OFFSET, LITTLE_ENDIAN),
                StoredUuid.get(buffer, index + SuperblockLayout.MEMBER_UUID_OFFSET),
                buffer.getLong(index + SuperblockLayout.EVENT_COUNT_OFFSET, LITTLE_ENDIAN),
                isClean(buffer, index),
                buffer.getLong(index + SuperblockLayout.UPDATED_MS_OFFSET, LITTLE_ENDIAN),
                buffer.getLong(index + SuperblockLayout.SCRUBBED_MS_OFFSET, LITTLE_ENDIAN),
                slots(buffer, index, memberCount),
                journal(buffer, index),
                reshape(buffer, index),
                buffer.getLong(index + SuperblockLayout.CHECKSUM_OFFSET_OFFSET, LITTLE_ENDIAN),
                0 != (buffer.getLong(index + SuperblockLayout.FEATURES_OFFSET, LITTLE_ENDIAN) &
                    SuperblockLayout.FEATURE_MISMATCHES),
                FormerNames.get(buffer, index));
            checkFeatures(buffer, index, decoded);
            return decoded;
        }
        catch (final BlockDeviceException e)
        {
            throw new InvalidSuperblockException("a superblock of Millrace has values that no build writes (" +
                e.getMessage() + "): " + REMEDY, e);
        }
    }

    /** The checksum comes first, so that a damaged version is not mistaken for a later one. */
    private static void checkReadable(final DirectBuffer buffer, final int index)
    {
        final int stored = buffer.getInt(index + SuperblockLayout.CRC_OFFSET, LITTLE_ENDIAN);
        final int computed = new PageChecksum().compute(buffer, index);
        if (stored != computed)
        {
            throw invalid("checksum 0x" + Integer.toHexString(stored) + " is not 0x" + Integer.toHexString(computed) +
                ", that of its " + Superblock.BYTES + " bytes");
        }
        final int version = buffer.getInt(index + SuperblockLayout.VERSION_OFFSET, LITTLE_ENDIAN);
        if (SuperblockLayout.VERSION != version)
        {
            throw new InvalidSuperblockException("a superblock of Millrace has version " +
                Integer.toUnsignedString(version) + ", and this build reads version " + SuperblockLayout.VERSION +
                ": use a build that reads the other");
        }
        final long features = buffer.getLong(index + SuperblockLayout.FEATURES_OFFSET, LITTLE_ENDIAN);
        if (0 != (features & ~SuperblockLayout.FEATURES_KNOWN))
        {
            throw new InvalidSuperblockException("a superblock of Millrace needs features 0x" +
                Long.toHexString(features) + ", and this build knows 0x" +
                Long.toHexString(SuperblockLayout.FEATURES_KNOWN) + ": use the build that wrote it or a later one");
        }
    }

    private static String name(final DirectBuffer buffer, final int index)
    {
        final int lengthBytes = buffer.getInt(index + SuperblockLayout.NAME_BYTES_OFFSET, LITTLE_ENDIAN);
        if (lengthBytes < 1 || lengthBytes > SuperblockLayout.NAME_LENGTH)
        {
            throw invalid("a name of " + lengthBytes + " bytes is outside 1 to " + SuperblockLayout.NAME_LENGTH);
        }
        checkZero(
            buffer, index, SuperblockLayout.NAME_OFFSET + lengthBytes, SuperblockLayout.NAME_LENGTH - lengthBytes);
        final byte[] name = new byte[lengthBytes];
        buffer.getBytes(index + SuperblockLayout.NAME_OFFSET, name);
        for (final byte each : name)
        {
            // Messages show the name.
            if (each <= ' ' || each > '~')
            {
                throw invalid("byte 0x" + Integer.toHexString(each & 0xFF) + " of the name is not printable ASCII");
            }
        }
        return new String(name, StandardCharsets.US_ASCII);
    }

    private static RaidLevel level(final DirectBuffer buffer, final int index)
    {
        final int code = buffer.getInt(index + SuperblockLayout.LEVEL_OFFSET, LITTLE_ENDIAN);
        final int parityStrips = buffer.getInt(index + SuperblockLayout.PARITY_STRIPS_OFFSET, LITTLE_ENDIAN);
        final int layout = buffer.getInt(index + SuperblockLayout.LAYOUT_OFFSET, LITTLE_ENDIAN);
        final RaidLevel level = RaidLevel.ofCode(code, parityStrips, layout);
        if (null == level)
        {
            throw invalid("level " + code + " with " + parityStrips + " parity strips " +
                (null == RaidLevel.ofCode(code, parityStrips, 0) ? "is none of " + RaidLevel.labels() :
                "has no layout " + layout));
        }
        return level;
    }

    private static JournalState journal(final DirectBuffer buffer, final int index)
    {
        final long features = buffer.getLong(index + SuperblockLayout.FEATURES_OFFSET, LITTLE_ENDIAN);
        final long epoch = buffer.getLong(index + SuperblockLayout.JOURNAL_EPOCH_OFFSET, LITTLE_ENDIAN);
        final int matched = buffer.getInt(index + SuperblockLayout.JOURNAL_MATCHED_OFFSET, LITTLE_ENDIAN);
        if (0 == (features & SuperblockLayout.FEATURE_JOURNAL) != (0 == epoch) || 0 != matched && 1 != matched)
        {
            throw invalid("features 0x" + Long.toHexString(features) + " do not fit journal epoch " + epoch +
                " with matched " + matched);
        }
        final UUID device = StoredUuid.get(buffer, index + SuperblockLayout.JOURNAL_UUID_OFFSET);
        if (0 == (features & SuperblockLayout.FEATURE_JOURNAL_DEVICE) != (null == device))
        {
            throw invalid("features 0x" + Long.toHexString(features) + " do not fit journal device " + device);
        }
        return new JournalState(epoch, 1 == matched, device,
            buffer.getInt(index + SuperblockLayout.JOURNAL_PLACES_OFFSET, LITTLE_ENDIAN));
    }

    private static ReshapeState reshape(final DirectBuffer buffer, final int index)
    {
        final int code = buffer.getInt(index + SuperblockLayout.RESHAPE_STAGE_OFFSET, LITTLE_ENDIAN);
        final ReshapeState.Stage stage = ReshapeState.Stage.ofCode(code);
        if (null == stage)
        {
            throw invalid("stage " + code + " of a reshape is unknown");
        }
        return new ReshapeState(
            buffer.getInt(index + SuperblockLayout.PREVIOUS_COUNT_OFFSET, LITTLE_ENDIAN),
            buffer.getLong(index + SuperblockLayout.RESHAPE_POSITION_OFFSET, LITTLE_ENDIAN),
            buffer.getInt(index + SuperblockLayout.SLICE_START_OFFSET, LITTLE_ENDIAN), stage);
    }

    private static void checkFeatures(final DirectBuffer buffer, final int index, final Superblock superblock)
    {
        final long features = buffer.getLong(index + SuperblockLayout.FEATURES_OFFSET, LITTLE_ENDIAN);
        if (superblock.hasLostEvents() != (0 != (features & SuperblockLayout.FEATURE_LOST_EVENTS)))
        {
            throw invalid("features 0x" + Long.toHexString(features) + " do not fit the lost events of the slots");
        }
        if (superblock.hasLostBlocks() != (0 != (features & SuperblockLayout.FEATURE_LOST_BLOCKS)))
        {
            throw invalid("features 0x" + Long.toHexString(features) + " do not fit the lost blocks of the slots");
        }
        if (superblock.reshape().isActive() != (0 != (features & SuperblockLayout.FEATURE_RESHAPE)))
        {
            throw invalid("features 0x" + Long.toHexString(features) + " do not fit the reshape");
        }
        if (superblock.isMovingQ() != (0 != (features & SuperblockLayout.FEATURE_MOVING_Q)))
        {
            throw invalid("features 0x" + Long.toHexString(features) + " do not fit the slots before the reshape");
        }
        if (superblock.level().isErasureCode() != (0 != (features & SuperblockLayout.FEATURE_ERASURE_CODE)))
        {
            throw invalid("features 0x" + Long.toHexString(features) + " do not fit the level");
        }
        if (0 != superblock.level().layoutCode() != (0 != (features & SuperblockLayout.FEATURE_LAYOUT)))
        {
            throw invalid("features 0x" + Long.toHexString(features) + " do not fit the layout");
        }
        if (superblock.formerNames().isEmpty() != (0 == (features & SuperblockLayout.FEATURE_FORMER_NAMES)))
        {
            throw invalid("features 0x" + Long.toHexString(features) + " do not fit the former names");
        }
        if (0 != superblock.checksumOffset() != (0 != (features & SuperblockLayout.FEATURE_CHECKSUMS)))
        {
            throw invalid("features 0x" + Long.toHexString(features) + " do not fit the offset of checksums");
        }
    }

    private static boolean isClean(final DirectBuffer buffer, final int index)
    {
        final int state = buffer.getInt(index + SuperblockLayout.STATE_OFFSET, LITTLE_ENDIAN);
        if (SuperblockLayout.STATE_CLEAN != state && SuperblockLayout.STATE_ACTIVE != state)
        {
            throw invalid("state " + state + " is neither " + SuperblockLayout.STATE_CLEAN + " (clean) nor " +
                SuperblockLayout.STATE_ACTIVE + " (active)");
        }
        return SuperblockLayout.STATE_CLEAN == state;
    }

    private static List<Slot> slots(final DirectBuffer buffer, final int index, final int memberCount)
    {
        final List<Slot> slots = new ArrayList<>(memberCount);
        for (int i = 0; i < memberCount; i++)
        {
            final int offset = SuperblockLayout.slotOffset(i);
            final int code = buffer.getInt(index + offset + SlotLayout.STATE_OFFSET, LITTLE_ENDIAN);
            final SlotState state = SlotState.ofCode(code);
            if (null == state)
            {
                throw invalid("state " + code + " of slot " + i + " is unknown");
            }
            final int lost = buffer.getInt(index + offset + SlotLayout.LOST_BLOCKS_OFFSET, LITTLE_ENDIAN);
            if (0 != lost && 1 != lost)
            {
                throw invalid("lost blocks " + lost + " of slot " + i + " is neither 0 nor 1");
            }
            slots.add(new Slot(
                StoredUuid.get(buffer, index + offset + SlotLayout.MEMBER_UUID_OFFSET),
                state,
                buffer.getLong(index + offset + SlotLayout.REBUILT_BYTES_OFFSET, LITTLE_ENDIAN),
                buffer.getLong(index + SuperblockLayout.lostEventOffset(i), LITTLE_ENDIAN),
                1 == lost));
        }
        return slots;
    }

    static void checkZero(final DirectBuffer buffer, final int index, final int offset, final int lengthBytes)
    {
        for (int i = offset; i < offset + lengthBytes; i++)
        {
            if (0 != buffer.getByte(index + i))
            {
                throw invalid("byte " + i + " is 0x" + Integer.toHexString(buffer.getByte(index + i) & 0xFF) +
                    ", and version " + SuperblockLayout.VERSION + " writes 0 there");
            }
        }
    }

    static InvalidSuperblockException invalid(final String problem)
    {
        return new InvalidSuperblockException("a superblock of Millrace is invalid: " + problem + ": " + REMEDY);
    }
}
