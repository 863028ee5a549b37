/**
 * RDMA connections through librdmacm of rdma-core: its calls, and its structures by address. The library may be
 * missing:
 * see {@link io.millrace.bindings.rdmacm.RdmaCmCalls#capability}.
 */
package io.millrace.bindings.rdmacm;
