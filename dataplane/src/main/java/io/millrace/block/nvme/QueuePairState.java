package io.millrace.block.nvme;

/**
 * What a reactor may do with its queue pair. The controller's thread requests a state, the reactor applies it when it
 * comes to it; the controller's thread waits until all reactors have, and no reactor ever waits for that thread.
 * <pre>
 *   RUNNING   - QUIESCED - (controller is stopped) - DRAINED - (it is enabled, queues are made) - RUNNING
 *                                                            - (it cannot be) - FAILED
 *   any       - (its last channel closes) - RETIRED
 *   RETIRED   - (the controller's thread has deleted the queues) - its channels have closed
 * </pre>
 */
enum QueuePairState
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
