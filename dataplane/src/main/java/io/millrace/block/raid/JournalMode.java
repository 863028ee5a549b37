package io.millrace.block.raid;

/** When an array with parity journals what it writes. */
public enum JournalMode
{
    /** While a slot is not in sync. */
    DEGRADED,
    /** From its assembly on. */
    ALWAYS
}
