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
