package io.millrace.serve;

import io.millrace.console.LineLog;
import io.millrace.nvmf.config.TargetListener;
import io.millrace.nvmf.transport.TransportAddress;

/**
 * Logs a line for each host that connects, disconnects or is refused. Hosts that were allowed and those that were not
 * have limits of their own, so that the latter do not hide the former. Any thread, reactors too.
 */
final class EventLog implements TargetListener
{
    private final LineLog.Source hosts;
    private final LineLog.Source problems;

    EventLog(final LineLog log)
    {
        hosts = log.source("lines of hosts that came and went");
        problems = log.source("lines of refusals and errors");
    }

    @Override
    public void onConnected(
        final String hostNqn, final String remote, final String subsystemNqn, final int controllerId)
    {
        hosts.accept("connected: " + name(hostNqn) + " from " + address(remote) + ", controller " + controllerId +
            " of " + subsystemNqn);
    }

    @Override
    public void onDisconnected(
        final String hostNqn,
        final String remote,
        final String subsystemNqn,
        final int controllerId,
        final String reason)
    {
        hosts.accept("disconnected: " + name(hostNqn) + " from " + address(remote) + ", controller " + controllerId +
            " of " + subsystemNqn + ": " + reason);
    }

    @Override
    public void onRefused(final String hostNqn, final String remote, final String subsystemNqn, final String reason)
    {
        problems.accept("refused: " + name(hostNqn) + " from " + address(remote) + " to " + name(subsystemNqn) +
            ": " + reason);
    }

    @Override
    public void onProtocolError(final String remote, final String reason)
    {
        problems.accept("protocol error: connection from " + address(remote) + ": " + reason);
    }

    @Override
    public void onConnectionRefused(final String remote, final String reason)
    {
        problems.accept("refused: connection from " + address(remote) + ": " + reason);
    }

    @Override
    public void onAnaTransitionExpired(
        final String subsystemNqn, final TransportAddress listener, final int group)
    {
        problems.accept("transition took too long: ANA group " + group + " of " + subsystemNqn +
            " is inaccessible at " +
            (null == listener ? "other listeners" : listener.listenerName()));
    }

    @Override
    public void onError(final String message)
    {
        problems.accept("error: " + message);
    }

    @Override
    public void onNote(final String message)
    {
        problems.accept("note: " + message);
    }

    private static String name(final String nqn)
    {
        return nqn.isEmpty() ? "a host without a name" : nqn;
    }

    private static String address(final String remote)
    {
        return remote.isEmpty() ? "an address that is gone" : remote;
    }
}
