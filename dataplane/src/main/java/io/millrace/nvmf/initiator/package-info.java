/**
 * NVMe over Fabrics, the host's side, whatever the transport: discover, connect, read, write, reconnect.
 * <p>
 * A {@link io.millrace.nvmf.initiator.HostPollGroup} puts the initiator on a reactor, with the
 * {@link io.millrace.nvmf.initiator.HostTransport}s that make its connections. A
 * {@link io.millrace.nvmf.initiator.RemoteController} is an association with a subsystem: the admin queue, keep-alive,
 * events and reconnecting, on the reactor of the group it was connected with. A
 * {@link io.millrace.nvmf.initiator.RemoteQueuePair} is one I/O queue on one reactor, any reactor; its hot call is
 * {@code submit} of a preallocated {@link io.millrace.nvmf.initiator.HostRequest}. Every command is completed
 * exactly once, on the submitting reactor, also when the connection is lost.
 * <p>
 * Methods that answer a {@code CompletableFuture} may be called from any thread, and complete it on the reactor;
 * everything else says which thread it is for.
 */
package io.millrace.nvmf.initiator;
