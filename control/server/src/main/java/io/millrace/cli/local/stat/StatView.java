package io.millrace.cli.local.stat;

import io.millrace.status.IoOperation;
import io.millrace.status.IoStatus;
import io.millrace.status.OperationStatus;
import io.millrace.status.QueuePairStatus;
import io.millrace.status.ReactorCounters;
import io.millrace.status.ReactorStatus;
import io.millrace.status.StatusSnapshot;
import java.nio.file.Path;
import java.util.List;

/**
 * A snapshot of a status file, and an earlier one when what happened between the two is wanted. Immutable.
 *
 * @param file     that was read.
 * @param state    of its writer.
 * @param nowMs    when it was read.
 * @param snapshot that was read.
 * @param earlier  of the same process; null when everything since its start is wanted.
 * @param seconds  between the two; since the start when there is no earlier one.
 */
record StatView(
    Path file, State state, long nowMs, StatusSnapshot snapshot, StatusSnapshot earlier, double seconds)
{
    private static final double NS_PER_S = 1e9;
    private static final double MS_PER_S = 1e3;

    /** What is known of the process that wrote a file. */
    enum State
    {
        /** It lives. */
        RUNNING,
        /** It ended as it should. */
        STOPPED,
        /** It ended without having said so: it was killed, or crashed, or the machine did. */
        DEAD
    }

    /**
     * {@return a view of everything since the start}
     *
     * @param file     that was read.
     * @param state    of its writer.
     * @param nowMs    when it was read.
     * @param snapshot that was read.
     */
    static StatView sinceStart(final Path file, final State state, final long nowMs, final StatusSnapshot snapshot)
    {
        final long endMs = snapshot.stopEpochMs() > 0 ? snapshot.stopEpochMs() :
            State.RUNNING == state ? nowMs : Math.max(snapshot.writtenEpochMs(), snapshot.startEpochMs());
        return new StatView(file, state, nowMs, snapshot, null, (endMs - snapshot.startEpochMs()) / MS_PER_S);
    }

    boolean isInterval()
    {
        return null != earlier;
    }

    /** Share of a reactor's time in which it had work, 0 to 1. */
    double busy(final ReactorStatus reactor)
    {
        final double busyNs = since(reactor, ReactorCounters.Value.BUSY_NS);
        final double idleNs = since(reactor, ReactorCounters.Value.IDLE_NS);
        return busyNs + idleNs > 0 ? busyNs / (busyNs + idleNs) : 0;
    }

    /** Cycles a second, by the reactor's own clock where there are two readings of it. */
    double cyclesPerSecond(final ReactorStatus reactor)
    {
        final double ns = since(reactor, ReactorCounters.Value.BUSY_NS) + since(reactor, ReactorCounters.Value.IDLE_NS);
        return ns > 0 ? since(reactor, ReactorCounters.Value.CYCLES) * NS_PER_S / ns : 0;
    }

    private long since(final ReactorStatus reactor, final ReactorCounters.Value value)
    {
        final ReactorStatus before = null == earlier ? null : earlier.reactors().stream()
            .filter((each) -> each.index() == reactor.index()).findFirst().orElse(null);
        return reactor.value(value) - (null == before ? 0 : before.value(value));
    }

    /** What was done by an operation. */
    OperationStatus operation(final IoStatus io, final IoOperation operation, final List<IoStatus> before)
    {
        final OperationStatus now = io.operation(operation);
        return before.stream()
            .filter((each) -> each.nsid() == io.nsid() && each.name().equals(io.name()) &&
                each.sinceEpochMs() == io.sinceEpochMs())
            .findFirst().map((each) -> now.minus(each.operation(operation))).orElse(now);
    }

    List<IoStatus> earlierNamespaces()
    {
        return null == earlier ? List.of() : earlier.namespaces();
    }

    List<IoStatus> earlierHosts()
    {
        return null == earlier ? List.of() : earlier.hosts();
    }

    /** The same queue pair in the earlier snapshot; null when it is new. */
    QueuePairStatus earlierQueuePair(final QueuePairStatus queuePair)
    {
        return null == earlier ? null : earlier.queuePairs().stream()
            .filter((each) -> each.controllerId() == queuePair.controllerId() &&
                each.queueId() == queuePair.queueId() && each.nqn().equals(queuePair.nqn()) &&
                each.commands() <= queuePair.commands())
            .findFirst().orElse(null);
    }

    double perSecond(final long count)
    {
        return seconds > 0 ? count / seconds : 0;
    }
}
