/**
 * Messaging over RDMA: links over {@link io.millrace.rdma.endpoint}, a protection domain a peer, and what says
 * whether RDMA is available. One reactor's, but {@link io.millrace.messaging.rdma.RdmaProbe}.
 */
package io.millrace.messaging.rdma;
