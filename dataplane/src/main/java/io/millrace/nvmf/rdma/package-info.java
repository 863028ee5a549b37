/**
 * The target's side of NVMe/RDMA (NVMe over RDMA Transport Specification 1.0).
 */
package io.millrace.nvmf.rdma;
