package io.millrace.block.nvme;

/**
 * What a channel may do. The controller's thread wishes for a state, the channel's reactor goes there when it comes to
 * it; what needs all reactors waits for that.
 * <pre>
 *   RUNNING   - QUIESCED - (controller is stopped) - DRAINED - (it is enabled, queues are made) - RUNNING
 *                                                            - (it cannot be) - FAILED
 *   RUNNING   - CLOSING - RETIRED
 * </pre>
 */
enum ChannelState
{
    /** Commands go out and completions come in. */
    RUNNING,
    /** Takes no requests, waits for those it has. */
    CLOSING,
    /** Keeps its hands off the queues. */
    QUIESCED,
    /** What had been completed was taken in, the queues are empty; other commands wait to be sent again. */
    DRAINED,
    /** Every request ends with an error. */
    FAILED,
    /** Its queues are the controller's thread's alone, or gone. */
    RETIRED
}
