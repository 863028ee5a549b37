/**
 * Private data of the RDMA connection manager, by which host and controller agree on a queue before its first capsule
 * (NVMe over RDMA Transport Specification 1.0, section 3.1.1; NVMe over Fabrics 1.1, section 7.3.6). Both sides use it.
 */
package io.millrace.nvmf.rdma.cm;
