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

    private Verbs()
    {
    }
}
