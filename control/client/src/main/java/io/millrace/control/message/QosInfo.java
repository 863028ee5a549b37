package io.millrace.control.message;

import java.util.Objects;

/**
 * Limits in force, with what they did since there were some.
 *
 * @param limits          of a namespace or of a host.
 * @param throttledReads  reads that had to wait.
 * @param throttledWrites writes that had to wait.
 * @param waiting         commands that wait now.
 * @param waitNs          how long those waited that wait no more, together.
 */
public record QosInfo(QosSpec limits, long throttledReads, long throttledWrites, long waiting, long waitNs)
    implements Resource
{
    /**
     * Rejects null.
     */
    public QosInfo
    {
        Objects.requireNonNull(limits, "limits");
    }
}
