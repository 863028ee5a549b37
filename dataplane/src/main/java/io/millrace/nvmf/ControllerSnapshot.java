package io.millrace.nvmf;

import io.millrace.nvmf.config.Nqn;
import java.util.Locale;

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
    static ControllerSnapshot of(final Controller controller)
    {
        return new ControllerSnapshot(controller.subsystem().nqn(), controller.id(),
            Nqn.printable(controller.hostNqn()), controller.ioQueueCount(), controller.keepAlive().timeoutMs(),
            controller.state().name().toLowerCase(Locale.ROOT).replace('_', ' '));
    }
}
