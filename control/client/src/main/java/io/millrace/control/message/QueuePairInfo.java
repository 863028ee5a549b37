package io.millrace.control.message;

import java.util.Objects;

/**
 * A connection of a host, which is a queue pair.
 *
 * @param nqn          of the subsystem.
 * @param hostNqn      of the host.
 * @param controllerId in the subsystem.
 * @param queueId      0: the admin queue.
 * @param reactor      index of the reactor that it is on.
 * @param depth        commands that the host may have outstanding.
 * @param outstandingCommands that have not been answered, asynchronous event requests included.
 * @param address      of the host, with the port; empty when it is not known.
 * @param localAddress of the data plane, with the port; empty when it is not known.
 * @param rdmaDevice   of the data plane, as the kernel has it; empty over TCP.
 * @param rdmaPort     of the device, from 1; {@link #UNKNOWN} over TCP.
 * @param gidIndex     in the port's table; {@link #UNKNOWN} over TCP, and where the local address is no GID.
 */
public record QueuePairInfo(
    String nqn,
    String hostNqn,
    int controllerId,
    int queueId,
    int reactor,
    int depth,
    int outstandingCommands,
    String address,
    String localAddress,
    String rdmaDevice,
    int rdmaPort,
    int gidIndex)
    implements Resource
{
    /**
     * Rejects null.
     */
    public QueuePairInfo
    {
        Objects.requireNonNull(nqn, "nqn");
        Objects.requireNonNull(hostNqn, "hostNqn");
        Objects.requireNonNull(address, "address");
        Objects.requireNonNull(localAddress, "localAddress");
        Objects.requireNonNull(rdmaDevice, "rdmaDevice");
    }
}
