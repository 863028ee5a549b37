/**
 * Latency and bandwidth of RDMA connections, between {@link io.millrace.perf.rdma.RdmaTestServer} and the tests of
 * {@link io.millrace.perf.rdma.RdmaTests}.
 */
package io.millrace.perf.rdma;
