/**
 * {@code millrace rdma}: RDMA devices of this machine, without a data plane.
 */
package io.millrace.cli.local.rdma;
