package io.millrace.block.raid;

import io.millrace.block.BlockGeometry;
import io.millrace.parity.ParityEngineType;
import java.util.BitSet;
import java.util.List;
import java.util.UUID;

/**
 * What superblocks say of an array, when its members were found.
 *
 * @param name           of the array.
 * @param formerNames    that the array had before it was renamed.
 * @param id             of the array.
 * @param geometry       of the array.
 * @param engineType     that computes parity; null without parity.
 * @param members        of the array in the order of their index, spares behind those in slots.
 * @param view           of the slots.
 * @param markedRegions  of the write-intent bitmap: dirty ones, and those that former members lack writes in.
 * @param dirtyRegions   whose copies or parity may not match.
 * @param bitmapSequence number of the last page of the bitmap.
 * @param times          of its own work.
 * @param copyRates      bounds of the rate of a rebuild or a resync.
 * @param scrubbedMs     when the last complete scrub ended, milliseconds since 1970 (UTC); 0: never.
 * @param hasMismatches  whether rows are known not to match.
 * @param journalMode    when writes are journaled.
 * @param isMatched      whether parity matches in all regions, entries of the journal being replayed.
 * @param trouble        a sentence on devices that cannot be used; empty: none.
 * @param settings       a sentence on settings that the array does not follow; empty: none.
 * @param replacements   that were under way when the array ended, and begin anew.
 * @param journalDevice  device that settings name for the journal.
 * @param growth         that begins when the array is started; null: none.
 * @param unknown        blocks that have no checksums, whatever is stored; null: the array has no checksums.
 */
record AssembledArray(
    String name,
    List<String> formerNames,
    UUID id,
    BlockGeometry geometry,
    ParityEngineType engineType,
    List<RaidMember> members,
    ArrayView view,
    BitSet markedRegions,
    BitSet dirtyRegions,
    long bitmapSequence,
    RaidTimes times,
    CopyRates copyRates,
    long scrubbedMs,
    boolean hasMismatches,
    JournalMode journalMode,
    boolean isMatched,
    String trouble,
    String settings,
    List<Replacement> replacements,
    JournalDevice journalDevice,
    Growth growth,
    UnknownChecksums unknown)
{
}
