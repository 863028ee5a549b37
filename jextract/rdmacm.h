/*
 * librdmacm of rdma-core. rdmacm.includes says which of the symbols are taken. Of structures that hold addresses of sockets in
 * unions only offsets are taken.
 */
#include <rdma/rdma_cma.h>

#define RDMA_CM_ID_VERBS offsetof(struct rdma_cm_id, verbs)
#define RDMA_CM_ID_CONTEXT offsetof(struct rdma_cm_id, context)
#define RDMA_CM_ID_QP offsetof(struct rdma_cm_id, qp)
#define RDMA_CM_ID_SRC_ADDR offsetof(struct rdma_cm_id, route.addr.src_addr)
#define RDMA_CM_ID_DST_ADDR offsetof(struct rdma_cm_id, route.addr.dst_addr)
#define RDMA_CM_ID_PORT_NUM offsetof(struct rdma_cm_id, port_num)
#define RDMA_CM_EVENT_ID offsetof(struct rdma_cm_event, id)
#define RDMA_CM_EVENT_LISTEN_ID offsetof(struct rdma_cm_event, listen_id)
#define RDMA_CM_EVENT_TYPE offsetof(struct rdma_cm_event, event)
#define RDMA_CM_EVENT_STATUS offsetof(struct rdma_cm_event, status)
#define RDMA_CM_EVENT_PARAM_CONN offsetof(struct rdma_cm_event, param.conn)
#define RDMA_CM_EVENT_PARAM_UD_PRIVATE_DATA offsetof(struct rdma_cm_event, param.ud.private_data)
#define RDMA_CM_EVENT_PARAM_UD_PRIVATE_DATA_LEN offsetof(struct rdma_cm_event, param.ud.private_data_len)
#define RDMA_CM_EVENT_PARAM_UD_AH_ATTR offsetof(struct rdma_cm_event, param.ud.ah_attr)
#define RDMA_CM_EVENT_PARAM_UD_QP_NUM offsetof(struct rdma_cm_event, param.ud.qp_num)
#define RDMA_CM_EVENT_PARAM_UD_QKEY offsetof(struct rdma_cm_event, param.ud.qkey)
