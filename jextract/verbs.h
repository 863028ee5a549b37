/*
 * libibverbs of rdma-core. verbs.includes says which of the symbols are taken.
 */
#include <infiniband/verbs.h>

/*
 * Of structures that hold function pointers or a mutex only offsets are taken: a pointer is called by its address, and jextract
 * would write thousands of lines for each table of them. A verbs_context lies before its ibv_context and grows at its
 * beginning, so its fields have distances from the context, which stay the same from version to version.
 */
#define IBV_DEVICE_NODE_TYPE offsetof(struct ibv_device, node_type)
#define IBV_DEVICE_TRANSPORT_TYPE offsetof(struct ibv_device, transport_type)
#define IBV_DEVICE_NAME offsetof(struct ibv_device, name)
#define IBV_DEVICE_DEV_NAME offsetof(struct ibv_device, dev_name)
#define IBV_CONTEXT_ABI_COMPAT offsetof(struct ibv_context, abi_compat)
_Static_assert(sizeof(struct ibv_context) == IBV_CONTEXT_ABI_COMPAT + sizeof(void *), "abi_compat is the last field");
#define VERBS_CONTEXT_BEFORE(field) (offsetof(struct verbs_context, context) - offsetof(struct verbs_context, field))
#define VERBS_CONTEXT_SZ VERBS_CONTEXT_BEFORE(sz)
#define VERBS_CONTEXT_QUERY_PORT VERBS_CONTEXT_BEFORE(query_port)
#define VERBS_CONTEXT_QUERY_DEVICE_EX VERBS_CONTEXT_BEFORE(query_device_ex)

/* The extended attributes as far as they are read; libibverbs and providers fill what they are given room for. */
#define IBV_DEVICE_ATTR_EX_ODP_CAPS offsetof(struct ibv_device_attr_ex, odp_caps)
#define IBV_DEVICE_ATTR_EX_READ (IBV_DEVICE_ATTR_EX_ODP_CAPS + sizeof(struct ibv_odp_caps))

/* Functions of a context that C calls by inline functions, and where their arguments' structures keep what is read. */
#define IBV_CONTEXT_OPS_POLL_CQ offsetof(struct ibv_context, ops.poll_cq)
#define IBV_CONTEXT_OPS_REQ_NOTIFY_CQ offsetof(struct ibv_context, ops.req_notify_cq)
#define IBV_CONTEXT_OPS_POST_SEND offsetof(struct ibv_context, ops.post_send)
#define IBV_CONTEXT_OPS_POST_RECV offsetof(struct ibv_context, ops.post_recv)
#define IBV_CONTEXT_DEVICE offsetof(struct ibv_context, device)
#define IBV_CONTEXT_ASYNC_FD offsetof(struct ibv_context, async_fd)
#define IBV_ASYNC_EVENT_SIZE sizeof(struct ibv_async_event)
#define IBV_ASYNC_EVENT_ELEMENT offsetof(struct ibv_async_event, element)
#define IBV_ASYNC_EVENT_TYPE offsetof(struct ibv_async_event, event_type)
#define IBV_QP_ATTR_SIZE sizeof(struct ibv_qp_attr)
#define IBV_QP_ATTR_MIN_RNR_TIMER offsetof(struct ibv_qp_attr, min_rnr_timer)
#define IBV_QP_NUMBER offsetof(struct ibv_qp, qp_num)
#define IBV_QP_CONTEXT offsetof(struct ibv_qp, context)
#define IBV_CQ_CONTEXT offsetof(struct ibv_cq, context)
#define IBV_CQ_CQE offsetof(struct ibv_cq, cqe)
#define IBV_MR_LKEY offsetof(struct ibv_mr, lkey)
#define IBV_MR_RKEY offsetof(struct ibv_mr, rkey)
#define IBV_COMP_CHANNEL_FD offsetof(struct ibv_comp_channel, fd)

/* A work request has unions of structures without names. */
#define IBV_SEND_WR_SIZE sizeof(struct ibv_send_wr)
#define IBV_SEND_WR_WR_ID offsetof(struct ibv_send_wr, wr_id)
#define IBV_SEND_WR_NEXT offsetof(struct ibv_send_wr, next)
#define IBV_SEND_WR_SG_LIST offsetof(struct ibv_send_wr, sg_list)
#define IBV_SEND_WR_NUM_SGE offsetof(struct ibv_send_wr, num_sge)
#define IBV_SEND_WR_OPCODE offsetof(struct ibv_send_wr, opcode)
#define IBV_SEND_WR_SEND_FLAGS offsetof(struct ibv_send_wr, send_flags)
#define IBV_SEND_WR_IMM_DATA offsetof(struct ibv_send_wr, imm_data)
#define IBV_SEND_WR_INVALIDATE_RKEY offsetof(struct ibv_send_wr, invalidate_rkey)
#define IBV_SEND_WR_REMOTE_ADDR offsetof(struct ibv_send_wr, wr.rdma.remote_addr)
#define IBV_SEND_WR_RKEY offsetof(struct ibv_send_wr, wr.rdma.rkey)
#define IBV_SEND_WR_ATOMIC_REMOTE_ADDR offsetof(struct ibv_send_wr, wr.atomic.remote_addr)
#define IBV_SEND_WR_ATOMIC_COMPARE_ADD offsetof(struct ibv_send_wr, wr.atomic.compare_add)
#define IBV_SEND_WR_ATOMIC_SWAP offsetof(struct ibv_send_wr, wr.atomic.swap)
#define IBV_SEND_WR_ATOMIC_RKEY offsetof(struct ibv_send_wr, wr.atomic.rkey)

/* A request on a datagram queue pair names an address handle; one that binds a memory window has a structure of its own. */
#define IBV_SEND_WR_UD_AH offsetof(struct ibv_send_wr, wr.ud.ah)
#define IBV_SEND_WR_UD_REMOTE_QPN offsetof(struct ibv_send_wr, wr.ud.remote_qpn)
#define IBV_SEND_WR_UD_REMOTE_QKEY offsetof(struct ibv_send_wr, wr.ud.remote_qkey)
#define IBV_SEND_WR_BIND_MW offsetof(struct ibv_send_wr, bind_mw.mw)
#define IBV_SEND_WR_BIND_RKEY offsetof(struct ibv_send_wr, bind_mw.rkey)
#define IBV_SEND_WR_BIND_MR offsetof(struct ibv_send_wr, bind_mw.bind_info.mr)
#define IBV_SEND_WR_BIND_ADDR offsetof(struct ibv_send_wr, bind_mw.bind_info.addr)
#define IBV_SEND_WR_BIND_LENGTH offsetof(struct ibv_send_wr, bind_mw.bind_info.length)
#define IBV_SEND_WR_BIND_ACCESS offsetof(struct ibv_send_wr, bind_mw.bind_info.mw_access_flags)

/* Shared receive queues, memory windows, and the functions of a context for them. */
#define IBV_CONTEXT_OPS_POST_SRQ_RECV offsetof(struct ibv_context, ops.post_srq_recv)
#define IBV_CONTEXT_OPS_ALLOC_MW offsetof(struct ibv_context, ops.alloc_mw)
#define IBV_CONTEXT_OPS_DEALLOC_MW offsetof(struct ibv_context, ops.dealloc_mw)
#define IBV_SRQ_CONTEXT offsetof(struct ibv_srq, context)
#define IBV_PD_CONTEXT offsetof(struct ibv_pd, context)
#define IBV_MW_CONTEXT offsetof(struct ibv_mw, context)
#define IBV_MW_RKEY offsetof(struct ibv_mw, rkey)
#define IBV_SRQ_INIT_ATTR_SIZE sizeof(struct ibv_srq_init_attr)
#define IBV_SRQ_INIT_ATTR_MAX_WR offsetof(struct ibv_srq_init_attr, attr.max_wr)
#define IBV_SRQ_INIT_ATTR_MAX_SGE offsetof(struct ibv_srq_init_attr, attr.max_sge)
#define IBV_SRQ_INIT_ATTR_LIMIT offsetof(struct ibv_srq_init_attr, attr.srq_limit)
#define IBV_SRQ_INIT_ATTR_ATTR offsetof(struct ibv_srq_init_attr, attr)
#define IBV_GRH_SIZE sizeof(struct ibv_grh)
