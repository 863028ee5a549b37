package io.millrace.nvmf;

/**
 * How far a {@link Request} is with the limits that it has to pass, in this order.
 */
enum QosStage
{
    /** Nobody has asked yet. */
    NEW,
    /** Has to pass the limit of its host; may wait there. */
    AT_HOST,
    /** Has to pass the limit of its namespace; may wait there. */
    AT_NAMESPACE,
    /** May begin, or had begun when there was no limit. */
    PASSED
}
