package io.millrace.control.message;

import io.millrace.control.codec.ScrubMode;
import io.millrace.control.codec.ScrubState;
import java.util.List;
import java.util.Objects;

/**
 * A scrub of an array. A row is 4 KiB of each member at the same offset.
 *
 * @param mode            whether it repairs.
 * @param state           how far it is.
 * @param beganEpochMs    since 1970.
 * @param endedEpochMs    since 1970; 0: it goes on.
 * @param checkedBytes    of the array's data, what was compared.
 * @param skippedBytes    of the array's data, what could not be compared.
 * @param mismatches      rows whose copies differed, or whose parity did not match.
 * @param repaired        of these, those that match again.
 * @param correctedErrors rows that were rewritten on a member that could not read them.
 * @param unreadable      rows that could not be read, and not be rewritten either.
 * @param wrongBlocks     blocks of members that have a checksum mismatch.
 * @param offsets         of the first mismatches: the lowest byte on the array.
 */
public record ScrubInfo(
    ScrubMode mode,
    ScrubState state,
    long beganEpochMs,
    long endedEpochMs,
    long checkedBytes,
    long skippedBytes,
    long mismatches,
    long repaired,
    long correctedErrors,
    long unreadable,
    long wrongBlocks,
    List<Long> offsets)
{
    /**
     * Copies the list; rejects null.
     */
    public ScrubInfo
    {
        Objects.requireNonNull(mode, "mode");
        Objects.requireNonNull(state, "state");
        offsets = List.copyOf(offsets);
    }

    /**
     * {@return whether it has not ended}
     */
    public boolean isActive()
    {
        return ScrubState.RUNNING == state || ScrubState.WAITING == state;
    }
}
