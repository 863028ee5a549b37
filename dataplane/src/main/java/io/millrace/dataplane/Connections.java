package io.millrace.dataplane;

import io.millrace.dataplane.OperationException.Reason;
import io.millrace.nvmf.MoveOutcome;
import io.millrace.nvmf.PollGroup;
import io.millrace.nvmf.QueuePair;
import io.millrace.nvmf.QueuePairSnapshot;
import io.millrace.nvmf.TransportAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The connections of hosts to a running data plane: on which reactor each is. Any thread but the reactors'; futures may
 * complete on a reactor, so dependent actions must not block.
 */
public final class Connections
{
    private final Operations operations;
    private final Subsystems subsystems;
    private final Transports transports;
    private final List<PollGroup> groups;

    Connections(
        final Operations operations,
        final Subsystems subsystems,
        final Transports transports,
        final List<PollGroup> groups)
    {
        this.operations = operations;
        this.subsystems = subsystems;
        this.transports = transports;
        this.groups = groups;
    }

    /**
     * Moves the connection of an I/O queue to another reactor. Its commands end first, the host's next ones begin
     * there; when they do not end within a second, it stays. Its counters continue in a record of the other reactor.
     *
     * @param nqn          of the subsystem.
     * @param controllerId in it.
     * @param queueId      of the queue, from 1: admin queues stay where their controllers are.
     * @param reactor      index of the reactor to move to.
     * @return done when it is there; an {@link OperationException} when it could not be moved.
     * @throws OperationException when one of these does not exist, or the connection is on that reactor already.
     */
    public CompletableFuture<Void> move(
        final String nqn, final int controllerId, final int queueId, final int reactor)
    {
        synchronized (operations)
        {
            operations.checkOpen();
            final String name = "connection " + nqn + '/' + controllerId + '/' + queueId;
            final QueuePair queuePair = subsystems.require(nqn).queuePair(controllerId, queueId);
            if (null == queuePair)
            {
                throw new OperationException(
                    Reason.NOT_FOUND, name, "does not exist", "list connections to see the existing ones");
            }
            if (0 == queueId)
            {
                throw new OperationException(Reason.UNSUPPORTED, name,
                    "is an admin queue, which stays where its controller is", "move the I/O queues, from 1");
            }
            if (reactor < 0 || reactor >= groups.size())
            {
                throw new OperationException(Reason.NOT_FOUND, "reactor " + reactor,
                    "does not exist", "choose one from 0 to " + (groups.size() - 1));
            }
            final PollGroup to = groups.get(reactor);
            if (queuePair.owner() == to)
            {
                throw new OperationException(Reason.INVALID, name,
                    "is on reactor " + reactor + " already", "choose another");
            }
            return transports.move(queuePair, to).thenAccept((outcome) ->
            {
                if (MoveOutcome.MOVED != outcome)
                {
                    throw refused(name, queuePair.local().transportType(), reactor, outcome);
                }
                operations.publish(ResourceKind.CONTROLLER, ResourceChange.CHANGED, nqn + '/' + controllerId,
                    "queue " + queueId + " moved to reactor " + reactor);
            });
        }
    }

    /**
     * {@return the connections whose Connect command has succeeded, by subsystem and controller, admin queues first}
     *
     * @param nqn of one subsystem; null for all.
     * @throws OperationException when it is not there.
     */
    public List<ConnectionSnapshot> list(final String nqn)
    {
        return subsystems.select(nqn).stream().flatMap((each) -> each.queuePairSnapshots().stream())
            .map(this::snapshot).toList();
    }

    private ConnectionSnapshot snapshot(final QueuePairSnapshot queuePair)
    {
        return new ConnectionSnapshot(queuePair.subsystemNqn(), queuePair.hostNqn(), queuePair.controllerId(),
            queuePair.queueId(), groups.indexOf(queuePair.pollGroup()), queuePair.depth(), queuePair.outstanding(),
            queuePair.remote());
    }

    private static OperationException refused(
        final String name, final TransportAddress.Type transport, final int reactor, final MoveOutcome outcome)
    {
        return switch (outcome)
        {
            case BUSY -> new OperationException(Reason.FAILED, name,
                "has commands that did not end within a second, and stays where it is",
                "try again when its device is faster, its limits are higher, or it is not paused");
            case FULL -> new OperationException(Reason.FAILED, name, "cannot move: reactor " + reactor +
                " has as many connections as it may have", "raise " + transport + ".connections, or choose another");
            case MOVING -> new OperationException(Reason.FAILED, name, "is being moved already", "wait for that");
            case UNSUPPORTED -> new OperationException(Reason.UNSUPPORTED, name,
                "is of a transport whose connections stay on their reactor", "connect the host anew");
            case CLOSING -> new OperationException(Reason.FAILED, "data plane", "is stopping", "start another one");
            default -> new OperationException(
                Reason.NOT_FOUND, name, "has ended meanwhile", "list connections to see the existing ones");
        };
    }
}
