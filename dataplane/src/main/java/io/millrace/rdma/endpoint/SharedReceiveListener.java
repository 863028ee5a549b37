package io.millrace.rdma.endpoint;

/**
 * Owner of a {@link SharedReceiveQueue}. Called on the reactor's thread; it may post.
 */
public interface SharedReceiveListener
{
    /**
     * Fewer requests than the limit are outstanding: post more, and set the limit again, which its event disarms.
     *
     * @param queue that has few.
     */
    void onLimit(SharedReceiveQueue queue);

    /**
     * A request came back without a message: its connection had been destroyed, or the queue was closed. Its memory is
     * free.
     *
     * @param id that it was posted with.
     */
    void onReturned(long id);
}
