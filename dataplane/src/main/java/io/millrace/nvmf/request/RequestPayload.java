package io.millrace.nvmf.request;

/**
 * State of the payload memory of a {@link Request}. A command that had to wait is executed again from its beginning,
 * and skips the steps recorded here.
 */
public enum RequestPayload
{
    /** No memory yet. */
    NONE,
    /** A buffer of the pool, empty. */
    BUFFERED,
    /** A buffer of the pool with the host's data in it. */
    RECEIVED
}
