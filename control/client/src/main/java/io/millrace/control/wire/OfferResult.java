package io.millrace.control.wire;

/**
 * What came of offering a message.
 */
public enum OfferResult
{
    /** It is on its way. */
    SENT,
    /** Not now: the peer does not keep up, or the log is being rotated. Offer again. */
    AGAIN,
    /** Nobody listens at the other end, not yet or not any more. May be offered again. */
    NOT_CONNECTED,
    /** Closed, or at the end of its log: nothing will ever be sent here again. Make a new publication. */
    GONE,
    /** Longer than this publication can send; its term buffers are too small. */
    TOO_LONG
}
