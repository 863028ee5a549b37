package io.millrace.rdma.endpoint;

/**
 * Who asked for the address of a peer. Called once, on the reactor's thread.
 */
public interface DatagramResolver
{
    /**
     * Datagrams can be sent to the peer.
     *
     * @param peer to post with.
     */
    void onResolved(DatagramPeer peer);

    /**
     * The peer was not found, or refused.
     *
     * @param reason why, and what to check, in a sentence.
     */
    void onFailed(String reason);
}
