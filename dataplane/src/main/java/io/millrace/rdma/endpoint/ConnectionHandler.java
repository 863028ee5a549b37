package io.millrace.rdma.endpoint;

/**
 * Owner of a connection. Called on the reactor's thread.
 */
public interface ConnectionHandler extends CompletionHandler
{
    /**
     * Names the queue from which the queue pair of a connection takes its receive requests. Called before the queue
     * pair is made.
     *
     * @param domain of the device, whose queues can be named.
     * @return the queue, which is not closed before {@link #onClosed}; null when the queue pair has a receive queue of
     *     its own.
     */
    default SharedReceiveQueue sharedReceiveQueue(final RdmaDomain domain)
    {
        return null;
    }

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
     * The device has moved the connection to its alternate path, since the first one failed: it goes on, by another
     * port. Says nothing to whom that does not matter.
     *
     * @param connection that is established.
     */
    default void onPathMigrated(final RdmaConnection connection)
    {
        // Messages go on.
    }

    /**
     * The connection has ended, or was never made. All its requests have been reported; the device uses none of their
     * memory.
     *
     * @param connection that has ended; its queue pair must not be used.
     * @param reason     why, and what to check, in a sentence.
     */
    void onClosed(RdmaConnection connection, String reason);
}
