package io.millrace.dataplane;

import io.millrace.dataplane.snapshot.ConnectionSnapshot;
import io.millrace.nvmf.PollGroup;
import io.millrace.nvmf.queue.QueuePairSnapshot;
import io.millrace.reactor.Reactor;
import java.util.List;

/**
 * The connections of hosts to a running data plane: on which reactor each is. Any thread but the reactors'; futures may
 * complete on a reactor, so dependent actions must not block.
 */
public final class Connections
{
    private final Subsystems subsystems;
    private final List<PollGroup> groups;

    Connections(
        final Subsystems subsystems,
        final List<PollGroup> groups)
    {
        this.subsystems = subsystems;
        this.groups = groups;
    }

    /**
     * {@return the connections whose Connect command has succeeded, by subsystem and controller, admin queues first}
     *
     * @param nqn of one subsystem; null for all.
     * @throws OperationException when it is not there.
     */
    public List<ConnectionSnapshot> list(final String nqn)
    {
        return subsystems.select(nqn).stream().flatMap((each) -> each.controllers().queuePairSnapshots().stream())
            .map(this::snapshot).toList();
    }

    private ConnectionSnapshot snapshot(final QueuePairSnapshot queuePair)
    {
        return new ConnectionSnapshot(queuePair.subsystemNqn(), queuePair.hostNqn(), queuePair.controllerId(),
            queuePair.queueId(), indexOf(queuePair.reactor()), queuePair.depth(), queuePair.outstanding(),
            queuePair.remote(), queuePair.local(), queuePair.device());
    }

    private int indexOf(final Reactor reactor)
    {
        int index = 0;
        while (reactor != groups.get(index).reactor())
        {
            index++;
        }
        return index;
    }
}
