package io.millrace.block.raid;

/**
 * The device that settings name for the journal of an array, as it is now, for people. Immutable.
 *
 * @param device name; empty: none is named, and members have the journal.
 * @param state  of the device.
 */
public record RaidJournalDetails(String device, State state)
{
    /** What is used of a device. */
    public enum State
    {
        /** Settings name no device. */
        NONE,
        /** Writes are not journaled now. */
        IDLE,
        /** It has the journal. */
        ACTIVE,
        /** It has failed: members have the journal. */
        FAILED,
        /** It could not be used when the array was started: members have the journal. */
        MISSING
    }
}
