package io.millrace.messaging.transport;

/**
 * What carries a connection.
 */
public enum TransportKind
{
    /** Queue pairs of an RDMA device. */
    RDMA,
    /** Streams of TCP. */
    TCP
}
