package io.millrace.perf.rdma;

/**
 * What a test does with the peer. Immutable; any thread.
 */
public enum RdmaOperation
{
    /** Messages, which the peer receives. */
    SEND,
    /** RDMA READ of the peer's memory. */
    READ,
    /** RDMA WRITE to the peer's memory. */
    WRITE
}
