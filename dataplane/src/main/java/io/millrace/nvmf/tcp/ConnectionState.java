package io.millrace.nvmf.tcp;

/**
 * Life of a connection on the target's side.
 *
 * <pre>
 *               ICReq                    fatal error, or the queue pair wants to end
 *   AWAITING_ICREQ ------> READY --------------------+
 *      |    |                |                       v
 *      |    +----------------|------------------> DRAINING
 *      |      fatal error    |                       |
 *      |                     |                       | peer closed, or time is up
 *      |   peer closed, H2CTermReq, time-out,        |
 *      |   socket error      |                       v
 *      +---------------------+-------------------> CLOSED
 * </pre>
 */
enum ConnectionState
{
    /** The socket is connected; the first PDU has to be an ICReq. */
    AWAITING_ICREQ,
    /** ICResp is sent or about to be; capsules and data flow. */
    READY,
    /** No PDU is processed any more; queued PDUs are sent, a C2HTermReq last, then the peer is waited for. */
    DRAINING,
    /** The socket is closed and the queue pair has been notified. */
    CLOSED;

    boolean mayBecome(final ConnectionState next)
    {
        return switch (this)
        {
            case AWAITING_ICREQ -> READY == next || DRAINING == next || CLOSED == next;
            case READY -> DRAINING == next || CLOSED == next;
            case DRAINING -> CLOSED == next;
            case CLOSED -> false;
        };
    }
}
