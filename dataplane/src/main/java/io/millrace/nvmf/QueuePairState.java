package io.millrace.nvmf;

/**
 * The life of a queue pair.
 *
 * <pre>
 *   NEW --- Connect, queue 0 ---> ADMIN --+-- told to go ---> DISCONNECTING ---> CLOSED
 *    |                                    |                                        ^
 *    +----- Connect, other queue --> IO --+--------- connection gone --------------+
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
    /** Connection is gone. */
    CLOSED
}
