package io.millrace.block.raid;

/** How far a {@link StripeRequest} is. */
enum StripeState
{
    /** In the pool. */
    FREE,
    /** Its region is not set in the bitmap yet. */
    ENTERING,
    /** Another request has some of its rows. */
    LOCKING,
    /** There is no buffer. */
    BUFFERING,
    /** Members read. */
    READING,
    /** Members must not be written now, or its entry has no place in the journal. */
    ADMITTING,
    /** Members write its entry in the journal. */
    JOURNALING,
    /** Members write or flush. */
    WRITING,
    /** A member was reported, and the view does not say yet what has become of it. */
    REPORTED,
    /** It has not succeeded, and a replay of the journal would still write what it has logged. */
    EXPIRING
}
