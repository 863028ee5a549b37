package io.millrace.block.nvme;

/**
 * States of a reactor's queue pair. The controller's thread requests a state and waits until all reactors have applied
 * it; no reactor ever waits for that thread.
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
    /** The reactor does not access the queues. */
    QUIESCED,
    /** Completions were processed, the queues are empty; other commands wait to be sent again. */
    DRAINED,
    /** Every request ends with an error. */
    FAILED,
    /** Only the controller's thread accesses its queues, or they are deleted. */
    RETIRED
}
