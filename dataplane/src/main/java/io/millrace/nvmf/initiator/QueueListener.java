package io.millrace.nvmf.initiator;

/**
 * Notified when commands may be submitted to a {@link RemoteQueuePair}, and when not. Called on the queue's reactor.
 */
public interface QueueListener
{
    /** Does nothing. */
    QueueListener NONE = new QueueListener()
    {
    };

    /**
     * The queue is connected.
     *
     * @param queue that may be used.
     */
    default void onLive(final RemoteQueuePair queue)
    {
    }

    /**
     * The queue was connected and is not any more. Its commands have been given back.
     *
     * @param queue that waits for a new connection, or was closed.
     */
    default void onSuspended(final RemoteQueuePair queue)
    {
    }
}
