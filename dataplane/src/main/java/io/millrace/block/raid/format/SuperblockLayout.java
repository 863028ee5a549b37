package io.millrace.block.raid.format;

import io.millrace.block.raid.layout.RaidLevel;

/**
 * The bytes of a superblock, little-endian; UUIDs in the order of their text.
 * <pre>
 *      0   8  magic: "MILLRACE"                    96   8  member bytes
 *      8   4  version: 1                          104   4  state: 1 clean, 2 active
 *     12   4  CRC32C, this field as zero          108   4  name bytes
 *     16   8  features: 1 journal,                112  64  name
 *             2 lost events, 4 lost blocks,       176   8  journal epoch
 *             8 reshape, 16 erasure code,
 *             32 layout, 64 journal device,
 *             128 checksums, 256 moving Q,
 *             512 mismatches, 1024 former names
 *     24   8  reserved 1
 *     32  16  array UUID                          184   4  journal matched: 1 yes
 *                                                 188   4  journal places
 *     48  16  member UUID                         192  16  journal UUID
 *                                                 208   8  checksum offset; 0: none
 *                                                 216  24  reserved 2
 *                                                 240   8  scrubbed, ms since 1970 (UTC)
 *                                                 248   4  parity strips
 *                                                 252   4  layout: 1 Q last
 *     64   8  event count                         256  64 slots of 32 bytes
 *     72   8  updated, ms since 1970 (UTC)       2304  64 lost events of 8 bytes
 *     80   4  level                              2816   4  reshape: previous member count
 *     84   4  member count                       2820   4  reshape: stage
 *     88   4  strip bytes                        2824   8  reshape: position, in stripes
 *     92   4  block size bytes                   2832   4  reshape: slice start, in bytes
 *                                                2836   4  former name count
 *                                                2840  16 former names of 64 bytes
 *                                                3864  232 reserved 3
 *      0  16  slot: member UUID                    20   4  slot: lost blocks: 1 listed
 *     16   4  slot: state                          24   8  slot: rebuilt bytes
 * </pre>
 * Magic, version and CRC, and what the CRC covers, are the same in every version. Reserved bytes and the slots from the
 * member count on are zero. A build that gives a reserved byte a meaning that no reader may ignore sets a bit of the
 * features. {@code docs/raid-format.md} is the reference for others.
 */
final class SuperblockLayout
{
    /** "MILLRACE", as a little-endian number. */
    static final long MAGIC = 0x45434152_4C4C494DL;
    static final int VERSION = 1;
    /** The journal may have entries that have to be replayed before anything is computed from parity. */
    static final long FEATURE_JOURNAL = 1;
    /** The bitmap has what members lack that were lost: its bits must not be cleared before all slots are in sync. */
    static final long FEATURE_LOST_EVENTS = 2;
    /** Members have blocks that must not be read, in their lost-block lists. */
    static final long FEATURE_LOST_BLOCKS = 4;
    /** Stripes have one of two layouts, by the position of the reshape. */
    static final long FEATURE_RESHAPE = 8;
    /** Stripes have parity by an erasure code. */
    static final long FEATURE_ERASURE_CODE = 16;
    /** The layout is not the first one of the level. */
    static final long FEATURE_LAYOUT = 32;
    /** Entries of the journal are on a device of its own. */
    static final long FEATURE_JOURNAL_DEVICE = 64;
    /** Blocks have checksums, which writes have to update. */
    static final long FEATURE_CHECKSUMS = 128;
    /** A reshape leaves the count of slots as it is, and moves Q of all stripes to the last one. */
    static final long FEATURE_MOVING_Q = 256;
    /** A scrub has found rows that do not match: what is wrong is not to be given up, or computed from. */
    static final long FEATURE_MISMATCHES = 512;
    /** The array must not be assembled by one of the names that it had. */
    static final long FEATURE_FORMER_NAMES = 1024;
    /** Bits of the features that this build knows. */
    static final long FEATURES_KNOWN = FEATURE_JOURNAL | FEATURE_LOST_EVENTS | FEATURE_LOST_BLOCKS | FEATURE_RESHAPE |
        FEATURE_ERASURE_CODE | FEATURE_LAYOUT | FEATURE_JOURNAL_DEVICE | FEATURE_CHECKSUMS | FEATURE_MOVING_Q |
        FEATURE_MISMATCHES | FEATURE_FORMER_NAMES;
    static final int STATE_CLEAN = 1;
    static final int STATE_ACTIVE = 2;

    static final int MAGIC_OFFSET = 0;
    static final int MAGIC_LENGTH = Long.BYTES;
    static final int VERSION_OFFSET = MAGIC_OFFSET + MAGIC_LENGTH;
    static final int VERSION_LENGTH = Integer.BYTES;
    static final int CRC_OFFSET = VERSION_OFFSET + VERSION_LENGTH;
    static final int CRC_LENGTH = PageChecksum.CRC_LENGTH;
    static final int FEATURES_OFFSET = CRC_OFFSET + CRC_LENGTH;
    static final int FEATURES_LENGTH = Long.BYTES;
    static final int RESERVED_1_OFFSET = FEATURES_OFFSET + FEATURES_LENGTH;
    static final int RESERVED_1_LENGTH = 8;
    static final int ARRAY_UUID_OFFSET = RESERVED_1_OFFSET + RESERVED_1_LENGTH;
    static final int ARRAY_UUID_LENGTH = StoredUuid.BYTES;
    static final int MEMBER_UUID_OFFSET = ARRAY_UUID_OFFSET + ARRAY_UUID_LENGTH;
    static final int MEMBER_UUID_LENGTH = StoredUuid.BYTES;
    static final int EVENT_COUNT_OFFSET = MEMBER_UUID_OFFSET + MEMBER_UUID_LENGTH;
    static final int EVENT_COUNT_LENGTH = Long.BYTES;
    static final int UPDATED_MS_OFFSET = EVENT_COUNT_OFFSET + EVENT_COUNT_LENGTH;
    static final int UPDATED_MS_LENGTH = Long.BYTES;
    static final int LEVEL_OFFSET = UPDATED_MS_OFFSET + UPDATED_MS_LENGTH;
    static final int LEVEL_LENGTH = Integer.BYTES;
    static final int MEMBER_COUNT_OFFSET = LEVEL_OFFSET + LEVEL_LENGTH;
    static final int MEMBER_COUNT_LENGTH = Integer.BYTES;
    static final int STRIP_BYTES_OFFSET = MEMBER_COUNT_OFFSET + MEMBER_COUNT_LENGTH;
    static final int STRIP_BYTES_LENGTH = Integer.BYTES;
    static final int BLOCK_SIZE_BYTES_OFFSET = STRIP_BYTES_OFFSET + STRIP_BYTES_LENGTH;
    static final int BLOCK_SIZE_BYTES_LENGTH = Integer.BYTES;
    static final int MEMBER_BYTES_OFFSET = BLOCK_SIZE_BYTES_OFFSET + BLOCK_SIZE_BYTES_LENGTH;
    static final int MEMBER_BYTES_LENGTH = Long.BYTES;
    static final int STATE_OFFSET = MEMBER_BYTES_OFFSET + MEMBER_BYTES_LENGTH;
    static final int STATE_LENGTH = Integer.BYTES;
    static final int NAME_BYTES_OFFSET = STATE_OFFSET + STATE_LENGTH;
    static final int NAME_BYTES_LENGTH = Integer.BYTES;
    static final int NAME_OFFSET = NAME_BYTES_OFFSET + NAME_BYTES_LENGTH;
    static final int NAME_LENGTH = 64;
    static final int JOURNAL_EPOCH_OFFSET = NAME_OFFSET + NAME_LENGTH;
    static final int JOURNAL_EPOCH_LENGTH = Long.BYTES;
    static final int JOURNAL_MATCHED_OFFSET = JOURNAL_EPOCH_OFFSET + JOURNAL_EPOCH_LENGTH;
    static final int JOURNAL_MATCHED_LENGTH = Integer.BYTES;
    static final int JOURNAL_PLACES_OFFSET = JOURNAL_MATCHED_OFFSET + JOURNAL_MATCHED_LENGTH;
    static final int JOURNAL_PLACES_LENGTH = Integer.BYTES;
    static final int JOURNAL_UUID_OFFSET = JOURNAL_PLACES_OFFSET + JOURNAL_PLACES_LENGTH;
    static final int JOURNAL_UUID_LENGTH = StoredUuid.BYTES;
    static final int CHECKSUM_OFFSET_OFFSET = JOURNAL_UUID_OFFSET + JOURNAL_UUID_LENGTH;
    static final int CHECKSUM_OFFSET_LENGTH = Long.BYTES;
    static final int RESERVED_2_OFFSET = CHECKSUM_OFFSET_OFFSET + CHECKSUM_OFFSET_LENGTH;
    static final int RESERVED_2_LENGTH = 24;
    static final int SCRUBBED_MS_OFFSET = RESERVED_2_OFFSET + RESERVED_2_LENGTH;
    static final int SCRUBBED_MS_LENGTH = Long.BYTES;
    static final int PARITY_STRIPS_OFFSET = SCRUBBED_MS_OFFSET + SCRUBBED_MS_LENGTH;
    static final int PARITY_STRIPS_LENGTH = Integer.BYTES;
    static final int LAYOUT_OFFSET = PARITY_STRIPS_OFFSET + PARITY_STRIPS_LENGTH;
    static final int LAYOUT_LENGTH = Integer.BYTES;
    static final int SLOTS_OFFSET = LAYOUT_OFFSET + LAYOUT_LENGTH;
    /** Length of one slot. */
    static final int SLOT_BYTES = 32;
    static final int SLOTS_LENGTH = RaidLevel.MEMBERS_MAX * SLOT_BYTES;
    static final int LOST_EVENTS_OFFSET = SLOTS_OFFSET + SLOTS_LENGTH;
    static final int LOST_EVENTS_LENGTH = RaidLevel.MEMBERS_MAX * Long.BYTES;
    static final int PREVIOUS_COUNT_OFFSET = LOST_EVENTS_OFFSET + LOST_EVENTS_LENGTH;
    static final int PREVIOUS_COUNT_LENGTH = Integer.BYTES;
    static final int RESHAPE_STAGE_OFFSET = PREVIOUS_COUNT_OFFSET + PREVIOUS_COUNT_LENGTH;
    static final int RESHAPE_STAGE_LENGTH = Integer.BYTES;
    static final int RESHAPE_POSITION_OFFSET = RESHAPE_STAGE_OFFSET + RESHAPE_STAGE_LENGTH;
    static final int RESHAPE_POSITION_LENGTH = Long.BYTES;
    static final int SLICE_START_OFFSET = RESHAPE_POSITION_OFFSET + RESHAPE_POSITION_LENGTH;
    static final int SLICE_START_LENGTH = Integer.BYTES;
    static final int FORMER_NAME_COUNT_OFFSET = SLICE_START_OFFSET + SLICE_START_LENGTH;
    static final int FORMER_NAME_COUNT_LENGTH = Integer.BYTES;
    static final int FORMER_NAMES_OFFSET = FORMER_NAME_COUNT_OFFSET + FORMER_NAME_COUNT_LENGTH;
    static final int FORMER_NAMES_LENGTH = Superblock.FORMER_NAMES_MAX * NAME_LENGTH;
    static final int RESERVED_3_OFFSET = FORMER_NAMES_OFFSET + FORMER_NAMES_LENGTH;
    static final int RESERVED_3_LENGTH = PageChecksum.PAGE_BYTES - RESERVED_3_OFFSET;

    private SuperblockLayout()
    {
    }

    /** Offset of a slot in the superblock. */
    static int slotOffset(final int slot)
    {
        return SLOTS_OFFSET + slot * SLOT_BYTES;
    }

    /** Offset in the superblock of the event count with which the member of a slot was lost. */
    static int lostEventOffset(final int slot)
    {
        return LOST_EVENTS_OFFSET + slot * Long.BYTES;
    }

    /** Fields of a slot; offsets from its first byte. */
    static final class SlotLayout
    {
        static final int MEMBER_UUID_OFFSET = 0;
        static final int MEMBER_UUID_LENGTH = StoredUuid.BYTES;
        static final int STATE_OFFSET = MEMBER_UUID_OFFSET + MEMBER_UUID_LENGTH;
        static final int STATE_LENGTH = Integer.BYTES;
        static final int LOST_BLOCKS_OFFSET = STATE_OFFSET + STATE_LENGTH;
        static final int LOST_BLOCKS_LENGTH = Integer.BYTES;
        static final int REBUILT_BYTES_OFFSET = LOST_BLOCKS_OFFSET + LOST_BLOCKS_LENGTH;
        static final int REBUILT_BYTES_LENGTH = Long.BYTES;

        private SlotLayout()
        {
        }
    }
}
