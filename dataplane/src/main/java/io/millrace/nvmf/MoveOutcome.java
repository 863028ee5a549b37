package io.millrace.nvmf;

/**
 * Outcome of moving a queue pair to another reactor.
 */
public enum MoveOutcome
{
    /** The queue pair is on the other reactor. */
    MOVED,
    /** Its commands did not end in time; it stays on its reactor, and nothing is lost. */
    BUSY,
    /** Its connection has ended, or is ending. */
    GONE,
    /** The other reactor has as many connections as it may have. */
    FULL,
    /** A move is already in progress. */
    MOVING,
    /** The transport is being closed. */
    CLOSING,
    /** Connections of its transport do not move. */
    UNSUPPORTED
}
