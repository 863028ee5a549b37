package io.millrace.nvmf.initiator.rdma;

/**
 * States of one NVMe/RDMA queue as the host sees it. A queue passes through them again at each reconnect.
 *
 * <pre>
 *   CLOSED --open--&gt; CONNECTING --accepted--&gt; ASSOCIATING --Connect answered--&gt; READY
 *      ^                 |                          |                               |
 *      |                 +--------------------------+-------------+-----------------+
 *      |  queue pair destroyed                                    v   error, time-out, close
 *      +-----------------------------------------------------  CLOSING
 * </pre>
 */
enum QueueState
{
    /** No queue pair: no memory is the peer's. */
    CLOSED,
    /** The connection manager finds the peer and asks it. */
    CONNECTING,
    /** The Fabrics Connect command is sent; only its answer may come. */
    ASSOCIATING,
    /** Commands flow. */
    READY,
    /** Given up for a reason. The peer may still read and write the memory of commands until the queue pair is gone. */
    CLOSING;

    /**
     * {@return whether this state may be followed by another}
     *
     * @param next state.
     */
    boolean canBecome(final QueueState next)
    {
        return switch (this)
        {
            case CLOSED -> CONNECTING == next;
            case CONNECTING -> ASSOCIATING == next || CLOSING == next;
            case ASSOCIATING -> READY == next || CLOSING == next;
            case READY -> CLOSING == next;
            case CLOSING -> CLOSED == next;
        };
    }

    /**
     * {@return whether answers of the peer are processed}
     */
    boolean receives()
    {
        return ASSOCIATING == this || READY == this;
    }
}
