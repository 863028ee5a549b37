package io.millrace.block.nvme;

/**
 * How a channel is. What its queue pair may do meanwhile is {@link QueuePairState}.
 * <pre>
 *   OPEN - (close) - CLOSING - (out of time) - ABORTING - (out of time again) - ABANDONED
 *   any but OPEN - (the controller has none of its commands any more) - CLOSED
 * </pre>
 */
enum ChannelState
{
    /** Requests come. */
    OPEN,
    /** Requests are waited for. */
    CLOSING,
    /** Requests take too long: their commands are aborted, or the queues deleted where nobody else uses them. */
    ABORTING,
    /** Requests have ended and whoever closed was notified, but the controller may still have commands. */
    ABANDONED,
    /** Gone. */
    CLOSED
}
