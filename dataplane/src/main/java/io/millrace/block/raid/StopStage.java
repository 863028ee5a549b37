package io.millrace.block.raid;

/** What is next when {@link ArrayWork} ends. */
enum StopStage
{
    /** Checksums are stored, without which no region is cleared. */
    CHECKSUMS,
    /** The bitmap of an array that nobody writes is empty. */
    BITMAP,
    /** Checksums of what was written meanwhile are stored. */
    LAST_CHECKSUMS,
    /** Superblocks say that it is clean. */
    SUPERBLOCKS,
    /** The channel is closed. */
    CHANNEL
}
