package io.millrace.block.nvme;

/**
 * States of a channel. The states of its queue pair are in {@link QueuePairState}.
 * <pre>
 *   OPEN - (close) - CLOSING - (out of time) - ABORTING - (out of time again) - ABANDONED
 *   any but OPEN - (the controller has none of its commands any more) - CLOSED
 * </pre>
 */
enum ChannelState
{
    /** Accepts requests. */
    OPEN,
    /** Waits for its requests. */
    CLOSING,
    /** Requests take too long: their commands are aborted, or the queues deleted where nobody else uses them. */
    ABORTING,
    /** Requests have ended and the close listener was notified, but the controller may still have commands. */
    ABANDONED,
    /** Gone. */
    CLOSED
}
