package io.millrace.block.raid;

import java.util.BitSet;

/**
 * Blocks that have no checksums, whatever is stored, when an array is assembled.
 *
 * @param regions of the write-intent bitmap that have some, of all members; empty after a clean stop.
 * @param rebuilt whether what superblocks say is rebuilt of a member has none: its progress is stored before its
 *                checksums are, and what was there before is of an earlier life of the device.
 */
record UnknownChecksums(BitSet regions, boolean rebuilt)
{
}
