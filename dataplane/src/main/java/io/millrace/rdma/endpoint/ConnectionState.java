package io.millrace.rdma.endpoint;

/**
 * State of a connection.
 */
public enum ConnectionState
{
    /** Resolves the address of the peer to a device of this machine. */
    RESOLVING_ADDRESS,
    /** Resolves the route to the peer. */
    RESOLVING_ROUTE,
    /** Makes its queue pair, after memory is registered with a device that was not in use before. */
    OPENING_DEVICE,
    /** Has asked the peer. */
    CONNECTING,
    /** The peer has asked; neither accepted nor rejected yet. */
    REQUESTED,
    /** Has accepted; the peer has not said yet that it knows. */
    ACCEPTING,
    /** Carries messages. */
    ESTABLISHED,
    /** Waits for the device to give requests back. */
    CLOSING,
    /** Ended; nothing is left of it. */
    CLOSED
}
