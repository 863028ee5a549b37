package io.millrace.rdma.endpoint;

import io.millrace.bindings.Errno;
import io.millrace.bindings.rdmacm.RdmaCm;
import io.millrace.bindings.verbs.Verbs;

/**
 * Why connections end, by events of the connection manager, with what to check. Stateless.
 */
final class ConnectionFailures
{
    /** What is known when no request has failed. */
    static final String PEER_ENDED = "the peer ended the connection";
    static final String DEVICE_REMOVED = "the RDMA device was removed";
    /** Of a request that was accepted. */
    static final String GAVE_UP = "the peer gave up before it was accepted, or is gone";
    /** Reasons of a refusal, InfiniBand Architecture Specification 1.4, volume 1, table 112. */
    private static final int NO_LISTENER = 8;
    private static final int BY_CONSUMER = 28;

    private ConnectionFailures()
    {
    }

    static String text(final int type, final int status)
    {
        if (RdmaCm.RDMA_CM_EVENT_DISCONNECTED == type)
        {
            return PEER_ENDED;
        }
        if (RdmaCm.RDMA_CM_EVENT_REJECTED == type)
        {
            return switch (status)
            {
                case NO_LISTENER -> "connection refused: no RDMA listener at the peer's address and port";
                case BY_CONSUMER -> "the peer refused the connection";
                default -> "the peer's device refused the connection, reason " + status +
                    " of the InfiniBand specification";
            };
        }
        if (RdmaCm.RDMA_CM_EVENT_ADDR_ERROR == type)
        {
            return "no RDMA device reaches the address of the peer (" + errno(status) +
                "): check routes, and that an RDMA device is on that network: millrace rdma devices";
        }
        if (RdmaCm.RDMA_CM_EVENT_ROUTE_ERROR == type)
        {
            return "there is no route to the peer (" + errno(status) + "): check the link and the subnet manager";
        }
        if (RdmaCm.RDMA_CM_EVENT_UNREACHABLE == type)
        {
            return "the peer does not answer (" + errno(status) + "): check the link, firewalls and UDP port 4791";
        }
        if (RdmaCm.RDMA_CM_EVENT_DEVICE_REMOVAL == type)
        {
            return DEVICE_REMOVED;
        }
        if (RdmaCm.RDMA_CM_EVENT_ADDR_CHANGE == type)
        {
            return "the address belongs to another device now";
        }
        return "the connection could not be made (event " + type + ", " + errno(status) + ")";
    }

    /** {@return why a queue pair failed, by an asynchronous event; empty when it did not} */
    static String queuePairText(final int type)
    {
        if (Verbs.IBV_EVENT_QP_FATAL == type)
        {
            return "the device reports that the queue pair has failed: see the kernel's log";
        }
        if (Verbs.IBV_EVENT_QP_REQ_ERR == type)
        {
            return "a request of the peer was invalid";
        }
        return Verbs.IBV_EVENT_QP_ACCESS_ERR == type ?
            "a request of the peer was refused: check its key, bounds and access" : "";
    }

    private static String errno(final int status)
    {
        return status < 0 ? Errno.describe(-status) : "status " + status;
    }
}
