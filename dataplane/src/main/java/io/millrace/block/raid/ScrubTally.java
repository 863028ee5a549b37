package io.millrace.block.raid;

import java.util.ArrayList;
import java.util.List;

/** What {@link Scrub} has found so far. One reactor's only. */
final class ScrubTally
{
    private long totalBytes;
    private final List<Long> offsets = new ArrayList<>();
    private ScrubMode mode = ScrubMode.CHECK;
    private long beganMs;
    private long checkedBytes;
    private long skippedBytes;
    private long mismatches;
    private long repaired;
    private long correctedErrors;
    private long unreadable;
    private long wrong;

    /**
     * A scrub begins.
     *
     * @param newMode    of the scrub.
     * @param newBeganMs milliseconds since 1970 (UTC).
     * @param bytes      of the array's data.
     */
    void begin(final ScrubMode newMode, final long newBeganMs, final long bytes)
    {
        totalBytes = bytes;
        mode = newMode;
        beganMs = newBeganMs;
        offsets.clear();
        checkedBytes = 0;
        skippedBytes = 0;
        mismatches = 0;
        repaired = 0;
        correctedErrors = 0;
        unreadable = 0;
        wrong = 0;
    }

    ScrubMode mode()
    {
        return mode;
    }

    /**
     * A part was looked at.
     *
     * @param bytes      of the array's data.
     * @param isCompared whether members had it, and were compared.
     */
    void onCompared(final long bytes, final boolean isCompared)
    {
        checkedBytes += isCompared ? bytes : 0;
        skippedBytes += isCompared ? 0 : bytes;
    }

    /**
     * Of a part that was compared, rows that differed or could not be read were not compared again.
     *
     * @param bytes of the array's data.
     */
    void onUncompared(final long bytes)
    {
        checkedBytes -= bytes;
        skippedBytes += bytes;
    }

    /**
     * {@return whether anything was compared}
     */
    boolean hasCompared()
    {
        return checkedBytes > 0;
    }

    /**
     * A row differs.
     *
     * @param offset on the array.
     */
    void onMismatch(final long offset)
    {
        mismatches++;
        if (offsets.size() < ScrubResult.OFFSETS_MAX)
        {
            offsets.add(offset);
        }
    }

    /**
     * A block of a member has a checksum mismatch.
     *
     * @return whether it is one of the first, which are announced.
     */
    boolean onWrong()
    {
        wrong++;
        return wrong <= ScrubResult.OFFSETS_MAX;
    }

    /** A row that differed was made right. */
    void onRepaired()
    {
        repaired++;
    }

    /**
     * A row was rewritten on members that could not read it.
     *
     * @param slots of the members, by bit.
     */
    void onCorrected(final long slots)
    {
        correctedErrors += Long.bitCount(slots);
    }

    /** A row could not be read, and not be rewritten either. */
    void onUnreadable()
    {
        unreadable++;
    }

    /**
     * {@return what was found so far}
     *
     * @param status  of the scrub.
     * @param endedMs 0: it goes on.
     */
    ScrubResult result(final ScrubStatus status, final long endedMs)
    {
        return new ScrubResult(mode, status, beganMs, endedMs, totalBytes, checkedBytes, skippedBytes, mismatches,
            offsets, repaired, correctedErrors, unreadable, wrong);
    }
}
