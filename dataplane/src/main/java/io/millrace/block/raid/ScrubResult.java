package io.millrace.block.raid;

import java.util.List;
import java.util.Locale;

/**
 * What a scrub has found so far, or found. A row is 4 KiB of each member at the same offset. Immutable.
 *
 * @param mode            whether it repairs.
 * @param status          how far it is.
 * @param beganMs         when it began, milliseconds since 1970 (UTC).
 * @param endedMs         when it ended; 0 while it has not.
 * @param totalBytes      of the array's data.
 * @param checkedBytes    of these, what was compared.
 * @param skippedBytes    of these, what was not compared: its region needs a resync, or too few members have it.
 * @param mismatches      rows whose copies differed, or whose parity did not match.
 * @param offsets         of the first of them: the lowest byte on the array that is in the row.
 * @param repaired        of the mismatches, those that were made equal or match again.
 * @param correctedErrors rows that a member could not read and that were rewritten on it, counted for each member.
 * @param unreadable      rows that a member could not read and that could not be rewritten, or that are wrong beyond
 *                        what parity makes up for.
 * @param wrongBlocks     blocks of members that have a checksum mismatch, of an array with checksums.
 */
public record ScrubResult(
    ScrubMode mode,
    ScrubStatus status,
    long beganMs,
    long endedMs,
    long totalBytes,
    long checkedBytes,
    long skippedBytes,
    long mismatches,
    List<Long> offsets,
    long repaired,
    long correctedErrors,
    long unreadable,
    long wrongBlocks)
{
    /** Most offsets that a result has. */
    public static final int OFFSETS_MAX = 16;

    /**
     * Copies the list.
     */
    public ScrubResult
    {
        offsets = List.copyOf(offsets);
    }

    /**
     * {@return whether it has not ended}
     */
    public boolean isActive()
    {
        return ScrubStatus.RUNNING == status || ScrubStatus.WAITING == status;
    }

    /**
     * {@return whether something was compared, and nothing was found that is still wrong}
     */
    public boolean isClean()
    {
        return mismatches == repaired && 0 == unreadable && ScrubStatus.SKIPPED != status;
    }

    /**
     * {@return how it ended and what it found, for an event}
     */
    public String sentence()
    {
        if (ScrubStatus.SKIPPED == status)
        {
            return "scrub compared nothing: no block of the array has another copy now";
        }
        return "scrub " + (ScrubMode.REPAIR == mode ? "with repair " : "") + status.name().toLowerCase(Locale.ROOT) +
            ": " + checkedBytes + " of " + totalBytes + " bytes compared, " + mismatches + " mismatches, " + repaired +
            " repaired, " + correctedErrors + " rows rewritten, " + unreadable + " unreadable" +
            (0 == wrongBlocks ? "" :
            ", " + wrongBlocks + (1 == wrongBlocks ? " block" : " blocks") + " with a checksum mismatch");
    }
}
