package io.millrace.rdma.endpoint;

/**
 * Takes what became of the requests of a queue pair, in the order in which they were posted to either queue. Called on
 * the reactor's thread, from a poller; it may post and close. A request's memory is free again when it is called.
 */
public interface CompletionHandler
{
    /**
     * A request of the send queue ended: those that were posted unsignalled are not reported when they succeed.
     *
     * @param id     that it was posted with.
     * @param status how it ended.
     */
    void onSent(long id, CompletionStatus status);

    /**
     * A receive request ended.
     *
     * @param id        that it was posted with.
     * @param status    how it ended; of another than success nothing else is valid.
     * @param bytes     that were received.
     * @param immediate immediate data, or the key that the peer invalidated; 0 when it sent neither.
     */
    void onReceived(long id, CompletionStatus status, int bytes, int immediate);
}
