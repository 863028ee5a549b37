package io.millrace.block.raid;

/** What a scrub does where members differ. */
public enum ScrubMode
{
    /** Counts and reports. */
    CHECK,
    /** Makes copies equal again, or parity match the data. */
    REPAIR
}
