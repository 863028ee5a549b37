package io.millrace.nvmf.initiator.tcp;

/**
 * States of one NVMe/TCP connection as the host sees it. A connection object passes through them again at each
 * reconnect.
 *
 * <pre>
 *   CLOSED --open--&gt; CONNECTING --writable--&gt; INITIALIZING --ICResp--&gt; ASSOCIATING --Connect answered--&gt;
 *   READY
 *      ^                 |                        |                        |                           |
 *      |                 +------------------------+-----------+------------+---------------------------+
 *      |                                                      v   error, time-out, end of stream, close
 *      +-----------------------------------------------  CLOSING
 * </pre>
 */
enum ConnectionState
{
    /** No socket. */
    CLOSED,
    /** TCP connection is being made. */
    CONNECTING,
    /** ICReq is sent, ICResp awaited; nothing else may come. */
    INITIALIZING,
    /** The Fabrics Connect command is sent; only its answer may come. */
    ASSOCIATING,
    /** Commands flow. */
    READY,
    /** Given up for a reason; torn down in the next turn of its poll group. */
    CLOSING;

    /**
     * {@return whether this state may be followed by another}
     *
     * @param next state.
     */
    boolean canBecome(final ConnectionState next)
    {
        return switch (this)
        {
            case CLOSED -> CONNECTING == next;
            case CONNECTING -> INITIALIZING == next || CLOSING == next;
            case INITIALIZING -> ASSOCIATING == next || CLOSING == next;
            case ASSOCIATING -> READY == next || CLOSING == next;
            case READY -> CLOSING == next;
            case CLOSING -> CLOSED == next;
        };
    }

    /**
     * {@return whether bytes of the peer are processed}
     */
    boolean receives()
    {
        return INITIALIZING == this || ASSOCIATING == this || READY == this;
    }
}
