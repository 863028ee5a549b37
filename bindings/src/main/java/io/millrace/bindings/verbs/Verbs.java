package io.millrace.bindings.verbs;

import io.millrace.bindings.generated.verbs.verbs_h;

/**
 * Constants of {@code infiniband/verbs.h} by the names that they have there.
 */
public final class Verbs
{
    /** Node type: a channel adapter of InfiniBand or RoCE. */
    public static final int IBV_NODE_CA = verbs_h.IBV_NODE_CA();
    /** Node type: a network adapter of iWARP. */
    public static final int IBV_NODE_RNIC = verbs_h.IBV_NODE_RNIC();
    /** Transport of a device: InfiniBand, or RoCE when the link layer of the port is Ethernet. */
    public static final int IBV_TRANSPORT_IB = verbs_h.IBV_TRANSPORT_IB();
    /** Transport of a device: iWARP. */
    public static final int IBV_TRANSPORT_IWARP = verbs_h.IBV_TRANSPORT_IWARP();
    /** Atomics: none. */
    public static final int IBV_ATOMIC_NONE = verbs_h.IBV_ATOMIC_NONE();
    /** Atomics: atomic among the queue pairs of the device. */
    public static final int IBV_ATOMIC_HCA = verbs_h.IBV_ATOMIC_HCA();
    /** Atomics: atomic with all access to the memory, by CPUs too. */
    public static final int IBV_ATOMIC_GLOB = verbs_h.IBV_ATOMIC_GLOB();
    /** On-demand paging: there is some. */
    public static final int IBV_ODP_SUPPORT = verbs_h.IBV_ODP_SUPPORT();
    /** On-demand paging: of the whole address space. */
    public static final int IBV_ODP_SUPPORT_IMPLICIT = verbs_h.IBV_ODP_SUPPORT_IMPLICIT();
    /** On-demand paging of a queue pair: of what is sent. */
    public static final int IBV_ODP_SUPPORT_SEND = verbs_h.IBV_ODP_SUPPORT_SEND();
    /** On-demand paging of a queue pair: of receive buffers. */
    public static final int IBV_ODP_SUPPORT_RECV = verbs_h.IBV_ODP_SUPPORT_RECV();
    /** On-demand paging of a queue pair: of RDMA WRITE. */
    public static final int IBV_ODP_SUPPORT_WRITE = verbs_h.IBV_ODP_SUPPORT_WRITE();
    /** On-demand paging of a queue pair: of RDMA READ. */
    public static final int IBV_ODP_SUPPORT_READ = verbs_h.IBV_ODP_SUPPORT_READ();
    /** On-demand paging of a queue pair: of atomics. */
    public static final int IBV_ODP_SUPPORT_ATOMIC = verbs_h.IBV_ODP_SUPPORT_ATOMIC();
    /** On-demand paging of a queue pair: of buffers of a shared receive queue. */
    public static final int IBV_ODP_SUPPORT_SRQ_RECV = verbs_h.IBV_ODP_SUPPORT_SRQ_RECV();
    /** Port: no change of state. */
    public static final int IBV_PORT_NOP = verbs_h.IBV_PORT_NOP();
    /** Port: no link. */
    public static final int IBV_PORT_DOWN = verbs_h.IBV_PORT_DOWN();
    /** Port: a link, which the subnet manager has not configured. */
    public static final int IBV_PORT_INIT = verbs_h.IBV_PORT_INIT();
    /** Port: configured, not yet active. */
    public static final int IBV_PORT_ARMED = verbs_h.IBV_PORT_ARMED();
    /** Port: carries data. */
    public static final int IBV_PORT_ACTIVE = verbs_h.IBV_PORT_ACTIVE();
    /** Port: active, its link failed a moment ago. */
    public static final int IBV_PORT_ACTIVE_DEFER = verbs_h.IBV_PORT_ACTIVE_DEFER();
    /** Link layer of a port. */
    public static final int IBV_LINK_LAYER_INFINIBAND = verbs_h.IBV_LINK_LAYER_INFINIBAND();
    /** Link layer of a port. */
    public static final int IBV_LINK_LAYER_ETHERNET = verbs_h.IBV_LINK_LAYER_ETHERNET();
    /** The smallest MTU: 256 bytes; each following number doubles it. */
    public static final int IBV_MTU_256 = verbs_h.IBV_MTU_256();
    /** The largest MTU: 4096 bytes. */
    public static final int IBV_MTU_4096 = verbs_h.IBV_MTU_4096();
    /** GID of InfiniBand, and of iWARP. */
    public static final int IBV_GID_TYPE_IB = verbs_h.IBV_GID_TYPE_IB();
    /** GID of RoCE v1, within one Ethernet segment. */
    public static final int IBV_GID_TYPE_ROCE_V1 = verbs_h.IBV_GID_TYPE_ROCE_V1();
    /** GID of RoCE v2, over UDP. */
    public static final int IBV_GID_TYPE_ROCE_V2 = verbs_h.IBV_GID_TYPE_ROCE_V2();
    /** Access to a region: the device writes into it. */
    public static final int IBV_ACCESS_LOCAL_WRITE = verbs_h.IBV_ACCESS_LOCAL_WRITE();
    /** Access to a region: the peer writes. */
    public static final int IBV_ACCESS_REMOTE_WRITE = verbs_h.IBV_ACCESS_REMOTE_WRITE();
    /** Access to a region: the peer reads. */
    public static final int IBV_ACCESS_REMOTE_READ = verbs_h.IBV_ACCESS_REMOTE_READ();
    /** Access to a region: atomics of the peer. */
    public static final int IBV_ACCESS_REMOTE_ATOMIC = verbs_h.IBV_ACCESS_REMOTE_ATOMIC();
    /** Queue pair: reliable connection. */
    public static final int IBV_QPT_RC = verbs_h.IBV_QPT_RC();
    /** Request: write at the peer. */
    public static final int IBV_WR_RDMA_WRITE = verbs_h.IBV_WR_RDMA_WRITE();
    /** Request: write at the peer, and complete a receive request there. */
    public static final int IBV_WR_RDMA_WRITE_WITH_IMM = verbs_h.IBV_WR_RDMA_WRITE_WITH_IMM();
    /** Request: send. */
    public static final int IBV_WR_SEND = verbs_h.IBV_WR_SEND();
    /** Request: send with immediate data. */
    public static final int IBV_WR_SEND_WITH_IMM = verbs_h.IBV_WR_SEND_WITH_IMM();
    /** Request: read at the peer. */
    public static final int IBV_WR_RDMA_READ = verbs_h.IBV_WR_RDMA_READ();
    /** Request: compare and swap 64 bits at the peer. */
    public static final int IBV_WR_ATOMIC_CMP_AND_SWP = verbs_h.IBV_WR_ATOMIC_CMP_AND_SWP();
    /** Request: add to 64 bits at the peer. */
    public static final int IBV_WR_ATOMIC_FETCH_AND_ADD = verbs_h.IBV_WR_ATOMIC_FETCH_AND_ADD();
    /** Request: send, and invalidate a key of the peer. */
    public static final int IBV_WR_SEND_WITH_INV = verbs_h.IBV_WR_SEND_WITH_INV();
    /** Flag of a request: begins after the READs and atomics before it. */
    public static final int IBV_SEND_FENCE = verbs_h.IBV_SEND_FENCE();
    /** Flag of a request: has a completion also when it succeeds. */
    public static final int IBV_SEND_SIGNALED = verbs_h.IBV_SEND_SIGNALED();
    /** Flag of a request: its data is copied into it when it is posted. */
    public static final int IBV_SEND_INLINE = verbs_h.IBV_SEND_INLINE();
    /** Status: done. */
    public static final int IBV_WC_SUCCESS = verbs_h.IBV_WC_SUCCESS();
    /** Status: length. */
    public static final int IBV_WC_LOC_LEN_ERR = verbs_h.IBV_WC_LOC_LEN_ERR();
    /** Status: request is wrong. */
    public static final int IBV_WC_LOC_QP_OP_ERR = verbs_h.IBV_WC_LOC_QP_OP_ERR();
    /** Status: memory is in no region. */
    public static final int IBV_WC_LOC_PROT_ERR = verbs_h.IBV_WC_LOC_PROT_ERR();
    /** Status: queue pair had failed before. */
    public static final int IBV_WC_WR_FLUSH_ERR = verbs_h.IBV_WC_WR_FLUSH_ERR();
    /** Status: memory window. */
    public static final int IBV_WC_MW_BIND_ERR = verbs_h.IBV_WC_MW_BIND_ERR();
    /** Status: answer of the peer. */
    public static final int IBV_WC_BAD_RESP_ERR = verbs_h.IBV_WC_BAD_RESP_ERR();
    /** Status: access of the peer to a region. */
    public static final int IBV_WC_LOC_ACCESS_ERR = verbs_h.IBV_WC_LOC_ACCESS_ERR();
    /** Status: the peer refused the request. */
    public static final int IBV_WC_REM_INV_REQ_ERR = verbs_h.IBV_WC_REM_INV_REQ_ERR();
    /** Status: the peer refused the access. */
    public static final int IBV_WC_REM_ACCESS_ERR = verbs_h.IBV_WC_REM_ACCESS_ERR();
    /** Status: the peer failed. */
    public static final int IBV_WC_REM_OP_ERR = verbs_h.IBV_WC_REM_OP_ERR();
    /** Status: no answer. */
    public static final int IBV_WC_RETRY_EXC_ERR = verbs_h.IBV_WC_RETRY_EXC_ERR();
    /** Status: no receive request at the peer. */
    public static final int IBV_WC_RNR_RETRY_EXC_ERR = verbs_h.IBV_WC_RNR_RETRY_EXC_ERR();
    /** Status: the peer gave up. */
    public static final int IBV_WC_REM_ABORT_ERR = verbs_h.IBV_WC_REM_ABORT_ERR();
    /** Status: device failed. */
    public static final int IBV_WC_FATAL_ERR = verbs_h.IBV_WC_FATAL_ERR();
    /** Status: answer too late. */
    public static final int IBV_WC_RESP_TIMEOUT_ERR = verbs_h.IBV_WC_RESP_TIMEOUT_ERR();
    /** Status: other. */
    public static final int IBV_WC_GENERAL_ERR = verbs_h.IBV_WC_GENERAL_ERR();
    /** Flag of a completion: has immediate data. */
    public static final int IBV_WC_WITH_IMM = verbs_h.IBV_WC_WITH_IMM();
    /** Flag of a completion: a key was invalidated. */
    public static final int IBV_WC_WITH_INV = verbs_h.IBV_WC_WITH_INV();
    /** Attribute of a queue pair: how long a peer waits that found no receive request. */
    public static final int IBV_QP_MIN_RNR_TIMER = verbs_h.IBV_QP_MIN_RNR_TIMER();
    /** Asynchronous event: a completion queue has overrun. */
    public static final int IBV_EVENT_CQ_ERR = verbs_h.IBV_EVENT_CQ_ERR();
    /** Asynchronous event: a queue pair has failed. */
    public static final int IBV_EVENT_QP_FATAL = verbs_h.IBV_EVENT_QP_FATAL();
    /** Asynchronous event: a request of the peer was invalid. */
    public static final int IBV_EVENT_QP_REQ_ERR = verbs_h.IBV_EVENT_QP_REQ_ERR();
    /** Asynchronous event: a request of the peer was not allowed. */
    public static final int IBV_EVENT_QP_ACCESS_ERR = verbs_h.IBV_EVENT_QP_ACCESS_ERR();
    /** Asynchronous event: the device has failed, or is removed. */
    public static final int IBV_EVENT_DEVICE_FATAL = verbs_h.IBV_EVENT_DEVICE_FATAL();
    /** Asynchronous event: a port is up. */
    public static final int IBV_EVENT_PORT_ACTIVE = verbs_h.IBV_EVENT_PORT_ACTIVE();
    /** Asynchronous event: a port is down. */
    public static final int IBV_EVENT_PORT_ERR = verbs_h.IBV_EVENT_PORT_ERR();
    /** Queue pair: datagrams. */
    public static final int IBV_QPT_UD = verbs_h.IBV_QPT_UD();
    /** Request: invalidate a key of this side. */
    public static final int IBV_WR_LOCAL_INV = verbs_h.IBV_WR_LOCAL_INV();
    /** Request: bind a memory window to a range. */
    public static final int IBV_WR_BIND_MW = verbs_h.IBV_WR_BIND_MW();
    /** Memory window that is bound by a request of the send queue. */
    public static final int IBV_MW_TYPE_2 = verbs_h.IBV_MW_TYPE_2();
    /** Access to a region: windows may be bound to it. */
    public static final int IBV_ACCESS_MW_BIND = verbs_h.IBV_ACCESS_MW_BIND();
    /** Access to a region: its pages are not pinned, the device asks for them. */
    public static final int IBV_ACCESS_ON_DEMAND = verbs_h.IBV_ACCESS_ON_DEMAND();
    /** Capability of a device: windows of type 2, valid on all queue pairs of the domain. */
    public static final int IBV_DEVICE_MEM_WINDOW_TYPE_2A = verbs_h.IBV_DEVICE_MEM_WINDOW_TYPE_2A();
    /** Capability of a device: windows of type 2, valid on the queue pair that bound them. */
    public static final int IBV_DEVICE_MEM_WINDOW_TYPE_2B = verbs_h.IBV_DEVICE_MEM_WINDOW_TYPE_2B();
    /** Asynchronous event: a shared receive queue has failed. */
    public static final int IBV_EVENT_SRQ_ERR = verbs_h.IBV_EVENT_SRQ_ERR();
    /** Asynchronous event: a shared receive queue has fewer requests than its limit. */
    public static final int IBV_EVENT_SRQ_LIMIT_REACHED = verbs_h.IBV_EVENT_SRQ_LIMIT_REACHED();
    /** Asynchronous event: a failed queue pair takes no more from its shared receive queue. */
    public static final int IBV_EVENT_QP_LAST_WQE_REACHED = verbs_h.IBV_EVENT_QP_LAST_WQE_REACHED();
    /** Asynchronous event: a queue pair uses its alternate path now. */
    public static final int IBV_EVENT_PATH_MIG = verbs_h.IBV_EVENT_PATH_MIG();
    /** Asynchronous event: the alternate path of a queue pair failed. */
    public static final int IBV_EVENT_PATH_MIG_ERR = verbs_h.IBV_EVENT_PATH_MIG_ERR();
    /** Attribute of a shared receive queue: its limit. */
    public static final int IBV_SRQ_LIMIT = verbs_h.IBV_SRQ_LIMIT();
    /** Flag of a completion: the global routing header lies in front of the payload. */
    public static final int IBV_WC_GRH = verbs_h.IBV_WC_GRH();
    /** Size of the global routing header in front of each datagram. */
    public static final int IBV_GRH_SIZE = (int)verbs_h.IBV_GRH_SIZE();

    private Verbs()
    {
    }
}
