package io.millrace.nvmf.config;

import io.millrace.nvmf.transport.TransportAddress;

/**
 * Receives events of a target that an operator should know. Called on reactors: must return at once.
 */
public interface TargetListener
{
    /** Ignores all events. */
    TargetListener NONE = new TargetListener()
    {
    };

    /**
     * A host has a controller now.
     *
     * @param hostNqn      of the host, without control characters.
     * @param remote       address of the host, with the port; empty when it is not known.
     * @param subsystemNqn of the subsystem.
     * @param controllerId of the controller.
     */
    default void onConnected(
        final String hostNqn, final String remote, final String subsystemNqn, final int controllerId)
    {
    }

    /**
     * A host has lost its controller.
     *
     * @param hostNqn      of the host, without control characters.
     * @param remote       address of the host, with the port; empty when it is not known.
     * @param subsystemNqn of the subsystem.
     * @param controllerId of the controller.
     * @param reason       in words.
     */
    default void onDisconnected(
        final String hostNqn,
        final String remote,
        final String subsystemNqn,
        final int controllerId,
        final String reason)
    {
    }

    /**
     * A host was refused.
     *
     * @param hostNqn      of the host, as it gave it but without control characters.
     * @param remote       address of the host, with the port; empty when it is not known.
     * @param subsystemNqn it asked for, likewise.
     * @param reason       in words.
     */
    default void onRefused(
        final String hostNqn, final String remote, final String subsystemNqn, final String reason)
    {
    }

    /**
     * A host violated the transport protocol, or sent no Connect command in time: its connection ends.
     *
     * @param remote address of the host, with the port; empty when it is not known.
     * @param reason in words.
     */
    default void onProtocolError(final String remote, final String reason)
    {
    }

    /**
     * A connection was refused before its host had a name, since its address is not allowed.
     *
     * @param remote address of the host, with the port.
     * @param reason in words.
     */
    default void onConnectionRefused(final String remote, final String reason)
    {
    }

    /**
     * A transition between ANA states exceeded the time reported to hosts and has ended as inaccessible.
     *
     * @param subsystemNqn of the subsystem.
     * @param listener     that it was for; null for those without states of their own.
     * @param group        that it was for.
     */
    default void onAnaTransitionExpired(
        final String subsystemNqn, final TransportAddress listener, final int group)
    {
    }

    /**
     * A device has an error that it has not had on this reactor before. That it happens again is only counted.
     *
     * @param error which goes on counting until it is removed.
     */
    default void onDeviceError(final DeviceError error)
    {
    }

    /**
     * A device that had an error is no longer used on this reactor.
     *
     * @param error that is no longer counted.
     */
    default void onDeviceErrorRemoved(final DeviceError error)
    {
    }

    /**
     * Something that an operator may want to know, and that is no failure.
     *
     * @param message in one line.
     */
    default void onNote(final String message)
    {
    }

    /**
     * A failure that is reported to no host.
     *
     * @param message in one line.
     */
    default void onError(final String message)
    {
    }
}
