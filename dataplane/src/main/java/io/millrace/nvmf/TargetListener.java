package io.millrace.nvmf;

/**
 * Told what an operator should know of a target. Called on reactors: must return at once.
 */
public interface TargetListener
{
    /** Tells nobody. */
    TargetListener NONE = new TargetListener()
    {
    };

    /**
     * A host has a controller now.
     *
     * @param hostNqn      of the host.
     * @param subsystemNqn of the subsystem.
     * @param controllerId of the controller.
     */
    default void onConnected(final String hostNqn, final String subsystemNqn, final int controllerId)
    {
    }

    /**
     * A host has lost its controller.
     *
     * @param hostNqn      of the host.
     * @param subsystemNqn of the subsystem.
     * @param controllerId of the controller.
     * @param reason       in words.
     */
    default void onDisconnected(
        final String hostNqn, final String subsystemNqn, final int controllerId, final String reason)
    {
    }

    /**
     * A host was refused.
     *
     * @param hostNqn      of the host, as it gave it.
     * @param subsystemNqn it asked for, as it gave it.
     * @param reason       in words.
     */
    default void onRefused(final String hostNqn, final String subsystemNqn, final String reason)
    {
    }

    /**
     * Something failed that no host is told of.
     *
     * @param message in one line.
     */
    default void onError(final String message)
    {
    }
}
