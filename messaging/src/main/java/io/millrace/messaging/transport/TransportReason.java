package io.millrace.messaging.transport;

/**
 * Why a transport was chosen. Immutable; any thread.
 */
public enum TransportReason
{
    /** An RDMA device is available here and at the peer. */
    RDMA_AVAILABLE,
    /** RDMA is disabled by the settings. */
    RDMA_DISABLED,
    /** rdma-core is not installed, or too old. */
    NO_RDMA_LIBRARY,
    /** No RDMA device fits the settings. */
    NO_RDMA_DEVICE,
    /** This process may not open the RDMA device, or not lock memory. */
    RDMA_NOT_PERMITTED,
    /** The peer does not listen for RDMA, or is not reached by it. */
    PEER_WITHOUT_RDMA,
    /** RDMA failed in another way. */
    RDMA_FAILED,
    /** The peer connected by this transport. */
    CHOSEN_BY_PEER
}
