package io.millrace.messaging;

import io.millrace.messaging.transport.TransportReason;

/**
 * What {@link Messaging#count} counts, since it was launched.
 */
public enum MessagingCounter
{
    /** Messages that were accepted for sending. */
    MESSAGES_SENT,
    /** Bytes of them. */
    MESSAGE_BYTES_SENT,
    /** Messages that were delivered to a handler. */
    MESSAGES_RECEIVED,
    /** Bytes of them. */
    MESSAGE_BYTES_RECEIVED,
    /** Messages that were sent by offering them for a READ. */
    MESSAGES_OFFERED,
    /** Requests that were refused because of back pressure. */
    BACK_PRESSURED,
    /** Reads of exported memory of a peer. */
    READS,
    /** Writes to exported memory of a peer. */
    WRITES,
    /** Connections by RDMA. */
    CONNECTIONS_RDMA,
    /** Connections by TCP. */
    CONNECTIONS_TCP,
    /** Connections by TCP because RDMA is disabled. */
    TCP_RDMA_DISABLED,
    /** Connections by TCP because rdma-core is missing. */
    TCP_NO_RDMA_LIBRARY,
    /** Connections by TCP because there is no RDMA device. */
    TCP_NO_RDMA_DEVICE,
    /** Connections by TCP because this process has no permission. */
    TCP_RDMA_NOT_PERMITTED,
    /** Connections by TCP because the peer has no RDMA. */
    TCP_PEER_WITHOUT_RDMA,
    /** Connections by TCP because RDMA failed in another way. */
    TCP_RDMA_FAILED,
    /** Connections that ended other than by being closed. */
    CONNECTIONS_LOST,
    /** Attempts to connect that failed. */
    CONNECTS_FAILED,
    /** Peers that were refused. */
    PEERS_REJECTED,
    /** Connections that a peer ended by breaking the protocol. */
    PROTOCOL_ERRORS,
    /** Accesses that were refused, here or at a peer. */
    ACCESSES_DENIED,
    /** Calls of handlers, and of the {@link MessagingListener}, that threw. */
    HANDLER_ERRORS;

    /** {@return the counter of TCP connections for a reason; null when it has none} */
    static MessagingCounter of(final TransportReason reason)
    {
        return switch (reason)
        {
            case RDMA_DISABLED -> TCP_RDMA_DISABLED;
            case NO_RDMA_LIBRARY -> TCP_NO_RDMA_LIBRARY;
            case NO_RDMA_DEVICE -> TCP_NO_RDMA_DEVICE;
            case RDMA_NOT_PERMITTED -> TCP_RDMA_NOT_PERMITTED;
            case PEER_WITHOUT_RDMA -> TCP_PEER_WITHOUT_RDMA;
            case RDMA_FAILED -> TCP_RDMA_FAILED;
            case RDMA_AVAILABLE, CHOSEN_BY_PEER -> null;
        };
    }
}
