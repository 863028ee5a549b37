package io.millrace.block.nvme;

/**
 * What a channel may do with its queues. The controller's thread asks for a state, the channel's reactor goes there
 * when it comes to it; the controller's thread waits until all reactors have, and no reactor ever waits for that
 * thread.
 * <pre>
 *   RUNNING   - QUIESCED - (controller is stopped) - DRAINED - (it is enabled, queues are made) - RUNNING
 *                                                            - (it cannot be) - FAILED
 *   any       - (closed, and without requests or out of time) - RETIRED
 *   RETIRED   - (the controller's thread has deleted the queues) - the channel has closed
 * </pre>
 */
enum ChannelState
{
    /** Commands go out and completions come in. */
    RUNNING,
    /** Keeps its hands off the queues. */
    QUIESCED,
    /** What had been completed was taken in, the queues are empty; other commands wait to be sent again. */
    DRAINED,
    /** Every request ends with an error. */
    FAILED,
    /** Its queues are the controller's thread's alone, or gone. */
    RETIRED
}
