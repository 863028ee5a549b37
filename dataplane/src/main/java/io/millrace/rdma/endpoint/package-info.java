/**
 * RDMA queue pairs and the connections between them, on a reactor: {@link io.millrace.rdma.endpoint.ConnectionManager}
 * listens and connects, {@link io.millrace.rdma.endpoint.RdmaQueuePair} posts requests, and
 * {@link io.millrace.rdma.endpoint.CompletionQueue} hands completions over.
 */
package io.millrace.rdma.endpoint;
