/**
 * The functions of rdma-core that RDMA endpoints call, as an interface: {@link io.millrace.rdma.core.LinuxRdmaCore} in
 * production, a model without a device in tests.
 */
package io.millrace.rdma.core;
