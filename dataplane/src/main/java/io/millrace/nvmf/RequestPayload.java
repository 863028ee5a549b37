package io.millrace.nvmf;

/**
 * How far a {@link Request} is with the memory of its payload. A command that had to wait is carried out again from its
 * beginning, and finds here what it need not do twice.
 */
enum RequestPayload
{
    /** No memory yet. */
    NONE,
    /** A buffer of the pool, empty. */
    BUFFERED,
    /** A buffer of the pool with the host's data in it. */
    RECEIVED
}
