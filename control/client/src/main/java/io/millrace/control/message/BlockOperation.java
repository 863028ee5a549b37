package io.millrace.control.message;

/**
 * Block operations that a fault rule can name, in the order of the bits of the schema's set Operations.
 */
public enum BlockOperation
{
    /** Read. */
    READ,
    /** Write. */
    WRITE,
    /** Flush. */
    FLUSH,
    /** Write zeroes. */
    WRITE_ZEROES,
    /** Deallocate. */
    DEALLOCATE,
    /** Compare. */
    COMPARE,
    /** Verify. */
    VERIFY,
    /** Copy. */
    COPY
}
