package io.millrace.messaging;

import io.millrace.messaging.transport.EndpointStatus;
import io.millrace.messaging.transport.Eviction;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * Connections that peers made, of all listeners, within {@link MessagingContext#connectionsMax}. A peer that has not
 * proved itself gives way to another one: otherwise whoever says hello and no more would keep all others out. The
 * reactor's.
 */
final class AcceptedConnections
{
    private final int max;
    private final List<Connection> all = new ArrayList<>();

    AcceptedConnections(final int max)
    {
        this.max = max;
    }

    /**
     * Makes room for another connection, which ends one that has proved nothing when there are as many as there may be.
     *
     * @param peer address of the one that comes.
     * @return why it is refused; null when it is taken.
     */
    String refusal(final InetAddress peer)
    {
        if (all.size() < max)
        {
            return null;
        }
        // Those that end have not given back what they have yet: they are bounded, too.
        final List<Connection> unproven = all.size() < 2L * max ?
            all.stream().filter(Connection::isUnproven).toList() : List.of();
        if (unproven.isEmpty())
        {
            return "there are " + max + " connections (connectionsMax)";
        }
        Eviction.choose(unproven, (each) -> each.endpoint().peer().getAddress(), peer).abort(EndpointStatus.REJECTED,
            "it had proved nothing when another peer came, and there are " + max + " connections (connectionsMax)");
        return null;
    }

    void add(final Connection connection)
    {
        all.add(connection);
    }

    /** It has ended, and given back what it had. */
    void remove(final Connection connection)
    {
        all.remove(connection);
    }
}
