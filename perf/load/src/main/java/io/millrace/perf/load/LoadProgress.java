package io.millrace.perf.load;

/**
 * Progress of a load. A snapshot.
 *
 * @param phase       it is in.
 * @param elapsedNs   since the phase began.
 * @param plannedNs   length of the phase; 0 when it ends by count.
 * @param reads       completed in the phase.
 * @param writes      completed in the phase.
 * @param bytes       moved in the phase.
 * @param errors      commands that failed since the load began.
 * @param connected   whether the controller is connected now.
 * @param outstanding commands submitted and not complete.
 * @param quietNs     how long a queue has had commands outstanding without a completion, the longest of all queues.
 */
public record LoadProgress(
    LoadPhase phase,
    long elapsedNs,
    long plannedNs,
    long reads,
    long writes,
    long bytes,
    long errors,
    boolean connected,
    long outstanding,
    long quietNs)
{
    /**
     * {@return commands completed in the phase}
     */
    public long operations()
    {
        return reads + writes;
    }
}
