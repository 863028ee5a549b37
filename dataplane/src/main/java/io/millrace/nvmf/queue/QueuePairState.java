package io.millrace.nvmf.queue;

/**
 * States of a queue pair.
 *
 * <pre>
 *   NEW --- Connect, queue 0 ---> ADMIN --+-- disconnect ---> DISCONNECTING --+--> DRAINING ---> CLOSED
 *    |                                    |                                   |                   ^
 *    +----- Connect, other queue --> IO --+--------- connection gone ---------+-------------------+
 * </pre>
 */
public enum QueuePairState
{
    /** Connection is up, waits for its Connect command. */
    NEW,
    /** Admin queue of a controller. */
    ADMIN,
    /** I/O queue of a controller. */
    IO,
    /** The transport was asked to end the connection. */
    DISCONNECTING,
    /**
     * Connection is gone, but a device may still carry out a write that came on it. Its controller goes on counting it:
     * a host that finds its controller reset writes again, and its former writes must not overtake the new ones.
     */
    DRAINING,
    /** Connection has ended, and no write is outstanding. Reads may still be at a device. */
    CLOSED;

    /**
     * {@return whether there is no connection any more}
     */
    public boolean isGone()
    {
        return DRAINING == this || CLOSED == this;
    }
}
