package io.millrace.nvmf;

/**
 * How it went to carry a queue pair over to another reactor.
 */
public enum MoveOutcome
{
    /** It is there now. */
    MOVED,
    /** Commands of it did not end in time; it goes on where it was, and nothing is lost. */
    BUSY,
    /** Its connection has ended, or is ending. */
    GONE,
    /** The other reactor has as many connections as it may have. */
    FULL,
    /** It is on its way already. */
    MOVING,
    /** The transport is being closed. */
    CLOSING
}
