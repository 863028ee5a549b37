package io.millrace.block.raid;

/** How far a scrub is. */
public enum ScrubStatus
{
    /** It reads, or pauses to keep the rate. */
    RUNNING,
    /** It goes on when a rebuild or a resync has ended, or when an array with parity is complete again. */
    WAITING,
    /** All was read, but for what was skipped. */
    COMPLETED,
    /** It was stopped. */
    STOPPED,
    /** The array failed meanwhile, or was closed. */
    ABORTED,
    /** All was skipped: nothing could be compared. It does not count as a scrub of the array. */
    SKIPPED
}
