package io.millrace.nvmf;

/**
 * A controller as it was a moment ago. Immutable.
 *
 * @param subsystemNqn of its subsystem.
 * @param controllerId in its subsystem.
 * @param hostNqn      of the host, without control characters.
 * @param ioQueues     connected.
 * @param keepAliveMs  timeout, 0 for none.
 * @param state        in NVMe's words: disabled, ready, resetting, shutting down, shutdown, failed, dead.
 */
public record ControllerSnapshot(
    String subsystemNqn,
    int controllerId,
    String hostNqn,
    int ioQueues,
    int keepAliveMs,
    String state)
{
}
