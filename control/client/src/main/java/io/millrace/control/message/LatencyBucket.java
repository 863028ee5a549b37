package io.millrace.control.message;

/**
 * Some latencies of about the same length.
 *
 * @param fromNs  shortest in it.
 * @param belowNs above every one in it; the last bucket holds longer ones too.
 * @param count   of them.
 */
public record LatencyBucket(long fromNs, long belowNs, long count)
{
}
