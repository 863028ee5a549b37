package io.millrace.nvmf.tcp;

/**
 * Whether a connection has something to send, and what it waits for.
 */
enum SendState
{
    /** Nothing to send. */
    IDLE,
    /** Something to send; the connection is in its group's list of connections to flush. */
    QUEUED,
    /** The socket took no more; the connection waits until it is writable. */
    BLOCKED
}
