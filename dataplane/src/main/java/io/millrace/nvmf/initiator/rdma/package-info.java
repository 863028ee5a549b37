/**
 * NVMe/RDMA for hosts (NVMe over RDMA Transport Specification 1.0): a queue over one reliable connection, its capsules
 * by SEND, payload by the controller's RDMA READs and WRITEs. Everything here but
 * {@link io.millrace.nvmf.initiator.rdma.HostBuffers} is one reactor's.
 */
package io.millrace.nvmf.initiator.rdma;
