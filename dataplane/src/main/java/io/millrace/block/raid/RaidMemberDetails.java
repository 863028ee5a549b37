package io.millrace.block.raid;

import java.util.UUID;

/**
 * A device of an array, or a slot without one, as it is now. Immutable.
 *
 * @param slot            of the array; {@link #NO_SLOT}: a spare, or a device that failed and whose slot has another.
 * @param name            of the device; empty: it is missing, or the slot is empty.
 * @param id              of its superblock; null: the slot is empty.
 * @param state           of its data.
 * @param rebuiltBytes    of its data from the start that are valid; all of them when it is in sync.
 * @param correctedErrors times that rows which it could not read, or read wrongly, were rewritten on it.
 * @param lostBlocks      blocks that a rebuild could not compute, and that nobody has written since.
 * @param wrongBlocks     times that blocks were found to have a checksum mismatch, since it was assembled.
 * @param invalidChecksumPages pages of its checksums that were not valid when they were read, since it was assembled.
 */
public record RaidMemberDetails(
    int slot,
    String name,
    UUID id,
    State state,
    long rebuiltBytes,
    long correctedErrors,
    long lostBlocks,
    long wrongBlocks,
    long invalidChecksumPages)
{
    /** Of a device without one. */
    public static final int NO_SLOT = -1;

    /** What its data is. */
    public enum State
    {
        /** The slot has no member. */
        EMPTY,
        /** Current. */
        IN_SYNC,
        /** Current in what is rebuilt. */
        REBUILDING,
        /** Stale. */
        FAILED,
        /** None: it takes the place of a member that fails. */
        SPARE
    }
}
