package io.millrace.control.message;

import java.util.Objects;

/**
 * A reactor of a data plane. Times and counts are since its start.
 *
 * @param index          from 0.
 * @param cpu            it is pinned to; -1: none.
 * @param busyNs         with work.
 * @param idleNs         without.
 * @param cycles         done.
 * @param longestCycleNs took the longest cycle.
 * @param connections    now.
 * @param requests       commands of hosts that it works on now.
 * @param poolBytes      of its buffer pool.
 * @param poolUsedBytes  now.
 * @param poolWaiting    commands that wait for a buffer now; {@link Resource#UNKNOWN} from an older data plane.
 * @param poolPeakBytes the most that was handed out at one time; likewise.
 * @param poolWaits      how often a command had to wait for a buffer; likewise.
 * @param poolQuarantinedBytes that devices may still use though the commands have ended; likewise.
 * @param name           of the thread.
 */
public record ReactorInfo(
    int index,
    int cpu,
    long busyNs,
    long idleNs,
    long cycles,
    long longestCycleNs,
    int connections,
    int requests,
    long poolBytes,
    long poolUsedBytes,
    int poolWaiting,
    long poolPeakBytes,
    long poolWaits,
    long poolQuarantinedBytes,
    String name)
    implements Resource
{
    /**
     * Rejects null.
     */
    public ReactorInfo
    {
        Objects.requireNonNull(name, "name");
    }
}
