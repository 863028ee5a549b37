package io.millrace.nvmf.rdma;

/**
 * State of a host's queue.
 *
 * <pre>
 *   READY    --- disconnect ----------------------> DRAINING
 *   READY, DRAINING --- answers sent, or an error -> CLOSING
 *   READY, DRAINING, CLOSING --- connection gone --> CLOSED
 * </pre>
 */
enum RdmaQueueState
{
    /** Capsules are executed. */
    READY,
    /** Answers that are queued leave; capsules are not looked at any more. */
    DRAINING,
    /** The queue pair is being flushed. Nothing is posted. */
    CLOSING,
    /** The device uses no memory of it. */
    CLOSED;

    /**
     * {@return whether requests may be posted}
     */
    boolean maySend()
    {
        return READY == this || DRAINING == this;
    }
}
