package io.millrace.nvmf;

/**
 * The life of a queue pair.
 *
 * <pre>
 *   NEW --- Connect, queue 0 ---> ADMIN --+-- told to go ---> DISCONNECTING --+--> DRAINING ---> CLOSED
 *    |                                    |                                   |                   ^
 *    +----- Connect, other queue --> IO --+--------- connection gone ---------+-------------------+
 * </pre>
 */
enum QueuePairState
{
    /** Connection is up, waits for its Connect command. */
    NEW,
    /** Admin queue of a controller. */
    ADMIN,
    /** I/O queue of a controller. */
    IO,
    /** The transport was told to end the connection. */
    DISCONNECTING,
    /**
     * Connection is gone, but a device may still carry out a write that came on it. Its controller goes on counting
     * it: a host that finds its controller reset writes anew and must not be overtaken by what it wrote before.
     */
    DRAINING,
    /** Connection is gone, and so is what could change data. Reads of it may still be at a device. */
    CLOSED;

    /**
     * {@return whether there is no connection any more}
     */
    boolean isGone()
    {
        return DRAINING == this || CLOSED == this;
    }
}
