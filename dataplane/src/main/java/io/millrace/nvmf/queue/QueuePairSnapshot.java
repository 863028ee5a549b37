package io.millrace.nvmf.queue;

import io.millrace.nvmf.config.Nqn;
import io.millrace.nvmf.transport.LocalDevice;
import io.millrace.reactor.Reactor;

/**
 * A queue pair as it was a moment ago. Immutable.
 *
 * @param subsystemNqn of its subsystem.
 * @param hostNqn      of the host, without control characters.
 * @param controllerId in its subsystem.
 * @param queueId      0 for the admin queue.
 * @param depth        commands that the host may have outstanding.
 * @param outstanding  commands that have not been answered, asynchronous event requests included.
 * @param remote       address of the host, with the port; empty when it was not known.
 * @param local        address of this machine, with the port.
 * @param device       RDMA device of this machine; none over TCP.
 * @param reactor      that it is on.
 */
public record QueuePairSnapshot(
    String subsystemNqn,
    String hostNqn,
    int controllerId,
    int queueId,
    int depth,
    int outstanding,
    String remote,
    String local,
    LocalDevice device,
    Reactor reactor)
{
    static QueuePairSnapshot of(final QueuePair queuePair, final String remote, final LocalDevice device)
    {
        final Association association = queuePair.association();
        return new QueuePairSnapshot(association.subsystemNqn(), Nqn.printable(association.hostNqn()), association.id(),
            queuePair.id(), queuePair.depth(), queuePair.outstanding(), remote, queuePair.local().toString(), device,
            queuePair.resources().reactor());
    }
}
