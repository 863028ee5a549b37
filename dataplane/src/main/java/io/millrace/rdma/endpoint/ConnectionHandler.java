package io.millrace.rdma.endpoint;

/**
 * Owner of a connection. Called on the reactor's thread.
 */
public interface ConnectionHandler extends CompletionHandler
{
    /**
     * The queue pair is there and not yet connected: post receive requests for what the peer may send at once.
     *
     * @param connection with a queue pair.
     */
    void onQueuePair(RdmaConnection connection);

    /**
     * Messages can be sent. What the peer sent at once may have been received before. {@link RdmaConnection#peerData}
     * is what the peer accepted with.
     *
     * @param connection that is established.
     */
    void onEstablished(RdmaConnection connection);

    /**
     * The connection has ended, or was never made. All its requests have been reported; the device uses none of their
     * memory.
     *
     * @param connection that has ended; its queue pair must not be used.
     * @param reason     why, and what to check, in a sentence.
     */
    void onClosed(RdmaConnection connection, String reason);
}
