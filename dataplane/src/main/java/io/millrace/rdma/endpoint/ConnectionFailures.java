package io.millrace.rdma.endpoint;

import io.millrace.bindings.Errno;
import io.millrace.bindings.rdmacm.RdmaCm;

/**
 * Why connections end, by events of the connection manager, with what to check. Stateless.
 */
final class ConnectionFailures
{
    /** What is known when no request has failed. */
    static final String PEER_ENDED = "the peer ended the connection";
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
                case NO_LISTENER -> "nobody listens for RDMA at the address of the peer";
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
            return "the RDMA device was removed";
        }
        if (RdmaCm.RDMA_CM_EVENT_ADDR_CHANGE == type)
        {
            return "the address belongs to another device now";
        }
        return "the connection could not be made (event " + type + ", " + errno(status) + ")";
    }

    private static String errno(final int status)
    {
        return status < 0 ? Errno.describe(-status) : "status " + status;
    }
}
