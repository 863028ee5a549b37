package io.millrace.nvmf.qos;

/**
 * Limits of a namespace or of a host, and what they did, a moment ago. Immutable; counts are since it was first
 * limited, on all reactors.
 *
 * @param subsystemNqn    of its subsystem.
 * @param nsid            of the namespace; 0 when it is a host's.
 * @param hostNqn         of the host; empty when it is a namespace's.
 * @param limits          in force.
 * @param throttledReads  reads that had to wait.
 * @param throttledWrites writes that had to wait.
 * @param waiting         commands that wait now.
 * @param waitNs          total waiting time of the commands that no longer wait.
 */
public record QosSnapshot(
    String subsystemNqn,
    int nsid,
    String hostNqn,
    QosLimits limits,
    long throttledReads,
    long throttledWrites,
    long waiting,
    long waitNs)
{
    /**
     * Limits and counters as they are.
     *
     * @param nqn     of the subsystem.
     * @param nsid    of the namespace; 0 for a host.
     * @param hostNqn NQN of the host; empty for a namespace.
     * @param policy  limits in force.
     * @return the snapshot.
     */
    public static QosSnapshot of(final String nqn, final int nsid, final String hostNqn, final QosPolicy policy)
    {
        final QosCounters counters = policy.counters();
        final long waiting = counters.waiting();
        return new QosSnapshot(nqn, nsid, hostNqn, policy.limits(), counters.reads(), counters.writes(), waiting,
            counters.waitNs());
    }
}
