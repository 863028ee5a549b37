package io.millrace.bindings.rdmacm;

import io.millrace.bindings.generated.rdmacm.rdmacm_h;

/**
 * Constants of {@code rdma/rdma_cma.h} by the names that they have there.
 */
public final class RdmaCm
{
    /** The address of the peer was found. */
    public static final int RDMA_CM_EVENT_ADDR_RESOLVED = rdmacm_h.RDMA_CM_EVENT_ADDR_RESOLVED();
    /** It was not. */
    public static final int RDMA_CM_EVENT_ADDR_ERROR = rdmacm_h.RDMA_CM_EVENT_ADDR_ERROR();
    /** The route to the peer was found. */
    public static final int RDMA_CM_EVENT_ROUTE_RESOLVED = rdmacm_h.RDMA_CM_EVENT_ROUTE_RESOLVED();
    /** It was not. */
    public static final int RDMA_CM_EVENT_ROUTE_ERROR = rdmacm_h.RDMA_CM_EVENT_ROUTE_ERROR();
    /** A peer asks for a connection. */
    public static final int RDMA_CM_EVENT_CONNECT_REQUEST = rdmacm_h.RDMA_CM_EVENT_CONNECT_REQUEST();
    /** The peer does not answer. */
    public static final int RDMA_CM_EVENT_UNREACHABLE = rdmacm_h.RDMA_CM_EVENT_UNREACHABLE();
    /** The peer refused. */
    public static final int RDMA_CM_EVENT_REJECTED = rdmacm_h.RDMA_CM_EVENT_REJECTED();
    /** The connection is made. */
    public static final int RDMA_CM_EVENT_ESTABLISHED = rdmacm_h.RDMA_CM_EVENT_ESTABLISHED();
    /** The connection ended. */
    public static final int RDMA_CM_EVENT_DISCONNECTED = rdmacm_h.RDMA_CM_EVENT_DISCONNECTED();
    /** The device is being removed. */
    public static final int RDMA_CM_EVENT_DEVICE_REMOVAL = rdmacm_h.RDMA_CM_EVENT_DEVICE_REMOVAL();
    /** The address belongs to another device now. */
    public static final int RDMA_CM_EVENT_ADDR_CHANGE = rdmacm_h.RDMA_CM_EVENT_ADDR_CHANGE();
    /** The number of the queue pair may be used again. */
    public static final int RDMA_CM_EVENT_TIMEWAIT_EXIT = rdmacm_h.RDMA_CM_EVENT_TIMEWAIT_EXIT();

    private RdmaCm()
    {
    }
}
