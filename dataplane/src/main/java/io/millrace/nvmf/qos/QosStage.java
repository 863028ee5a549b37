package io.millrace.nvmf.qos;

import io.millrace.nvmf.request.Request;

/**
 * Progress of a {@link Request} through the limits that it has to pass, in this order.
 */
public enum QosStage
{
    /** No limit has been checked yet. */
    NEW,
    /** Has to pass the limit of its host; may wait there. */
    AT_HOST,
    /** Has to pass the limit of its namespace; may wait there. */
    AT_NAMESPACE,
    /** May begin, or had begun when there was no limit. */
    PASSED
}
