package io.millrace.nvmf.initiator;

/**
 * States of a {@link HostRequest}. Only an outstanding request is found by what a controller sends; an answered one
 * waits for the socket alone, so that a repeated answer cannot complete it twice.
 *
 * <pre>
 *            submit                 answer, bytes in the socket queue
 *   IDLE ------------&gt; OUTSTANDING -----------------------------------&gt; ANSWERED
 *    ^ ^                |  |   ^                                          |  |
 *    | +----------------+  |   | submitted again after a reconnect        |  |
 *    |  answer, all sent   |   |                                          |  |
 *    |                     v   |      connection ends                     |  |
 *    +------------------- HELD &lt;------------------------------------------+  |
 *    |  completed                                                            |
 *    +-----------------------------------------------------------------------+
 *       last byte sent
 * </pre>
 *
 *
 * A request submitted to a queue that is not connected goes from IDLE to HELD.
 */
enum RequestState
{
    /** The submitter's. */
    IDLE,
    /** It has an identifier, and the controller's answer is expected. */
    OUTSTANDING,
    /** The answer has arrived, but the socket has not taken all bytes of the payload buffer. */
    ANSWERED,
    /** Without a connection: the queue completes it or submits it again. */
    HELD;

    /**
     * {@return whether this state may be followed by another}
     *
     * @param next state.
     */
    boolean canBecome(final RequestState next)
    {
        return switch (this)
        {
            case IDLE -> OUTSTANDING == next || HELD == next;
            case OUTSTANDING -> OUTSTANDING != next;
            case ANSWERED -> IDLE == next || HELD == next;
            case HELD -> IDLE == next || OUTSTANDING == next;
        };
    }
}
