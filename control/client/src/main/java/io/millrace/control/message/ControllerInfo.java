package io.millrace.control.message;

import java.util.Objects;

/**
 * The association of a host with a subsystem.
 *
 * @param nqn          of the subsystem.
 * @param controllerId in its subsystem.
 * @param hostNqn      of the host.
 * @param ioQueues     connected now.
 * @param keepAliveMs  time-out; 0: none.
 * @param state        in the words of NVMe.
 */
public record ControllerInfo(
    String nqn,
    int controllerId,
    String hostNqn,
    int ioQueues,
    int keepAliveMs,
    String state)
    implements Resource
{
    /**
     * Rejects null.
     */
    public ControllerInfo
    {
        Objects.requireNonNull(nqn, "nqn");
        Objects.requireNonNull(hostNqn, "hostNqn");
        Objects.requireNonNull(state, "state");
    }
}
