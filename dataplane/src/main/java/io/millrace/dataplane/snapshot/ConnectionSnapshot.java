package io.millrace.dataplane.snapshot;

import io.millrace.nvmf.transport.LocalDevice;

/**
 * A connection of a host, which is a queue pair, as it was a moment ago. Immutable.
 *
 * @param nqn          of the subsystem.
 * @param hostNqn      of the host, without control characters.
 * @param controllerId in the subsystem.
 * @param queueId      0 for the admin queue.
 * @param reactor      index of the reactor that it is on.
 * @param depth        commands that the host may have outstanding.
 * @param openCommands that have not been answered, asynchronous event requests included.
 * @param remote       address of the host, with the port; empty when it was not known.
 * @param local        address of the data plane, with the port.
 * @param device       RDMA device of the data plane; none over TCP.
 */
public record ConnectionSnapshot(
    String nqn,
    String hostNqn,
    int controllerId,
    int queueId,
    int reactor,
    int depth,
    int openCommands,
    String remote,
    String local,
    LocalDevice device)
{
}
