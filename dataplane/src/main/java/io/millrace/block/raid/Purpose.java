package io.millrace.block.raid;

/** What a {@link StripeRequest} is for. */
enum Purpose
{
    /** Reads for a request. */
    READ,
    /** Writes for a request. */
    WRITE,
    /** Flushes all members for a request. */
    FLUSH,
    /** Writes the members that are being rebuilt. */
    REBUILD,
    /** Writes the member that is to replace another one. */
    COPY,
    /** Makes copies or parity match the data. */
    RESYNC,
    /** Rewrites rows that members cannot read. */
    REPAIR,
    /** Compares copies, or parity with the data. */
    CHECK,
    /** Makes copies or parity match where a check found that they do not. */
    RECONCILE,
    /** Moves data to where the array has it with one more member. */
    MOVE;

    /**
     * {@return whether blocks that it writes get other content than they are to have: else their checksums stay}
     */
    boolean changesContent()
    {
        return switch (this)
        {
            case WRITE, REBUILD, COPY, RESYNC, MOVE -> true;
            case READ, FLUSH, REPAIR, CHECK, RECONCILE -> false;
        };
    }
}
