package io.millrace.nvmf.initiator;

/**
 * States of an association with a controller.
 *
 * <pre>
 *   CONNECTING --identified--&gt; LIVE --connection lost--&gt; RECONNECTING --identified--&gt; LIVE
 *        |                      |                            |
 *        | failed               | close                      +--loss time-out--&gt; LOST
 *        v                      v                                                 | close
 *      CLOSED &lt;-----------------+-------------------------------------------------+
 * </pre>
 */
public enum ControllerState
{
    /** Being connected for the first time. */
    CONNECTING,
    /** Connected and identified: commands flow. */
    LIVE,
    /** A connection was lost; attempts to connect again go on. */
    RECONNECTING,
    /** Not reconnected within the controller loss time-out: every command fails. */
    LOST,
    /** Closed by the host, or never connected. */
    CLOSED;

    /**
     * {@return whether this state may be followed by another}
     *
     * @param next state.
     */
    public boolean canBecome(final ControllerState next)
    {
        return switch (this)
        {
            case CONNECTING -> LIVE == next || CLOSED == next;
            case LIVE -> RECONNECTING == next || LOST == next || CLOSED == next;
            case RECONNECTING -> LIVE == next || LOST == next || CLOSED == next;
            case LOST -> CLOSED == next;
            case CLOSED -> false;
        };
    }
}
