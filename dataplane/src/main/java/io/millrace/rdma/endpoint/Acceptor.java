package io.millrace.rdma.endpoint;

/**
 * Owner of a listening address. Called on the reactor's thread.
 */
@FunctionalInterface
public interface Acceptor
{
    /**
     * A peer asks for a connection; {@link RdmaConnection#peerData} is what it said. Accept or reject it now or later,
     * within 10 seconds; then it is rejected. A peer may give up before.
     *
     * @param request in state {@link ConnectionState#REQUESTED}.
     */
    void onRequest(RdmaConnection request);
}
